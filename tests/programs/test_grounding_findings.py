"""What a finding says beside its status: the text, kind, weight, place and excerpt, and whose value it is."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ClaimLiteral, ground, literals
from tests.programs.test_literals_width import C, F, U, evidence, looked_up

ROWS = [
    {"host": "web-1", "message": "cpu_percent=93%", "timestamp": "2026-03-10T10:05:00+08:00"},
    {"host": "web-2", "message": "cpu_percent=41%", "timestamp": "2026-03-10T10:07:00+08:00"},
]

# (literal, its kind, whether it is critical)
KINDS = [
    *(("CPU 95%", "95%", "percent", True), ("错误率 3 个百分点", "3 个百分点", "percent", True)),
    *(("约三成请求失败", "三成", "percent", True), ("耗时 3 秒", "3 秒", "duration", True)),
    *(("耗时 59m", "59m", "duration", True), ("CPU 用了 60m", "60m", "cpu", True)),
    *(("CPU 用了 2 核", "2 核", "cpu", True), ("内存 2 GiB", "2 GiB", "bytes", True)),
    *(("写入 20 MB/s", "20 MB/s", "bytes", True), ("带宽 100 Mbps", "100 Mbps", "number", True)),
    *(("吞吐 1200 qps", "1200 qps", "number", True), ("温度 60 ℃", "60 ℃", "number", True)),
    *(("重试 12 次", "12 次", "count", True), ("重试 10 次", "10 次", "count", True)),
    *(("重试 9 次", "9 次", "count", False), ("值为 10", "10", "number", True)),
    *(("值为 9", "9", "number", False), ("值为 -10", "-10", "number", True)),
    *(("值为 0.5", "0.5", "number", True), ("延迟涨到 20 倍", "20 倍", "number", False)),
    *(("第 12 次失败", "12 次", "count", False), ("rule 12 was hit", "12", "number", False)),
    *(("端口数 1200", "1200", "number", True), ("a report of 12 pages", "12", "number", True)),
    *(("端口 3306", "3306", "port", True), ("端口号为 3306", "3306", "port", True)),
    *(("port number 3306 is closed", "3306", "port", True), ("10:05 报错", "10:05", "time", True)),
    *(("10.1.2.3 报错", "10.1.2.3", "ip", True), ("web-12 报错", "web-12", "host", True)),
    *(("pay-svc 报错", "pay-svc", "service", True), ("报 ORA-01555", "ORA-01555", "code", True)),
    *(("写着“disk full”", "“disk full”", "quoted", True), ("写着“磁盘满”", "“磁盘满”", "quoted", False)),
]


@pytest.mark.parametrize(("claim", "literal", "kind", "critical"), KINDS)
def test_a_literal_has_its_kind_and_weight(claim: str, literal: str, kind: str, critical: bool) -> None:
    start = claim.index(literal)
    assert literals(claim) == (ClaimLiteral(literal, kind, start, start + len(literal), critical),)
    (found,) = (item for item in ground(claim, evidence("ok")) if item.text == literal)
    assert (found.kind, found.critical, found.status) == (kind, critical, U)
    assert (found.place, found.evidence_text, found.detail) == (None, None, "")


def test_literals_come_in_their_order_with_their_offsets() -> None:
    text = "“disk full”：web-1 在 10:05 的 CPU 为\u200b 95%，重试 3 次"
    said = ["“disk full”", "web-1", "10:05", "95%", "3 次"]
    found = literals(text)
    assert [item.text for item in found] == said
    assert [text[item.start : item.end] for item in found] == said
    assert [item.text for item in ground(text, evidence("ok"))] == said


@pytest.mark.parametrize(
    ("claim", "literal", "at", "detail"),
    [
        ("web-1 的 CPU 是 93%", "web-1", 0, ""),
        ("web-1 的 CPU 是 93%", "93%", 0, ""),
        ("web-1 在 10:05 CPU 高", "10:05", 0, "written 2026-03-10T10:05:00+08:00"),
        ("web-2 的 CPU 是 41%", "41%", 1, ""),
        ("web-1 的 CPU 是 55%", "55%", 0, "the excerpts show 93%"),
        ("web-1 的 CPU 是 41%", "41%", 0, "for that name the excerpts show 93%"),
        ("web-3 的 CPU 是 41%", "41%", 1, ""),
    ],
)
def test_a_finding_names_the_excerpt_that_decided(claim: str, literal: str, at: int, detail: str) -> None:
    (found,) = (item for item in ground(claim, evidence(*ROWS)) if item.text == literal)
    assert found.place == f"inv_1 $.logs[{at}]"
    assert found.evidence_text and found.evidence_text in str(ROWS[at])
    assert found.detail == detail


def test_a_long_excerpt_is_shown_by_its_beginning() -> None:
    text = "CPU 95% " + "x" * 300
    (found,) = ground("CPU 95%", evidence(text))
    assert found.evidence_text == text[:160]


@pytest.mark.parametrize(
    ("claim", "excerpt", "literal", "kind", "status", "critical"),
    [
        ("node-a is healthy", "node-a unhealthy", "healthy", "state", C, True),
        ("node-a is healthy", "node-a healthy", "healthy", "state", F, False),
        ("CPU 下降", {"metric": "cpu", "first": 40, "last": 60, "min": 40, "max": 60}, "下降", "order", C, True),
        ("CPU 上升", {"metric": "cpu", "first": 40, "last": 60, "min": 40, "max": 60}, "上升", "order", F, False),
        ("重试 3 次", "retries=4 retry count=4", "3 次", "count", C, True),
        ("重试 4 次", "retries=4 retry count=4", "4 次", "count", F, False),
        ("延迟下降了 300 毫秒", "latency 500ms", "300 毫秒", "duration", U, False),
        ("延迟下降了 500 毫秒", "latency 500ms", "500 毫秒", "duration", F, True),
    ],
)
def test_a_contradiction_weighs_more_than_a_hit(
    claim: str, excerpt: Any, literal: str, kind: str, status: str, critical: bool
) -> None:
    (found,) = (item for item in ground(claim, evidence(excerpt)) if item.text == literal)
    assert (found.kind, found.status, found.critical) == (kind, status, critical)


WEB_1, WEB_2 = {"host": "web-1", "message": "连接被拒绝"}, {"host": "web-2", "message": "cpu_percent=93%"}
IP_1 = {"client": "10.1.2.3", "message": "连接被拒绝"}
CODE_1 = {"code": "ORA-01555", "message": "连接被拒绝"}
SERVICE_1 = {"service": "pay-svc", "message": "连接被拒绝"}

# Whose value it is: another value counts against the claim only in the records of the things that it names.
OWNERS = [
    ("CPU 是 41%", [WEB_1, WEB_2], C),
    ("web-2 的 CPU 是 41%", [WEB_1, WEB_2], C),
    ("web-1 的 CPU 是 41%", [WEB_1, WEB_2], U),
    ("web-1 连不上，CPU 是 41%", [WEB_1, WEB_2], U),
    ("web-2 连不上，CPU 是 41%", [WEB_1, WEB_2], C),
    ("CPU 是 41%，web-1 连不上", [WEB_1, WEB_2], U),
    ("web-1 连不上，web-2 的 CPU 是 41%", [WEB_1, WEB_2], C),
    ("web-2 连不上，web-1 的 CPU 是 41%", [WEB_1, WEB_2], U),
    ("web-1 连不上，web-2 报警，CPU 是 41%", [WEB_1, WEB_2], C),
    ("web-9 的 CPU 是 41%", [WEB_1, WEB_2], U),
    ("web-9 和 web-2 的 CPU 是 41%", [WEB_1, WEB_2], U),
    ("10.1.2.3 的 CPU 是 41%", [IP_1, WEB_2], U),
    ("10.9.9.9 的 CPU 是 41%", [IP_1, WEB_2], U),
    ("pay-svc 的 CPU 是 41%", [SERVICE_1, WEB_2], U),
    ("mysql 的 CPU 是 41%", [SERVICE_1, WEB_2], U),
    ("ORA-01555 时 CPU 是 41%", [CODE_1, WEB_2], U),
    ("mysql 的 CPU 是 41%", [{"service": "mysqld", "message": "连接被拒绝"}, WEB_2], U),
    ("版本 1.18 的 CPU 是 41%", [{"message": "app 1.18.2 up"}, WEB_2], U),
    ("ORA-04031 时 CPU 是 41%", [CODE_1, WEB_2], C),
    ("S3 的 CPU 是 41%", [{"message": "S3 slow"}, WEB_2], C),
    ("端口 8080 的 CPU 是 41%", [{"message": "port 8080 closed"}, WEB_2], C),
]


@pytest.mark.parametrize(("claim", "excerpts", "status"), OWNERS)
def test_another_value_counts_only_where_the_named_thing_stands(claim: str, excerpts: list[Any], status: str) -> None:
    looked_up(claim, "41%", excerpts, status)


AT = "2026-03-10T10:0{}:00+08:00"
TIMED = [
    {"timestamp": AT.format(1), "host": "web-1", "message": "timeout after 3000 ms"},
    {"timestamp": AT.format(4), "host": "web-2", "message": "timeout after 5000 ms"},
    {"timestamp": AT.format(8), "host": "web-3", "message": "restart"},
]


@pytest.mark.parametrize(
    ("claim", "literal", "status", "at"),
    [
        ("10:01 web-1 超时", "10:01", F, 0),
        ("10:06 web-1 超时", "10:06", C, 0),
        ("10:06 web-2 超时", "10:06", C, 1),
        ("10:04 web-1 超时", "10:04", C, 0),
        ("10:06 有一次 5 秒的超时", "10:06", C, 1),
        ("10:06 有一次 7 秒的超时", "10:06", U, None),
        ("10:06 web-2 在 5 秒后超时", "10:06", U, None),
        ("10:06 web-1 和 web-2 都超时", "10:06", U, None),
        ("10:06 有异常，web-1 超时", "10:06", U, None),
        ("10:06 web-1 没有 3 次超时", "10:06", C, 0),
    ],
)
def test_a_time_is_that_of_the_records_that_its_clause_names(
    claim: str, literal: str, status: str, at: int | None
) -> None:
    (found,) = (item for item in ground(claim, evidence(*TIMED)) if item.text == literal)
    assert found.status == status, found
    assert found.place == (None if at is None else f"inv_1 $.logs[{at}]")


def test_a_switch_is_not_told_a_second_time_as_a_state() -> None:
    found = ground("ssl is enabled", evidence("ssl enabled: ssl=on"))
    assert [(item.text, item.kind, item.status) for item in found] == [("enabled", "state", F)]


@pytest.mark.parametrize(
    ("claim", "rows", "status"),
    [
        ("node-a 超时，状态 down", ["node-a is up"], C),
        ("node-b 超时，状态 down", ["node-a is up", "node-b slow"], U),
        ("node-a 状态 down，node-b 状态 down", ["node-a is down", "node-b is up"], C),
        ("node-b 慢，node-a 状态 down", ["node-a slow", "node-b is up"], U),
        ("node-a 超时，ssl 为 on", ["node-a ssl=off"], C),
        ("node-b 超时，ssl 为 on", ["node-a ssl=off", "node-b slow"], U),
        ("node-a 慢，node-b 的 ssl 为 on", ["node-a ssl=off", "node-b slow"], U),
    ],
)
def test_a_state_or_switch_is_that_of_the_thing_its_clause_names(claim: str, rows: list[str], status: str) -> None:
    found = [item.status for item in ground(claim, evidence(*rows)) if item.kind == "state"]
    assert found[-1:] == ([] if status == U else [status])


def test_findings_of_all_kinds_come_in_order() -> None:
    claim = "ssl is on，健康的 web-1 在 10:05 CPU 95%，写着“disk full”，web-2 处 CPU 上升"
    rows = [{"host": "web-1", "message": "ssl=on 健康 cpu 95%", "timestamp": "10:05"}, "disk full"]
    found = ground(claim, evidence(*rows, {"metric": "cpu", "first": 4, "last": 6, "min": 4, "max": 6}))
    assert [item.text for item in found] == ["on", "健康", "web-1", "10:05", "95%", "“disk full”", "web-2", "上升"]


def test_a_literal_that_stands_twice_is_told_once() -> None:
    found = ground("web-1 和 web-1 报错，web-9", evidence("web-1 error"))
    assert [(item.text, item.status) for item in found] == [("web-1", F), ("web-9", U)]


def test_what_is_not_read_is_shown_from_its_beginning() -> None:
    last = ground("好" * 2000 + "pay-1 返回 504" + "。" * 400, evidence("x"))[-1]
    assert last.text == ("pay-1 返回 504" + "。" * 400)[:160]
    assert (last.kind, last.status, last.critical, last.place) == ("quoted", U, True, None)
    assert last.detail == "too long or too many literals: not looked up from here on"
    full = " ".join(f"web-{at}" for at in range(10, 84))
    last = ground("\u200b" + full, evidence("x"))[-1]
    assert last.text == full[full.index("web-74") :][:160]
    assert [item.detail for item in ground(" ".join(f"web-{at}" for at in range(10, 74)), evidence("x"))] == [""] * 64
