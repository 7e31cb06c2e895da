"""A tool's output in a few hundred characters: the concrete facts, the telling ones first (ES rows)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

from programs.raw_path import canonical_json, leaves, storable

SUMMARY_LIMIT = 600

_LINE = 200
_SEVERITY = {"FATAL": 0, "CRITICAL": 0, "EMERGENCY": 0, "ERROR": 1, "SEVERE": 1, "WARN": 2, "WARNING": 2}
_TROUBLE = (
    *("fatal", "panic", "error", "exception", "fail", "timeout", "timed out", "refused", "oom", "killed", "denied"),
    *("exhausted", "异常", "错误", "失败", "超时", "拒绝"),
)
_STATS = ("before", "after", "change_at", "max", "max_at", "last", "unit")


def summarize_output(tool_name: str, output: Any, limit: int = SUMMARY_LIMIT) -> str:
    """At most ``limit`` characters of the output of ``tool_name`` (ES-01, ES-06).

    Log lines by severity, alerts, metric values and knowledge chunks come before everything else (ES-07). Every word
    stands in the output; only blanks, line breaks and ``=`` are added (ES-05).
    """
    if isinstance(output, str):
        return _packed(_troubled_first(output.splitlines()), limit)
    if not isinstance(output, dict):
        return _packed(_record_lines(output), limit)
    known = {key: output[key] for key in _SECTIONS if isinstance(output.get(key), list)}
    groups = [_SECTIONS[key]([item for item in items if isinstance(item, dict)]) for key, items in known.items()]
    rest = {key: value for key, value in output.items() if key not in known}
    return _packed(chain(_in_turns(groups), _record_lines(rest)), limit)


Record = Mapping[str, Any]


def _logs(records: Sequence[Record]) -> list[str]:
    """Worst first, and one line for records that differ only in time: the first one."""
    distinct: dict[tuple[str, ...], Record] = {}
    for record in records:
        distinct.setdefault(_fields(record, "level", "service", "message"), record)
    ordered = sorted(distinct.values(), key=_rank)
    return [_line(record, "timestamp", "level", "service", "message") for record in ordered]


def _rank(record: Record) -> int:
    rank = _SEVERITY.get(str(record.get("level", "")).upper(), 4)
    return 3 if rank == 4 and _trouble(str(record.get("message", ""))) is not None else rank


def _patterns(records: Sequence[Record]) -> list[str]:
    names = ("level", "service", "message", "count", "first_seen", "last_seen")
    return [_line(record, *names) for record in sorted(records, key=_rank)]


def _changes(records: Sequence[Record]) -> list[str]:
    return [_line(record, "timestamp", "service", "message") for record in records]


def _alerts(records: Sequence[Record]) -> list[str]:
    names = ("alertname", "service", "state", "severity", "startsAt", "summary")
    return [_line({**_part(record, "labels"), **record}, *names) for record in records]


def _series(records: Sequence[Record]) -> list[str]:
    lines = []
    for record in records:
        merged = {**_part(record, "labels"), **record, **_part(record, "stats")}
        values = [f"{name}={merged[name]}" for name in _STATS if merged.get(name) is not None]
        points = record.get("points")
        if not values and isinstance(points, list) and points:
            values = [canonical_json(points[-1])]
        lines.append(" ".join((*_fields(merged, "metric", "service", "instance"), *values)))
    return lines


def _chunks(records: Sequence[Record]) -> list[str]:
    return [_line(record, "relevance", "title", "section", "text") for record in records]


_SECTIONS: dict[str, Callable[[Sequence[Record]], list[str]]] = {
    "alerts": _alerts,
    "logs": _logs,
    "changes": _changes,
    "series": _series,
    "patterns": _patterns,
    "chunks": _chunks,
}


def _part(record: Record, name: str) -> Record:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _fields(record: Record, *names: str) -> tuple[str, ...]:
    return tuple(str(record[name]) for name in names if record.get(name) not in (None, ""))


def _line(record: Record, *names: str) -> str:
    return " ".join(_fields(record, *names))


def _record_lines(value: Any) -> list[str]:
    """Any other JSON: the scalars of one object on one line, as ``name=value``."""
    lines = []
    for _, siblings in groupby(leaves(value), key=lambda leaf: _parent(leaf[0])):
        parts = [_named(path, leaf) for path, leaf in siblings if leaf not in (None, "")]
        lines.append(" ".join(parts))
    return _troubled_first(lines)


def _parent(path: str) -> str:
    # A list element is a line of its own, a field shares the line of its object.
    return path if path.endswith("]") else path.rpartition(".")[0]


def _named(path: str, value: Any) -> str:
    return str(value) if path.endswith("]") or path == "$" else f"{path.rpartition('.')[2]}={value}"


def _troubled_first(lines: Iterable[str]) -> list[str]:
    return sorted((line for line in lines if line.strip()), key=lambda line: _trouble(line) is None)


def _in_turns(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    """First of each group, second of each group, ...: no kind of fact crowds out another."""
    for turn in range(max((len(group) for group in groups), default=0)):
        yield from (group[turn] for group in groups if turn < len(group))


def _packed(lines: Iterable[str], limit: int) -> str:
    kept: list[str] = []
    room = limit
    for line in lines:
        text = storable(" ".join(_clipped(line, min(_LINE, limit)).split()))[:limit]
        if text and len(text) <= room and text not in kept:
            kept.append(text)
            room -= len(text) + 1
        if room < 20:
            break
    return "\n".join(kept)


def _clipped(line: str, limit: int) -> str:
    """The line, or the part of it around its first word of trouble."""
    if len(line) <= limit:
        return line
    start = max(0, min((_trouble(line) or 0) - limit // 2, len(line) - limit))
    return line[start : start + limit]


def _trouble(line: str) -> int | None:
    """Where the line first speaks of trouble. Plain searches: one big alternation takes seconds on megabytes."""
    lower = line.lower()
    return min((at for word in _TROUBLE if (at := lower.find(word)) >= 0), default=None)
