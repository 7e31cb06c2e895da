"""Log lines of the broker incident."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from data.scenarios.generator.broker_disk_load import (
    FULL_AT,
    GIB,
    SEED,
    WINDOW,
    debug_topic_bytes,
    disk_percent,
    failed_commits,
    lag,
    processed,
    produce_errors,
)
from data.scenarios.generator.logs import Line, Stream, draw, every_minute, written
from data.scenarios.generator.timeline import MINUTE

BROKERS = ("mq-broker-1", "mq-broker-2", "mq-broker-3")
CONSUMERS = ("order-consumer-0", "order-consumer-1", "order-consumer-2")
TRADES = ("trade-service-84f6c5d7b9-8mwqx", "trade-service-84f6c5d7b9-kd2rz")
STOCKS = ("inventory-service-6d5f7b48c-p7hxv", "inventory-service-6d5f7b48c-zt4gn")
PUSHES = ("push-service-79bd6f5c4-c5n8k",)
ADMIN_HOST, DEPLOY_HOST = "mq-admin-1", "deploy-01"

_DISK = "/data/mq-logs"
_LOST = "{pick:order-events-1|order-events-4|order-events-7|__consumer_offsets-23}"

DECISIVE = f"""
    13:05:44.310 INFO deploy-pipeline {DEPLOY_HOST} rollout finished app=push-service version=v1.22.0 -> v1.22.1
    ... pods=1/1 release=REL-20260422-004 duration=96s
    13:36:05.218 INFO mq-admin {ADMIN_HOST} topic config published action=create topic=trade-debug-trace partitions=1
    ... leader=broker-2 replicas=1 retention.ms=-1 change=CHG-20260422-0341 operator=pipeline/trade-trace
    13:36:31.044 INFO trade-service {TRADES[0]} c.m.trade.trace.TraceSink : config changed trace.debug.enabled false ->
    ... true topic=trade-debug-trace payload=FULL sampling=100%
    13:36:31.270 INFO trade-service {TRADES[1]} c.m.trade.trace.TraceSink : config changed trace.debug.enabled false ->
    ... true topic=trade-debug-trace payload=FULL sampling=100%
    14:17:20.406 WARN mq-broker {BROKERS[1]} [DiskMonitor broker=2] disk usage 90% on {_DISK}, largest
    ... topic=trade-debug-trace
    14:31:58.912 WARN mq-broker {BROKERS[1]} [DiskMonitor broker=2] disk usage 97% on {_DISK}, largest
    ... topic=trade-debug-trace
    {FULL_AT}.084 ERROR mq-broker {BROKERS[1]} [ReplicaManager broker=2] Error while appending records to
    ... trade-debug-trace-0 in dir {_DISK}: java.io.IOException: No space left on device
    {FULL_AT}.131 FATAL mq-broker {BROKERS[1]} [LogDirFailureChannel broker=2] disk full on {_DISK} (used 100%), broker
    ... switched to read-only, produce requests are rejected
    14:38:14.522 ERROR trade-service {TRADES[1]} o.a.k.c.producer.internals.Sender : [Producer clientId=trade-1] Got
    ... error produce response on topic-partition order-events-4, error: KAFKA_STORAGE_ERROR
    14:38:21.377 ERROR order-consumer {CONSUMERS[1]} [Consumer groupId=order-consumer] Offset commit failed on
    ... partition order-events-4: COORDINATOR_NOT_AVAILABLE (coordinator broker-2)
