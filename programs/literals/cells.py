"""An excerpt as cells: one value each, with the record and the series it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from programs.literals.text import narrow, visible

_POINT = re.compile(r"(.*\.points\[\d+\])(?:\[(\d)\])?$")
_LEAF = re.compile(r"(.*\])(?:\.([^\[\]]+))?$")
_SERIES = re.compile(r"(.*?\bseries\[\d+\])")
_TIMES = """timestamp time @timestamp ts startsAt endsAt updatedAt first_seen last_seen change_at max_at min_at
    start end 0"""
_NAMES = "level service host instance pod node metric severity alertname state unit doc title"
TIME_FIELDS = frozenset(_TIMES.split())
NAME_FIELDS = frozenset(_NAMES.split())


class Cell(NamedTuple):
    """One value of one record. ``field`` is its key, ``record`` and ``series`` what it belongs to."""

    record: str
    series: str
    field: str
    text: str
    low: str
    place: str

    @property
    def is_time(self) -> bool:
        """Whether its field holds the time of the record."""
        return self.field in TIME_FIELDS


@lru_cache(maxsize=4096)
def _address(raw_path: str) -> tuple[str, str, str]:
    """(record, series, field) of a raw path."""
    series = _SERIES.match(raw_path)
    point = _POINT.match(raw_path)
    if point:
        return point[1], series[1] if series else "", point[2] or ""
    leaf = _LEAF.match(raw_path)
    if leaf:
        return leaf[1], series[1] if series else "", (leaf[2] or "").rpartition(".")[2]
    return "$", "", raw_path.rpartition(".")[2]


def _flat(value: Any, field: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(inner, str(index) if len(value) == 2 and not isinstance(inner, dict | list) else field)
    elif value is not None:
        yield field, value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=512)
def cells_of(source: str, raw_path: str, text: str) -> tuple[Cell, ...]:
    """The cells of one excerpt: the leaves of a record's JSON, or the text itself under the path's last name."""
    return tuple(_read_cells(source, raw_path, text))


def _read_cells(source: str, raw_path: str, text: str) -> Iterator[Cell]:
    record, series, field = _address(raw_path)
    place = f"{source} {raw_path}"
    record, series = f"{source} {record}", f"{source} {series}" if series else ""
    if text[:1] in "{[":
        leaves = _leaves(text, field)
        if not series and leaves and leaves[-1][0]:
            series = record  # a series at any path: its name and unit belong to its points
        for inside, key, leaf in leaves:
            shown = visible(narrow(leaf))
            yield Cell(record + inside, series, key, shown, shown.lower(), place)
        if leaves:
            return
    shown = visible(narrow(text))
    yield Cell(record, series, field, shown, shown.lower(), place)


def _leaves(text: str, field: str) -> list[tuple[str, str, str]]:
    """(path of the point inside a whole series or empty, key, text) of every leaf; empty when it is not JSON."""
    try:
        value = json.loads(text)
        points = value.get("points") if isinstance(value, dict) else None
        if not isinstance(points, list):
            return [("", key, leaf) for key, leaf in _flat(value, field)]
        rest = {key: inner for key, inner in value.items() if key != "points"}
        out = [("", key, leaf) for key, leaf in _flat(rest, field)]
        for index, point in enumerate(points):
            out += [(f".points[{index}]", key, leaf) for key, leaf in _flat(point, "1")]
        return out
    except (ValueError, RecursionError):  # a log message may start with a bracket; nesting may be hostile
        return []
