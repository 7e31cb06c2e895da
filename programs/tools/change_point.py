"""When a series or an event rate changed: robust statistics for one change, no assumption about its shape."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

MIN_POINTS = 8
MIN_SIDE = 3
MAX_POINTS = 240
NOISE_FACTOR = 4.0
RELATIVE_EFFECT = 0.1
MAX_STRAYS = 0.12


@dataclass(frozen=True)
class Change:
    """A change of level at ``index`` (the first value of the new level), with the medians on both sides."""

    index: int
    before: float
    after: float


def find_change(values: Sequence[float], least: float = 0.0) -> Change | None:
    """The one change of level in ``values`` (finite, in time order), or None.

    The split that fits two medians best counts when the medians differ by more than four times the noise (scaled MAD,
    or the mean residual where that is larger), a tenth of the larger one, and ``least``. A ramp is dated at its foot,
    not at its middle. Two other shapes count as well: a calm start that the series leaves for good (a saw-tooth), and a
    lone excursion that has come back.
    """
    size = len(values)
    if size < MIN_POINTS:
        return None
    step = math.ceil(size / MAX_POINTS)
    points = [median(values[at : at + step]) for at in range(0, size, step)]
    run = _step_or_ramp(points, least) or _departure(points, least) or _excursion(points, least)
    if run is None:
        return None
    start, end = run[0] * step, min(run[1] * step, size)
    if start == 0:
        return None
    return Change(start, median([*values[:start], *values[end:]]), median(values[start:end]))


def _step_or_ramp(points: Sequence[float], least: float) -> tuple[int, int] | None:
    split = _best_split(points)
    before, after = median(points[:split]), median(points[split:])
    noise = _noise([value - before for value in points[:split]] + [value - after for value in points[split:]])
    if abs(after - before) <= max(NOISE_FACTOR * noise, _least_effect(before, after, least)):
        return None
    # A level that was visited often before is no new level (flags, rhythms).
    middle, up = (before + after) / 2, after > before
    strays = sum((value > middle) == up for value in points[:split])
    lapses = sum((value > middle) != up for value in points[split:])
    if strays > MAX_STRAYS * split or lapses > MAX_STRAYS * (len(points) - split):
        return None
    return _foot(points, split), len(points)


def _departure(points: Sequence[float], least: float) -> tuple[int, int] | None:
    calm = points[: max(MIN_SIDE, len(points) // 4)]
    base = median(calm)
    margin = max(2 * NOISE_FACTOR * _noise([value - base for value in calm]), _least_effect(base, base, least), 1e-9)
    sides = [0 if abs(value - base) <= margin else (1 if value > base else -1) for value in points]
    for start in range(len(calm), len(points) - MIN_SIDE + 1):
        side = sides[start]
        if side and sides[start : start + MIN_SIDE] == [side] * MIN_SIDE:
            stays = sides[start:].count(side) >= 0.6 * (len(points) - start)
            return (start, len(points)) if stays and side not in sides[:start] else None
    return None


def _least_effect(before: float, after: float, least: float) -> float:
    return max(RELATIVE_EFFECT * max(abs(before), abs(after)), least)


def _noise(residuals: Sequence[float]) -> float:
    sizes = [abs(residual) for residual in residuals]
    # The MAD of a mostly constant series is 0, so single stray values would count as changes.
    return max(1.4826 * median(sizes), fmean(sizes))


def _best_split(points: Sequence[float]) -> int:
    left = _deviations(points)
    right = _deviations(points[::-1])[::-1]
    costs = [(left[at - 1] + right[at], at) for at in range(MIN_SIDE, len(points) - MIN_SIDE + 1)]
    return min(costs)[1]


def _deviations(points: Sequence[float]) -> list[float]:
    """For every prefix, the sum of distances from its median."""
    ordered: list[float] = []
    sums = []
    for value in points:
        insort(ordered, value)
        half = len(ordered) // 2
        sums.append(sum(ordered[len(ordered) - half :]) - sum(ordered[:half]))
    return sums


def _foot(points: Sequence[float], split: int) -> int:
    calm = points[: max(2, split // 2)]
    base = median(calm)
    rise = median(points[split:]) - base
    margin = max(3 * _noise([value - base for value in calm]), abs(rise) * RELATIVE_EFFECT)
    sign = 1.0 if rise > 0 else -1.0
    at = split
    while at > 1 and sign * (points[at - 1] - base) > margin:
        at -= 1
    return at


def _excursion(points: Sequence[float], least: float) -> tuple[int, int] | None:
    base = median(points)
    sizes = [abs(value - base) for value in points]
    margin = max(6 * 1.4826 * median(sizes), 0.5 * abs(base), least, 1e-9)
    away = [0 if size <= margin else (1 if value > base else -1) for value, size in zip(points, sizes, strict=True)]
    runs = []
    start = 0
    for at in range(1, len(away) + 1):
        if at == len(away) or away[at] != away[start]:
            if away[start]:
                runs.append((start, at))
            start = at
    # Several runs are a rhythm (batch jobs, garbage collection), not a change.
    long_runs = [run for run in runs if run[1] - run[0] >= MIN_SIDE]
    return long_runs[0] if len(runs) <= 2 and len(long_runs) == 1 else None


def find_surge(times: Sequence[float], start: float) -> int | None:
    """Index of the event from which events come at least five times as often as before since ``start``, or None.

    ``times`` and ``start`` in seconds, in order. Best split by the likelihood ratio of two Poisson rates; at least five
    events after it, and a ratio that chance gives less than once in ten thousand (log-likelihood gain above 10).
    """
    count = len(times)
    if count < 6:
        return None
    end = max(times[-1], start + 1e-3)
    whole = count * math.log(count / (end - start))
    best, found = 10.0, None
    for at in range(1, count - 4):
        early, late = max(times[at] - start, 1e-3), max(end - times[at], 1e-3)
        if (count - at) / late < 5 * at / early:
            continue
        gain = at * math.log(at / early) + (count - at) * math.log((count - at) / late) - whole
        if gain > best:
            best, found = gain, at
    return found


def is_new(count: int, first: float, last: float, start: float, least: float = 4.0) -> bool:
    """Whether events that began at ``first`` were absent before by more than chance.

    At their own rate at least ``least`` would have been seen between ``start`` and ``first`` (seconds): by chance that
    happens once in ``e ** least`` cases. A lone event is never called new: nothing is known about its rate.
    """
    if count < 2:
        return False
    return (count - 1) / max(last - first, 1.0) * (first - start) >= least
