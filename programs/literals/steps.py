"""Numbers that no excerpt writes but two of its values give: a span, a step, a ratio, a relative change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from datetime import datetime

from programs.literals.cells import Cell
from programs.literals.claims import Figure
from programs.literals.compare import NEAR, series_of
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.outcome import UNSEEN, Outcome

# first -> last and before -> after of one record; min -> max is the whole swing
_PAIRS = (("first", "last"), ("before", "after"), ("min", "max"), ("first", "max"), ("before", "max"))
_STATED = frozenset(field for pair in _PAIRS for field in pair)
_EPSILON = 1e-6


def derived(figure: Figure, excerpts: Excerpts) -> Outcome:
    """Found when two visible times or two values of one series give the number; else unseen."""
    mine, approx = figure.quantity, figure.cue.approx
    span = next(((v, h) for dim, v, h in mine.values if dim == "time"), None)
    if span and (cell := _span(*span, approx, excerpts)):
        return Outcome("found", cell, cell.text, "span between two visible times")
    for values in _series(excerpts):
        if mine.is_factor or mine.unit in ("%", "percent"):
            hit = _relative(figure, values)
            if hit:
                return Outcome("found", hit.cell, hit.quantity.text, "ratio of two visible values")
        if mine.is_factor:
            continue
        hit = _step(figure, values)
        if hit:
            return Outcome("found", hit.cell, hit.quantity.text, "difference of two visible points")
    return UNSEEN


def _span(value: float, half: float, approx: bool, excerpts: Excerpts) -> Cell | None:
    """A cell with a time that lies ``value`` seconds before another visible time."""
    slack = max(half, NEAR * value if approx else 0.0) + _EPSILON
    cells = {_seconds(at, m.offset): cell for m, cell in excerpts.moments if (at := m.in_utc())}
    instants = sorted(cells)
    for instant in instants:
        following = bisect_left(instants, instant + value - slack)
        if following < len(instants) and instant != instants[following] <= instant + value + slack:
            return cells[instant]
    return None


def _seconds(at: datetime, offset: int | None) -> float:
    return at.timestamp() - 60 * (offset or 0)


def _series(excerpts: Excerpts) -> Iterable[list[SeenNumber]]:
    """The points of each visible series, and the stated figures of each record."""
    groups: dict[str, list[SeenNumber]] = {}
    for seen in excerpts.numbers:
        if series := series_of(seen):
            groups.setdefault(series, []).append(seen)
        elif seen.cell.field in _STATED:
            groups.setdefault("\0" + (seen.cell.series or seen.cell.record), []).append(seen)
    return [group for group in groups.values() if len(group) > 1]


def _step(figure: Figure, values: list[SeenNumber]) -> SeenNumber | None:
    """One of two values whose difference is the number, in the unit of either side."""
    mine = figure.quantity
    scale = _scale(figure, values[0])
    if scale is None:
        return None
    wanted, half = abs(mine.raw) * scale, mine.half * scale
    slack = max(half, NEAR * wanted if figure.cue.approx else 0.0) + _EPSILON * max(1.0, wanted)
    ordered = sorted(values, key=lambda seen: seen.quantity.raw)
    raws = [seen.quantity.raw for seen in ordered]
    for seen, raw in zip(ordered, raws, strict=True):
        at = bisect_left(raws, raw + wanted - slack)
        if at < len(raws) and raws[at] <= raw + wanted + slack and raws[at] != raw:
            return seen
    return None


def _scale(figure: Figure, seen: SeenNumber) -> float | None:
    """How many of the series' written units one written unit of the claim is; None when they measure other things."""
    mine = figure.quantity
    if not mine.values or not seen.values or mine.is_count:
        return None if mine.values and seen.values and seen.values[0][0] != "count" else 1.0
    for (dim, value, _), raw in ((v, mine.raw) for v in mine.values):
        for other, seen_value, _ in seen.values:
            if dim == other and raw and seen.quantity.raw:
                return (value / raw) / (seen_value / seen.quantity.raw)
    return None


def _relative(figure: Figure, values: list[SeenNumber]) -> SeenNumber | None:
    """One of two values of a series, the later one so many times (or so many percent over) the earlier one."""
    mine = figure.quantity
    factor = mine.is_factor
    wanted = [mine.raw, mine.raw + 1] if factor else [1 + mine.raw / 100, 1 - mine.raw / 100]
    half = max(mine.half, 0.05) if factor else mine.half / 100
    fields = {seen.cell.field: seen for seen in values}
    pairs = [(fields[a], fields[b]) for a, b in _PAIRS if a in fields and b in fields]
    if series_of(values[0]):
        lowest, highest = (pick(values, key=lambda s: s.quantity.raw) for pick in (min, max))
        pairs = [(values[0], values[-1]), (values[0], highest), (highest, values[-1]), (lowest, highest)]
    for one, two in pairs:
        if one.quantity.raw and one is not two:
            ratio = two.quantity.raw / one.quantity.raw
            slack = half + (NEAR * ratio if figure.cue.approx else 0.0) + _EPSILON
            if any(abs(ratio - value) <= slack for value in wanted):
                return two
    return None
