"""Out-of-memory restarts after a release switched on a local cache without a bound."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from data.scenarios.generator.alerts import alert
from data.scenarios.generator.incident import Incident, Service, jitter
from data.scenarios.generator.metrics import Series, document, series
from data.scenarios.generator.recommend_oom_load import (
    LIMIT_BYTES,
    PODS,
    SEED,
    WINDOW,
    cache_entries,
    fallbacks,
    requests_per_s,
    restarts,
    rss_bytes,
)
from data.scenarios.generator.recommend_oom_logs import FEATURES, HOMES, NODES, RANKS, REDIS_HOST, all_lines

SERVICES = (
    Service(
        "recommend-service",
        ("推荐服务", "推荐", "猜你喜欢", "recommend service", "recommendation"),
        ("feature-store", "rank-model"),
    ),
    Service("home-bff", ("首页", "首页聚合"), ("recommend-service",)),
    Service("feature-store", ("特征服务", "特征平台"), ("redis-feature",)),
    Service("rank-model", ("排序模型", "模型推理")),
    Service("redis-feature", ("特征缓存", "Redis")),
    Service("kubelet", ("容器平台", "Kubernetes")),
    Service("deploy-pipeline"),
)
UNITS = {
    "container_memory_rss_bytes": ("bytes", "Resident memory of the container"),
    "container_memory_limit_bytes": ("bytes", "Memory limit of the container"),
    "local_cache_entries": ("count", "Entries of the local item cache"),
    "kube_pod_container_restarts_total": ("count", "Restarts of the container since the pod was created"),
    "http_requests_rate1m": ("per_second", "Requests a second over the last minute, all instances"),
    "http_request_p99_ms": ("ms", "99th percentile of the response time over the last minute"),
    "process_cpu_percent": ("percent", "CPU use of the process, share of its limit"),
    "home_feed_fallback_1m": ("count", "Home page requests answered with the hot list in the last minute"),
    "redis_hit_percent": ("percent", "Share of reads answered from Redis"),
}


def _all_series() -> list[Series]:
    service = "recommend-service"
    found = [
        series("http_requests_rate1m", requests_per_s, 1, service=service),
        series("http_request_p99_ms", lambda at: jitter(SEED, "p99", at, 93, 8), 0, service=service),
        series("process_cpu_percent", lambda at: jitter(SEED, "cpu", at, 44, 4), 1, service=service),
        series("container_memory_limit_bytes", lambda at: LIMIT_BYTES, 0, service=service),
        series("home_feed_fallback_1m", fallbacks, 0, service="home-bff"),
        series("http_request_p99_ms", _feature_p99, 0, service="feature-store"),
        series("redis_hit_percent", lambda at: jitter(SEED, "hit", at, 98.4, 0.4), 1, service="redis-feature"),
    ]
    for pod in PODS:
        found += [
            series("container_memory_rss_bytes", partial(rss_bytes, pod), 0, service=service, instance=pod),
            series("local_cache_entries", partial(cache_entries, pod), 0, service=service, instance=pod),
            series("kube_pod_container_restarts_total", partial(restarts, pod), 0, service=service, instance=pod),
        ]
    return found


def _feature_p99(at: datetime) -> float:
    return jitter(SEED, "feature p99", at, WINDOW.curve(at, ("13:45", 52), ("13:48", 63.5)), 1.8)


def _alerts() -> list[dict[str, object]]:
    end = WINDOW.end
    total = sum(restarts(pod, end) for pod in PODS)
    return [
        alert(
            WINDOW,
            "14:37:30",
            {"alertname": "PodOOMKilled", "service": "recommend-service", "severity": "critical", "team": "recommend"},
            "推荐服务容器因内存超限被杀",
            f"recommend-service 最近 90 分钟 OOMKilled {total} 次，内存上限 2048Mi",
            'increase(kube_pod_container_restarts_total{service="recommend-service"}[90m]) > 0',
        ),
        alert(
            WINDOW,
            "15:03:00",
            {
                "alertname": "PodRestartFrequent",
                "service": "recommend-service",
                "severity": "warning",
                "team": "recommend",
            },
            "推荐服务容器频繁重启",
            f"{PODS[0]} 已重启 {restarts(PODS[0], end)} 次，阈值 1 小时 2 次",
            "increase(kube_pod_container_restarts_total[1h]) >= 2",
        ),
        alert(
            WINDOW,
            "13:53:00",
            {"alertname": "FeatureStoreLatencyHigh", "service": "feature-store", "severity": "warning", "team": "algo"},
            "特征服务响应变慢",
            f"feature-store P99 {_feature_p99(end):.0f} ms，阈值 60 ms，持续 5 分钟",
            'http_request_p99_ms{service="feature-store"} > 60',
        ),
    ]


def incident() -> Incident:
    """The incident with its pinned clock at 15:45."""
    return Incident(
        name="recommend-oom",
        title="推荐服务反复重启",
        default=False,
        window=WINDOW,
        services=SERVICES,
        hosts=(*PODS, *HOMES, *FEATURES, *RANKS, REDIS_HOST, *NODES.values()),
        logs=all_lines(),
        metrics=document(WINDOW, 60, _all_series(), UNITS),
        alerts=_alerts(),
    )
