"""Which figure of a series a claim means (peak, trough, first, last, before, after), and what contradicts it."""

from __future__ import annotations

import re

from programs.literals.claims import ClaimText, Figure
from programs.literals.compare import apart, series_of
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.outcome import Outcome

_REACH = 28
_WORDS = {
    "max": r"最高|峰值|最大|顶峰|\b(?:peak(?:ed|s)?|max(?:imum)?|highest|topped)",
    "min": r"最低|谷值|最小|\b(?:min(?:imum)?|lowest|bottomed)",
    "first": r"起初|最初|初值|初始值|一开始|开始时|第一个点|\b(?:initially|at first|first value|started (?:at|from))",
    "last": r"最终|末值|最新值|最后(?!一次|一条|的)|\b(?:finally|ended (?:up )?at|last value|final value)",
    "before": r"(?:变化|突变|跳变)之?前|\bbefore the (?:change|jump)",
    "after": r"(?:变化|突变|跳变)之?后|\bafter the (?:change|jump)",
}
_FIELD = re.compile(f"(?:{'|'.join(f'(?P<{field}>{words})' for field, words in _WORDS.items())})[^\\d]{{0,10}}$", re.I)
STATED = frozenset(_WORDS)
# The words of an extreme also name a limit; next to a series' own figure they do not.
LIMIT_WORDS = frozenset({"@min", "@limit"})


def figure_of_series(claim: ClaimText, figure: Figure) -> str:
    """``max``, ``min``, ``first``, ``last``, ``before`` or ``after`` when the claim gives the number as that."""
    start = figure.quantity.start
    before = claim.text[max(0, start - _REACH) : start]
    found = _FIELD.search(before)
    return (found.lastgroup or "") if found else ""


def of_series(seen: SeenNumber) -> bool:
    """Whether a number is a point, or a stated figure, of a series."""
    return ".points[" in seen.cell.record or seen.cell.field in STATED


def another_figure(
    claim: ClaimText, figure: Figure, field: str, hits: list[SeenNumber], excerpts: Excerpts
) -> Outcome | None:
    """The series' own peak (trough, first value, ...) where the claimed one stands only as another of its figures."""
    if len(claim.whens) > 1 or (claim.whens and field not in ("max", "min")):
        return None
    seen = _stated(field, hits, excerpts) or _point(field, hits, excerpts)
    if seen is None or not apart(figure.quantity, seen, figure.cue.approx):
        return None
    shown = seen.quantity.text
    return Outcome("conflicting", seen.cell, shown, f"the visible {field} is {shown}")


def _stated(field: str, hits: list[SeenNumber], excerpts: Excerpts) -> SeenNumber | None:
    """What the one record of the hits states as that figure itself; None when a hit is it."""
    records = {hit.cell.series or hit.cell.record for hit in hits}
    stated = [s for s in excerpts.numbers if s.cell.field == field and (s.cell.series or s.cell.record) in records]
    return stated[0] if len(records) == 1 and len(stated) == 1 and stated[0] not in hits else None


def _point(field: str, hits: list[SeenNumber], excerpts: Excerpts) -> SeenNumber | None:
    """That point of the one series of the hits. First and last need the whole series in one excerpt."""
    series = {series_of(hit) for hit in hits}
    if len(series) != 1 or "" in series or field in ("before", "after"):
        return None
    points = [s for s in excerpts.numbers if series_of(s) in series]
    if field in ("max", "min"):
        sign = 1 if field == "max" else -1
        return max(points, key=lambda s: sign * s.quantity.raw)
    ordered = in_time_order(points, excerpts)
    if len({s.cell.place for s in points}) != 1 or len(points) < 2 or not ordered:
        return None
    return ordered[0] if field == "first" else ordered[-1]


def in_time_order(points: list[SeenNumber], excerpts: Excerpts) -> list[SeenNumber]:
    """Points by their times; empty when one has none."""
    when = {cell.record: at for moment, cell in excerpts.moments if ".points[" in cell.record and (at := moment.at())}
    if not all(s.cell.record in when for s in points):
        return []
    return sorted(points, key=lambda s: when[s.cell.record])
