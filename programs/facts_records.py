"""The records of a run's tool answers that can become facts, each read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from programs.facts_render import absences, sentences
from programs.tools.change_point import is_new
from programs.tools.log_patterns import NEW_AT_LEVEL, masked
from programs.tools.metric_meaning import got_worse, is_symptom
from signatures.contracts import ToolInvocation

Kind = Literal["change_event", "error_event", "metric_value", "alert_state", "negative_observation", "log_event"]
Severity = Literal["critical", "error", "warning", "info"]

# A handful of lines is noise, whatever their timing.
BURST = 3


@dataclass(frozen=True)
class Found:
    """One record that can become a fact.

    ``time``: when it began, None for what holds over the whole window. ``new``: not seen before it began, or far less.
    ``bad``: speaks for a fault. ``symptom``: users feel it. ``size``: count of events, or how many times the old value.
    ``aspect``: which absence of a summary record. ``key``: equal for the same thing seen by two calls.
    """

    kind: Kind
    record: Mapping[str, Any]
    tool_name: str
    invocation_id: str
    raw_path: str
    key: tuple[object, ...]
    entity: str
    severity: Severity = "info"
    time: datetime | None = None
    new: bool = False
    bad: bool = False
    symptom: bool = False
    size: float = 1.0
    aspect: str = ""

    def text(self, dated: bool) -> str:
        """The exact sentence."""
        if self.aspect:
            return absences(self.record, dated)[self.aspect]
        return sentences(self.tool_name, self.raw_path, self.record)[int(dated)]

    @property
    def words(self) -> str:
        """What the record says in free text and names, to look for services in."""
        values = (self.record.get(name) for name in ("message", "summary", "host", "instance", "detail"))
        return " ".join(value for value in values if isinstance(value, str))


def read(invocations: Iterable[ToolInvocation]) -> list[Found]:
    """All records, each thing once: by the call that saw most of it, the earlier call on a tie."""
    best: dict[tuple[object, ...], Found] = {}
    for row in invocations:
        for found in _of(row):
            known = best.get(found.key)
            if known is None or found.size > known.size:
                best[found.key] = found
    quoted = {
        (one.entity, one.record.get("message")) for one in best.values() if one.kind in ("error_event", "change_event")
    }
    return [
        one for one in best.values() if one.kind != "log_event" or (one.entity, one.record.get("message")) not in quoted
    ]


def _of(row: ToolInvocation) -> Iterator[Found]:
    output = row.output
    # A repeated call carries nothing; a failed one has no output; an empty one still proves absences (G5, G6).
    if row.dedup_of or not isinstance(output, Mapping) or not (row.success or row.failure_code == "NO_HIT"):
        return
    readers = {"query_logs": _log_records, "query_metrics": _metric_records}
    reader = readers.get(row.tool_name)
    if reader is None:
        return
    try:
        yield from reader(row, output)
    except (KeyError, TypeError, ValueError):
        # Another tool of the same name with another shape gives no facts; its records can still be cited.
        return


def _log_records(row: ToolInvocation, output: Mapping[str, Any]) -> Iterator[Found]:
    start = datetime.fromisoformat(output["window"]["start"]).timestamp()
    for place, record in enumerate(output["changes"]):
        yield Found(
            "change_event",
            record,
            row.tool_name,
            row.invocation_id,
            f"$.changes[{place}]",
            ("change", record["service"], record["timestamp"], record["message"]),
            record["service"],
            severity="warning" if record["level"] == "WARN" else "info",
            time=datetime.fromisoformat(record["timestamp"]),
        )
    for place, record in enumerate(output["patterns"]):
        yield _pattern(row, place, record, start)
    if output["query"].get("contains"):
        for place, record in enumerate(output["logs"][:5]):
            yield Found(
                "log_event",
                record,
                row.tool_name,
                row.invocation_id,
                f"$.logs[{place}]",
                ("log", record["service"], record["timestamp"], record["message"]),
                record["service"],
                severity=_level(record["level"]),
                time=datetime.fromisoformat(record["timestamp"]),
            )
    yield from _absent(row, output["summary"])


def _pattern(row: ToolInvocation, place: int, record: Mapping[str, Any], start: float) -> Found:
    first, last = (datetime.fromisoformat(record[name]) for name in ("first_seen", "last_seen"))
    surge = record.get("surge_at")
    new = surge is not None or is_new(
        record["count"], first.timestamp(), last.timestamp(), start, NEW_AT_LEVEL[record["level"]]
    )
    return Found(
        "error_event",
        record,
        row.tool_name,
        row.invocation_id,
        f"$.patterns[{place}]",
        ("pattern", record["service"], record["level"], masked(record["message"])),
        record["service"],
        severity=_level(record["level"]),
        time=datetime.fromisoformat(surge) if surge else first,
        new=new,
        bad=new and record["count"] >= BURST and record["level"] in ("ERROR", "FATAL"),
        symptom=True,
        size=record["count"],
    )


def _metric_records(row: ToolInvocation, output: Mapping[str, Any]) -> Iterator[Found]:
    for place, series in enumerate(output["series"]):
        record = series["stats"]
        if record["before"] is None:
            continue
        changed = record["change_at"] is not None
        before, after = record["before"], record["after"]
        bad = changed and got_worse(record["metric"], record["unit"], before, after, record["max"])
        yield Found(
            "metric_value",
            record,
            row.tool_name,
            row.invocation_id,
            f"$.series[{place}].stats",
            ("metric", record["metric"], record["service"], record["instance"], record.get("detail")),
            record["service"],
            severity="error" if bad else "info",
            time=datetime.fromisoformat(record["change_at"]) if changed else None,
            new=changed,
            bad=bad,
            symptom=is_symptom(record["metric"]),
            size=_ratio(before, after) if changed else 1.0,
        )
    for place, record in enumerate(output["alerts"]):
        severity = str(record["severity"]).lower()
        yield Found(
            "alert_state",
            record,
            row.tool_name,
            row.invocation_id,
            f"$.alerts[{place}]",
            ("alert", record["alertname"], record["service"], record.get("instance"), record["startsAt"]),
            record["service"],
            severity=_ALERT_SEVERITY.get(severity, "warning"),
            time=datetime.fromisoformat(record["startsAt"]),
            new=True,
            symptom=record["state"] == "active",
        )
    yield from _absent(row, output["summary"])


_ALERT_SEVERITY: dict[str, Severity] = {
    **dict.fromkeys(("critical", "page", "p0", "p1", "fatal", "emergency", "disaster"), "critical"),
    **dict.fromkeys(("error", "major", "high"), "error"),
    **dict.fromkeys(("info", "none", "low", "notice"), "info"),
}


def _absent(row: ToolInvocation, record: Mapping[str, Any]) -> Iterator[Found]:
    names: Sequence[str] | None = record["service"]
    for aspect, sentence in absences(record, False).items():
        yield Found(
            "negative_observation",
            record,
            row.tool_name,
            row.invocation_id,
            "$.summary",
            # Logs and metrics both say that a service is unknown; once is enough.
            ("absent", "unknown", *record["unknown_service"]) if aspect == "unknown" else ("absent", sentence),
            "" if names is None else "、".join(names),
            aspect=aspect,
        )


def _level(level: str) -> Severity:
    levels: dict[str, Severity] = {"FATAL": "critical", "ERROR": "error", "WARN": "warning"}
    return levels.get(level, "info")


def _ratio(before: float, after: float) -> float:
    low, high = sorted((abs(before), abs(after)))
    return high / low if low > 0 else 1000.0
