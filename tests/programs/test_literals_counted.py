"""A count of a claim against the rows that can be seen: by level, host, service, address, block, name and event."""

from __future__ import annotations

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_width import evidence

TIMEOUT = "timeout 10.0.0.1 after 3 s"
ROWS = [
    {"level": "ERROR", "service": "pay", "host": "node-1", "message": TIMEOUT},
    {"level": "error", "service": "pay", "host": "node-2", "message": "timeout 10.0.0.2 after 9 s"},
    {"level": "WARNING", "service": "cart", "host": "node-3", "message": "blk_123 lost"},
    {"level": "WARN", "service": "cart", "host": "node-3", "message": "blk_-45 lost"},
    {"level": "INFO", "service": "user", "host": "node-3", "message": "started"},
]


def count(claim: str) -> LiteralFinding:
    (found,) = [item for item in ground(claim, evidence(*ROWS)) if item.kind in ("count", "number")]
    return found


HOSTS = ("台主机", "台", "个节点", "台机器", "个实例", "个 pod")
HOST_WORDS = ("hosts", "nodes", "servers", "machines", "instances")
# (claim, what was counted, the row that is shown)
FOUND = [
    ("2 条 ERROR", "ERROR rows", "ERROR"),
    ("2 ERROR lines", "ERROR rows", "ERROR"),
    ("2 条 error 日志", "ERROR rows", "ERROR"),
    ("2 条 WARN", "WARN rows", "WARNING"),
    ("2 条 WARNING", "WARN rows", "WARNING"),
    ("2 warnings", "WARN rows", "WARNING"),
    ("1 条 INFO", "INFO rows", "INFO"),
    ("5 条日志", "visible rows", "node-1"),
    ("3 个服务报错", "distinct service", "pay"),
    ("3 services failed", "distinct service", "pay"),
    ("3 个组件报错", "distinct service", "pay"),
    ("3 components failed", "distinct service", "pay"),
    ("3 个应用报错", "distinct service", "pay"),
    *((f"3 {unit}报错", "distinct host", "node-1") for unit in HOSTS),
    *((f"3 {word} failed", "distinct host", "node-1") for word in HOST_WORDS),
    ("3 Pods failed", "distinct host", "node-1"),
    *((f"2 {thing}受影响", "distinct address", TIMEOUT) for thing in ("个 IP", "个地址", "个来源", "个客户端")),
    *((f"2 {word} hit", "distinct address", TIMEOUT) for word in ("clients", "sources", "addresses")),
    ("2 个块丢失", "distinct block", "blk_123 lost"),
    ("2 blocks lost", "distinct block", "blk_123 lost"),
    ("2 Blocks gone", "distinct block", "blk_123 lost"),
    ("node-3 有 3 条日志", "rows that name it", "node-3"),
    ("pay 报错 2 次", "rows of that event", TIMEOUT),
    ("超时 2 次", "rows of that event", TIMEOUT),
    ("it timed out 2 times", "rows of that event", TIMEOUT),
]


@pytest.mark.parametrize(("claim", "counted", "shown"), FOUND)
def test_what_the_visible_rows_count(claim: str, counted: str, shown: str) -> None:
    found = count(claim)
    assert (found.status, found.detail, found.evidence_text) == ("found", f"counted: {counted}", shown)
    assert not found.critical
    place = next(at for at, row in enumerate(ROWS) if shown in row.values())
    assert found.place == f"inv_1 $.logs[{place}]"


@pytest.mark.parametrize(
    ("claim", "detail", "shown"),
    [
        ("1 条 ERROR", "2 visible ERROR rows", "ERROR"),
        ("1 条 WARN", "2 visible WARN rows", "WARNING"),
        ("超时 1 次", "2 visible rows of that event", TIMEOUT),
        ("timeout 1 次", "2 visible rows of that event", TIMEOUT),
        ("只有 1 起超时", "2 visible rows of that event", TIMEOUT),
    ],
)
def test_fewer_than_can_be_seen_conflicts(claim: str, detail: str, shown: str) -> None:
    found = count(claim)
    assert (found.status, found.detail, found.evidence_text, found.critical) == ("conflicting", detail, shown, True)
    assert found.place == ("inv_1 $.logs[2]" if shown == "WARNING" else "inv_1 $.logs[0]")


@pytest.mark.parametrize(
    "claim",
    [
        "3 条 ERROR",
        "4 条日志",
        "超时 4 次",
        "3 次 timeout",
        "4 个块丢失",
        "4 台主机",
        "4 个服务",
        "3 个 IP",
        "1001 条 ERROR",
    ],
)
def test_more_than_can_be_seen_may_lie_outside(claim: str) -> None:
    found = count(claim)
    assert (found.status, found.place) == ("unseen", None)


@pytest.mark.parametrize(
    "claim",
    [
        *(
            "不止 1 条 ERROR",
            "至少 1 条 ERROR",
            "超过 1 条 ERROR",
            "第 1 条 ERROR",
            "没有 1 条 ERROR",
            "node-1 有 1 条 ERROR",
        ),
        *("10:05 有 1 条 ERROR", "超时至少 1 次", "10:05 超时 1 次", "又超时 1 次以上", "没有超时 1 次"),
    ],
)
def test_a_bound_an_ordinal_or_a_part_conflicts_with_no_count(claim: str) -> None:
    assert all(item.status != "conflicting" for item in ground(claim, evidence(*ROWS)) if item.kind != "time")
