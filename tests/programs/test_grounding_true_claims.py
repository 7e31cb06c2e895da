"""True claims over many kinds of systems: not one literal may come out as conflicting."""

from __future__ import annotations

import json
from typing import Any

import pytest

from programs.grounding import ground
from signatures.contracts import VerifiedEvidence


def _log(second: int, level: str, service: str, host: str, message: str) -> dict[str, Any]:
    at = f"2026-11-03T10:{second // 60:02d}:{second % 60:02d}.120+08:00"
    return {"timestamp": at, "level": level, "service": service, "host": host, "message": message}


def _stats(metric: str, unit: str, service: str, **values: Any) -> dict[str, Any]:
    return {"metric": metric, "service": service, "instance": f"{service}-1", "unit": unit, **values}


PAY = "pay-7d9f8b6c5d-x2x1v"
POOL = [
    _log(61, "INFO", "config-center", "cfg-1", "published payment-gateway.db.pool.max=10 (was 50) rev=8841"),
    _log(95, "WARN", "payment-gateway", PAY, "HikariPool-1 active=10 max=10 idle=0 waiting=37"),
    _log(132, "ERROR", "payment-gateway", PAY, "Connection not available, request timed out after 3000ms"),
    _log(190, "ERROR", "order-service", "ord-1", "POST /pay returned HTTP 504 after 5002 ms from payment-gateway"),
    {"count": 412, "first_seen": "2026-11-03T10:02:12+08:00", "last_seen": "2026-11-03T10:21:40+08:00",
     "level": "ERROR", "service": "payment-gateway",
     "message": "Connection not available, request timed out after 3000ms"},
    _stats("http_latency_ms", "ms", "payment-gateway", first=41, last=2950, min=38, max=3100, before=42, after=2900,
           min_at="2026-11-03T09:50:00+08:00",
           max_at="2026-11-03T10:12:00+08:00", change_at="2026-11-03T10:02:00+08:00"),
]  # fmt: skip
MEMORY = [
    _log(10, "WARN", "kubelet", "node-3", "pod cart-6b7f9c8d5-k2m4p memory working set 498Mi, limit 512Mi"),
    _log(44, "ERROR", "kubelet", "node-3", "Container cart in pod cart-6b7f9c8d5-k2m4p OOMKilled, exit_code=137"),
    _log(50, "INFO", "cart", "cart-6b7f9c8d5-k2m4p", "Pause Full (G1 Compaction) 489M->471M(512M) 812.441ms"),
    _log(52, "INFO", "kubelet", "node-3", "Back-off restarting failed container, restart count 4"),
    _stats("container_memory_bytes", "bytes", "cart", first=209715200, last=522190848, min=209715200, max=536870912),
    _stats("cpu_percent", "percent", "cart", first=12.4, last=96.2, min=11.9, max=97.8),
]
DATABASE = [
    _log(
        5, "ERROR", "mysqld", "db-1b", "Deadlock found when trying to get lock; try restarting transaction (errno 1213)"
    ),
    _log(8, "WARN", "mysqld", "db-2a", "Seconds_Behind_Master: 340, Relay_Log_Space: 1073741824"),
    _log(30, "INFO", "orchestrator", "orc-1", "failover db-1b -> db-2a started, primary=db-2a"),
    _log(75, "INFO", "orchestrator", "orc-1", "failover finished in 45s, 2 replicas repointed"),
    _log(80, "WARN", "mysqld", "db-2a", "disk usage 91% on /var/lib/mysql, 18.2 GiB free of 200 GiB"),
]
QUEUE = [
    _log(1, "WARN", "kafka", "kafka-2", "partition orders-7 under-replicated: isr=[2,3] replicas=[1,2,3]"),
    _log(3, "ERROR", "kafka", "kafka-1", "Shutdown broker because all log dirs in /data/kafka have failed"),
    _log(9, "WARN", "billing", "billing-1", "consumer lag 80000 on topic orders, 12 partitions, rebalance took 41.5 s"),
    _log(9, "WARN", "billing", "billing-2", "consumer lag 1200 on topic orders, 4 partitions"),
    {"alertname": "KafkaUnderReplicated", "state": "active", "service": "kafka", "severity": "critical",
     "startsAt": "2026-11-03T02:00:05Z", "summary": "URP 12 > 0 for 5m"},
]  # fmt: skip
EDGE = [
    _log(
        2,
        "ERROR",
        "nginx",
        "edge-1",
        '10.4.7.21 - "GET /api/v2/cart HTTP/1.1" 502 157 upstream=10.0.0.12:8080 rt=0.002',
    ),
    _log(
        2,
        "ERROR",
        "nginx",
        "edge-1",
        '10.4.7.22 - "GET /api/v2/cart HTTP/1.1" 502 157 upstream=10.0.0.12:8080 rt=0.001',
    ),
    _log(
        3, "ERROR", "nginx", "edge-2", "connect() failed (111: Connection refused) while connecting to 10.0.0.12:8080"
    ),
    _log(7, "WARN", "coredns", "dns-1", "SERVFAIL cart.shop.svc.cluster.local. 2.004s"),
    _log(
        9,
        "ERROR",
        "gateway",
        "gw-1",
        "x509: certificate has expired: current time 2026-11-03 is after 2026-11-01T00:00:00Z",
    ),
]

