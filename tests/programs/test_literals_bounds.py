"""Bounds against a series and its stated figures, the records of the named entity, and values in other units."""

from __future__ import annotations

import re
from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_series import ser, stats
from tests.programs.test_literals_width import C, F, U, evidence

CPU = ser("cpu_percent", ("10:00", 41), ("10:05", 93), ("10:10", 67))
STATED = stats("cpu_percent", first=41, last=67, min=38, max=97)
PAY = CPU | {"labels": {"service": "pay-api"}}
CART = ser("cpu_percent", ("10:00", 12), ("10:05", 15)) | {"labels": {"service": "cart-api"}}
HOSTS = [{"host": "web-1", "message": "cpu usage 80%"}, {"host": "web-2", "message": "cpu usage 97%"}]
FIGURE = re.compile(r"\d+(?: m?s|%)?")

# (claim, bound, excerpts, status, excerpt that decides, detail)
BOUNDS: list[tuple[str, str, Any, str, int | None, str]] = [
    # the point that is farthest beyond the bound is shown
    ("CPU 一直超过 70%", "70%", CPU, C, 0, "a visible point is 41"),
    ("CPU 一直低于 60%", "60%", CPU, C, 0, "a visible point is 93"),
    # a near word beside a bound
    ("CPU 一直在约 45% 以上", "45%", CPU, F, 0, "93 is over it"),
    ("CPU 一直在 45% 以上", "45%", CPU, C, 0, "a visible point is 41"),
    ("CPU 约 98% 以上", "98%", CPU, U, None, ""),
    ("CPU 98% 以上", "98%", CPU, C, 0, "the excerpts show 93"),
    # points and stated figures of one series
    ("CPU 始终高于 39%", "39%", CPU | STATED, C, 0, "a visible point is 38"),
    ("CPU 始终低于 95%", "95%", CPU | {"stats": {"max": 97, "min": 38}}, C, 0, "a visible point is 97"),
    ("CPU 始终低于 95%", "95%", CPU | {"stats": {"max": 93, "min": 41}}, F, 0, "93 is under it"),
    ("CPU 始终低于 95%", "95%", [CPU, STATED | {"service": "cart"}], F, 0, "41 is under it"),
    ("CPU 始终高于 50%", "50%", [STATED, STATED | {"service": "cart"}], F, 0, "67 is over it"),
    ("10:00 到 10:10 CPU 始终高于 39%", "39%", STATED | {"min_at": "10:05"}, F, 0, "41 is over it"),
    ("10:00、10:05 和 10:10 CPU 一直超过 70%", "70%", CPU, F, 0, "93 is over it"),
    ("10:05 到 10:10 CPU 一直超过 70%", "70%", CPU, C, 0, "a visible point is 67"),
    ("10:05 到 10:08 CPU 一直超过 70%", "70%", CPU, F, 0, "93 is over it"),
    # the records of the named entity only
    ("pay-api 的 CPU 一直超过 50%", "50%", [CART, PAY], C, 1, "a visible point is 41"),
    ("web-1 的 CPU 超过 95%", "95%", HOSTS[:1], C, 0, "the excerpts show 80%"),
    ("web-2 的 CPU 低于 95%", "95%", HOSTS[1:], C, 0, "the excerpts show 97%"),
    ("web-9 的 CPU 超过 95%", "95%", HOSTS[:1], U, None, ""),
    # the miss that comes nearest, in whatever unit
    ("延迟超过 3 s", "3 s", [{"message": "latency 500 ms"}, {"message": "latency 2 s"}], C, 1, "the excerpts show 2 s"),
    ("延迟超过 3 s", "3 s", [{"message": "latency 500 ms"}, {"message": "latency 2.99 s"}], U, None, ""),
    (
        "延迟低于 3 ms",
        "3 ms",
        [{"message": "latency 20 ms"}, {"message": "latency 1 s"}],
        C,
        0,
        "the excerpts show 20 ms",
    ),
    # by its key, by its dimension alone, or not at all
    ("max_connections 超过 100", "100", {"max_connections": 150}, F, 0, "150 is over it"),
    ("max_connections 超过 100", "100", {"max_connections": 50}, U, None, ""),
    ("已经超过 90%", "90%", CPU, F, 0, "93 is over it"),
    ("已经超过 90%", "90%", {"value": 95}, U, None, ""),
    ("已经超过 90%", "90%", {"message": "disk 95%"}, F, 0, "95% is over it"),
    ("内存超过 90%", "90%", {"message": "disk 95%"}, U, None, ""),
    ("内存超过 90%", "90%", [{"message": "usage 80%"}, {"message": "memory 85%"}], U, None, ""),
    ("已经超过 100 条", "100 条", {"count": 500}, U, None, ""),
    ("内存超过 90%", "90%", {"message": "memory 95"}, F, 0, "95 is over it"),
    ("内存超过 90%", "90%", {"message": "memory 45"}, U, None, ""),
    ("CPU 超过 95% 的水平", "95%", CPU, C, 0, "the excerpts show 93"),
    ("CPU 超过 95% 的程度", "95%", CPU, C, 0, "the excerpts show 93"),
    ("CPU 超过 95% 的时间很长", "95%", CPU, C, 0, "the excerpts show 93"),
    ("CPU 低于 40% 以下的告警", "40%", CPU, U, None, ""),
    ("CPU 超过 95%的告警", "95%", CPU, U, None, ""),
]


@pytest.mark.parametrize(("claim", "text", "excerpts", "status", "at", "detail"), BOUNDS)
def test_a_bound_of_one_series_or_entity(
    claim: str, text: str, excerpts: Any, status: str, at: int | None, detail: str
) -> None:
    rows = evidence(*(excerpts if isinstance(excerpts, list) else [excerpts]))
    (found,) = [item for item in ground(claim, rows) if item.text == text]
    assert (found.status, found.detail) == (status, detail)
    assert found.place == (None if at is None else f"inv_1 $.logs[{at}]")
    assert [figure for figure in FIGURE.findall(detail) if figure not in str(found.evidence_text)] == []
