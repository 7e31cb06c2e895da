"""A tool's output in a few hundred characters: the concrete facts, the telling ones first (ES rows)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

from programs.raw_path import canonical_json, shown_text, storable

T = TypeVar("T")

SUMMARY_LIMIT = 600

_LINE = 200
# Of one field: the time, level and service beside it stay readable.
_FIELD = 140
# A word longer than this is shown in part; any other whole or not at all, since half a number is another number.
_WORD = 40
# Lines that may fill the summary, the telling ones first: more than a few dozen never fit.
_LOOKED_AT = 500
_BROKEN_START = re.compile(rf"\S{{1,{_WORD}}}(?=\s)")
_BROKEN_END = re.compile(rf"(?<=\s)\S{{1,{_WORD}}}$")
_NESTED = (dict, list)
_NOTHING = (None, "")
_SEVERITY = {"FATAL": 0, "CRITICAL": 0, "EMERGENCY": 0, "ERROR": 1, "SEVERE": 1, "WARN": 2, "WARNING": 2}
_TROUBLE = (
    *("fatal", "panic", "error", "exception", "fail", "timeout", "timed out", "refused", "oom", "killed", "denied"),
    *("exhausted", "异常", "错误", "失败", "超时", "拒绝"),
)
_STATS = ("before", "after", "change_at", "max", "max_at", "last", "unit")


def summarize_output(output: Any, limit: int = SUMMARY_LIMIT) -> str:
    """At most ``limit`` characters of a tool's output (ES-01, ES-06).

    Log lines by severity, alerts, metric values and knowledge chunks come before everything else (ES-07). Every word
    stands in the output; only blanks, line breaks and ``=`` are added (ES-05).
    """
    if isinstance(output, str):
        lines = list(dict.fromkeys(output.splitlines()))
        return _packed(_troubled_first(lines, lines), limit)
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
        distinct.setdefault(
            tuple([shown_text(record.get(name, "")) for name in ("level", "service", "message")]), record
        )
    return [_line(record, "timestamp", "level", "service", "message") for record in _worst_first(distinct.values())]


def _worst_first(records: Iterable[Record]) -> list[Record]:
    """By level; of those without a telling level, the ones that speak of trouble first. At most `_LOOKED_AT`."""
    ranked: dict[int, list[Record]] = {rank: [] for rank in range(5)}
    for record in records:
        ranked[_SEVERITY.get(shown_text(record.get("level", "")).upper(), 4)].append(record)
    worst = [record for rank in range(3) for record in ranked[rank]]
    if len(worst) < _LOOKED_AT:
        worst += _troubled_first(ranked[4], [shown_text(record.get("message", "")) for record in ranked[4]])
    return worst[:_LOOKED_AT]


def _patterns(records: Sequence[Record]) -> list[str]:
    names = ("level", "service", "message", "count", "first_seen", "last_seen")
    return [_line(record, *names) for record in _worst_first(records)]


def _changes(records: Sequence[Record]) -> list[str]:
    return [_line(record, "timestamp", "service", "message") for record in records]


def _alerts(records: Sequence[Record]) -> list[str]:
    names = ("alertname", "service", "state", "severity", "startsAt", "summary")
    return [_line({**_part(record, "labels"), **record}, *names) for record in records]


def _series(records: Sequence[Record]) -> list[str]:
    lines = []
    for record in records:
        merged = {**_part(record, "labels"), **record, **_part(record, "stats")}
        values = [f"{name}={shown_text(merged[name])}" for name in _STATS if merged.get(name) is not None]
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
    return tuple(_clipped(shown_text(record[name]), _FIELD) for name in names if record.get(name) not in _NOTHING)


def _line(record: Record, *names: str) -> str:
    return " ".join(_fields(record, *names))


def _record_lines(value: Any) -> list[str]:
    """Any other JSON: the scalars of one object on one line, as ``name=value``; a list element is its own line."""
    words = _words_of_trouble(_strings(value))
    troubled: list[str] = []
    calm: list[str] = []
    for parts in _scalars(value):
        kept = troubled if words and any(_speaks(leaf, words) for _, leaf in parts) else calm
        if len(kept) < _LOOKED_AT:
            kept.append(" ".join([_named(name, leaf) for name, leaf in parts]))
        elif kept is troubled or not words:
            break
    return troubled + calm


def _named(name: str | None, leaf: Any) -> str:
    return shown_text(leaf) if name is None else f"{name}={shown_text(leaf)}"


def _scalars(value: Any) -> Iterator[list[tuple[str | None, Any]]]:
    """The (name, scalar) pairs of each object, each scalar of a list alone; in document order."""
    # An explicit stack: tool output may be nested deeper than Python recurses.
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            own = [
                (name, leaf) for name, leaf in item.items() if not isinstance(leaf, _NESTED) and leaf not in _NOTHING
            ]
            if own:
                yield own
            if len(own) < len(item):
                stack.extend([inner for inner in reversed(item.values()) if isinstance(inner, _NESTED)])
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif item not in _NOTHING:
            yield [(None, item)]


def _strings(value: Any) -> list[str]:
    found: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        for inner in item.values() if isinstance(item, dict) else item if isinstance(item, list) else (item,):
            if isinstance(inner, str):
                found.append(inner)
            elif isinstance(inner, _NESTED):
                stack.append(inner)
    return found


def _speaks(leaf: Any, words: Sequence[str]) -> bool:
    return isinstance(leaf, str) and any(word in leaf.lower() for word in words)


def _words_of_trouble(texts: Sequence[str]) -> list[str]:
    """The words that any text has: those that none has need not be looked for in each."""
    everything = "\n".join(texts).lower()
    return [word for word in _TROUBLE if word in everything]


def _troubled_first(items: Sequence[T], texts: Sequence[str]) -> list[T]:
    """The items whose text speaks of trouble before the others."""
    words = _words_of_trouble(texts)
    if not words:
        return list(items)
    troubled: list[T] = []
    calm: list[T] = []
    for item, text in zip(items, texts, strict=True):
        (troubled if _speaks(text, words) else calm).append(item)
    return troubled + calm


def _in_turns(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    """First of each group, second of each group, ...: no kind of fact crowds out another."""
    for turn in range(max((len(group) for group in groups), default=0)):
        yield from (group[turn] for group in groups if turn < len(group))


def _packed(lines: Iterable[str], limit: int) -> str:
    kept: list[str] = []
    room = limit
    for line in islice(lines, _LOOKED_AT):
        text = storable(" ".join(_clipped(line, min(_LINE, limit)).split()))[:limit]
        if text and len(text) <= room and text not in kept:
            kept.append(text)
            room -= len(text) + 1
        if room < 20:
            break
    return "\n".join(kept)


def _clipped(line: str, limit: int) -> str:
    """The line, or the part of it around its first word of trouble, in whole words."""
    if len(line) <= limit:
        return line
    start = max(0, min((_trouble(line) or 0) - limit // 2, len(line) - limit))
    return whole_words(line, start, start + limit)


def whole_words(text: str, start: int, end: int) -> str:
    """``text[start:end]`` without the words of at most 40 characters that the cut would break."""
    before = _BROKEN_START.match(text, start, end) if start and not text[start - 1].isspace() else None
    after = _BROKEN_END.search(text, max(start, end - _WORD - 1), end) if not text[end : end + 1].isspace() else None
    first = before.end() if before else start
    last = after.start() if after and end < len(text) else end
    return text[first:last] if first < last else text[start:end]


def _trouble(line: str) -> int | None:
    """Where the line first speaks of trouble. Plain searches: one big alternation takes seconds on megabytes."""
    lower = line.lower()
    return min((at for word in _TROUBLE if (at := lower.find(word)) >= 0), default=None)
