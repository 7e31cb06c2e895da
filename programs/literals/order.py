"""Before and after: the order a claim gives to two events against the times of their records."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import pairwise

from programs.literals.cells import Cell
from programs.literals.claims import ClaimText, Figure, When
from programs.literals.concepts import concepts, core
from programs.literals.excerpts import Excerpts
from programs.literals.identifiers import Name
from programs.literals.outcome import Outcome
from programs.literals.text import mentions

_A, _B = r"(?P<a>[^，。；,;]{2,60}?)", r"(?P<b>[^，。；,;]{2,60})"
_EN_A, _EN_B = r"(?P<a>[^,;]{3,80}?)", r"(?P<b>[^,;]{3,80})"
_END = r"(?=\s*(?:[，。；,;！!]|$))"
# (pattern, whether the first group is the earlier event)
_FORMS: tuple[tuple[re.Pattern[str], bool], ...] = (
    (
        re.compile(
            r"(?P<a>[^，。；,;]{2,60}?)(?P<w>之后|以后|后(?=[，,]|才|再|又|就))[，,]?\s?(?:才|再|又|就)?(?P<b>[^，。；,;]{2,60})"
        ),
        True,
    ),
    (
        re.compile(
            r"(?P<a>[^，。；,;]{2,60}?)(?P<w>之前|以前|前(?=[，,]|就|已))[，,]?\s?(?:就|已经?)?(?P<b>[^，。；,;]{2,60})"
        ),
        False,
    ),
    (re.compile(rf"{_A}(?P<w>早于|先于){_B}"), True),
    (re.compile(rf"{_A}(?P<w>晚于){_B}"), False),
    (re.compile(rf"{_A}(?:发生|出现)?(?:在|于){_B}(?P<w>之后|以后){_END}"), False),
    (re.compile(rf"{_A}(?:发生|出现)?(?:在|于){_B}(?P<w>之前|以前){_END}"), True),
    (re.compile(rf"{_A}比{_B}(?P<w>更?早)"), True),
    (re.compile(rf"{_A}比{_B}(?P<w>更?晚)"), False),
    (re.compile(rf"{_A}[，,]\s?(?P<w>随后|然后|接着|紧接着|继而){_B}"), True),
    (
        re.compile(r"(?P<w>先是?)(?P<a>[^，。；,;先]{2,60}?)[，,]?\s?(?:然后|随后|后|再|接着)(?P<b>[^，。；,;]{2,60})"),
        True,
    ),
    (re.compile(r"^\s*(?P<w>after)\s(?P<a>[^,;.]{3,80}),\s(?P<b>[^;.]{3,80})", re.I), True),
    (re.compile(r"^\s*(?P<w>before)\s(?P<a>[^,;.]{3,80}),\s(?P<b>[^;.]{3,80})", re.I), False),
    (
        re.compile(
            rf"{_EN_A}\s(?P<w>before|prior to|preced(?:ed|es|ing)|(?:(?:was|were|is)\s)?followed by)\s{_EN_B}", re.I
        ),
        True,
    ),
    (re.compile(rf"{_EN_A}\s(?P<w>after|once|follow(?:ed|s|ing))\s{_EN_B}", re.I), False),
    (re.compile(rf"{_EN_A},?\s(?:and\s)?(?P<w>then|afterwards|later)\s{_EN_B}", re.I), True),
)
_CUES = (
    *("后", "前", "早", "先", "晚", "接着", "继而", "before", "after", "prior", "preced", "once", "follow", "then"),
    "later",
)
_NEGATED = re.compile(r"不|没|未|并非|无|\b(?:not|never|no|without|seconds?|minutes?|hours?)\b", re.I)


def _instants(excerpts: Excerpts) -> dict[str, datetime]:
    """Each record's own time in UTC; a message that starts with a time counts when no time field is bound."""
    out: dict[str, datetime] = {}
    for fields_only in (True, False):
        for moment, cell in excerpts.moments:
            at = moment.at()
            if (
                at is None
                or cell.record in out
                or (fields_only and not cell.is_time)
                or (not fields_only and moment.start > 2)
            ):
                continue
            out[cell.record] = at - timedelta(minutes=moment.offset or 0)
    return out


