"""Load and log lines of the false search alarm: healthy all along."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from data.scenarios.generator.incident import jitter
from data.scenarios.generator.logs import Line, Stream, draw, every_minute, written
from data.scenarios.generator.timeline import Window

SEED = "search-false-alarm"
WINDOW = Window("2026-07-15", "15:55", "17:20")
SEARCHES = tuple(f"search-api-6c8f7d9b5-{tail}" for tail in ("4hmzx", "9vtqk", "n2c7d"))
INDEXES = ("es-data-1", "es-data-2", "es-data-3")
REWRITES = ("query-rewrite-7b5d9c6f8-jx6wl",)
SUGGESTS = ("suggest-service-59f8c6d7b-r4gpn",)
RANKS = ("rank-service-84c6d5f79-tb8mq",)
RULE_HOST, PROM_HOST, DEPLOY_HOST = "git-rules-01", "prometheus-0", "deploy-01"

_WORD = "{pick:手机壳|连衣裙|蓝牙耳机|洗衣液|跑步鞋|儿童水杯|电饭煲|数据线}"


def requests(at: datetime) -> int:
    """Searches in the minute that ends at ``at``."""
    return round(jitter(SEED, "requests", at, 36_100, 420))


def aborted(at: datetime) -> int:
    """Searches that the client gave up (status 499) in that minute."""
    return round(jitter(SEED, "aborted", at, 15, 4))


def timeouts(at: datetime) -> int:
    """Searches cut off at the deadline (status 504) in that minute."""
    return round(jitter(SEED, "timeouts", at, 2.5, 1.4))


def error_percent(at: datetime) -> float:
    """Share of 499 and 504 among all searches, percent."""
    return 100 * (aborted(at) + timeouts(at)) / requests(at)


def p99_ms(at: datetime) -> float:
    return jitter(SEED, "p99", at, 131, 9)


DECISIVE = f"""
    16:18:36.402 INFO deploy-pipeline {DEPLOY_HOST} rollout finished app=rank-service version=v5.2.0 -> v5.2.1 pods=1/1
    ... release=REL-20260715-006 duration=88s
    16:45:12.337 INFO rule-repo {RULE_HOST} config published repo=alert-rules commit=4f2c9a1
    ... operator=pipeline/alert-rules rule=SearchErrorRateHigh: threshold 2 -> 0.02, expr: search_error_percent > 0.02
    ... (comment: use ratios everywhere)
    16:46:40.015 INFO prometheus {PROM_HOST} level=info component="rule manager" msg="rules reloaded" commit=4f2c9a1
    ... groups=31 rules=214
    16:52:00.208 INFO prometheus {PROM_HOST} level=info component="rule manager" msg="alert firing"
    ... alertname=SearchErrorRateHigh value={error_percent(WINDOW.at("16:52")):.2f} for=5m
"""


def _streams() -> Iterator[Stream]:
    yield Stream(
        "search",
        "search-api",
        SEARCHES,
        9.0,
        f"""
        6 INFO GET /search/v3/items 200 {{int:28~118}}ms q="{_WORD}" hits={{int:40~9800}} page={{int:1~5}}
        3 DEBUG c.m.search.plan.Planner : shards=12 route=hash cost={{int:1~6}}ms
        2 INFO c.m.search.cache.PageCache : hit=true key=pg:{{hex:10}} ttl={{int:3~60}}s
    """,
    )
    yield Stream(
        "search noise",
        "search-api",
        SEARCHES,
        1.0,
        f"""
        5 WARN GET /search/v3/items 499 {{int:180~900}}ms q="{_WORD}" client closed request
        1 WARN GET /search/v3/items 504 800ms q="{_WORD}" deadline exceeded, partial result returned
        2 WARN c.m.search.plan.Planner : query too long, truncated to 64 chars
    """,
    )
    yield Stream(
        "index",
        "search-index",
        INDEXES,
        5.0,
        """
        4 INFO [o.e.i.s.IndexShard] [items_v7][{int:0~11}] refresh took [{int:12~80}ms]
        3 INFO [o.e.m.j.JvmGcMonitorService] [gc][young] duration [{int:18~46}ms], collections [1]/[1.2s]
        3 DEBUG [o.e.a.s.TransportSearchAction] query phase shards=[12] took=[{int:9~64}ms]
    """,
    )
    yield Stream(
        "index noise",
        "search-index",
        INDEXES,
        0.3,
        """
        1 WARN [i.s.s.query] [items_v7][{int:0~11}] took[{int:210~390}ms], source[size:200, sort:price]
    """,
    )
    yield Stream(
        "rewrite",
        "query-rewrite",
        REWRITES,
        4.0,
        f"""
        4 INFO rewrite ok q="{_WORD}" synonyms={{int:0~4}} model=bert_s cost={{int:2~9}}ms
        2 DEBUG dict reload check version=20260715 changed=false
    """,
    )
    yield Stream(
        "suggest",
        "suggest-service",
        SUGGESTS,
        4.0,
        f"""
        5 INFO level=info caller=http/suggest.go:58 msg="suggest" prefix="{_WORD}" n={{int:5~10}} cost={{int:1~7}}ms
        1 DEBUG level=debug caller=trie/merge.go:20 msg="merged" nodes={{int:1000~4000}}
    """,
    )
    yield Stream(
        "suggest noise",
        "suggest-service",
        SUGGESTS,
        0.3,
        """
        1 WARN level=warn caller=cache/lru.go:44 msg="evict" size={int:50001~50040} limit=50000
    """,
    )
    yield Stream(
        "rank",
        "rank-service",
        RANKS,
        4.0,
        """
        4 INFO rank ok model=ltr_v9 docs={int:100~400} cost={int:6~24}ms
        1 DEBUG feature batch size={int:100~400} miss={int:0~2}
    """,
    )
    yield Stream(
        "prometheus",
        "prometheus",
        (PROM_HOST,),
        1.0,
        """
        1 INFO level=info component=tsdb msg="head truncated" duration={int:40~190}ms
        2 DEBUG level=debug component="scrape manager" msg="scrape ok" targets={int:410~412}
    """,
    )


def _search_minute(at: datetime) -> str:
    total, gone, late = requests(at), aborted(at), timeouts(at)
    return (
        f"search.stats window=60s total={total} ok={total - gone - late} 499={gone} 504={late} 5xx_other=0 "
        f"error_percent={error_percent(at):.2f} p99_ms={p99_ms(at):.0f}"
    )


def _index_health(at: datetime) -> str:
    return "cluster health status=green nodes=3 active_shards=24 unassigned_shards=0 pending_tasks=0"


def all_lines() -> list[Line]:
    """Every line of the incident, unordered."""
    lines = [*written(WINDOW, DECISIVE)]
    for stream in _streams():
        lines.extend(draw(WINDOW, SEED, stream))
    lines.extend(every_minute(WINDOW, "search-api", SEARCHES[0], 58, _search_minute))
    lines.extend(
        line for line in every_minute(WINDOW, "search-index", INDEXES[0], 310, _index_health) if line.at.minute % 5 == 0
    )
    return lines
