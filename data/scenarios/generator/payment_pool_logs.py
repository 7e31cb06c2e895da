"""Log lines of the payment incident."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from data.scenarios.generator.logs import Line, Stream, draw, every_minute, written
from data.scenarios.generator.payment_pool_load import (
    SEED,
    WINDOW,
    db_threads,
    failed,
    order_failed,
    p99_ms,
    requests,
    slow_queries,
)
from data.scenarios.generator.timeline import MINUTE

GATEWAYS = ("payment-gateway-7d9c6b5f48-2xk9p", "payment-gateway-7d9c6b5f48-hw4tn")
ORDERS = ("order-service-66b8d7c9f4-j2r5q", "order-service-66b8d7c9f4-v8mzl", "order-service-66b8d7c9f4-x6c2d")
ADAPTERS = ("channel-adapter-5f6bd9c87-4kq7s", "channel-adapter-5f6bd9c87-t9n2w")
DB_HOST, CHANGE_HOST, BATCH_HOST, DEPLOY_HOST = "pay-db-01", "config-center-1", "batch-03", "deploy-01"

_CHANNEL = "{pick:ALIPAY_APP|WXPAY_JSAPI|UNIONPAY_QP|CMB_DIRECT|ICBC_B2C}"
_BIZ = "P20260311{int:10000000~99999999}"

DECISIVE = f"""
    09:22:40.117 INFO config-center {CHANGE_HOST} config published dataId=marketing-coupon-prod.yaml group=MKT
    ... change=CHG-20260311-0142 operator=pipeline/mkt-config-sync: coupon.banner.id 1182 -> 1183 (instances notified:
    ... 6)
    09:30:00.052 INFO settle-batch {BATCH_HOST} job started name=daily-settle-report trigger=cron shards=32
    ... bizDate=2026-03-10 host=batch-03
    09:41:20.630 INFO deploy-pipeline {DEPLOY_HOST} rollout finished app=channel-adapter version=v3.8.1 -> v3.8.2
    ... pods=2/2 release=REL-20260311-009 duration=184s
    10:02:11.408 INFO config-center {CHANGE_HOST} config published dataId=payment-gateway-prod.yaml group=PAY
    ... change=CHG-20260311-0187 operator=pipeline/pay-config-sync: datasource.pool.maximum-pool-size 64 -> 8
    ... (instances notified: 2)
    10:02:13.026 INFO payment-gateway {GATEWAYS[0]} c.p.gateway.config.ConfigRefresher : config changed
    ... keys=[datasource.pool.maximum-pool-size] old=64 new=8
    10:02:13.031 INFO payment-gateway {GATEWAYS[0]} com.zaxxer.hikari.HikariConfig : HikariPool-pay -
    ... maximumPoolSize=8, soft-evicting idle connections
    10:02:13.884 INFO payment-gateway {GATEWAYS[1]} c.p.gateway.config.ConfigRefresher : config changed
    ... keys=[datasource.pool.maximum-pool-size] old=64 new=8
    10:02:13.890 INFO payment-gateway {GATEWAYS[1]} com.zaxxer.hikari.HikariConfig : HikariPool-pay -
    ... maximumPoolSize=8, soft-evicting idle connections
    10:03:52.640 WARN payment-gateway {GATEWAYS[0]} com.zaxxer.hikari.pool.HikariPool : HikariPool-pay - pool is at
    ... capacity (total=8, active=8, idle=0, waiting=3)
    10:04:07.312 ERROR payment-gateway {GATEWAYS[0]} com.zaxxer.hikari.pool.HikariPool : HikariPool-pay - Connection is
    ... not available, request timed out after 3000ms (total=8, active=8, idle=0, waiting=57)
    10:04:41.905 ERROR payment-gateway {GATEWAYS[0]} c.p.gateway.web.ErrorResponder : HTTP 503 POST /pay/v2/create
    ... bizNo=P2026031148120377 cost=3006ms cause=CannotGetJdbcConnectionException
    10:04:58.233 ERROR order-service {ORDERS[1]} c.m.order.pay.PayClient : call payment-gateway POST /pay/v2/create
    ... timed out after 3000ms orderNo=6603110458027
    10:18:25.700 INFO deploy-pipeline {DEPLOY_HOST} scaled deployment=order-service replicas=3 -> 4
    ... ticket=OPS-20260311-031 reason="timeout alert"
