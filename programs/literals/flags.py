"""Switches of a claim (debug is true, autocommit=off) against the same switch in its excerpts."""

from __future__ import annotations

import re

from programs.literals.claims import ClaimText
from programs.literals.excerpts import Excerpts
from programs.literals.outcome import UNSEEN, Outcome, Scope

_ON, _OFF = frozenset(["true", "on", "yes", "enabled", "1"]), frozenset(["false", "off", "no", "disabled", "0"])
_VALUE = "true|false|on|off|yes|no|enabled|disabled"
_SAID = re.compile(
    r"(?<![\w.-])(?P<key>[A-Za-z_][\w.-]{0,60}\w)[\"'`”]?\s*(?:的值|参数|开关)?\s*"
    r"(?:=|:|(?:被|已)?(?:设置?|改)?(?:为|成)|是|\b(?:is|was)(?:\s(?:set\sto|still|now))?|\bset\sto)\s*[\"'`“]?"
    rf"(?P<value>{_VALUE})(?![\w-])",
    re.I | re.A,
)
_PRONOUNS = frozenset(["it", "this", "that", "which", "there"])


def _plain(key: str) -> str:
    return key.lower().replace("-", "_")


def flags_in(claim: ClaimText) -> list[tuple[int, int, str, bool]]:
    """(start, end, key, value) of every switch a claim states; start and end are those of the value."""
    return [
        (*found.span("value"), _plain(found["key"]).rpartition(".")[2], found["value"].lower() in _ON)
        for found in _SAID.finditer(claim.text)
        if found["key"].lower() not in _PRONOUNS
    ]


def look_up_flag(key: str, value: bool, excerpts: Excerpts, scope: Scope) -> Outcome:
    """Found when an excerpt gives the switch that value; conflicting when all of them give it the other one."""
    inside = re.compile(
        rf"(?<![\w-]){re.escape(key).replace('_', '[_-]')}[\"']?\s*(?:=|:|\bis\b)\s*[\"']?"
        rf"(?P<value>{_VALUE}|[01])(?![\w-]|\.\w)",
        re.A,
    )
    against = UNSEEN
    for cell in excerpts.cells:
        if _plain(cell.field) == key and cell.low in _ON | _OFF:
            seen = cell.low
        elif found := inside.search(cell.low):
            seen = found["value"]
        else:
            continue
        if (seen in _ON) is value:
            return Outcome("found", cell)
        if against is UNSEEN and scope.admits(cell):
            against = Outcome("conflicting", cell, detail=f"the excerpts show {key} {seen}")
    return against
