"""Consumer lag after an unbounded debug topic filled the disk of one broker."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from data.scenarios.generator.alerts import alert
from data.scenarios.generator.broker_disk_load import (
    DISK_BYTES,
    SEED,
    WINDOW,
    debug_topic_bytes,
    disk_percent,
    lag,
    processed,
    produce_errors,
    topic_bytes_in,
)
from data.scenarios.generator.broker_disk_logs import BROKERS, CONSUMERS, PUSHES, STOCKS, TRADES, all_lines
from data.scenarios.generator.incident import Incident, Service, jitter
from data.scenarios.generator.metrics import Series, document, series

SERVICES = (
    Service(
        "order-consumer",
        ("订单消费者", "订单消费", "消费延迟", "消费者", "order consumer", "consumer lag"),
        ("mq-broker",),
    ),
    Service("mq-broker", ("消息队列", "Kafka", "MQ", "broker")),
    Service("mq-admin", ("队列管理", "topic 管理"), ("mq-broker",)),
    Service("trade-service", ("交易服务", "交易"), ("mq-broker", "inventory-service")),
    Service("inventory-service", ("库存服务", "库存")),
    Service("push-service", ("推送服务", "消息推送"), ("mq-broker",)),
    Service("deploy-pipeline"),
)
UNITS = {
    "kafka_consumergroup_lag": ("count", "Records the consumer group is behind, all partitions"),
    "consumer_processed_1m": ("count", "Records processed in the last minute"),
    "kafka_produce_errors_rate1m": ("per_second", "Failed produce requests a second over the last minute"),
    "node_filesystem_used_percent": ("percent", "Used share of the data disk /data/mq-logs"),
    "node_filesystem_size_bytes": ("bytes", "Size of the data disk /data/mq-logs"),
    "kafka_topic_log_size_bytes": ("bytes", "Size of a topic on the broker's disk"),
    "kafka_topic_bytes_in_rate1m": ("bytes", "Bytes a second written to a topic"),
    "node_cpu_percent": ("percent", "CPU use of the machine"),
    "jvm_gc_pause_ms_max1m": ("ms", "Longest garbage collection pause in the last minute"),
    "http_request_p99_ms": ("ms", "99th percentile of the response time over the last minute"),
}


def _all_series() -> list[Series]:
    debug, orders, broker = "trade-debug-trace", "order-events", "mq-broker"
    found = [
        series("kafka_consumergroup_lag", lag, 0, service="order-consumer", group="order-consumer"),
        series("consumer_processed_1m", processed, 0, service="order-consumer", group="order-consumer"),
        series("jvm_gc_pause_ms_max1m", _gc_pause, 0, service="order-consumer", instance=CONSUMERS[1]),
        series("kafka_consumergroup_lag", _push_lag, 0, service="push-service", group="push-consumer"),
        series("kafka_produce_errors_rate1m", lambda at: produce_errors(at) / 60, service="trade-service"),
        series("http_request_p99_ms", _stock_p99, 0, service="inventory-service"),
        series("kafka_topic_log_size_bytes", debug_topic_bytes, 0, service=broker, instance=BROKERS[1], topic=debug),
        series("kafka_topic_bytes_in_rate1m", partial(topic_bytes_in, debug), 0, service=broker, topic=debug),
        series("kafka_topic_bytes_in_rate1m", partial(topic_bytes_in, orders), 0, service=broker, topic=orders),
        series("node_filesystem_size_bytes", lambda at: DISK_BYTES, 0, service=broker, instance=BROKERS[1]),
        series("node_cpu_percent", lambda at: jitter(SEED, "cpu", at, 34, 4), 1, service=broker, instance=BROKERS[1]),
    ]
    for number, host in enumerate(BROKERS, start=1):
        found.append(
            series("node_filesystem_used_percent", partial(disk_percent, number), 1, service=broker, instance=host)
        )
    return found


def _gc_pause(at: datetime) -> float:
    return jitter(SEED, "gc", at, 24, 9)


def _push_lag(at: datetime) -> float:
    return max(0.0, jitter(SEED, "push lag", at, 12, 12))


def _stock_p99(at: datetime) -> float:
    return jitter(SEED, "stock p99", at, WINDOW.curve(at, ("12:58", 372), ("13:01", 548)), 19)


def _alerts() -> list[dict[str, object]]:
    end = WINDOW.end
    return [
        alert(
            WINDOW,
            "14:42:00",
            {"alertname": "ConsumerLagHigh", "service": "order-consumer", "severity": "critical", "team": "trade"},
            "订单消费者消费延迟过高",
            f"消费组 order-consumer 积压 {lag(end)} 条，阈值 10000 条，持续 1 分钟",
            'kafka_consumergroup_lag{group="order-consumer"} > 10000',
        ),
        alert(
            WINDOW,
            "14:22:00",
            {
                "alertname": "BrokerDiskUsageHigh",
                "service": "mq-broker",
                "instance": BROKERS[1],
                "severity": "critical",
                "team": "mq",
            },
            "消息队列磁盘使用率过高",
            f"{BROKERS[1]} 数据盘使用率 {disk_percent(2, end):.1f}%，阈值 90%，持续 5 分钟",
            "node_filesystem_used_percent > 90",
        ),
        alert(
            WINDOW,
            "14:40:00",
            {"alertname": "ProduceErrorRateHigh", "service": "trade-service", "severity": "warning", "team": "trade"},
            "交易服务发送消息失败",
            f"trade-service 发送失败 {produce_errors(end) / 60:.1f} 次/秒，阈值 1 次/秒，持续 1 分钟",
            "kafka_produce_errors_rate1m > 1",
        ),
        alert(
            WINDOW,
            "13:06:00",
            {
                "alertname": "InventoryLatencyHigh",
                "service": "inventory-service",
                "severity": "warning",
                "team": "stock",
            },
            "库存服务响应变慢",
            f"inventory-service P99 {_stock_p99(end):.0f} ms，阈值 500 ms，持续 5 分钟",
            "http_request_p99_ms > 500",
        ),
    ]


def incident() -> Incident:
    """The incident with its pinned clock at 15:00."""
    return Incident(
        name="broker-disk",
        title="订单消费延迟持续升高",
        default=False,
        window=WINDOW,
        services=SERVICES,
        hosts=(*BROKERS, *CONSUMERS, *TRADES, *STOCKS, *PUSHES),
        logs=all_lines(),
        metrics=document(WINDOW, 60, _all_series(), UNITS),
        alerts=_alerts(),
    )
