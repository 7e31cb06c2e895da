"""A number that no record writes, but two of its values give: a step, a span, a ratio, a relative change."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_series import ser, stats
from tests.programs.test_literals_width import evidence

LATENCY = ser("latency_ms", ("10:00", 100), ("10:05", 260), ("10:10", 220), unit="ms")
CONNECTIONS = ser("connections", ("10:00", 100), ("10:05", 150), unit="count")
MEMORY = ser("memory_bytes", ("10:00", 200 * 2**20), ("10:05", 450 * 2**20), unit="bytes")
FLAT = ser("latency_ms", ("10:00", 100), ("10:05", 100), unit="ms")
ERRORS = ser("error_ratio", ("10:00", 0.02), ("10:05", 0.05), unit="ratio")
EVENTS = ["2026-03-10T10:02:00+08:00 failover started", "2026-03-10T02:05:30Z lag cleared"]
FAILOVER = EVENTS[0]

STEP, SPAN, RATIO = "difference of two visible points", "span between two visible times", "ratio of two visible values"


def figures(**values: float) -> dict[str, Any]:
    return stats("latency_ms", "ms", **values)


# (claim, literal, excerpts, how it is found, the value that is shown)
FOUND: list[tuple[str, str, Any, str, str]] = [
    ("延迟涨了 160 ms", "160 ms", LATENCY, STEP, "100"),
    ("延迟涨了 120 ms", "120 ms", LATENCY, STEP, "100"),
    ("延迟降了 40 ms", "40 ms", LATENCY, STEP, "220"),
    ("延迟涨了约 165 ms", "165 ms", LATENCY, STEP, "100"),
    ("延迟涨了 0.16 s", "0.16 s", LATENCY, STEP, "100"),
    ("latency grew by 160 ms", "160 ms", LATENCY, STEP, "100"),
    ("连接数增加了 50", "50", CONNECTIONS, STEP, "100"),
    ("连接数增加了 50 个", "50 个", CONNECTIONS, STEP, "100"),
    ("内存涨了 250Mi", "250Mi", MEMORY, STEP, "209715200"),
    ("错误率升了 3 个百分点", "3 个百分点", ERRORS, STEP, "0.02"),
    ("延迟涨了 30 ms", "30 ms", figures(first=100, last=130, min=80, max=300), STEP, "100"),
    ("延迟涨了 220 ms", "220 ms", figures(first=100, last=130, min=80, max=300), STEP, "80"),
    ("延迟涨了 45 ms", "45 ms", figures(before=90, after=135, max=141), STEP, "90"),
    ("延迟涨了 51 ms", "51 ms", figures(before=90, after=135, max=141), STEP, "90"),
    ("延迟涨到 2.6 倍", "2.6 倍", LATENCY, RATIO, "260"),
    ("延迟涨到 2.2 倍", "2.2 倍", LATENCY, RATIO, "220"),
    ("延迟涨了 1.6 倍", "1.6 倍", LATENCY, RATIO, "260"),
    ("延迟涨到约 2.7 倍", "2.7 倍", LATENCY, RATIO, "260"),
    ("延迟增长 160%", "160%", LATENCY, RATIO, "260"),
    ("延迟增长 120%", "120%", LATENCY, RATIO, "220"),
    ("延迟下降 15%", "15%", LATENCY, RATIO, "220"),
    ("延迟增长约 165%", "165%", LATENCY, RATIO, "260"),
    *(
        (f"延迟涨到 3 倍，{two} 比 {one}", "3 倍", figures(**{one: 100, two: 300}), RATIO, "300")
        for one, two in (("first", "last"), ("before", "after"), ("min", "max"), ("first", "max"), ("before", "max"))
    ),
    ("两者相隔 210 秒", "210 秒", EVENTS, SPAN, FAILOVER),
    ("两者相隔 3.5 分钟", "3.5 分钟", EVENTS, SPAN, FAILOVER),
    ("两者相隔 3 分半", "3 分半", EVENTS, SPAN, FAILOVER),
    ("两者相隔约 200 秒", "200 秒", EVENTS, SPAN, FAILOVER),
    ("failover took 3m30s", "3m30s", EVENTS, SPAN, FAILOVER),
    (
        "故障持续 12600 秒",
        "12600 秒",
        ["2026-03-10 10:00:00 down", "2026-03-10 13:30:00 up"],
        SPAN,
        "2026-03-10 10:00:00 down",
    ),
]
UNSEEN: list[tuple[str, str, Any]] = [
    ("延迟涨了 130 ms", "130 ms", LATENCY),
    ("延迟涨了 161 ms", "161 ms", LATENCY),
    ("延迟涨了约 200 ms", "200 ms", LATENCY),
    ("延迟涨了 160 MB", "160 MB", LATENCY),
    ("延迟涨了 0 ms", "0 ms", FLAT),
    ("内存涨了 300Mi", "300Mi", MEMORY),
    ("延迟涨到 2.4 倍", "2.4 倍", LATENCY),
    ("延迟增长 90%", "90%", LATENCY),
    ("延迟增长 158%", "158%", LATENCY),
    ("延迟涨到 3 倍", "3 倍", figures(after=100, max=300)),
    ("延迟涨到 3 倍", "3 倍", figures(last=100, max=300)),
    ("延迟涨到 3 倍", "3 倍", figures(first=0, max=300)),
    ("延迟涨了 200 ms", "200 ms", figures(max=300)),
    ("延迟涨了 200 ms", "200 ms", [figures(first=100), stats("lag_ms", "ms", max=300) | {"service": "cart"}]),
    ("两者相隔 200 秒", "200 秒", EVENTS),
    ("两者相隔约 180 秒", "180 秒", EVENTS),
    ("failover took 3m31s", "3m31s", EVENTS),
    ("两者相隔 0 秒", "0 秒", [FAILOVER, FAILOVER]),
]


def literal(claim: str, text: str, excerpts: Any) -> Any:
    rows = evidence(*(excerpts if isinstance(excerpts, list) else [excerpts]))
    (found,) = [item for item in ground(claim, rows) if item.text == text]
    return found


@pytest.mark.parametrize(("claim", "text", "excerpts", "how", "shown"), FOUND)
def test_a_number_that_two_values_give(claim: str, text: str, excerpts: Any, how: str, shown: str) -> None:
    found = literal(claim, text, excerpts)
    assert (found.status, found.detail, found.evidence_text) == ("found", how, shown)
    first = excerpts[0] if isinstance(excerpts, list) else excerpts
    assert found.place == ("inv_1 $.logs[0].message" if isinstance(first, str) else "inv_1 $.logs[0]")


@pytest.mark.parametrize(("claim", "text", "excerpts"), UNSEEN)
def test_a_number_that_no_two_values_give(claim: str, text: str, excerpts: Any) -> None:
    found = literal(claim, text, excerpts)
    assert (found.status, found.place, found.evidence_text) == ("unseen", None, None)
