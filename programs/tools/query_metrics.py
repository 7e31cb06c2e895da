"""query_metrics: metric series of a window with their change points, and the alerts of that time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
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
from programs.tools.clean_text import fitted, shorten
from programs.tools.scenario import Scenario, Window
from programs.tools.scenario_files import Alert, Series, iso
from programs.tools.series_stats import as_rate, rounded, stats
from programs.tools.summary_record import summary_record

ALERTS_ONLY = "ALERTS"
MAX_SERIES = 24
MAX_ALERTS = 30
MAX_POINTS = 40
_LABELS = 12


class MetricParams(ToolParams):
    """``metric``: a name or a part of one; ``ALERTS`` (Prometheus' own name for them) gives the alerts alone."""

    service: Names | None = None
    metric: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    start: Time | None = None
    end: Time | None = None


@dataclass(frozen=True)
class QueryMetrics:
    """The metrics and alerts tool over one scenario."""

    scenario: Scenario
    name: str = "query_metrics"
    kind: Literal["telemetry"] = "telemetry"

    def bind(self, params: Mapping[str, Any]) -> BoundCall:
        asked = MetricParams.model_validate(params)
        window = window_of(self.scenario, asked.start, asked.end)
        key = {
            "service": sorted(set(asked.service or ())),
            "metric": (asked.metric or "").casefold(),
            **shown_window(window),
        }
        return BoundCall(given(asked), key, lambda: self._run(asked))

    def _run(self, asked: MetricParams) -> ToolOutput:
        window = window_of(self.scenario, asked.start, asked.end)
        services, unknown = resolved(asked.service, self.scenario.known_services)
        hosts = {name.casefold() for name in asked.service or ()} & {host.casefold() for host in self.scenario.hosts}
        wanted = _Wanted(services, frozenset(hosts))
        series = [] if asked.metric == ALERTS_ONLY else self._series(wanted, asked.metric, window)
        alerts = self._alerts(wanted, asked.metric, window)
        output = {
            "window": shown_window(window),
            "query": given(asked),
            "summary": summary_record(
                services=None if services is None else sorted(services | wanted.hosts),
                unknown=[name for name in unknown if name.casefold() not in hosts],
                window=window,
                asked={"metric": asked.metric},
                counts=self._counts(series, alerts, asked.metric),
            ),
            "series": [_series_record(one) for one in _by_change(series)[:MAX_SERIES]],
            "alerts": [_alert_record(alert) for alert in alerts[:MAX_ALERTS]],
        }
        hits = len(series) + len(alerts)
        if hits:
            return ToolOutput(output, hits)
        reason = f"no service is named {', '.join(unknown)}" if unknown else "no series and no alerts in the window"
        return ToolOutput(output, 0, "none", "NO_HIT", reason)

    def _counts(self, series: Sequence[Series], alerts: Sequence[Alert], metric: str | None) -> dict[str, int]:
        counts = {} if metric == ALERTS_ONLY else {"series": len(series)}
        # Without the file nothing is known about alerts, and a count of 0 would say that there were none.
        if self.scenario.has("alerts.json"):
            counts |= {"alerts": len(alerts), "active": sum(alert.state == "active" for alert in alerts)}
        return counts

    def _series(self, wanted: _Wanted, metric: str | None, window: Window) -> list[Series]:
        if not self.scenario.has("metrics.json") and self.scenario.has("alerts.json"):
            return []
        named = [one for one in self.scenario.series if wanted.covers(one.labels)]
        if metric is not None:
            exact = [one for one in named if one.metric.casefold() == metric.casefold()]
            named = exact or [one for one in named if metric.casefold() in one.metric.casefold()]
        cut = (as_rate(_cut(one, window)) for one in named)
        return [one for one in cut if one.times]

    def _alerts(self, wanted: _Wanted, metric: str | None, window: Window) -> list[Alert]:
        if not self.scenario.has("alerts.json") and self.scenario.has("metrics.json") and metric != ALERTS_ONLY:
            return []
        return [
            alert
            for alert in self.scenario.alerts
            if wanted.covers({"service": alert.service, **alert.labels})
            and alert.starts <= window.end
            and (alert.ends is None or alert.ends >= window.start)
        ]


@dataclass(frozen=True)
class _Wanted:
    services: frozenset[str] | None
    hosts: frozenset[str]

    def covers(self, labels: Mapping[str, str]) -> bool:
        if self.services is None:
            return True
        places = {labels.get(name, "").casefold() for name in ("instance", "host", "node", "pod")}
        return labels.get("service", "") in self.services or bool(self.hosts & places)


def _cut(series: Series, window: Window) -> Series:
    kept = [pair for pair in zip(series.times, series.values, strict=True) if inside(pair[0], window)]
    times = tuple(time for time, _ in kept)
    return Series(series.metric, series.labels, series.unit, times, tuple(value for _, value in kept))


def _by_change(series: Iterable[Series]) -> list[tuple[Series, dict[str, Any]]]:
    pairs = [(one, stats(one)) for one in series]
    return sorted(pairs, key=lambda pair: pair[1]["change_at"] is None)


def _series_record(pair: tuple[Series, dict[str, Any]]) -> dict[str, Any]:
    series, numbers = pair
    labels = {shorten(name, 60): shorten(value, 80) for name, value in list(series.labels.items())[:_LABELS]}
    turning = {numbers[name] for name in ("min_at", "max_at", "change_at") if numbers[name] is not None}
    return {
        "metric": series.metric,
        "labels": labels,
        "stats": fitted(numbers, "instance", 80),
        "points": _points(series.times, series.values, turning),
    }


def _points(times: Sequence[datetime], values: Sequence[float], turning: set[str]) -> list[list[Any]]:
    """At most 40 samples: the ends, the turning points, the rest evenly. Not finite values are text (valid JSON)."""
    last = len(times) - 1
    stamps = [iso(time) for time in times]
    chosen = dict.fromkeys([0, last, *(at for at, stamp in enumerate(stamps) if stamp in turning)])
    chosen |= dict.fromkeys(round(at * last / (MAX_POINTS - 1)) for at in range(MAX_POINTS))
    return [[stamps[at], _json_number(values[at])] for at in sorted(list(chosen)[:MAX_POINTS])]


def _json_number(value: float) -> float | str:
    if math.isfinite(value):
        return rounded(value)
    return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")


def _alert_record(alert: Alert) -> dict[str, Any]:
    record: dict[str, Any] = {
        "alertname": shorten(alert.name, 80),
        "state": alert.state,
        "service": shorten(alert.service, 60),
        "severity": shorten(alert.severity, 20),
        "startsAt": iso(alert.starts),
        "summary": alert.summary,
    }
    place = next((alert.labels[name] for name in ("instance", "pod", "host", "node") if alert.labels.get(name)), "")
    if place:
        record["instance"] = shorten(place, 60)
    if alert.ends is not None:
        record["endsAt"] = iso(alert.ends)
    return fitted(record, "summary", 160)
