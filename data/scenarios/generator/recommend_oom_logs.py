"""Log lines of the memory leak incident."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from data.scenarios.generator.logs import Line, Stream, draw, every_minute, written
from data.scenarios.generator.recommend_oom_load import (
    KILLED,
    LIMIT_BYTES,
    PODS,
    RELEASED,
    RESTART,
    SEED,
    WINDOW,
    cache_entries,
    down,
    fallbacks,
    grown,
    heap_mib,
    requests_per_s,
)
from data.scenarios.generator.timeline import MINUTE

NODES = dict(zip(PODS, ("node-11", "node-12", "node-17"), strict=True))
HOMES = ("home-bff-58c7b9d6f4-7qzrt", "home-bff-58c7b9d6f4-m3kdw")
FEATURES = ("feature-store-6f9b5c7d8-2gxhk", "feature-store-6f9b5c7d8-wp5jn")
RANKS = ("rank-model-7c5d8b6f9-l8vtc",)
REDIS_HOST, DEPLOY_HOST = "redis-feature-01", "deploy-01"
_LIMIT_MIB = LIMIT_BYTES // 1024**2
_CACHE_WARNING = 200_000

DECISIVE = f"""
    13:38:02.540 INFO deploy-pipeline {DEPLOY_HOST} rollout finished app=home-bff version=v5.7.2 -> v5.7.3 pods=2/2
    ... release=REL-20260603-011 duration=121s
    14:10:02.716 INFO deploy-pipeline {DEPLOY_HOST} rollout started app=recommend-service version=v2.13.4 -> v2.14.0
    ... pods=0/3 release=REL-20260603-014 operator=pipeline/recommend
    14:16:20.094 INFO deploy-pipeline {DEPLOY_HOST} rollout finished app=recommend-service version=v2.13.4 -> v2.14.0
    ... pods=3/3 release=REL-20260603-014 duration=377s
    14:11:05.204 INFO recommend-service {PODS[0]} c.m.rec.config.ConfigLoader : config changed
    ... recommend.local-cache.enabled false -> true recommend.local-cache.maximum-size unset
    14:13:20.211 INFO recommend-service {PODS[1]} c.m.rec.config.ConfigLoader : config changed
    ... recommend.local-cache.enabled false -> true recommend.local-cache.maximum-size unset
    14:15:35.198 INFO recommend-service {PODS[2]} c.m.rec.config.ConfigLoader : config changed
    ... recommend.local-cache.enabled false -> true recommend.local-cache.maximum-size unset
