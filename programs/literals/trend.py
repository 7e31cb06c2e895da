"""A rise or a fall that a claim tells, against the one visible series."""

from __future__ import annotations

import re
from itertools import pairwise

from programs.literals.compare import series_of
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.outcome import Outcome
from programs.literals.series import in_time_order
from programs.literals.text import mentions

_RISE = re.compile(
    r"上升|升高|升到|升至|上涨|涨到|增长到|攀升|走高|飙升|爬升|\b(?:rose|rises|rising|increas(?:ed|es|ing)|climb(?:ed|s|ing)|"
    r"grew|went up|jumped|spiked)\b",
    re.I,
)
_FALL = re.compile(
    r"下降|降低|降到|降至|下跌|跌到|回落|走低|\b(?:shr[aiu]nk(?:s|ing)?|fell|falls|falling|decreas(?:ed|es|ing)|dropp(?:ed|ing)|declin(?:ed|es|"
    r"ing)|went down)\b",
    re.I,
)


_CUES = (
    *("升", "涨", "增长", "攀", "走高", "降", "跌", "回落", "走低", "rose", "ris", "increas", "climb", "grew", "went"),
    *("jump", "spik", "shr", "fell", "fall", "decreas", "drop", "declin"),
)
_ALL_ALONG = re.compile(
    r"一路|一直|持续|不断|逐步|逐渐|\b(?:kept|keeps|steadily|continuous(?:ly)?|throughout|gradually)\b", re.I
)


def direction(text: str, excerpts: Excerpts) -> tuple[int, int, Outcome] | None:
    """(start, end, outcome) of a rise or fall over the one visible series; None when it cannot be told.

    Conflicting only when every visible step goes the other way, or the whole does and the claim says 一路, kept.
    """
    if not mentions(text.lower(), _CUES):
        return None
    rise, fall = _RISE.search(text), _FALL.search(text)
    word = rise or fall
    if word is None or (rise and fall):
        return None
    ordered = _ordered(excerpts)
    if len(ordered) < 2:
        return None
    steps = [b.quantity.raw - a.quantity.raw for a, b in pairwise(ordered)]
    sign = 1 if rise else -1
    first, last = ordered[0], ordered[-1]
    against = (last.quantity.raw - first.quantity.raw) * sign < 0
    if any(step * sign > 0 for step in steps) and not (against and _ALL_ALONG.search(text)):
        return *word.span(), Outcome("found", first.cell, first.quantity.text, "over the visible points")
    if against and (all(step * sign < 0 for step in steps) or _ALL_ALONG.search(text)):
        shown = f"{first.quantity.text} to {last.quantity.text}"
        return *word.span(), Outcome("conflicting", last.cell, shown, f"the visible points go from {shown}")
    return None


def _ordered(excerpts: Excerpts) -> list[SeenNumber]:
    """The points of the one visible series in time order, or its stated first and last value; else nothing."""
    points = [s for s in excerpts.numbers if series_of(s) and s.cell.field == "1"]
    if points:
        return in_time_order(points, excerpts) if len({s.cell.series for s in points}) == 1 else []
    stated: dict[str, SeenNumber] = {}
    for seen in excerpts.numbers:
        if seen.cell.field in ("first", "last", "min", "max") and stated.setdefault(seen.cell.field, seen) is not seen:
            return []
    if len(stated) != 4 or len({seen.cell.record for seen in stated.values()}) != 1:
        return []
    first, last = stated["first"], stated["last"]
    ends = {first.quantity.raw, last.quantity.raw}
    # A swing beyond both ends may be the rise or fall that is meant.
    return [first, last] if {stated["min"].quantity.raw, stated["max"].quantity.raw} == ends else []
