"""query_logs: log lines of a window, their patterns at WARN and above, and the change events among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from programs.tools.base import (
    BoundCall,
    Names,
    Time,
    ToolOutput,
    ToolParams,
    given,
    inside,
    resolved,
    shown_window,
    window_of,
)
from programs.tools.change_events import change_events
from programs.tools.clean_text import fitted
from programs.tools.log_patterns import Pattern, patterns
from programs.tools.scenario import Scenario
from programs.tools.scenario_files import LEVELS, RANK, LogLine
from programs.tools.summary_record import summary_record

MAX_CHANGES = 8
MAX_PATTERNS = 12
_MESSAGE = 240
_PATTERN_MESSAGE = 160


class LogParams(ToolParams):
    """``contains``: words separated by blanks, any of them; times ISO 8601, the scenario's window by default."""

    service: Names | None = None
    min_level: Literal["DEBUG", "INFO", "WARN", "ERROR", "FATAL"] | None = None
    contains: Annotated[str, Field(max_length=200)] | None = None
    start: Time | None = None
    end: Time | None = None
    limit: int = Field(default=20, ge=1, le=50)


@dataclass(frozen=True)
class QueryLogs:
    """The log tool over one scenario."""

    scenario: Scenario
    name: str = "query_logs"
    kind: Literal["telemetry"] = "telemetry"

    def bind(self, params: Mapping[str, Any]) -> BoundCall:
        asked = LogParams.model_validate(params)
        window = window_of(self.scenario, asked.start, asked.end)
        key = {
            "service": sorted(set(asked.service or ())),
            "min_level": asked.min_level or LEVELS[0],
            "contains": sorted(set((asked.contains or "").casefold().split())),
            **shown_window(window),
        }
        return BoundCall(given(asked), key, lambda: self._run(asked))

    def _run(self, asked: LogParams) -> ToolOutput:
        window = window_of(self.scenario, asked.start, asked.end)
        services, unknown = resolved(asked.service, self.scenario.known_services)
        scanned = [
            line
            for line in self.scenario.logs
            if inside(line.time, window) and (services is None or line.service in services)
        ]
        matched = _matching(scanned, asked)
        found = patterns(matched, window.start.timestamp())
        changes = change_events(scanned, MAX_CHANGES)
        levels = Counter(line.level for line in scanned)
        summary = summary_record(
            services=None if services is None else sorted(services),
            unknown=unknown,
            window=window,
            asked={"min_level": asked.min_level, "contains": asked.contains},
            counts={
                "scanned": len(scanned),
                "matched": len(matched),
                "changes": len(changes),
                "warnings": levels["WARN"],
                "errors": levels["ERROR"] + levels["FATAL"],
            },
        )
        output = {
            "window": shown_window(window),
            "query": given(asked),
            "summary": summary,
            "scanned": len(scanned),
            "matched": len(matched),
            "changes": [_record(line) for line in changes],
            "patterns": [_pattern_record(pattern) for pattern in found[:MAX_PATTERNS]],
            "logs": [_record(line) for line in _spread(matched, found, asked.limit)],
        }
        if matched or changes:
            return ToolOutput(output, len(matched) or len(changes))
        return ToolOutput(output, 0, "none", "NO_HIT", _no_hit(unknown, len(scanned)))


def _no_hit(unknown: Sequence[str], scanned: int) -> str:
    if unknown:
        return f"no service is named {', '.join(unknown)}"
    return f"none of {scanned} log lines in the window matched" if scanned else "no log lines in the window"


def _matching(lines: Sequence[LogLine], asked: LogParams) -> list[LogLine]:
    least = RANK[asked.min_level or LEVELS[0]]
    words = (asked.contains or "").casefold().split()
    return [
        line
        for line in lines
        if RANK[line.level] >= least
        and (not words or any(word in line.message.casefold() or word in line.host.casefold() for word in words))
    ]


def _record(line: LogLine) -> dict[str, Any]:
    record = {
        "timestamp": line.timestamp,
        "level": line.level,
        "service": line.service,
        "host": line.host,
        "message": line.message,
    }
    return fitted(record, "message", _MESSAGE)


def _pattern_record(pattern: Pattern) -> dict[str, Any]:
    record: dict[str, Any] = {
        "service": pattern.first.service,
        "level": pattern.first.level,
        "message": pattern.first.message,
        "count": len(pattern.lines),
        "first_seen": pattern.first.timestamp,
        "last_seen": pattern.last.timestamp,
    }
    if pattern.surge is not None:
        record |= {"surge_at": pattern.lines[pattern.surge].timestamp, "before_surge": pattern.surge}
    return fitted(record, "message", _PATTERN_MESSAGE)


def _spread(matched: Sequence[LogLine], found: Sequence[Pattern], limit: int) -> list[LogLine]:
    """At most ``limit`` lines in time order: the first of each pattern, the ends, then evenly between them."""
    if len(matched) <= limit:
        return list(matched)
    place = {id(line): at for at, line in enumerate(matched)}
    wanted = [place[id(pattern.first)] for pattern in found]
    # The ends give way to patterns only when there is a single place.
    chosen = dict.fromkeys([*wanted[: max(1, limit - 2)], 0, len(matched) - 1, *wanted])
    chosen |= dict.fromkeys(round(at * (len(matched) - 1) / max(1, limit - 1)) for at in range(limit))
    return [matched[at] for at in sorted(list(chosen)[:limit])]
