"""Payment gateway 5xx after a configuration change shrank its database connection pool."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from data.scenarios.generator.alerts import alert
from data.scenarios.generator.incident import Incident, Service, jitter
from data.scenarios.generator.metrics import Series, document, series
from data.scenarios.generator.payment_pool_load import (
    SEED,
    WINDOW,
    batch_cpu,
    db_threads,
    failed,
    order_failed,
    p99_ms,
    pool_active,
    pool_max,
    pool_pending,
    requests,
    slow_queries,
)
from data.scenarios.generator.payment_pool_logs import (
    ADAPTERS,
    BATCH_HOST,
    CHANGE_HOST,
    DB_HOST,
    GATEWAYS,
    ORDERS,
    all_lines,
)

SERVICES = (
    Service(
        "payment-gateway", ("支付网关", "支付", "payment gateway"), ("mysql-pay", "channel-adapter", "config-center")
    ),
    Service("order-service", ("订单服务", "下单服务", "order service"), ("payment-gateway",)),
    Service("channel-adapter", ("渠道适配", "支付渠道", "channel adapter")),
    Service("mysql-pay", ("支付库", "支付数据库", "MySQL")),
    Service("config-center", ("配置中心", "config center")),
    Service("settle-batch", ("结算报表", "报表任务", "对账批处理")),
    Service("deploy-pipeline"),
)
UNITS = {
    "http_requests_rate1m": ("per_second", "Requests a second over the last minute, all instances"),
    "http_5xx_rate1m": ("per_second", "Responses with status 5xx a second over the last minute, all instances"),
    "http_5xx_percent": ("percent", "Share of responses with status 5xx over the last minute"),
    "http_request_p99_ms": ("ms", "99th percentile of the response time over the last minute"),
    "hikaricp_connections_max": ("count", "Configured maximum size of the connection pool"),
    "hikaricp_connections_active": ("count", "Connections in use"),
    "hikaricp_connections_pending": ("count", "Threads waiting for a connection"),
    "mysql_threads_connected": ("count", "Open client connections, max_connections is 2000"),
    "mysql_slow_queries_1m": ("count", "Slow queries in the last minute"),
    "process_cpu_percent": ("percent", "CPU use of the process, share of its limit"),
    "jvm_memory_used_bytes": ("bytes", "Heap in use"),
    "node_cpu_percent": ("percent", "CPU use of the machine"),
}


def _all_series() -> list[Series]:
    gateway, pods = "payment-gateway", GATEWAYS
    found = [
        series("http_requests_rate1m", lambda at: requests(at) / 60, service=gateway),
        series("http_5xx_rate1m", lambda at: failed(at) / 60, service=gateway),
        series("http_5xx_percent", lambda at: 100 * failed(at) / requests(at), service=gateway),
        series("http_request_p99_ms", p99_ms, 0, service=gateway),
        series("http_5xx_rate1m", lambda at: order_failed(at) / 60, service="order-service"),
        series("http_request_p99_ms", lambda at: jitter(SEED, "channel", at, 402, 31), 0, service="channel-adapter"),
        series("process_cpu_percent", _gateway_cpu, 1, service=gateway),
        series("jvm_memory_used_bytes", _gateway_heap, 0, service=gateway, instance=pods[0]),
        series("mysql_threads_connected", db_threads, 0, service="mysql-pay", instance=DB_HOST),
        series("mysql_slow_queries_1m", slow_queries, 0, service="mysql-pay", instance=DB_HOST),
        series(
            "node_cpu_percent", lambda at: jitter(SEED, "db cpu", at, 31, 3), 1, service="mysql-pay", instance=DB_HOST
        ),
        series("node_cpu_percent", batch_cpu, 1, service="settle-batch", instance=BATCH_HOST),
    ]
    for pod in pods:
        found += [
            series("hikaricp_connections_max", pool_max, 0, service=gateway, instance=pod),
            series("hikaricp_connections_active", partial(pool_active, pod), 0, service=gateway, instance=pod),
            series("hikaricp_connections_pending", partial(pool_pending, pod), 0, service=gateway, instance=pod),
        ]
    return found


def _gateway_cpu(at: datetime) -> float:
    return jitter(SEED, "gateway cpu", at, WINDOW.curve(at, ("10:04", 41.5), ("10:06", 30.2)), 2.2)


def _gateway_heap(at: datetime) -> float:
    return jitter(SEED, "gateway heap", at, 1_610_612_736, 190_000_000)


def _alerts() -> list[dict[str, object]]:
    end = WINDOW.end
    share = 100 * failed(end) / requests(end)
    waiting = pool_pending(GATEWAYS[0], end)
    return [
        alert(
            WINDOW,
            "10:05:30",
            {
                "alertname": "HikariPoolPendingHigh",
                "service": "payment-gateway",
                "instance": GATEWAYS[0],
                "severity": "warning",
                "team": "pay",
            },
            "支付网关数据库连接池等待线程过多",
            f"{GATEWAYS[0]} 等待连接的线程 {waiting} 个，阈值 20，持续 1 分钟",
            "hikaricp_connections_pending > 20",
        ),
        alert(
            WINDOW,
            "10:06:30",
            {"alertname": "PaymentGateway5xxHigh", "service": "payment-gateway", "severity": "critical", "team": "pay"},
            "支付网关 5xx 比例过高",
            f"payment-gateway 5xx 比例 {share:.1f}%，阈值 5%，持续 1 分钟",
            "http_5xx_percent > 5",
        ),
        alert(
            WINDOW,
            "10:08:00",
            {"alertname": "OrderServicePayTimeout", "service": "order-service", "severity": "warning", "team": "trade"},
            "订单服务调用支付网关超时",
            f"order-service 5xx {order_failed(end) / 60:.1f} 次/秒，阈值 2 次/秒，持续 2 分钟",
            "http_5xx_rate1m > 2",
        ),
        alert(
            WINDOW,
            "09:36:30",
            {
                "alertname": "HostCpuHigh",
                "service": "settle-batch",
                "instance": BATCH_HOST,
                "severity": "warning",
                "team": "finance",
            },
            "主机 CPU 使用率过高",
            f"{BATCH_HOST} CPU 使用率 {batch_cpu(end):.1f}%，阈值 90%，持续 5 分钟",
            "node_cpu_percent > 90",
        ),
    ]


def incident() -> Incident:
    """The incident with its pinned clock at 10:30."""
    return Incident(
        name="payment-pool",
        title="支付网关大量 5xx",
        default=True,
        window=WINDOW,
        services=SERVICES,
        hosts=(*GATEWAYS, *ORDERS, *ADAPTERS, DB_HOST, CHANGE_HOST, BATCH_HOST),
        logs=all_lines(),
        metrics=document(WINDOW, 30, _all_series(), UNITS),
        alerts=_alerts(),
    )
