"""A value that stands in the excerpts, but at another time or with another name than the claim says."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_series import ser, stats
from tests.programs.test_literals_width import evidence


def record(service: str, at: str, message: str, **more: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-03-10T{at}+08:00", "service": service, "message": message, **more}


CPU = ser("cpu_percent", ("10:00", 41), ("10:05", 93), ("10:10", 67))
MEMORY = ser("memory_percent", ("10:00", 12), ("10:05", 41))
ORDER = record("order-api", "10:05:01", "request took 120 ms")
PAY = record("pay-api", "10:07:30", "request took 480 ms")
DISKS = [{"host": "db-1", "disk": "95%"}, {"host": "db-2", "disk": "40%"}]
NODES = [{"ip": "10.0.0.5", "disk": "95%"}, {"ip": "10.0.0.9", "disk": "40%"}]
PODS = [stats("cpu_percent", max=95) | {"service": "cart-api"}, stats("cpu_percent", max=40) | {"service": "user-api"}]


def conflicts(claim: str, excerpts: Any) -> list[LiteralFinding]:
    rows = evidence(*(excerpts if isinstance(excerpts, list) else [excerpts]))
    return [item for item in ground(claim, rows) if item.status == "conflicting"]


# (claim, excerpts, [(literal, what stands there instead)])
WRONG: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("10:05 CPU 为 41%", CPU, [("41%", "93")]),
    ("10:10 的 CPU 是 93%", [CPU, MEMORY], [("93%", "67")]),
    ("CPU 从 10:00 的 93% 升到 10:05 的 41%", CPU, [("93%", "41"), ("41%", "93")]),
    ("CPU 从 93%（10:00）升到 41%（10:05）", CPU, [("93%", "41"), ("41%", "93")]),
    ("CPU 在 10:00 为 41%，10:05 为 67%，10:10 为 93%", CPU, [("67%", "93"), ("93%", "67")]),
    ("CPU was 93% at 10:00 and 41% at 10:05", CPU, [("93%", "41"), ("41%", "93")]),
    ("db-1 磁盘 40%", DISKS, [("40%", "95%")]),
    ("db-2 磁盘 95%", DISKS, [("95%", "40%")]),
    ("10.0.0.5 的磁盘 40%", NODES, [("40%", "95%")]),
    ("cart-api 的 CPU 最高 40%", PODS, [("40%", "95")]),
    ("order-api 请求耗时 480 ms", [ORDER, PAY], [("480 ms", "120 ms")]),
    ("pay-api 请求耗时 120 ms", [ORDER, PAY], [("120 ms", "480 ms")]),
    ("10:07:30 order-api 报错", [ORDER, PAY], [("10:07:30", "2026-03-10T10:05:01+08:00")]),
    ("10:07 order-api took 120 ms", [ORDER, PAY], [("10:07", "2026-03-10T10:05:01+08:00")]),
]
RIGHT: list[tuple[str, Any]] = [
    ("10:05 CPU 为 93%", CPU),
    ("10:00 CPU 为 41%，memory 在 10:05 为 41%", [CPU, MEMORY]),
    ("CPU 从 10:00 的 41% 升到 10:05 的 93%", CPU),
    ("CPU 从 41%（10:00）升到 93%（10:05）", CPU),
    ("CPU was 41% at 10:00 and 93% at 10:05", CPU),
    ("db-1 磁盘 95%", DISKS),
    ("10.0.0.9 的磁盘 40%", NODES),
    ("user-api 的 CPU 最高 40%", PODS),
    ("order-api 请求耗时 120 ms", [ORDER, PAY]),
    ("10:05:01 order-api 报错", [ORDER, PAY]),
    # words that shift the time, spread the values or deny them
    ("10:05 之前 CPU 为 41%", CPU),
    ("10:05 以前 CPU 为 41%", CPU),
    ("CPU was 41% before 10:05", CPU),
    ("Before 10:05 CPU was 41%", CPU),
    ("10:00 和 10:05 CPU 分别为 41% 和 93%", CPU),
    ("10:10 和 10:05 CPU 分别为 93% 和 67%", CPU),
    ("10:05 CPU 不是 41%", CPU),
    ("10:05 CPU 超过 41%", CPU),
    ("10:05 CPU 比 41% 高", CPU),
    ("order-api 请求耗时超过 400 ms", [ORDER, PAY]),
    ("order-api 没有耗时 480 ms", [ORDER, PAY]),
    # two names, or a time of two
    ("order-api 和 pay-api 请求耗时 480 ms", [ORDER, PAY]),
    ("order-api 请求耗时 480 ms", [ORDER | {"message": "pool empty"}, PAY]),
    ("order-api 在 10:05:01 到 10:07:30 报错", [ORDER, PAY]),
    ("10:07:30 之前 order-api 报错", [ORDER, PAY]),
    ("不是 10:07:30 order-api 报错", [ORDER, PAY]),
    ("order-api 报错，10:07:30 pay-api 也报错", [ORDER, PAY]),
    ("db-1 磁盘 40 个文件", [*DISKS, {"host": "db-2", "files": 40}]),
    ("db-1 内存 40%", [*DISKS, {"host": "db-1", "memory": "40%"}]),
]


@pytest.mark.parametrize(("claim", "excerpts", "wrong"), WRONG)
def test_a_value_in_the_wrong_place_conflicts(claim: str, excerpts: Any, wrong: list[tuple[str, str]]) -> None:
    found = conflicts(claim, excerpts)
    assert [item.text for item in found] == [text for text, _ in wrong]
    for item, (_, shown) in zip(found, wrong, strict=True):
        assert item.critical and item.place
        assert item.detail.endswith(f"{'is of' if 'T' in shown else 'show'} {shown}")
        assert item.evidence_text and shown in item.evidence_text


@pytest.mark.parametrize(("claim", "excerpts"), RIGHT)
def test_a_value_in_its_place_or_in_none_does_not(claim: str, excerpts: Any) -> None:
    assert conflicts(claim, excerpts) == []


def test_the_place_is_the_record_that_speaks_against_it() -> None:
    (found,) = conflicts("pay-api 请求耗时 120 ms", [ORDER, PAY])
    assert (found.place, found.kind, found.evidence_text) == ("inv_1 $.logs[1]", "duration", "request took 480 ms")
    (found,) = conflicts("10:05 CPU 为 41%", [MEMORY | {"metric": "heap_free"}, CPU])
    assert (found.place, found.kind) == ("inv_1 $.logs[1]", "percent")