TRUE: list[tuple[list[dict[str, Any]], str]] = [
    (POOL, "10:01 配置中心把 payment-gateway 的连接池上限从 50 改成 10。"),
    (POOL, "At 10:01:01 config-center published rev=8841, which cut the pool from 50 to 10."),
    (POOL, "连接池活跃连接 10，上限 10，空闲 0，37 个请求在等待。"),
    (POOL, "payment-gateway 报连接不可用，请求 3 秒超时，共 412 次，首次 10:02，最后 10:21。"),
    (POOL, "order-service 调用支付 5 秒后收到 504。"),
    (POOL, "order-service got HTTP 504 from payment-gateway after about 5 s."),
    (POOL, "payment-gateway 延迟从 41 ms 升到约 2.9 秒，峰值 3.1 秒，出现在 10:12。"),
    (POOL, "延迟从 10:02 开始上升，之前的中位数约 42 ms。"),
    (POOL, "UTC 02:02 起延迟突变，之后中位数约 2900 ms。"),
    (POOL, "配置变更之后才出现连接不可用的报错。"),
    (POOL, "The first pool error came 71 s after the config change."),
    (POOL, "从第一次到最后一次报错，持续约 19 分钟。"),
    (MEMORY, "cart 在 10:00:44 被 OOMKilled，退出码 137。"),
    (MEMORY, "cart 的内存限制是 512Mi，被杀前用了 498Mi。"),
    (MEMORY, "Full GC 停顿约 0.8 秒，堆从 489M 只降到 471M。"),
    (MEMORY, "The container has been restarted 4 times."),
    (MEMORY, "cart 容器重启了 4 次。"),
    (MEMORY, "容器内存从 200 MiB 涨到 498 MiB，最高 512 MiB。"),
    (MEMORY, "容器内存末值约 522 MB。"),
    (MEMORY, "CPU 从 12.4% 升到 96.2%，最高 97.8%。"),
    (MEMORY, "CPU 始终没有超过 98%。"),
    (MEMORY, "node-3 上的 cart 先被杀，6 秒后 Full GC，再进入 Back-off。"),
    (DATABASE, "db-1b 出现死锁，错误号 1213。"),
    (DATABASE, "从库 db-2a 落后 340 秒，大约 5.7 分钟。"),
    (DATABASE, "主库从 db-1b 切到 db-2a，耗时 45 秒。"),
    (DATABASE, "当前主库是 db-2a。"),
    (DATABASE, "db-2a 的磁盘使用率 91%，还剩 18.2 GiB，总量 200 GiB。"),
    (DATABASE, "The deadlock on db-1b happened 25 s before the failover."),
    (DATABASE, "切换完成后，2 个副本被重新指向。"),
    (DATABASE, "relay log 占用 1 GiB。"),
    (QUEUE, "orders-7 分区的 ISR 只剩 2 和 3，副本列表是 1、2、3。"),
    (QUEUE, "billing-1 积压 80000 条，billing-2 只有 1200 条。"),
    (QUEUE, "billing-1 积压约 8 万，再均衡花了 41.5 秒。"),
    (QUEUE, "告警 KafkaUnderReplicated 从北京时间 10:00 开始，URP 为 12。"),
    (QUEUE, "kafka-1 因日志目录 /data/kafka 全部失败而关闭。"),
    (QUEUE, "Two billing consumers report lag: 80,000 and 1,200."),
    (EDGE, "edge-1 两次返回 502，上游是 10.0.0.12:8080。"),
    (EDGE, "edge-2 连接 10.0.0.12:8080 被拒绝，错误码 111。"),
    (EDGE, "来自 10.4.7.21 和 10.4.7.22 的请求都得到 502。"),
    (EDGE, "DNS 查询 cart.shop.svc.cluster.local 约 2 秒后 SERVFAIL。"),
    (EDGE, "gw-1 上的证书 11 月 1 日已过期。"),
    (EDGE, "Upstream answered within 2 ms."),
]


@pytest.mark.parametrize(("records", "claim"), TRUE)
def test_true_claim_has_no_conflict(records: list[dict[str, Any]], claim: str) -> None:
    kinds = {"count": "patterns", "metric": "series", "alertname": "alerts"}
    excerpts = []
    for index, record in enumerate(records):
        table = next((name for key, name in kinds.items() if key in record), "logs")
        path = f"$.{table}[{index}]" + (".stats" if table == "series" else "")
        excerpts.append(
            VerifiedEvidence(
                binding_id=f"b{index}", run_id="r", claim_id="c", source_invocation_id="inv_1", tool_name="query_logs",
                raw_path=path, matched_text=json.dumps(record, ensure_ascii=False, sort_keys=True),
            )
        )  # fmt: skip
    wrong = [finding for finding in ground(claim, excerpts) if finding.status == "conflicting"]
    assert not wrong, wrong
