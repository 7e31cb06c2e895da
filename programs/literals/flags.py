"""Switches of a claim (debug is true, autocommit=off) against the same switch in its excerpts."""

from __future__ import annotations

import re

from programs.literals.claims import ClaimText
from programs.literals.excerpts import Excerpts
from programs.literals.outcome import UNSEEN, Outcome, Scope
from programs.literals.text import mentions

_ON, _OFF = frozenset(["true", "on", "yes", "enabled", "1"]), frozenset(["false", "off", "no", "disabled", "0"])
_VALUE = "true|false|on|off|yes|no|enabled|disabled"
_CUES = ("true", "false", "on", "off", "yes", "no", "enabled", "disabled")
_SAID = re.compile(
    r"(?<![\w.-])(?P<key>[A-Za-z_][\w.-]{1,60})[\"'`”]?\s*(?:的值|参数|开关)?\s*"
    r"(?:=|:|(?:被|已)?(?:设置?|改)?(?:为|成)|是|\b(?:is|was)(?:\s(?:set\sto|still|now))?|\bset\sto)\s*[\"'`“]?"
    rf"(?P<value>{_VALUE})(?![\w-])",
    re.I | re.A,
)


def _plain(key: str) -> str:
    return key.lower().replace("-", "_")


def flags_in(claim: ClaimText) -> list[tuple[int, int, str, bool]]:
    """(start, end, key, value) of every switch a claim states; start and end are those of the value."""
    if not mentions(claim.text.lower(), _CUES):
        return []
    return [
        (*found.span("value"), _plain(found["key"]), found["value"].lower() in _ON)
        for found in _SAID.finditer(claim.text)
        if found["key"].lower() not in ("it", "this", "that", "he", "she", "which", "there")
    ]


def look_up_flag(key: str, value: bool, excerpts: Excerpts, scope: Scope) -> Outcome:
    """Found when an excerpt gives the switch that value; conflicting when all of them give it the other one."""
    short = key.rpartition(".")[2]
    inside = re.compile(
        rf"(?<![\w.])(?:[\w.-]+\.)?{re.escape(short).replace('_', '[_-]')}[\"']?\s*(?:=|:|\bis\b)\s*[\"']?"
        rf"(?P<value>{_VALUE}|[01])(?![\w.])",
        re.A,
    )
    against: Outcome | None = None
    for cell in excerpts.cells:
        written = cell.low if _plain(cell.field) == short else ""
        found = inside.search(cell.low) if "=" in cell.low or ":" in cell.low or " is " in cell.low else None
        seen = written if written in _ON | _OFF else found["value"] if found else ""
        if not seen:
            continue
        if (seen in _ON) is value:
            return Outcome("found", cell, seen, "", frozenset({cell.record}))
        if against is None and scope.admits(cell):
            against = Outcome("conflicting", cell, seen, f"the excerpts show {short} {seen}")
    return against or UNSEEN
