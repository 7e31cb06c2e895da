"""What a claim names: the kind and weight of each name, and the prose that only looks like one."""

from __future__ import annotations

import pytest

from programs.grounding import literals


def said(text: str) -> list[str]:
    """``name/kind`` of every literal; in brackets when it is not critical."""
    return [
        f"{item.text}/{item.kind}" if item.critical else f"({item.text}/{item.kind})"
        for item in literals(text)
        if item.kind not in ("number", "count", "duration", "percent")
    ]


# Products are named in plain words; one that is no more known would be missed.
PRODUCTS = [
    "redis 抖动后 mysql mysqld mariadb postgres postgresql mongodb mongo oracle sqlite 都报错",
    "clickhouse tidb cassandra hbase hive hdfs hadoop yarn spark flink 作业卡住",
    "kafka rabbitmq rocketmq activemq pulsar zookeeper etcd consul nacos apollo 断连",
    "elasticsearch opensearch logstash kibana nginx openresty haproxy envoy istio traefik 变慢",
    "apache httpd tomcat jetty kubelet docker containerd coredns calico flannel 重启",
    "prometheus alertmanager grafana jenkins gitlab vault keepalived lvs memcached minio 告警",
    "ceph glusterfs sshd systemd cron crond ntpd chronyd dnsmasq nova neutron cinder 退出",
    "keystone glance libvirt qemu hikaricp druid dubbo sentinel seata skywalking jaeger 超时",
    "sentry celery gunicorn uwsgi 没有日志",
]


@pytest.mark.parametrize("text", PRODUCTS)
def test_a_product_is_a_service_in_plain_words(text: str) -> None:
    words = [word for word in text.split() if word.isascii()]
    assert said(text) == [f"{word}/service" for word in words]
    assert said(text.upper()) == [f"{word.upper()}/service" for word in words]


# An English compound is a critical name when a part of it names a piece of infrastructure.
INFRASTRUCTURE = """my-svc my-service my-api my-db my-node my-server my-proxy my-worker my-cache my-mq my-job my-pod
    my-center my-gateway my-host my-cluster my-broker my-router my-agent my-sidecar my-controller my-operator
    my-scheduler my-registry my-store my-manager my-pipeline my-payment my-order my-inventory Order-Center read-node"""
# Compounds of ordinary speech, each kept apart by one of its parts.
PROSE = """pre-flight re-sync non-blocking self-heal well-known long-lived short-lived high-water low-water read-ahead
    write-behind only-child out-dated of-course warm-up slow-down time-boxed end-user tie-to get-off on-call plug-in
    sign-by root-level cause-wise over-commit under-run multi-tenant single-tenant cross-region co-located sub-second
    inter-op intra-op post-mortem anti-affinity semi-sync top-level client-side region-wide rack-based zone-related
    vendor-like vendor-specific event-driven io-bound client-facing lock-free rack-aware day-one hour-long minute-long
    second-hand week-long two-way mid-term web-scale dry-run data-set fall-back one-off three-fold four-fold five-fold
    six-fold first-aid last-mile full-text half-open near-miss real-life old-style new-style same-zone ever-green
    ongoing-work hand-written built-ins open-source follow-ups start-ups shut-ins roll-outs fail-fast auto-tune
    cold-standby hot-standby soft-limit hard-limit early-on late-night the-end and-so per-tenant non-critical
    depth-wise check-ups memory-mapped line-oriented rate-limited check-in heavy-duty light-weight then-known
    now-known all-clear life-like cycle-wise user-agnostic so-called called-out ahead-of hash-map peak-load dead-lock
    most-used every-one large-ish small-ish big-ish tail-latency head-room queue-length oom-killed READ-MOSTLY"""


@pytest.mark.parametrize("name", INFRASTRUCTURE.split())
def test_a_compound_of_infrastructure_is_a_name_in_any_sentence(name: str) -> None:
    assert said(f"{name} is slow") == [f"{name}/service"]
    assert said(f"{name} 变慢") == [f"{name}/service"]


@pytest.mark.parametrize("word", PROSE.split())
def test_a_compound_of_speech_is_no_name(word: str) -> None:
    assert said(f"a {word} thing") == said(f"出现 {word} 现象") == []