"""


def _streams() -> Iterator[Stream]:
    create, query = "POST /pay/v2/create", "GET /pay/v2/query"
    yield Stream(
        "gateway ok",
        "payment-gateway",
        GATEWAYS,
        lambda at: (requests(at) - failed(at)) / 800,
        f"""
        6 INFO 10.32.4.{{int:2~250}} "{create} HTTP/1.1" 200 {{int:420~1900}} rt={{dec:0.061~0.298~3}} trace={{hex:16}}
        3 INFO 10.32.4.{{int:2~250}} "{query} HTTP/1.1" 200 {{int:180~640}} rt={{dec:0.011~0.048~3}} trace={{hex:16}}
    """,
        until="10:04:20",
    )
    yield Stream(
        "gateway slow ok",
        "payment-gateway",
        GATEWAYS,
        lambda at: (requests(at) - failed(at)) / 800,
        f"""
        6 INFO 10.32.4.{{int:2~250}} "{create} HTTP/1.1" 200 {{int:420~1900}} rt={{dec:1.420~2.985~3}} trace={{hex:16}}
        3 INFO 10.32.4.{{int:2~250}} "{query} HTTP/1.1" 200 {{int:180~640}} rt={{dec:1.210~2.940~3}} trace={{hex:16}}
    """,
        since="10:04:20",
    )
    yield Stream(
        "gateway app",
        "payment-gateway",
        GATEWAYS,
        5.0,
        f"""
        5 INFO c.p.gateway.route.ChannelRouter : routed bizNo={_BIZ} channel={_CHANNEL} rule=weight
        4 DEBUG c.p.gateway.sign.SignVerifier : verify ok mch=M{{int:10000~99999}} alg=RSA2 cost={{int:1~4}}ms
        3 DEBUG c.p.gateway.idem.IdempotentStore : key hit=false ttl=600s key=pay:{{hex:12}}
    """,
    )
    yield Stream(
        "gateway noise",
        "payment-gateway",
        GATEWAYS,
        0.9,
        f"""
        5 WARN c.p.gateway.client.ChannelClient : slow response channel={_CHANNEL} cost={{int:1040~2600}}ms
        3 WARN c.p.gateway.sign.SignVerifier : signature mismatch mch=M{{int:10000~99999}} alg=RSA2
        2 ERROR c.p.gateway.client.ChannelClient : channel call failed channel={_CHANNEL} code=CH_TIMEOUT bizNo={_BIZ}
        ... after 5000ms
    """,
    )
    yield Stream(
        "pool timeouts",
        "payment-gateway",
        GATEWAYS,
        lambda at: failed(at + MINUTE) / 260,
        """
        1 ERROR com.zaxxer.hikari.pool.HikariPool : HikariPool-pay - Connection is not available, request timed out
        ... after 3000ms (total=8, active=8, idle=0, waiting={int:48~74})
    """,
        since="10:04:08",
    )
    yield Stream(
        "gateway 503",
        "payment-gateway",
        GATEWAYS,
        lambda at: failed(at + MINUTE) / 150,
        f"""
        1 ERROR c.p.gateway.web.ErrorResponder : HTTP 503 {create} bizNo={_BIZ} cost={{int:3002~3019}}ms
        ... cause=CannotGetJdbcConnectionException
    """,
        since="10:04:43",
    )
    yield Stream(
        "orders",
        "order-service",
        ORDERS,
        8.0,
        """
        4 INFO c.m.order.create.OrderWriter : order created orderNo=6603{int:100000000~999999999} items={int:1~6}
        ... amount={dec:9~1800~2}
        3 INFO GET /orders/v3/{int:100000~999999} 200 {int:4~39}ms uid={int:1000000~9999999}
        3 DEBUG c.m.order.cache.OrderCache : hit=true key=ord:{hex:10} age={int:1~290}s
    """,
    )
    yield Stream(
        "order noise",
        "order-service",
        ORDERS,
        0.5,
        """
        3 WARN c.m.order.stock.StockClient : reserve retry=1 sku={int:200000~899999} cause=VersionConflict
        1 ERROR c.m.order.invoice.InvoiceJob : skip orderNo=6603{int:100000000~999999999} cause=TitleMissing
    """,
    )
    yield Stream(
        "order timeouts",
        "order-service",
        ORDERS,
        lambda at: order_failed(at + MINUTE) / 45,
        """
        3 ERROR c.m.order.pay.PayClient : call payment-gateway POST /pay/v2/create timed out after 3000ms
        ... orderNo=6603{int:100000000~999999999}
        2 WARN c.m.order.pay.PayClient : payment-gateway returned HTTP 503, retry=1/1
        ... orderNo=6603{int:100000000~999999999}
    """,
        since="10:04:59",
    )
    yield Stream(
        "channels",
        "channel-adapter",
        ADAPTERS,
        6.0,
        f"""
        6 INFO level=info caller=adapter/send.go:118 msg="channel ok" channel={_CHANNEL} cost={{int:88~420}}ms
        2 DEBUG level=debug caller=pool/conn.go:64 msg="reuse conn" channel={_CHANNEL} idle={{int:1~30}}s
    """,
    )
    yield Stream(
        "channel noise",
        "channel-adapter",
        ADAPTERS,
        0.4,
        f"""
        1 WARN level=warn caller=adapter/send.go:141 msg="retry" channel={_CHANNEL} attempt=2 err="i/o timeout"
    """,
    )
    yield Stream(
        "db noise",
        "mysql-pay",
        (DB_HOST,),
        0.3,
        """
        2 WARN [Warning] Aborted connection {int:70000~99999} to db: 'pay' user: 'pay_ro' (Got timeout reading
        ... communication packets)
        3 INFO [Note] InnoDB: page_cleaner: 1000ms intended loop took {int:1010~1190}ms
    """,
    )
    yield Stream(
        "config polls",
        "config-center",
        (CHANGE_HOST, "config-center-2"),
        2.0,
        """
        3 INFO long-polling clients={int:402~419} timeout=30s changed=0
        1 DEBUG md5 check dataId={pick:order-service-prod.yaml|channel-adapter-prod.yaml|risk-prod.yaml} same=true
    """,
    )
    yield Stream(
        "settle",
        "settle-batch",
        (BATCH_HOST,),
        3.0,
        """
        5 INFO shard={int:0~31} rows={int:18000~52000} cost={int:9~41}s step={pick:load|join|aggregate}
        1 WARN shard={int:0~31} spill to disk size={int:210~890}MB step=join
    """,
        since="09:30:04",
    )


def _gateway_minute(at: datetime) -> str:
    total, bad = requests(at), failed(at)
    return (
        f"gateway.stats window=60s total={total} 2xx={total - bad - 21} 4xx=21 5xx={bad} p99_ms={p99_ms(at):.0f} "
        "log_sampling=2xx:1/800,5xx:1/150"
    )


def _db_minute(at: datetime) -> str:
    return (
        f"[Note] stats: threads_connected={db_threads(at)} max_connections=2000 slow_queries_1m={slow_queries(at)} "
        "row_lock_waits_1m=0 replication_lag_s=0"
    )


def all_lines() -> list[Line]:
    """Every line of the incident, unordered."""
    lines = [*written(WINDOW, DECISIVE)]
    for stream in _streams():
        lines.extend(draw(WINDOW, SEED, stream))
    lines.extend(every_minute(WINDOW, "payment-gateway", GATEWAYS[0], 37, _gateway_minute))
    lines.extend(every_minute(WINDOW, "mysql-pay", DB_HOST, 212, _db_minute))
    return lines
