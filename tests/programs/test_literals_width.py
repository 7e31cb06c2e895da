"""Each kind of literal: found, conflicting, unseen, and the tempting neighbour that is no conflict."""

from __future__ import annotations

import json
from typing import Any

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding, VerifiedEvidence

F, C, U = "found", "conflicting", "unseen"


def evidence(*values: Any) -> list[VerifiedEvidence]:
    """One excerpt a value: a text is a message, anything else a record."""
    return [
        VerifiedEvidence(
            binding_id=f"b{at}",
            run_id="r",
            claim_id="c",
            source_invocation_id="inv_1",
            tool_name="query_logs",
            raw_path=f"$.logs[{at}].message" if isinstance(value, str) else f"$.logs[{at}]",
            matched_text=value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True),
        )
        for at, value in enumerate(values)
    ]


def finding(claim: str, literal: str, *values: Any) -> LiteralFinding | None:
    return next((item for item in ground(claim, evidence(*values)) if item.text == literal), None)


def looked_up(claim: str, literal: str, excerpts: Any, status: str) -> None:
    """Assert the literal's status; any status but these three asks only that nothing of the claim conflicts."""
    rows = evidence(*(excerpts if isinstance(excerpts, list) else [excerpts]))
    findings = ground(claim, rows)
    shown = [(item.text, item.status, item.detail) for item in findings]
    if status not in (F, C, U):
        assert all(item.status != C for item in findings), shown
        return
    found = next((item for item in findings if item.text == literal), None)
    assert found is not None and found.status == status, shown
    assert (found.place is not None) == (status != U), found
    assert found.place is None or found.place in {f"{row.source_invocation_id} {row.raw_path}" for row in rows}


# (kind, claim, literal, excerpt, status)
CASES = [
    # numbers with units
    ("number", "队列长度 1500", "1500", "queue length=1500", F),
    ("number", "队列长度 1500", "1500", "queue length=1800", C),
    ("number", "队列长度 1500", "1500", "heap used 1800 MB", U),
    ("rate", "QPS 为 1200", "1200", "qps=1200", F),
    ("rate", "QPS 为 1200", "1200", "qps=2100", C),
    # percentages
    ("percent", "错误率 5.2%", "5.2%", "error rate 5.2%", F),
    ("percent", "错误率 5.2%", "5.2%", "error_ratio=0.052", F),
    ("percent", "错误率 52%", "52%", "error rate 5.2%", C),
    ("percent", "磁盘使用率 93%", "93%", "cpu usage 95%", U),
    # durations
    ("duration", "重启耗时 90 秒", "90 秒", "restart took 1m30s", F),
    ("duration", "重启耗时 1 分 30 秒", "1 分 30 秒", "restart took 90s", F),
    ("duration", "重启耗时 3 分钟", "3 分钟", "restart took 90s", C),
    ("duration", "延迟 250 毫秒", "250 毫秒", "latency 0.25s", F),
    ("duration", "超时设为 2 小时", "2 小时", "timeout=7200s", F),
    ("duration", "超时设为半小时", "半小时", "timeout=1800s", F),
    # byte sizes
    ("bytes", "堆内存 2 GiB", "2 GiB", "heap 2048Mi", F),
    ("bytes", "堆内存 2 GiB", "2 GiB", "heap 2147483648 bytes", F),
    ("bytes", "堆内存 4 GiB", "4 GiB", "heap 2048Mi", C),
    ("bytes", "堆内存 512M", "512M", "disk 100G free", U),
    # cpu
    ("cpu", "CPU 用了 2 核", "2 核", "cpu usage 2000m", F),
    ("cpu", "CPU 用了 4 核", "4 核", "cpu usage 2000m", C),
    ("cpu", "CPU 用了 500m", "500m", "cpu usage 0.5 core", F),
    # numerals
    ("numeral", "一半请求失败", "一半", "failed request ratio 50%", F),
    ("numeral", "连接数涨到 1.2 万", "1.2 万", "connections=12000", F),
    ("numeral", "连接数涨到 1.2 万", "1.2 万", "connections=21000", C),
    ("numeral", "一百二十个连接被拒", "一百二十个", "120 connections refused", F),
    # times
    ("time", "昨晚 23:10 开始报错", "23:10", "2026-03-10T23:10:05+08:00 error", F),
    ("time", "凌晨2点05分开始报错", "凌晨2点05分", "2026-03-10T18:05:30Z error", F),
    ("time", "下午3点半重启", "下午3点半", "2026-03-10T15:30:00+08:00 restart", F),
    ("time", "14:05 左右报错", "14:05", "2026-03-10T14:07:00+08:00 error", F),
    ("time", "14:05 报错", "14:05", "2026-03-10T16:05:00+08:00 error", U),
    ("time", "2026-03-10 14:05:00（+08:00）报错", "2026-03-10 14:05:00（+08:00）", "2026-03-10T06:05:00Z error", F),
    ("time", "3月10日 14:05 报错", "3月10日 14:05", "2026-03-10T06:05:00Z error", F),
    # states
    ("state", "node-a is up", "up", "node-a is down", C),
    ("state", "node-a 恢复正常，状态 healthy", "healthy", "node-a healthy", F),
    ("state", "backup-7 执行成功", "成功", "backup-7 failed", C),
    ("state", "backup-7 执行失败", "失败", "backup-7 failed", F),
    ("state", "db-1 是 primary", "primary", "db-1 role=standby", C),
    ("state", "node-a 的调试已 enabled", "enabled", "node-a debug disabled", C),
    # addresses and names
    ("ip", "来自 10.1.2.3 的请求", "10.1.2.3", "request from 10.1.2.3", F),
    ("ip", "来自 10.1.2.3 的请求", "10.1.2.3", "request from 10.1.2.33", C),
    ("ip", "来自 10.1.2.3 的请求", "10.1.2.3", "request from 192.168.7.7", U),
    ("host", "web-12 超时", "web-12", "web-12 timeout", F),
    ("host", "web-12 超时", "web-12", "web-13 timeout", C),
    ("service", "order-service 报错", "order-service", "order-service error", F),
    ("service", "order-service 报错", "order-service", "order-service-admin error", U),
    ("service", "order-service 报错", "order-service", "order-service-7d9f8b6c5d-x2x1v error", F),
    ("service", "redis 报错", "redis", "redis-sentinel error", U),
    ("code", "返回 HTTP 502", "502", "upstream HTTP 502", F),
    ("code", "返回 HTTP 502", "502", "upstream HTTP 504", C),
    ("code", "错误码 E1042", "E1042", "failed with E1042", F),
    ("quoted", "日志写着“too many open files”", "“too many open files”", "accept: Too many open files", F),
    ("quoted", "日志写着“too many open files”", "“too many open files”", "disk quota exceeded", U),
    ("metric", "cpu_saturation 触发", "cpu_saturation", "cpu_saturation_bad_query fired", U),
]