SENTENCES = [
    # another compound: certain in Chinese or as what it is called, else weak
    ("foo-bar is slow", ["(foo-bar/service)"]),
    ("foo-bar 变慢", ["foo-bar/service"]),
    *((f"foo-bar {what} is slow", ["foo-bar/service"]) for what in ("pod", "service", "cluster", "instance", "node")),
    *((f"foo-bar {what} is slow", ["foo-bar/service"]) for what in ("host", "process", "server", "daemon", "Server")),
    ("foo-bar hosting is slow", ["(foo-bar/service)"]),
    ("the redis-sentinel is slow", ["redis-sentinel/service"]),
    # a plain word joined to what it is called in Chinese
    *((f"payment{what}变慢", ["(payment/service)"]) for what in ("服务", "实例", "集群", "节点", "进程")),
    *((f"payment{what}变慢", ["(payment/service)"]) for what in ("主机", "容器", "组件", "模块")),
    *(("payment 服务变慢", []), ("Payment服务变慢", []), ("db服务变慢", []), ("payment变慢", []), ("CPU服务", [])),
    # addresses
    ("10.1.2.3 10.1.2.3:80 10.1.0.0/16 down", ["10.1.2.3/ip", "10.1.2.3:80/ip", "10.1.0.0/16/ip"]),
    ("fe80::1 00:1a:2b:3c:4d:5e down", ["fe80::1/ip", "00:1a:2b:3c:4d:5e/ip"]),
    # codes
    ("0x7ffe12 0xDEADBEEF", ["0x7ffe12/code", "0xDEADBEEF/code"]),
    ("3F2504E0-4F89-11D3-9A0C-0305E82C3301 失败", ["3F2504E0-4F89-11D3-9A0C-0305E82C3301/code"]),
    ("blk_107 和 BLK_abc 丢失", ["blk_107/code", "BLK_abc/code"]),
    ("/var/log/app.log 写满", ["/var/log/app.log/code"]),
    ("order 20260310100501234 丢失", ["20260310100501234/code"]),
    ("order 123456789012345 丢失", []),
    ("v2.3.1 V2.3 2.3.1-rc1 发布", ["v2.3.1/code", "V2.3/code", "2.3.1-rc1/code"]),
    ("ORA-01555 TNS_12541 OOM137 出现", ["ORA-01555/code", "TNS_12541/code", "OOM137/code"]),
    ("A-01555 出现", ["A-01555/host"]),
    ("ERR_POOL_EMPTY 和 OUT_OF_MEMORY 出现", ["ERR_POOL_EMPTY/code", "OUT_OF_MEMORY/code"]),
    *((f"read {code} 之后", [f"{code}/code"]) for code in ("ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH", "ENETDOWN")),
    *((f"read {code} 之后", [f"{code}/code"]) for code in ("ENOSPC", "EPIPE", "EACCES", "EAGAIN", "EADDRINUSE")),
    *((f"read {code} 之后", [f"{code}/code"]) for code in ("EMFILE", "EIO", "SIGKILL", "OOMKilled", "DiskPressure")),
    *((f"报 {code}", [f"{code}/code"]) for code in ("CrashLoopBackOff", "NullPointerException", "StackOverflowError")),
    *((f"{name} 报错", [f"{name}/service"]) for name in ("OrderService", "payGateway", "HTTPProxy", "APIserver")),
    ("S3 P0 h9 慢", ["(S3/code)", "(P0/code)", "(h9/code)"]),
    # hosts and services
    ("web01 db-1:3306 cache:6379 pod.a1 断", ["web01/host", "db-1:3306/host", "cache:6379/host", "pod.a1/host"]),
    ("pay-7d9f8b6c5d-x2x1v 重启", ["pay-7d9f8b6c5d-x2x1v/host"]),
    ("pool_size 与 orders.dead_letter", ["pool_size/service", "orders.dead_letter/service"]),
    ("com.foo.Bar 和 Outer$Inner.run 报错", ["com.foo.Bar/service", "Outer$Inner.run/service"]),
    ("mail.example 和 api.internal 不通", ["mail.example/host", "api.internal/host"]),
    # no names
    *((text, []) for text in ("e.g. it is", "i.e. it", "a.m.", "p.m. today", "order.Created 事件", "x.yy 出错")),
    *((text, []) for text in ("5xx 增多", "4XX 增多", "2nd 3rd 10x 3A", "2pc 协议", "CPU95%", "web1%")),
    *((text, []) for text in ("k8s ipv4 IPv6 p50 p90 p95 P99 p999 24x7 7x24", "http2 http1 h2 l4 l7", "_x __init")),
    *((text, []) for text in ("UTF-8 utf8 sha256 md5 base64 x86 x86_64", "READ-MOSTLY", "ERROR WARN Fatal")),
    *((text, []) for text in ("GitHub JavaScript OpenStack DevOps IOwait macOS TypeScript LogHub iPhone eBPF",)),
    *((text, []) for text in ("QPS 和 TPS", "iOS", "NodeJS", "The Payment team", "vs etc", "error节")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "names"), SENTENCES)
def test_a_sentence_names_these_things(text: str, names: list[str]) -> None:
    assert said(text) == names
