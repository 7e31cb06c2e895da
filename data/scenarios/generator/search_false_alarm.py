"""An alert of a healthy search: its threshold was rewritten as a ratio, its metric still is a percentage."""

from __future__ import annotations

from datetime import datetime

from data.scenarios.generator.alerts import alert
from data.scenarios.generator.incident import Incident, Service, jitter
from data.scenarios.generator.metrics import Series, document, series
from data.scenarios.generator.search_false_alarm_logs import (
    INDEXES,
    RANKS,
    REWRITES,
    SEARCHES,
    SEED,
    SUGGESTS,
    WINDOW,
    all_lines,
    error_percent,
    p99_ms,
    requests,
    timeouts,
)

SERVICES = (
    Service(
        "search-api",
        ("搜索服务", "搜索接口", "搜索", "search service"),
        ("search-index", "query-rewrite", "rank-service"),
    ),
    Service("search-index", ("索引服务", "Elasticsearch", "ES 集群")),
    Service("query-rewrite", ("查询改写",)),
    Service("suggest-service", ("联想词",)),
    Service("rank-service", ("精排服务",)),
    Service("rule-repo", ("告警规则仓库", "告警规则")),
    Service("prometheus", ("监控系统",)),
    Service("deploy-pipeline"),
)
UNITS = {
    "search_error_percent": ("percent", "Searches that ended with 499 or 504, share of all searches, 0 to 100"),
    "http_requests_rate1m": ("per_second", "Requests a second over the last minute, all instances"),
    "http_5xx_rate1m": ("per_second", "Responses with status 5xx a second over the last minute, all instances"),
    "http_request_p99_ms": ("ms", "99th percentile of the response time over the last minute"),
    "search_zero_result_percent": ("percent", "Searches without any hit, share of all searches"),
    "process_cpu_percent": ("percent", "CPU use of the process, share of its limit"),
    "jvm_memory_used_percent": ("percent", "Heap in use, share of its limit"),
    "kube_deployment_ready_replicas": ("count", "Ready pods"),
}


def _all_series() -> list[Series]:
    def flat(name: str, service: str, centre: float, spread: float, digits: int, **more: str) -> Series:
        def value(at: datetime) -> float:
            return jitter(SEED, f"{name} {service}", at, centre, spread)

        return series(name, value, digits, service=service, **more)

    return [
        series("search_error_percent", error_percent, 3, service="search-api"),
        series("http_requests_rate1m", lambda at: requests(at) / 60, 1, service="search-api"),
        series("http_5xx_rate1m", lambda at: timeouts(at) / 60, 2, service="search-api"),
        series("http_request_p99_ms", p99_ms, 0, service="search-api"),
        flat("search_zero_result_percent", "search-api", 3.1, 0.3, 2),
        flat("process_cpu_percent", "search-api", 47, 4, 1),
        series("kube_deployment_ready_replicas", lambda at: len(SEARCHES), 0, service="search-api"),
        flat("http_request_p99_ms", "search-index", 74, 6, 0),
        flat("jvm_memory_used_percent", "search-index", 58, 6, 1, instance=INDEXES[0]),
        flat("http_request_p99_ms", "query-rewrite", 11, 1.5, 0),
        flat("http_request_p99_ms", "rank-service", 27, 2.5, 0),
        flat("process_cpu_percent", "rank-service", 39, 4, 1),
    ]


def _alerts() -> list[dict[str, object]]:
    return [
        alert(
            WINDOW,
            "16:52:00",
            {"alertname": "SearchErrorRateHigh", "service": "search-api", "severity": "critical", "team": "search"},
            "搜索服务错误率过高",
            f"表达式 search_error_percent > 0.02，当前值 {error_percent(WINDOW.end):.2f}（单位 %），持续 5 分钟",
            "search_error_percent > 0.02",
        )
    ]


def incident() -> Incident:
    """The incident with its pinned clock at 17:20."""
    return Incident(
        name="search-false-alarm",
        title="搜索服务错误率告警",
        default=False,
        window=WINDOW,
        services=SERVICES,
        hosts=(*SEARCHES, *INDEXES, *REWRITES, *SUGGESTS, *RANKS),
        logs=all_lines(),
        metrics=document(WINDOW, 30, _all_series(), UNITS),
        alerts=_alerts(),
    )