@pytest.mark.parametrize(("kind", "claim", "literal", "text", "status"), CASES)
def test_each_kind_is_found_conflicting_or_unseen(kind: str, claim: str, literal: str, text: str, status: str) -> None:
    found = finding(claim, literal, text)
    assert found is not None, [item.text for item in ground(claim, evidence(text))]
    assert found.status == status, found


SERIES = {
    "metric": "cpu_percent",
    "labels": {"service": "pay"},
    "points": [["10:00", 40], ["10:05", 95], ["10:10", 60]],
    "stats": {"first": 40, "max": 95, "max_at": "10:05", "min": 40, "last": 60},
    "unit": "%",
}


@pytest.mark.parametrize(
    ("claim", "literal", "status"),
    [
        ("CPU 最高 95%", "95%", F),
        ("CPU 最低 40%", "40%", F),
        ("CPU 最高 60%", "60%", C),
        ("CPU 最后是 60%", "60%", F),
        ("CPU 从 40% 升到 95%", "40%", F),
        ("CPU 从 40% 升到 95%", "95%", F),
        ("CPU 从未超过 80%", "80%", C),
    ],
)
def test_first_last_extremes_and_change_of_a_series(claim: str, literal: str, status: str) -> None:
    found = finding(claim, literal, SERIES)
    assert found is not None and found.status == status, found


ROWS = [{"level": "ERROR", "message": f"timeout {n}", "service": "pay"} for n in range(3)]


@pytest.mark.parametrize(("claim", "literal", "status"), [("共 3 条 ERROR", "3 条", F), ("只有 2 条 ERROR", "2 条", C)])
def test_counts_over_the_visible_records(claim: str, literal: str, status: str) -> None:
    found = finding(claim, literal, *ROWS)
    assert found is not None and found.status == status, found


EVENTS = ["10:02:00 failover started", "10:05:00 lag cleared"]


@pytest.mark.parametrize(
    ("claim", "conflict"),
    [
        ("切主之后延迟恢复。", False),
        ("延迟恢复之后才开始切主。", True),
        ("The failover started before the lag cleared.", False),
        ("The failover started after the lag cleared.", True),
    ],
)
def test_order_words_against_the_times_of_the_events(claim: str, conflict: bool) -> None:
    statuses = {item.status for item in ground(claim, evidence(*EVENTS)) if item.kind == "order"}
    assert ("conflicting" in statuses) is conflict


@pytest.mark.parametrize(
    "claim", ["这段时间整体平稳", "第 2 步失败", "两类错误都有", "一台机器上第一次出现", "提升了几倍"]
)
def test_prose_is_no_critical_literal(claim: str) -> None:
    assert [item for item in ground(claim, evidence("ok 17")) if item.critical and item.status != F] == []


def test_each_sentence_of_a_claim_is_looked_up() -> None:
    found = {
        item.text: item.status for item in ground("CPU使用率达到95%。mysql-7 连接超时！", evidence("cpu usage 95%"))
    }
    assert found["95%"] == F and found["mysql-7"] == U


@pytest.mark.parametrize(
    "text",
    ["1e999", "9" * 4000, "2026-13-45T25:99:00Z", "25:99", "NaN%", "Infinity ms", "\u202e95%", "９５％\u200b", "-0"],
)
def test_strange_numbers_never_crash_nor_match_an_ordinary_one(text: str) -> None:
    for claim, row in ((f"数值是 {text}", "value 17 ms"), ("数值是 17 ms", f"value {text}")):
        assert [item for item in ground(claim, evidence(row)) if item.status == F and item.text in ("17 ms",)] == []


def test_huge_texts_are_read_in_reasonable_steps() -> None:
    long = "value 95% ok; " * 15_000
    assert ground("CPU 95%", evidence(long))
    assert ground(long, evidence("value 95%"))
    assert ground("CPU 95%", evidence("9" * 200_000 + " cpu 95%"))