"""


def _startup(at: datetime, pod: str) -> Iterator[Line]:
    rows = (
        (0, "c.m.rec.Application : Started recommend-service v2.14.0 jvm=17.0.10 MaxRAMPercentage=85 port=8080"),
        (310, "c.m.rec.cache.LocalItemCache : initialized enabled=true maximumSize=unbounded expireAfterWrite=none"),
    )
    for offset, message in rows:
        yield Line(at + timedelta(milliseconds=offset), "INFO", "recommend-service", pod, message)


def _lives() -> Iterator[Line]:
    for pod in PODS:
        yield from _startup(WINDOW.at(RELEASED[pod]), pod)
        for number, clock in enumerate(KILLED[pod], start=1):
            at = WINDOW.at(clock)
            container = f"container=recommend-service pod={pod}"
            killed = f"Memory cgroup out of memory: Killed process {7 + number} (java) anon-rss:2094{number}08kB"
            rows = (
                (0, "ERROR", f"{killed} {container} limit={_LIMIT_MIB}Mi"),
                (820, "WARN", f"{container} terminated reason=OOMKilled exitCode=137 restartCount={number}"),
                (21_400, "INFO", f"Started {container} image=recommend-service:v2.14.0"),
            )
            for offset, level, message in rows:
                yield Line(at + timedelta(milliseconds=offset), level, "kubelet", NODES[pod], message)
            yield from _startup(at + RESTART, pod)


def _cache_stats() -> Iterator[Line]:
    for number, pod in enumerate(PODS):
        for minute in WINDOW.ticks(2 * MINUTE):
            at = minute + timedelta(seconds=20 * number + 8)
            if at >= WINDOW.end or grown(pod, at) is None:
                continue
            entries, heap = cache_entries(pod, at), heap_mib(pod, at)
            told = f"entries={entries} evictions=0 maximumSize=unbounded heapUsed={heap}MiB"
            if entries > _CACHE_WARNING:
                message = f"c.m.rec.cache.LocalItemCache : more than {_CACHE_WARNING} {told}"
                yield Line(at, "WARN", "recommend-service", pod, message)
            else:
                yield Line(at, "INFO", "recommend-service", pod, f"c.m.rec.cache.LocalItemCache : stats {told}")


def _collections() -> Iterator[Line]:
    """Garbage collections: cheap ones all along, full ones that free next to nothing near the end of a life."""
    for number, pod in enumerate(PODS):
        for minute in WINDOW.ticks(MINUTE):
            at = minute + timedelta(seconds=17 * number + 3, milliseconds=241)
            progress = grown(pod, at) or 0.0
            left = heap_mib(pod, at)
            if at >= WINDOW.end or down(pod, at) or (progress < 0.82 and minute.minute % 3):
                continue
            if progress < 0.82:
                sizes = f"{left + 210}M->{left}M(1740M)"
                message = f"[gc] Pause Young (Normal) (G1 Evacuation Pause) {sizes} {9 + left / 90:.1f}ms"
                yield Line(at, "INFO", "recommend-service", pod, message)
            else:
                message = f"[gc] Pause Full (G1 Compaction Pause) {left + 14}M->{left}M(1740M) {left * 0.21:.1f}ms"
                yield Line(at, "WARN", "recommend-service", pod, message)


def _streams() -> Iterator[Stream]:
    yield Stream(
        "recommended",
        "recommend-service",
        PODS,
        6.0,
        """
        5 INFO c.m.rec.api.FeedApi : GET /rec/v2/feed 200 uid={int:1000000~9999999} items={int:10~30} cost={int:22~88}ms
        3 DEBUG c.m.rec.recall.Recall : strategy={pick:i2i|u2i|hot|fresh} candidates={int:180~900} cost={int:5~30}ms
    """,
    )
    yield Stream(
        "recommend noise",
        "recommend-service",
        PODS,
        0.4,
        """
        3 WARN c.m.rec.recall.Recall : strategy=u2i empty result uid={int:1000000~9999999}, use hot
        1 ERROR c.m.rec.feature.FeatureClient : feature decode failed key=f:{hex:10} version=3
    """,
    )
    yield Stream(
        "home",
        "home-bff",
        HOMES,
        5.0,
        """
        5 INFO GET /home/v1/feed 200 {int:38~160}ms uid={int:1000000~9999999} modules={int:5~9}
        2 DEBUG render module={pick:banner|feed|coupon|live} cache={pick:hit|hit|miss} cost={int:1~18}ms
    """,
    )
    yield Stream(
        "home noise",
        "home-bff",
        HOMES,
        0.4,
        """
        2 WARN module=live timeout after 120ms, module dropped
        1 ERROR coupon module failed: upstream=coupon-service code=COUPON_SOLD_OUT
    """,
    )
    yield Stream(
        "home fallback",
        "home-bff",
        HOMES,
        lambda at: max(0, fallbacks(at + MINUTE) - 6) / 140,
        """
        3 ERROR call recommend-service /rec/v2/feed failed: connection refused, fallback=hot-list
        1 WARN call recommend-service /rec/v2/feed timeout after 200ms, fallback=hot-list
    """,
        since="14:36:43",
    )
    yield Stream(
        "features",
        "feature-store",
        FEATURES,
        4.0,
        """
        4 INFO level=info caller=serve/get.go:77 msg="batch get" keys={int:20~200} hit={int:96~100}% cost={int:6~44}ms
        2 DEBUG level=debug caller=sync/pull.go:31 msg="delta applied" rows={int:100~2000}
    """,
    )
    yield Stream(
        "feature noise",
        "feature-store",
        FEATURES,
        0.5,
        """
        1 WARN level=warn caller=serve/get.go:92 msg="slow batch" keys={int:300~500} cost={int:61~96}ms threshold=60ms
    """,
    )
    yield Stream(
        "rank",
        "rank-model",
        RANKS,
        2.5,
        """
        3 INFO infer ok model=din_v41 batch={int:16~64} cost={int:8~21}ms
        1 DEBUG warm cache table=item_emb rows={int:20000~60000}
    """,
    )
    yield Stream(
        "redis",
        "redis-feature",
        (REDIS_HOST,),
        1.2,
        """
        3 INFO * 100 changes in 300 seconds. Saving... child pid {int:20000~29999}
        1 WARN # Client id={int:80000~99999} closed for overcoming of idle timeout
    """,
    )
    yield Stream(
        "probes",
        "kubelet",
        tuple(NODES.values()),
        1.0,
        """
        4 INFO probe readiness ok pod={pick:home-bff-58c7b9d6f4-7qzrt|feature-store-6f9b5c7d8-2gxhk} cost={int:2~9}ms
        1 WARN image garbage collection skipped: usage {int:61~69}% below threshold 85%
    """,
    )


def _hpa(at: datetime) -> str:
    return f"hpa recommend-service replicas=3 desired=3 qps={requests_per_s(at):.0f} min=3 max=12"


def all_lines() -> list[Line]:
    """Every line of the incident, unordered."""
    lines = [*written(WINDOW, DECISIVE), *_lives(), *_cache_stats(), *_collections()]
    for stream in _streams():
        lines.extend(
            line for line in draw(WINDOW, SEED, stream) if line.host not in PODS or not down(line.host, line.at)
        )
    lines.extend(every_minute(WINDOW, "deploy-pipeline", DEPLOY_HOST, 650, _hpa))
    return lines