def _event(
    span: tuple[int, int], claim: ClaimText, held: list[tuple[int, frozenset[str]]], excerpts: Excerpts
) -> frozenset[str]:
    """The records an event phrase speaks of: those of its literals, else those that share most of its concepts."""
    sets = [records for at, records in held if span[0] <= at < span[1] and records]
    by_literal = frozenset.intersection(*sets) if sets else frozenset()
    about = core(concepts(claim.text[span[0] : span[1]]))
    pool = by_literal or frozenset(excerpts.records)
    if not about:
        return by_literal
    scores = {
        record: len(about & core(concepts(" ".join(c.text for c in excerpts.records[record] if not c.is_time))))
        for record in sorted(pool)
        if record in excerpts.records
    }
    best = max(scores.values(), default=0)
    return frozenset(r for r, score in scores.items() if score == best) if best else by_literal


def order(
    claim: ClaimText,
    names: dict[Name, Outcome],
    figures: dict[Figure, Outcome],
    times: dict[When, Outcome],
    excerpts: Excerpts,
) -> tuple[int, int, Outcome] | None:
    """(start, end, outcome) of the claim's ordering word; None when the two events cannot be told apart or dated."""
    if not mentions(claim.text.lower(), _CUES):
        return None
    for pattern, first_earlier in _FORMS:
        match = pattern.search(claim.text)
        if match is None or _NEGATED.search(match[0]):
            continue
        held = [(n.start, o.records) for n, o in names.items() if o.status == "found"]
        held += [(f.quantity.start, o.records) for f, o in figures.items() if o.status == "found" and f.quantity.values]
        held += [(w.moment.start, o.records) for w, o in times.items() if o.status == "found"]
        one = _event(match.span("a"), claim, held, excerpts)
        two = _event(match.span("b"), claim, held, excerpts)
        at = _instants(excerpts)
        if not one or not two or one & two or not (one | two) <= at.keys():
            continue
        early, late = (one, two) if first_earlier else (two, one)
        if max(at[r] for r in early) < min(at[r] for r in late):
            return (
                match.start("w"),
                match.end("w"),
                Outcome("found", _cell(early, excerpts), "", "in the order of the records' times"),
            )
        if min(at[r] for r in early) > max(at[r] for r in late):
            cell = _cell(late, excerpts)
            return (
                match.start("w"),
                match.end("w"),
                Outcome("conflicting", cell, "", "the records' times give the opposite order"),
            )
    return None


def _cell(records: frozenset[str], excerpts: Excerpts) -> Cell:
    return excerpts.records[min(records)][0]


_FROM_TO = re.compile(r"(?:\bfrom|从|由)\s*(?P<gap>[^，。；,;]{0,12}?)$", re.I)
_TO = re.compile(r"^[^，。；,;]{0,16}?(?:\bto\b|到|向|发往|至|->)", re.I)


_SENT = re.compile(
    r"\b(?:sent|sends|copied|transferred|served|replicated|wrote|forwarded|pushed)\b.*\bto\b|->|→|发往|发给|传给|发送到|复制到|转发到",
    re.I,
)
_RECEIVED = re.compile(r"\b(?:receiv|fetch|pull|got|read|copied|came)\w*\b.*\bfrom\b|收到来自|接收来自|从$", re.I)


def transfer(claim: ClaimText, names: dict[Name, Outcome]) -> tuple[int, int, Outcome] | None:
    """``from A to B`` against a record that says ``src: B dest: A``, ``B -> A`` or ``from B to A``."""
    found = [n for n, o in names.items() if o.status == "found" and n.kind in ("ip", "host", "service")]
    for one, two in pairwise(found):
        head, middle = claim.text[max(0, one.start - 16) : one.start], claim.text[one.end : two.start]
        if one.needle == two.needle:
            continue
        if _RECEIVED.search(middle):
            one, two = two, one
        elif not (_FROM_TO.search(head) and _TO.search(middle)) and not _SENT.search(middle):
            continue
        cell = names[one].cell
        if cell is None or not names[one].records & names[two].records:
            continue
        a, b = (re.escape(n.needle) + r"(?![\w-])" for n in (one, two))
        said = (
            r"(?:src|source|from)[\s:=/]*{}.{{0,24}}?\b(?:dest|dst|destination|to)[\s:=/]*{}"
            r"|{}\S{{0,8}}\s*->\s*/?{}|^\W*{}\S{{0,8}}\s(?:(?!from|src).){{0,80}}?\bto\s/?{}"
        )
        straight, reverse = re.compile(said.format(a, b, a, b, a, b)), re.compile(said.format(b, a, b, a, b, a))
        if straight.search(cell.low):
            return None
        if reverse.search(cell.low):
            shown = f"the record goes from {two.text} to {one.text}"
            return one.start, two.end, Outcome("conflicting", cell, "", shown)
    return None
