"""When a claim's time and an excerpt's time are the same.

A claim's time matches at its own precision (``10:05`` is any second of that minute), in the excerpt's own zone or
converted between UTC and +08:00. Near words (约, 左右, about) widen it: 5 s, 5 min or 30 min for second, minute, hour.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache

from programs.literals.times import Moment

_EIGHT = 480


@lru_cache(maxsize=8192)
def views(seen: Moment, offset: int | None) -> tuple[datetime, ...]:
    """``seen`` as a reader of zone ``offset`` (minutes; None: any usual one) would write it."""
    base = seen.at()
    if base is None:
        return ()
    if seen.offset is None:
        return (base,) if offset is None else (base, base + timedelta(hours=8), base - timedelta(hours=8))
    utc = base - timedelta(minutes=seen.offset)
    if offset is not None:
        return (utc + timedelta(minutes=offset),)
    return (base, *(view for view in (utc, utc + timedelta(minutes=_EIGHT)) if view != base))


def distance(claim: Moment, seen: Moment) -> float | None:
    """Seconds between the span that ``claim`` names and ``seen`` (0: inside it); None when they cannot be compared."""
    if claim.hour is None or seen.hour is None:
        if claim.month is None or seen.month is None:
            return None
        dates: list[tuple[int | None, int | None]] = [(view.month, view.day) for view in views(seen, claim.offset)]
        dates = dates or [(seen.month, seen.day)]
        year_ok = claim.year is None or seen.year is None or claim.year == seen.year
        return 0.0 if year_ok and (claim.month, claim.day) in dates else 86400.0
    target = claim.at()
    if target is None:
        return None
    span = 10.0 ** -len(claim.fraction) if claim.fraction else claim.unit_seconds
    if seen.unit_seconds > claim.unit_seconds:
        return None
    best: float | None = None
    for view in views(seen, claim.offset):
        if claim.month is None or seen.month is None:
            away = _day_seconds(view) - _day_seconds(target)
            choices = [away, away - 43200] if claim.either_half else [away]
            gaps = [_outside(min((c + 43200) % 86400 - 43200, c, key=abs), span) for c in choices]
        else:
            year = claim.year if claim.year and seen.year else 2000
            try:
                away = (
                    view.replace(year=view.year if claim.year and seen.year else 2000) - target.replace(year=year)
                ).total_seconds()
            except ValueError:
                continue
            gaps = [_outside(away, span)] + ([_outside(away - 43200, span)] if claim.either_half else [])
        for gap in gaps:
            if best is None or gap < best:
                best = gap
    return best


def _day_seconds(moment: datetime) -> float:
    return moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6


def _outside(away: float, span: float) -> float:
    if -1e-6 <= away < span - 1e-6:
        return 0.0
    return -away if away < 0 else away - span + 1e-6


def tolerance(claim: Moment, approx: bool) -> float:
    """Allowed distance in seconds: none, or 5 s / 5 min / 30 min under a near word."""
    if not approx:
        return 0.0
    return {1.0: 5.0, 60.0: 300.0, 3600.0: 1800.0}.get(claim.unit_seconds, 0.0)


def between(first: Moment, seen: Moment, last: Moment) -> bool:
    """Whether ``seen`` lies from ``first`` to ``last`` (both included) on the claim's own clock.

    From 23:40 to 00:10 is one night; a claim that also names days says nothing of times outside them.
    """
    low, high = first.at(), last.at()
    shown = views(seen, first.offset)[:1]
    if low is None or high is None or not shown:
        return False
    if None not in (first.month, last.month, seen.month):
        years = {first.year, last.year, seen.year}
        year = None if len(years) == 1 else 2000
        at, low, high = (moment.replace(year=year or moment.year) for moment in (shown[0], low, high))
        return low <= at < high + timedelta(seconds=last.unit_seconds)
    at_second, start, end = _day_seconds(shown[0]), _day_seconds(low), _day_seconds(high) + last.unit_seconds
    return start <= at_second < end if start < end else at_second >= start or at_second < end
