"""Names of every kind: found as whole tokens, and never inside or beside another name."""

from __future__ import annotations

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_width import evidence

QUOTES = "`“”\"「」『』'‘’"

# (claim, name, kind, a record that has it, a record with a neighbour)
CASES = [
    ("来自 10.1.2.3 的请求", "10.1.2.3", "ip", "peer=10.1.2.3", "peer=10.1.2.30"),
    ("来自 10.1.2.3:8080 的请求", "10.1.2.3:8080", "ip", "peer=10.1.2.3:8080", "peer=10.1.2.3:8081"),
    ("网段 10.1.2.0/24 不通", "10.1.2.0/24", "ip", "route 10.1.2.0/24 lost", "route 10.1.3.0/24 lost"),
    ("来自 fe80::1a2b 的请求", "fe80::1a2b", "ip", "peer=fe80::1a2b", "peer=fe80::1a2c"),
    (
        "请求 3f2504e0-4f89-11d3-9a0c-0305e82c3301 失败",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "code",
        "id=3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "id=3f2504e0-4f89-11d3-9a0c-0305e82c3302",
    ),
    ("地址 0x7ffe12 出错", "0x7ffe12", "code", "fault at 0x7ffe12", "fault at 0x7ffe13"),
    ("块 blk_1073 丢失", "blk_1073", "code", "lost blk_1073", "lost blk_1074"),
    (
        "文件 /var/log/app.log 写满",
        "/var/log/app.log",
        "code",
        "write /var/log/app.log failed",
        "write /var/log/other.log failed",
    ),
    ("升级到 v2.3.1", "v2.3.1", "code", "deploy v2.3.1", "deploy v2.3.2"),
    ("版本 2.3 有问题", "2.3", "code", "version 2.3 started", "version 2.4 started"),
    ("报 ORA-01555", "ORA-01555", "code", "got ORA-01555", "got ORA-01556"),
    ("报 ECONNRESET", "ECONNRESET", "code", "read ECONNRESET", "read EPIPE"),
    ("报 OUT_OF_MEMORY", "OUT_OF_MEMORY", "code", "status OUT_OF_MEMORY", "status OUT_OF_DISK"),
    ("收到 SIGKILL", "SIGKILL", "code", "got SIGKILL", "got SIGTERM"),
    ("返回 HTTP 502", "502", "code", "HTTP 502 from upstream", "HTTP 504 from upstream"),
    ("状态码 502 增多", "502", "code", "status=502", "status=504"),
    ("返回了 503", "503", "code", "status: 503", "status: 500"),
    ("the call returned 503", "503", "code", "status 503", "status 500"),
    ("responded with 404", "404", "code", "HTTP/1.1 404", "HTTP/1.1 200"),
    ("退出码 137", "137", "code", "exit code 137", "exit code 1"),
    ("exited with code 137", "137", "code", "exit code 137", "exit code 1"),
    ("errno 28 出现", "28", "code", "errno=28", "errno=5"),
    ("错误码是 -110", "-110", "code", "error code -110", "error code -111"),
    ("端口 3306 不通", "3306", "port", "port 3306 refused", "port 3307 refused"),
    ("3306 端口不通", "3306", "port", "port 3306 refused", "port 3307 refused"),
    ("port 8443 is closed", "8443", "port", "listen port=8443", "listen port=8444"),
    ("web-12 超时", "web-12", "host", "web-12 timeout", "web-13 timeout"),
    (
        "pay-7d9f8b6c5d-x2x1v 重启",
        "pay-7d9f8b6c5d-x2x1v",
        "host",
        "pod pay-7d9f8b6c5d-x2x1v restarted",
        "pod pay-7d9f8b6c5d-x2x1w restarted",
    ),
    ("db-1.example.com 超时", "db-1.example.com", "host", "db-1.example.com timeout", "db-2.example.com timeout"),
    ("db-1:3306 超时", "db-1:3306", "host", "db-1:3306 timeout", "db-1:3307 timeout"),
    ("order-service 报错", "order-service", "service", "order-service error", "order-service2 error"),
    ("kafka 报错", "kafka", "service", "kafka error", "rabbitmq error"),
    ("OrderService 报错", "OrderService", "service", "OrderService error", "OrderServices error"),
    ("pool_size 被改", "pool_size", "service", "pool_size changed", "pool_sizes changed"),
    ("日志写着“disk full”", "“disk full”", "quoted", "write: Disk full", "write: disk busy"),
    ('日志写着 "disk full"', '"disk full"', "quoted", "write: disk full", "write: disk busy"),
    ("日志写着「disk full」", "「disk full」", "quoted", "write: disk full", "write: disk busy"),
    ("日志写着『disk full』", "『disk full』", "quoted", "write: disk full", "write: disk busy"),
    ("日志写着 'disk full'", "'disk full'", "quoted", "write: disk full", "write: disk busy"),
    ("日志写着‘disk full’", "‘disk full’", "quoted", "write: disk full", "write: disk busy"),
]


def named(claim: str, name: str, text: str) -> LiteralFinding | None:
    found = ground(claim, evidence(text))
    return next((item for item in found if item.text.strip(QUOTES) == name.strip(QUOTES)), None)


@pytest.mark.parametrize(("claim", "name", "kind", "same", "other"), CASES)
def test_a_name_is_found_as_itself_only(claim: str, name: str, kind: str, same: str, other: str) -> None:
    found = named(claim, name, same)
    assert found is not None
    assert (found.kind, found.status, found.critical) == (kind, "found", True)
    neighbour = named(claim, name, other)
    assert neighbour is not None and neighbour.status != "found"


@pytest.mark.parametrize(
    "prose",
    [
        *(
            "P99 变慢",
            "IPv4 和 IPv6 都正常",
            "read-only 状态",
            "long-term trend",
            "e.g. 一切正常",
            "UTF-8 编码",
            "5xx 增多",
        ),
        *("ERROR 日志", "WARN 级别", "high-level 说明", "re-run 之后", "and/or"),
    ],
)
def test_prose_is_no_name(prose: str) -> None:
    assert not [
        item for item in ground(prose, evidence("ok")) if item.critical and item.kind in ("host", "service", "ip")
    ]


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("mysql 变慢", "mysqld slow query"),
        ("postgres 变慢", "postgresql slow query"),
        ("redis 变慢", "redis-server slow"),
        ("apache 变慢", "httpd slow"),
        ("mongodb 变慢", "mongod slow"),
    ],
)
def test_a_product_is_found_under_the_name_of_its_process(claim: str, text: str) -> None:
    (found,) = (item for item in ground(claim, evidence(text)) if item.kind == "service")
    assert found.status == "found"


def test_case_does_not_matter_in_a_name() -> None:
    found = named("Redis 报错", "Redis", "redis error")
    assert found is not None and found.status == "found"