"""


def _streams() -> Iterator[Stream]:
    yield Stream(
        "consumed",
        "order-consumer",
        CONSUMERS,
        lambda at: processed(at + MINUTE) / 1600,
        """
        5 INFO batch done partition=order-events-{int:0~8} records={int:180~500} cost={int:41~160}ms
        2 DEBUG [Fetcher groupId=order-consumer] fetched records={int:200~500} bytes={int:30000~99000}
    """,
    )
    yield Stream(
        "consumer noise",
        "order-consumer",
        CONSUMERS,
        0.25,
        """
        2 WARN skip duplicate orderNo=7704{int:100000000~999999999} reason=already_paid
        1 WARN [Consumer groupId=order-consumer] poll took {int:1020~1900}ms, max.poll.interval.ms=300000
        1 ERROR c.m.consumer.invoice.InvoiceMapper : field taxNo missing orderNo=7704{int:100000000~999999999}
    """,
    )
    yield Stream(
        "commit failures",
        "order-consumer",
        CONSUMERS,
        lambda at: failed_commits(at + MINUTE) / 5,
        """
        4 ERROR [Consumer groupId=order-consumer] Offset commit failed on partition order-events-{int:0~8}:
        ... COORDINATOR_NOT_AVAILABLE (coordinator broker-2)
        2 WARN [Consumer groupId=order-consumer] rejoining group, reason: coordinator broker-2 unavailable, last batch
        ... will be re-read
    """,
        since="14:38:22",
    )
    yield Stream(
        "broker work",
        "mq-broker",
        BROKERS,
        5.0,
        """
        4 INFO [UnifiedLog partition={pick:order-events|push-events|stock-events}-{int:0~8}] Rolled new log segment at
        ... offset {int:40000000~99999999} in {int:1~6} ms.
        3 INFO [GroupCoordinator] Member heartbeat ok group={pick:push-consumer|stock-sync} generation={int:11~14}
        2 DEBUG [ReplicaFetcher] fetched {int:2~90} KB topic={pick:order-events|push-events} lag=0
    """,
    )
    yield Stream(
        "broker noise",
        "mq-broker",
        BROKERS,
        0.2,
        """
        1 WARN [SocketServer] client 10.40.{int:1~9}.{int:2~250} disconnected, reason: idle timeout
        1 WARN [RequestHandler] slow request api=FETCH total={int:520~880}ms threshold=500ms
    """,
    )
    yield Stream(
        "no space",
        "mq-broker",
        (BROKERS[1],),
        lambda at: produce_errors(at + MINUTE) / 340,
        f"""
        3 ERROR [ReplicaManager broker=2] Error while appending records to {_LOST} in dir {_DISK}: java.io.IOException:
        ... No space left on device
        1 WARN [RequestHandler broker=2] produce rejected topic-partition={_LOST} reason=READ_ONLY_DISK_FULL
    """,
        since="14:38:13",
    )
    yield Stream(
        "trades",
        "trade-service",
        TRADES,
        7.0,
        """
        4 INFO c.m.trade.flow.TradeFlow : trade paid tradeNo=T20260422{int:1000000~9999999} cost={int:18~95}ms
        3 INFO POST /trade/v1/confirm 200 {int:21~140}ms uid={int:1000000~9999999}
        3 DEBUG c.m.trade.lock.TradeLock : acquired key=trade:{hex:10} wait={int:0~3}ms
    """,
    )
    yield Stream(
        "trade noise",
        "trade-service",
        TRADES,
        0.4,
        """
        3 WARN c.m.trade.coupon.CouponClient : lock conflict coupon=C{int:100000~999999} retry=1
        1 ERROR c.m.trade.risk.RiskClient : risk check timeout after 800ms, pass by default policy
    """,
    )
    yield Stream(
        "produce errors",
        "trade-service",
        TRADES,
        lambda at: produce_errors(at + MINUTE) / 260,
        """
        1 ERROR o.a.k.c.producer.internals.Sender : [Producer clientId=trade-{int:0~1}] Got error produce response on
        ... topic-partition order-events-{pick:1|4|7}, error: KAFKA_STORAGE_ERROR
    """,
        since="14:38:15",
    )
    yield Stream(
        "stock",
        "inventory-service",
        STOCKS,
        3.5,
        """
        4 INFO level=info msg="stock deducted" sku={int:200000~899999} left={int:3~4200} cost={int:3~28}ms
        2 DEBUG level=debug msg="cache refresh" shard={int:0~15} keys={int:100~900}
    """,
    )
    yield Stream(
        "stock noise",
        "inventory-service",
        STOCKS,
        0.6,
        """
        1 WARN level=warn msg="slow sql" table=stock_snapshot cost={int:510~760}ms rows={int:4000~9000}
    """,
    )
    yield Stream(
        "push",
        "push-service",
        PUSHES,
        2.5,
        """
        4 INFO push sent vendor={pick:apns|huawei|xiaomi|oppo} n={int:20~200} ok={int:98~100}%
        1 WARN push vendor={pick:oppo|vivo} throttled, backoff={int:1~5}s
    """,
    )


def _disk_minute(broker: int, at: datetime) -> str:
    stats = f"[DiskMonitor broker={broker}] disk_used={disk_percent(broker, at):.1f}% total=500GiB dir={_DISK}"
    return f"{stats} trade-debug-trace={debug_topic_bytes(at) / GIB:.1f}GiB" if broker == 2 else stats


def _consumer_minute(at: datetime) -> str:
    return (
        f"consumer.stats group=order-consumer lag={lag(at)} processed_1m={processed(at)} "
        f"failed_commits_1m={failed_commits(at)} members=3"
    )


def _retention_lines() -> Iterator[Line]:
    for minute in WINDOW.ticks(10 * MINUTE):
        segments = int(debug_topic_bytes(minute) / GIB)
        if segments:
            yield Line(
                minute + MINUTE / 60 * 3,
                "WARN",
                "mq-broker",
                BROKERS[1],
                f"[LogRetention broker=2] topic=trade-debug-trace retention.ms=-1: 0 of {segments} segments deletable",
            )


def all_lines() -> list[Line]:
    """Every line of the incident, unordered."""
    lines = [*written(WINDOW, DECISIVE), *(line for line in _retention_lines() if line.at < WINDOW.end)]
    for stream in _streams():
        lines.extend(draw(WINDOW, SEED, stream))
    for number, host in enumerate(BROKERS, start=1):
        lines.extend(every_minute(WINDOW, "mq-broker", host, 90 * number, partial(_disk_minute, number)))
    lines.extend(every_minute(WINDOW, "order-consumer", CONSUMERS[0], 415, _consumer_minute))
    return lines
