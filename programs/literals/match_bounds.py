"""Bounds and extremes of a claim (超过 90%, never above 5 s, 峰值 97%) against the visible values."""

from __future__ import annotations

import re

from programs.literals.claims import ClaimText, Figure
from programs.literals.compare import apart, gap, satisfies, series_of
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.outcome import UNSEEN, Outcome, Scope, found_in
from programs.literals.same_time import between
from programs.literals.text import negated

_SUMMARY = frozenset(["first", "last", "min", "max"])
_THROUGHOUT = re.compile(
    r"一直|始终|全程|均|都|每个|所有|\b(?:all|every|each|stay(?:ed|s)|remain(?:ed|s)|throughout|always|consistently|kept)\b",
    re.I,
)


# 超过 95% 的告警: a kind of thing, which need not have happened.
_OF_A_KIND = re.compile(r"\s*(?:以上|以下)?的(?!时|水平|程度)")


def _throughout(clause: str) -> bool:
    found = _THROUGHOUT.search(clause)
    return found is not None and not negated(clause, found.start())


def _owner(seen: SeenNumber) -> str:
    return seen.cell.series or seen.cell.record


def _crossing(claim: ClaimText, figure: Figure, pool: list[SeenNumber], excerpts: Excerpts) -> SeenNumber | None:
    """A point of the one visible series that breaks 一直超过, never exceeded, inside the two times the claim names."""
    mine, bound = figure.quantity, figure.cue.bound
    points = [s for s in pool if series_of(s)]
    stated = [] if claim.whens else [s for s in pool if s.cell.field in _SUMMARY]
    owners = {series_of(s) for s in points} or {_owner(s) for s in stated}
    if len(owners) != 1 or len(claim.whens) not in (0, 2):
        return None
    points += [s for s in stated if _owner(s) in owners]
    if claim.whens:
        when = {cell.record: moment for moment, cell in excerpts.moments}
        first, last = (w.moment for w in claim.whens)
        points = [s for s in points if s.cell.record in when and between(first, when[s.cell.record], last)]
    broken = [s for s in points if not satisfies(mine, s, bound) and apart(mine, s, figure.cue.approx)]
    return max(broken, key=lambda s: gap(mine, s), default=None)


def look_up_bound(
    claim: ClaimText, figure: Figure, related: list[tuple[SeenNumber, str]], scope: Scope, excerpts: Excerpts
) -> Outcome:
    """超过 90%, under 5 s: found when a figure of that quantity satisfies it; conflicting when all of them miss it."""
    mine, cue = figure.quantity, figure.cue
    strong = [s for s, r in related if r in ("key", "same")]
    loose = [s for s, r in related if r == "open" and mine.values and not mine.is_count and s.values]
    if (cue.every or _throughout(claim.clause_text(figure.clause))) and mine.values:
        crossing = _crossing(claim, figure, [s for s in strong + loose if scope.admits(s.cell)], excerpts)
        if crossing:
            return Outcome("conflicting", crossing.cell, detail=f"a visible point is {crossing.quantity.text}")
    fitting = [s for s in strong + loose if satisfies(mine, s, cue.bound)]
    if fitting:
        return found_in(fitting, mine, f"{fitting[0].quantity.text} is {'over' if cue.bound == '>' else 'under'} it")
    misses = [s for s in strong if s.values and scope.admits(s.cell)]
    if misses and mine.values and not loose and not cue.derived and not _OF_A_KIND.match(claim.text, mine.end):
        nearest = min(misses, key=lambda s: gap(mine, s))
        if apart(mine, nearest, cue.approx):
            return Outcome("conflicting", nearest.cell, detail=f"the excerpts show {nearest.quantity.text}")
    return UNSEEN
