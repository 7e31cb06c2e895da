"""The numbers of one metric series: ends, extremes, and the level before and after its change point."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median
from typing import Any

from programs.tools.change_point import find_change
from programs.tools.clean_text import shorten
from programs.tools.scenario_files import Series, iso

# Two or three points of a percentage are no event, however quiet the series was.
LEAST_PERCENT = 3.0
_NAMED = frozenset({"service", "instance", "job"})
_PLACES = ("instance", "pod", "host", "node")
_COUNTERS = ("_total", "_count", "_sum", "_bucket")


def as_rate(series: Series) -> Series:
    """A raw Prometheus counter as its rate per second, anything else unchanged: a counter that grows is no event."""
    values = series.values
    if not series.metric.endswith(_COUNTERS) or len(values) < 3 or any(not math.isfinite(value) for value in values):
        return series
    steps = list(pairwise(values))
    falls, rises = (sum(a > b for a, b in steps), sum(a < b for a, b in steps))
    # A count that seldom moves (restarts) says more as it is.
    if falls > len(steps) // 10 or rises < len(steps) // 2:
        return series
    spans = [max((after - before).total_seconds(), 1e-3) for before, after in pairwise(series.times)]
    # A counter that falls was reset: it has counted from zero since.
    rates = [(b - a if b >= a else b) / span for (a, b), span in zip(steps, spans, strict=True)]
    unit = "bytes_per_second" if series.unit == "bytes" else "per_second"
    return Series(f"rate({series.metric})", series.labels, unit, series.times[1:], tuple(rates))


def stats(series: Series) -> dict[str, Any]:
    """The statistics record. Samples that are not finite are left out; all numbers null when none is finite."""
    finite = [(time, value) for time, value in zip(series.times, series.values, strict=True) if math.isfinite(value)]
    values = [value for _, value in finite]
    labels = series.labels
    record: dict[str, Any] = {
        "metric": shorten(series.metric, 70),
        "service": shorten(labels.get("service") or labels.get("job") or "", 60),
        "instance": next((labels[name] for name in _PLACES if labels.get(name)), ""),
        "unit": shorten(series.unit, 20),
    }
    rest = [f"{name}={value}" for name, value in labels.items() if name not in _NAMED and value != record["instance"]]
    if rest:
        record["detail"] = shorten(",".join(rest), 40)
    if not values:
        nothing = ("first", "last", "min", "min_at", "max", "max_at", "before", "after", "change_at")
        return record | dict.fromkeys(nothing)
    low, high = min(range(len(values)), key=values.__getitem__), max(range(len(values)), key=values.__getitem__)
    change = find_change(values, LEAST_PERCENT if series.unit == "percent" else 0.0)
    before, after = (change.before, change.after) if change else (median(values), median(values))
    return record | {
        "first": rounded(values[0]),
        "last": rounded(values[-1]),
        "min": rounded(values[low]),
        "min_at": iso(finite[low][0]),
        "max": rounded(values[high]),
        "max_at": iso(finite[high][0]),
        "before": rounded(before),
        "after": rounded(after),
        "change_at": iso(finite[change.index][0]) if change else None,
    }


def rounded(value: float) -> float | int:
    """At most six significant digits, whole numbers as integers."""
    if value == int(value) and abs(value) < 1e15:
        return int(value)
    return float(f"{value:.6g}")
