"""Readers of one scenario folder: log lines, metric series, alerts, runbooks.

A broken file is a ScenarioError that names the file, the line and the reason; nothing is skipped in silence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from programs.tools.clean_text import clean, decode_line

LEVELS = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")
RANK = {level: rank for rank, level in enumerate(LEVELS)}

_LEVEL_WORDS = {
    **{level: level for level in LEVELS},
    "TRACE": "DEBUG",
    "NOTICE": "INFO",
    "WARNING": "WARN",
    "ERR": "ERROR",
    "SEVERE": "ERROR",
    "CRITICAL": "FATAL",
    "PANIC": "FATAL",
}


class ScenarioError(Exception):
    """A scenario is unknown or one of its files is broken; the message names the value and the place."""


class LogLine(NamedTuple):
    """One log record; ``timestamp`` is ``time`` as ISO 8601 in the scenario's zone."""

    time: datetime
    timestamp: str
    level: str
    service: str
    host: str
    message: str


@dataclass(frozen=True)
class Series:
    """One metric series in time order. Values may be NaN or infinite, as Prometheus gives them."""

    metric: str
    labels: Mapping[str, str]
    unit: str
    times: tuple[datetime, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Alert:
    """One alert. ``state``: active, suppressed, unprocessed or resolved; ``ends`` only when resolved."""

    name: str
    service: str
    severity: str
    state: str
    starts: datetime
    ends: datetime | None
    summary: str
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Runbook:
    """One Markdown file by its name without the ending."""

    name: str
    text: str


def parse_time(value: object, zone: tzinfo) -> datetime:
    """ISO 8601 text in ``zone``; a time without an offset is taken as ``zone``'s own.

    Raises ValueError that names the value.
    """
    try:
        parsed = datetime.fromisoformat(str(value))
        aware = parsed.replace(tzinfo=zone) if parsed.tzinfo is None else parsed.astimezone(zone)
    except (ValueError, OverflowError):
        raise ValueError(f"{str(value)[:80]!r} is not an ISO 8601 time") from None
    return aware


def iso(moment: datetime) -> str:
    """ISO 8601, with milliseconds only where the moment has them."""
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")


def read_json(file: Traversable) -> Any:
    """The parsed file. Raises ScenarioError with the line."""
    try:
        return json.loads(decode_line(file.read_bytes()))
    except json.JSONDecodeError as error:
        raise ScenarioError(f"{file.name} line {error.lineno}: not valid JSON ({error.msg})") from None
    except (RecursionError, OSError) as error:
        raise ScenarioError(f"{file.name}: cannot be read ({error})") from None


def read_logs(file: Traversable, zone: tzinfo) -> tuple[LogLine, ...]:
    """All lines of a JSONL log file in time order. Raises ScenarioError with the line."""
    lines: list[LogLine] = []
    for number, raw in enumerate(file.read_bytes().split(b"\n"), start=1):
        if raw.strip():
            try:
                lines.append(_log_line(raw, zone))
            except (ValueError, RecursionError) as error:
                raise ScenarioError(f"{file.name} line {number}: {error}") from None
    lines.sort(key=lambda line: line.time)
    return tuple(lines)


def _log_line(raw: bytes, zone: tzinfo) -> LogLine:
    try:
        row = json.loads(decode_line(raw))
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON ({error.msg} at column {error.colno})") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    for field in ("timestamp", "service", "message"):
        if row.get(field) in (None, ""):
            raise ValueError(f"{field} is missing")
    level = _LEVEL_WORDS.get(str(row.get("level") or "INFO").upper())
    if level is None:
        raise ValueError(f"level {str(row['level'])[:40]!r} is none of {', '.join(LEVELS)}")
    time = parse_time(row["timestamp"], zone)
    message = row["message"] if isinstance(row["message"], str) else json.dumps(row["message"], ensure_ascii=False)
    host = str(row.get("host") or "")
    return LogLine(time, iso(time), level, clean(str(row["service"])), clean(host), clean(message))


def read_metrics(file: Traversable, zone: tzinfo) -> tuple[Series, ...]:
    """Prometheus' query_range answer. Raises ScenarioError that names the series."""
    answer = read_json(file)
    data = answer.get("data") if isinstance(answer, dict) else None
    rows = data.get("result") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise ScenarioError(f"{file.name}: data.result is missing; a Prometheus query_range answer is expected")
    metadata = answer.get("metadata")
    found = []
    for place, row in enumerate(rows):
        try:
            found.append(_series(row, metadata if isinstance(metadata, dict) else {}, zone))
        except (ValueError, TypeError, KeyError, OverflowError, OSError) as error:
            raise ScenarioError(f"{file.name}: data.result[{place}] is broken ({error})") from None
    return tuple(found)


def _series(row: Any, metadata: Mapping[str, Any], zone: tzinfo) -> Series:
    labels = {clean(str(key)): clean(str(value)) for key, value in row["metric"].items()}
    name = labels.pop("__name__", "")
    if not name:
        raise ValueError("metric.__name__ is missing")
    samples = sorted((float(at), float(value)) for at, value in row["values"])
    if any(not math.isfinite(at) for at, _ in samples):
        raise ValueError("a sample has no time")
    known = metadata.get(name)
    unit = str(known.get("unit") or "") if isinstance(known, dict) else ""
    times = tuple(datetime.fromtimestamp(at, tz=UTC).astimezone(zone) for at, _ in samples)
    return Series(name, labels, unit or _unit_by_name(name), times, tuple(value for _, value in samples))


def _unit_by_name(name: str) -> str:
    for ending in ("percent", "bytes", "seconds", "ms", "per_second", "ratio"):
        if name.endswith(f"_{ending}"):
            return ending
    return ""


def read_alerts(file: Traversable, zone: tzinfo, clock: datetime) -> tuple[Alert, ...]:
    """Alertmanager's ``GET /api/v2/alerts``, states as of ``clock``. Raises ScenarioError that names the alert."""
    rows = read_json(file)
    if not isinstance(rows, list):
        raise ScenarioError(f"{file.name}: a list of alerts is expected")
    found = []
    for place, row in enumerate(rows):
        try:
            found.append(_alert(row, zone, clock))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ScenarioError(f"{file.name}: alert [{place}] is broken ({error})") from None
    return tuple(sorted(found, key=lambda alert: (alert.starts, alert.name)))


def _alert(row: Any, zone: tzinfo, clock: datetime) -> Alert:
    labels = {clean(str(key)): clean(str(value)) for key, value in row["labels"].items()}
    ends = _end(row.get("endsAt"), zone)
    resolved = ends is not None and ends <= clock
    status = row.get("status") or {}
    notes = row.get("annotations") or {}
    return Alert(
        name=labels["alertname"],
        service=labels.get("service") or labels.get("job") or "",
        severity=labels.get("severity", ""),
        state="resolved" if resolved else clean(str(status.get("state") or "active")),
        starts=parse_time(row["startsAt"], zone),
        ends=ends if resolved else None,
        summary=clean(str(notes.get("summary") or notes.get("description") or "")),
        labels=labels,
    )


def _end(value: object, zone: tzinfo) -> datetime | None:
    # Alertmanager writes the year 1 for "no end known".
    return None if not value or str(value).startswith("0001-") else parse_time(value, zone)


def read_runbooks(folder: Traversable) -> tuple[Runbook, ...]:
    """The Markdown files of ``folder`` by name."""
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".md")), key=lambda item: item.name)
    return tuple(Runbook(item.name.removesuffix(".md"), clean(decode_line(item.read_bytes()))) for item in files)
