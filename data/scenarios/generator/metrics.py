"""Metric series in the shape of Prometheus' ``/api/v1/query_range`` answer, units in its ``metadata`` shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from data.scenarios.generator.timeline import Window


@dataclass(frozen=True)
class Series:
    """One series; ``value`` gives the sample at a moment, ``None`` where it was not scraped."""

    name: str
    labels: tuple[tuple[str, str], ...]
    value: Callable[[datetime], float | None]
    digits: int = 2


def series(name: str, value: Callable[[datetime], float | None], digits: int = 2, **labels: str) -> Series:
    """A series with its labels as keywords, kept in the order given."""
    return Series(name, tuple(labels.items()), value, digits)


def document(
    window: Window, step_s: int, all_series: Iterable[Series], units: Mapping[str, tuple[str, str]]
) -> dict[str, object]:
    """The whole answer; ``units`` maps a metric to its ``(unit, help)``."""
    result: list[dict[str, object]] = []
    for one in all_series:
        values: list[list[object]] = []
        for at in window.ticks(timedelta(seconds=step_s)):
            value = one.value(at)
            if value is not None:
                values.append([int(at.timestamp()), f"{value:.{one.digits}f}"])
        result.append({"metric": {"__name__": one.name, **dict(one.labels)}, "values": values})
    metadata = {name: {"unit": unit, "help": text} for name, (unit, text) in units.items()}
    return {"status": "success", "data": {"resultType": "matrix", "result": result}, "metadata": metadata}


def text(answer: Mapping[str, object]) -> str:
    """JSON with one series a line, so that a changed series is one changed line."""
    data = answer["data"]
    assert isinstance(data, dict)
    rows = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in data["result"])
    metadata = json.dumps(answer["metadata"], ensure_ascii=False, indent=1)
    return (
        f'{{"status":"success","data":{{"resultType":"{data["resultType"]}","result":[\n{rows}\n]}},\n'
        f'"metadata":{metadata}}}\n'
    )
