"""A tool's output in a few hundred characters: the concrete facts, the telling ones first (ES rows)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, starmap, zip_longest
from typing import Any

from programs.raw_path import canonical_json, shown_text, storable

SUMMARY_LIMIT = 600

_LINE = 200
# Of one field: the time, level and service beside it stay readable.
_FIELD = 140
# A word longer than this is shown in part; any other whole or not at all, since half a number is another number.
_WORD = 40
# Lines that may fill the summary, the telling ones first: more than a few dozen never fit.
_LOOKED_AT = 500
_BROKEN_START = re.compile(rf"(?<=\S)\S{{1,{_WORD}}}(?=\s)")
_BROKEN_END = re.compile(rf"(?<=\s)\S{{1,{_WORD}}}\Z")
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
        return _packed((lines[at] for at in _troubled_first(lines)), limit)
    if not isinstance(output, dict):
        return _packed(_record_lines(output), limit)
    known = {key: output[key] for key in _SECTIONS if isinstance(output.get(key), list)}
    groups = [_SECTIONS[key]([item for item in items if isinstance(item, dict)]) for key, items in known.items()]
    # First of each group, second of each group, ...: no kind of fact crowds out another.
    in_turns = chain.from_iterable(zip_longest(*groups, fillvalue=""))
    rest = {key: value for key, value in output.items() if key not in known}
    return _packed(chain(in_turns, _record_lines(rest)), limit)


Record = Mapping[str, Any]


def _logs(records: Iterable[Record]) -> Iterator[str]:
    """Worst first, and one line for records that differ only in time: the first one."""
    distinct: dict[tuple[str, ...], Record] = {}
    for record in records:
        distinct.setdefault(tuple([shown_text(record.get(name)) for name in ("level", "service", "message")]), record)
    return _lines(_worst_first(distinct.values()), "timestamp", "level", "service", "message")


def _worst_first(records: Iterable[Record]) -> Iterator[Record]:
    """By level; of those without a telling level, the ones that speak of trouble first."""
    ranked: tuple[list[Record], ...] = ([], [], [], [])
    for record in records:
        ranked[_SEVERITY.get(shown_text(record.get("level")).upper(), 3)].append(record)
    *telling, others = ranked
    by_trouble = _troubled_first([shown_text(record.get("message")) for record in others])
    return chain(*telling, (others[at] for at in by_trouble))


def _patterns(records: Iterable[Record]) -> Iterator[str]:
    return _lines(_worst_first(records), "level", "service", "message", "count", "first_seen", "last_seen")


def _changes(records: Iterable[Record]) -> Iterator[str]:
    return _lines(records, "timestamp", "service", "message")


def _alerts(records: Iterable[Record]) -> Iterator[str]:
    merged = ({**_part(record, "labels"), **record} for record in records)
    return _lines(merged, "alertname", "service", "state", "severity", "startsAt", "summary")


def _series(records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        merged = {**_part(record, "labels"), **record, **_part(record, "stats")}
        values = [f"{name}={shown_text(merged[name])}" for name in _STATS if merged.get(name) is not None]
        points = record.get("points")
        if not values and isinstance(points, list) and points:
            values = [canonical_json(points[-1])]
        yield " ".join((*_fields(merged, "metric", "service", "instance"), *values))


def _chunks(records: Iterable[Record]) -> Iterator[str]:
    return _lines(records, "relevance", "title", "section", "text")


_SECTIONS: dict[str, Callable[[Iterable[Record]], Iterator[str]]] = {
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


def _lines(records: Iterable[Record], *names: str) -> Iterator[str]:
    return (" ".join(_fields(record, *names)) for record in records)


def _record_lines(value: Any) -> Iterator[str]:
    """Any other JSON: the scalars of one object on one line, as ``name=value``; a list element is its own line."""
    words = _words_of_trouble(_strings(value))
    # Walked again for each: a million scalars are not kept.
    for troubled in (True, False) if words else (False,):
        for parts in _scalars(value):
            if any(isinstance(leaf, str) and _speaks(leaf, words) for _, leaf in parts) is troubled:
                yield " ".join(starmap(_named, parts))


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


def _packed(lines: Iterable[str], limit: int) -> str:
    kept: list[str] = []
    room = limit
    for text in islice(_told(lines, limit), _LOOKED_AT):
        if len(text) <= room:
            kept.append(text)
            room -= len(text) + 1
        if room < 20:
            break
    return "\n".join(kept)


def _told(lines: Iterable[str], limit: int) -> Iterator[str]:
    """The lines as they are shown, each once: neither blanks nor repetitions count among those looked at."""
    seen = {""}
    for line in lines:
        text = storable(" ".join(_clipped(line, min(_LINE, limit)).split()))[:limit]
        if text not in seen:
            seen.add(text)
            yield text


def _clipped(line: str, limit: int) -> str:
    """The line, or the part of it around its first word of trouble, in whole words."""
    if len(line) <= limit:
        return line
    start = max(0, min(_trouble(line) - limit // 2, len(line) - limit))
    return whole_words(line, start, start + limit)


def whole_words(text: str, start: int, end: int) -> str:
    """``text[start:end]`` without the words of at most 40 characters that the cut would break."""
    before = _BROKEN_START.match(text, start)
    cut = end < len(text) and not text[end].isspace()
    after = _BROKEN_END.search(text, end - _WORD, end) if cut else None
    return text[before.end() if before else start : after.start() if after else end]


def _troubled_first(texts: Sequence[str]) -> list[int]:
    """The places of the texts that speak of trouble, then those of the others."""
    words = _words_of_trouble(texts)
    return sorted(range(len(texts)), key=lambda at: not _speaks(texts[at], words))


def _words_of_trouble(texts: Iterable[str]) -> list[str]:
    """The words that any text has: those that none has need not be looked for in each."""
    everything = "\n".join(texts).lower()
    return [word for word in _TROUBLE if word in everything]


def _speaks(text: str, words: Sequence[str]) -> bool:
    return any(word in text.lower() for word in words)


def _trouble(line: str) -> int:
    """Where the line first speaks of trouble. Plain searches: one big alternation takes seconds on megabytes."""
    lower = line.lower()
    return min((at for word in _TROUBLE if (at := lower.find(word)) >= 0), default=0)
