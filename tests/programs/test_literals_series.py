"""Counts over visible rows, figures and directions of a series, and the order of dated events."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_width import C, F, U, evidence, looked_up

# No conflict, whatever becomes of the literal.
NC = "no conflict"


def rows(count: int) -> list[dict[str, Any]]:
    return [{"level": "ERROR", "message": f"timeout {at}", "service": "pay"} for at in range(count)]


def ser(metric: str, *points: tuple[str, float], unit: str = "percent") -> dict[str, Any]:
    """A whole series with its points, as one excerpt."""
    dated = [[f"2026-03-10T{at}:00+08:00", value] for at, value in points]
    return {"metric": metric, "labels": {"service": "pay"}, "unit": unit, "points": dated}


def stats(metric: str, unit: str = "percent", **figures: float) -> dict[str, Any]:
    """The stated figures of a series, as one excerpt."""
    return {"metric": metric, "service": "pay", "unit": unit, **figures}


P = ("10:00", 40), ("10:05", 95), ("10:10", 60)
NIGHT = ser("cpu_percent") | {
    "points": [
        ["2026-03-09T23:30:00+08:00", 20],
        ["2026-03-09T23:40:00+08:00", 70],
        ["2026-03-10T00:10:00+08:00", 30],
        ["2026-03-10T00:20:00+08:00", 10],
    ]
}
COUNTS: list[tuple[str, str, Any, str]] = [
    ("3 条 ERROR", "3 条", rows(3), F),
    ("2 条 ERROR", "2 条", rows(3), C),
    ("5 条 ERROR", "5 条", rows(3), U),
    ("3 条错误日志", "3 条", rows(3), F),
    ("三条 ERROR", "三条", rows(3), F),
    ("两条 ERROR", "两条", rows(3), C),
    ("至少 2 条 ERROR", "2 条", rows(3), NC),
    ("3 ERROR lines", "3", rows(3), F),
    ("出现 12 条 ERROR", "12 条", rows(12), F),
    ("出现 10 条 ERROR", "10 条", rows(12), C),
    ("其中 2 条 ERROR 来自 pay-9", "2 条", rows(3), NC),
    ("两台主机报错", "两台", [{"host": "a1", "message": "x"}, {"host": "a2", "message": "x"}], F),
    ("三台主机报错", "三台", [{"host": "a1", "message": "x"}, {"host": "a2", "message": "x"}], U),
    ("共 412 次", "412 次", {"count": 412, "message": "timeout"}, F),
    ("共 421 次超时", "421 次", {"count": 412, "message": "timeout"}, C),
    ("matched 17 lines", "17", {"matched": 17, "scanned": 4000}, F),
    ("扫描了 4000 条，命中 17 条", "4000 条", {"matched": 17, "scanned": 4000}, F),
    ("没有匹配的日志，命中 0 条", "0 条", {"matched": 0, "scanned": 4000}, F),
]
FIGURES: list[tuple[str, str, Any, str]] = [
    ("CPU 最高 95%", "95%", ser("cpu_percent", *P), F),
    ("CPU 最高 60%", "60%", ser("cpu_percent", *P), C),
    ("CPU 最大值 95%", "95%", ser("cpu_percent", *P), F),
    ("CPU 最低 60%", "60%", ser("cpu_percent", *P), C),
    ("CPU 最低为 40%", "40%", ser("cpu_percent", *P), F),
    ("CPU 起初为 40%", "40%", ser("cpu_percent", *P), F),
    ("CPU 起初为 95%", "95%", ser("cpu_percent", *P), C),
    ("CPU 最初 60%", "60%", ser("cpu_percent", *P), C),
    ("CPU 最终为 60%", "60%", ser("cpu_percent", *P), F),
    ("CPU 最终为 95%", "95%", ser("cpu_percent", *P), C),
    ("CPU 最后一个点是 40%", "40%", ser("cpu_percent", *P), C),
    ("CPU 从 40% 升到 95%", "95%", ser("cpu_percent", *P), F),
    ("CPU 从 95% 升到 40%", "40%", ser("cpu_percent", *P), NC),
    ("CPU 增加了 55 个百分点", "55 个百分点", ser("cpu_percent", *P), F),
    ("CPU 始终低于 90%", "90%", ser("cpu_percent", *P), C),
    ("CPU 始终低于 96%", "96%", ser("cpu_percent", *P), F),
    ("CPU 一直高于 50%", "50%", ser("cpu_percent", *P), C),
    ("CPU 从 23:40 到 00:10 一直高于 50%", "50%", NIGHT, C),
    ("CPU stayed above 50% from 23:40 through 00:10", "50%", NIGHT, C),
    ("CPU 从 23:40 到 00:00 一直高于 50%", "50%", NIGHT, F),
    ("CPU 从 23:35 到 23:50 一直高于 50%", "50%", NIGHT, F),
    ("3月9日 23:40 到 3月10日 00:10 CPU 一直高于 50%", "50%", NIGHT, C),
    ("3月9日 23:40 到 3月9日 23:50 CPU 一直高于 50%", "50%", NIGHT, F),
    ("3月8日 23:40 到 3月9日 00:30 CPU 一直高于 50%", "50%", NIGHT, NC),
    ("10:05 CPU 为 95%", "95%", ser("cpu_percent", *P), F),
    ("10:05 CPU 为 40%", "40%", ser("cpu_percent", *P), C),
    ("10:00 到 10:05 CPU 升到 95%", "95%", ser("cpu_percent", *P), F),
    ("CPU 峰值 98%", "98%", stats("cpu_percent", first=40, last=60, min=38, max=97), C),
    ("CPU 峰值 97%", "97%", stats("cpu_percent", first=40, last=60, min=38, max=97), F),
    ("CPU 初值 40%", "40%", stats("cpu_percent", first=40, last=60, min=38, max=97), F),
    ("CPU 初值 60%", "60%", stats("cpu_percent", first=40, last=60, min=38, max=97), C),
    ("CPU 末值 40%", "40%", stats("cpu_percent", first=40, last=60, min=38, max=97), C),
    ("变化前 CPU 约 42%", "42%", stats("cpu_percent", first=40, last=60, min=38, max=97, before=42, after=90), F),
    ("变化后 CPU 约 42%", "42%", stats("cpu_percent", first=40, last=60, min=38, max=97, before=42, after=90), C),
    ("CPU 下降", "下降", stats("cpu_percent", first=40, last=60, min=40, max=60), C),
    ("CPU 上升", "上升", stats("cpu_percent", first=40, last=60, min=40, max=60), F),
    ("CPU 先升后降", "先升后降", ser("cpu_percent", *P), NC),
    ("延迟翻了一倍", "一倍", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), NC),
    ("延迟涨到 2 倍", "2 倍", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), F),
    ("延迟涨了 3 倍", "3 倍", ser("latency_ms", ("10:00", 100), ("10:05", 400), unit="ms"), F),
    ("延迟是原来的两倍", "两倍", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), F),
    ("延迟是原来的 5 倍", "5 倍", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), U),
    ("延迟增长 100%", "100%", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), F),
    ("连接数 increased by 50", "50", ser("connections", ("10:00", 100), ("10:05", 150), unit="count"), F),
    (
        "内存从 200Mi 涨到 400Mi",
        "400Mi",
        ser("memory_bytes", ("10:00", 200 * 2**20), ("10:05", 400 * 2**20), unit="bytes"),
        F,
    ),
    ("错误率降到 0", "0", ser("error_ratio", ("10:00", 0.2), ("10:05", 0), unit="ratio"), NC),
    ("CPU 一路下降", "下降", ser("cpu_percent", ("10:00", 50), ("10:05", 45), ("10:10", 80)), C),
    ("CPU 下降过", "下降", ser("cpu_percent", ("10:00", 50), ("10:05", 45), ("10:10", 80)), F),
    ("CPU kept falling", "falling", ser("cpu_percent", ("10:00", 50), ("10:05", 45), ("10:10", 80)), C),
    ("CPU 上升", "上升", stats("cpu_percent", first=60, last=40, min=40, max=60), C),
    ("CPU 上升", "上升", stats("cpu_percent", first=60, last=40, min=30, max=90), NC),
    ("延迟翻倍", "翻倍", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), F),
    ("latency doubled", "doubled", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), F),
    ("延迟下降 50%", "50%", ser("latency_ms", ("10:00", 200), ("10:05", 100), unit="ms"), F),
    ("延迟增长 40%", "40%", ser("latency_ms", ("10:00", 100), ("10:05", 200), unit="ms"), U),
]
E1 = ["2026-03-10T10:02:00+08:00 failover started", "2026-03-10T10:05:00+08:00 lag cleared"]
R = [
    {
        "timestamp": "2026-03-10T10:01:00+08:00",
        "service": "config-center",
        "message": "config published pool.max 50 -> 10",
    },
    {"timestamp": "2026-03-10T10:03:00+08:00", "service": "order-service", "message": "timeout calling pay"},
    {"timestamp": "2026-03-10T02:06:00Z", "service": "pay", "message": "pod restarted"},
]
ORDER: list[tuple[str, list[Any], str]] = [
    ("切主之后延迟恢复", E1, F),
    ("切主早于延迟恢复", E1, F),
    ("切主晚于延迟恢复", E1, C),
    ("延迟恢复早于切主", E1, C),
    ("先切主，后延迟恢复", E1, F),
    ("先延迟恢复，后切主", E1, C),
    ("先是延迟恢复，随后切主", E1, C),
    ("先是切主，然后延迟恢复", E1, F),
    ("切主先于延迟恢复", E1, F),
    ("在延迟恢复之前就开始切主", E1, F),
    ("在切主之前延迟就已恢复", E1, C),
    ("延迟恢复之后才切主", E1, C),
    ("延迟恢复后，才开始切主", E1, C),
    ("切主后延迟恢复", E1, NC),
    ("The lag cleared after the failover started.", E1, F),
    ("The lag cleared before the failover started.", E1, C),
    ("After the lag cleared, the failover started.", E1, C),
    ("After the failover started, the lag cleared.", E1, F),
    ("Before the lag cleared, the failover started.", E1, F),
    ("Before the failover started, the lag cleared.", E1, C),
    ("The failover was followed by the lag clearing.", E1, F),
    ("The failover preceded the lag clearing.", E1, F),
    ("The lag clearing preceded the failover.", E1, C),
    ("The failover came first, then the lag cleared.", E1, F),
    ("the lag cleared, then the failover started", E1, C),
    ("The failover started once the lag had cleared.", E1, C),
    ("The failover started prior to the lag clearing.", E1, F),
    ("延迟恢复，随后切主", E1, C),
    ("切主，随后延迟恢复", E1, F),
    ("切主紧接着延迟恢复", E1, NC),
    ("config-center 发布配置之后 order-service 出现超时", R, F),
    ("config-center 发布配置之前 order-service 就已超时", R, C),
    ("order-service 超时早于 config-center 发布配置", R, C),
    ("order-service 超时之后 pay 重启", R, F),
    ("order-service 超时之前 pay 已经重启", R, C),
    ("pay 重启之后 order-service 才超时", R, C),
    ("pay 重启之后 order-service 没有再超时", R, NC),
    ("不是 pay 重启之后 order-service 才超时", R, NC),
    ("在 10:05 之前 order-service 超时", R, NC),
    ("配置发布 2 分钟后，order-service 超时", R, NC),
    ("配置发布前后 order-service 都有超时", R, NC),
    ("order-service 超时发生在 config-center 配置发布之后", R, F),
    ("order-service 超时发生在 config-center 配置发布之前", R, C),
    ("order-service timed out only after config-center published the config", R, F),
    ("order-service timed out before config-center published the config", R, C),
    ("pay 重启发生于 order-service 超时以前", R, C),
    ("pay 重启比 order-service 超时晚", R, F),
    ("pay 重启比 order-service 超时早", R, C),
    ("order-service 超时比 pay 重启早 3 分钟", R, F),
]


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), COUNTS)
def test_a_count_is_that_of_the_visible_rows(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), FIGURES)
def test_a_figure_of_a_series_is_that_very_figure(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "rows", "status"), ORDER)
def test_an_ordering_word_agrees_with_the_times_of_the_records(claim: str, rows: list[Any], status: str) -> None:
    said = {item.status for item in ground(claim, evidence(*rows)) if item.kind == "order"}
    assert C not in said if status == NC else said == {status}
