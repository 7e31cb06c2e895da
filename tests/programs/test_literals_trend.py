"""Each word for a rise, a fall and for a figure of a series, against a series that shows the same or another one."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_series import ser, stats
from tests.programs.test_literals_width import evidence

RISE = [
    *("上升", "升高", "升到", "升至", "上涨", "涨到", "增长到", "攀升", "走高", "飙升", "爬升"),
    *("rose", "rises", "rising", "increased", "increases", "increasing", "climbed", "climbs", "climbing", "grew"),
    *("went up", "jumped", "spiked", "Rose"),
]
FALL = [
    *("下降", "降低", "降到", "降至", "下跌", "跌到", "回落", "走低"),
    *("shrank", "shrunk", "shrinks", "shrinking", "fell", "falls", "falling", "decreased", "decreases", "decreasing"),
    *("dropped", "dropping", "declined", "declines", "declining", "went down", "Fell"),
]
UP = ser("cpu_percent", ("10:00", 41), ("10:05", 60), ("10:10", 93))
DOWN = ser("cpu_percent", ("10:00", 93), ("10:05", 60), ("10:10", 41))
SWING = ser("cpu_percent", ("10:00", 93), ("10:05", 95), ("10:10", 41))


def told(word: str) -> str:
    return f"CPU usage {word}" if word.isascii() else f"CPU 使用率{word}"


def moves(claim: str, *excerpts: Any) -> list[LiteralFinding]:
    return [item for item in ground(claim, evidence(*excerpts)) if item.kind == "order"]


@pytest.mark.parametrize(
    ("word", "with_it", "against"), [*((w, UP, DOWN) for w in RISE), *((w, DOWN, UP) for w in FALL)]
)
def test_each_word_agrees_with_its_own_direction_alone(word: str, with_it: Any, against: Any) -> None:
    (found,) = moves(told(word), with_it)
    first, last = ("41", "93") if with_it is UP else ("93", "41")
    assert (found.text, found.status, found.evidence_text) == (word, "found", first)
    assert found.detail == "over the visible points" and not found.critical
    (found,) = moves(told(word), against)
    assert (found.text, found.status, found.evidence_text) == (word, "conflicting", first)
    assert found.detail == f"the visible points go from {last} to {first}" and found.critical


@pytest.mark.parametrize(
    "word", ["一路", "一直", "持续", "不断", "逐步", "逐渐", "kept", "keeps", "steadily", "continuously", "continuous"]
)
def test_a_rise_all_along_is_broken_by_one_that_ends_lower(word: str) -> None:
    claim = f"CPU {word} rising" if word.isascii() else f"CPU {word}上升"
    assert [item.status for item in moves(claim, SWING)] == ["conflicting"]
    assert [item.status for item in moves(claim, UP)] == ["found"]
    assert [item.status for item in moves("CPU 上升", SWING)] == ["found"]


@pytest.mark.parametrize("word", ["throughout", "gradually"])
def test_english_words_for_all_along(word: str) -> None:
    assert [item.status for item in moves(f"CPU rose {word}", SWING)] == ["conflicting"]


@pytest.mark.parametrize(
    ("claim", "excerpts"),
    [
        ("CPU 先上升后下降", [UP]),
        ("CPU 稳定", [UP]),
        ("CPU 上升", [UP, ser("memory_percent", ("10:00", 93), ("10:05", 41))]),  # which series?
        ("CPU 上升", [ser("cpu_percent", ("10:00", 93))]),
        ("CPU 上升", [ser("cpu_percent", ("10:00", 60), ("10:05", 60))]),
        ("CPU 上升", [{"message": "ok"}]),
        ("CPU 上升", [stats("cpu_percent", first=60, last=40, min=30, max=60)]),
        ("CPU 上升", [stats("cpu_percent", first=60, last=40, min=40)]),
        (
            "CPU 上升",
            [stats("a_percent", first=60, last=40, min=40, max=60), stats("b_percent", first=1, last=2, min=1, max=2)],
        ),
    ],
)
def test_where_no_direction_can_be_told(claim: str, excerpts: list[Any]) -> None:
    assert moves(claim, *excerpts) == []


def test_stated_ends_give_a_direction_and_points_are_put_in_order() -> None:
    assert [item.status for item in moves("CPU 上升", stats("cpu_percent", first=60, last=40, min=40, max=60))] == [
        "conflicting"
    ]
    mixed = ser("cpu_percent", ("10:10", 93), ("10:00", 41), ("10:05", 60))
    assert [item.evidence_text for item in moves("CPU 上升", mixed)] == ["41"]


WORDS: dict[str, list[str]] = {
    "max": ["最高", "峰值", "最大", "顶峰", "peak", "peaked at", "peaks at", "max", "maximum", "highest", "topped"],
    "min": ["最低", "谷值", "最小", "min", "minimum", "lowest", "bottomed at"],
    "first": [
        "起初",
        "最初",
        "初值",
        "初始值",
        "一开始",
        "开始时",
        "第一个点",
        "initially",
        "at first",
        "first value",
        "started at",
        "started from",
    ],
    "last": ["最终", "末值", "最新值", "最后", "finally", "ended at", "ended up at", "last value", "final value"],
    "before": ["变化前", "突变前", "跳变前", "变化之前", "before the change", "before the jump"],
    "after": ["变化后", "突变后", "跳变后", "变化之后", "after the change", "after the jump"],
}
FIGURES: dict[str, Any] = {"first": 52, "last": 61, "min": 38, "max": 97, "before": 44, "after": 73}
SHOWN = stats("cpu_percent", **FIGURES)


@pytest.mark.parametrize(("field", "word"), [(field, word) for field, words in WORDS.items() for word in words])
def test_a_figure_of_a_series_is_that_figure_and_no_other(field: str, word: str) -> None:
    value = FIGURES[field]
    other = next(v for f, v in FIGURES.items() if f != field)
    (right,) = [i for i in ground(f"CPU {word} {value}%", evidence(SHOWN)) if i.kind == "percent"]
    assert (right.status, right.evidence_text) == ("found", str(value))
    (wrong,) = [i for i in ground(f"CPU {word} {other}%", evidence(SHOWN)) if i.kind == "percent"]
    assert (wrong.status, wrong.evidence_text) == ("conflicting", str(value))
    assert wrong.detail == f"the visible {field} is {value}"


@pytest.mark.parametrize(
    ("claim", "status", "detail"),
    [
        ("CPU 峰值 60%", "conflicting", "the visible max is 93"),
        ("CPU 最低 60%", "conflicting", "the visible min is 41"),
        ("CPU 最初 60%", "conflicting", "the visible first is 41"),
        ("CPU 最终 60%", "conflicting", "the visible last is 93"),
        ("CPU 峰值约 92%", "found", None),
        ("10:05 CPU 最初 60%", "found", None),
        ("10:05 到 10:10 CPU 峰值 60%", "found", None),
        ("CPU 变化前 60%", "found", None),
    ],
)
def test_a_figure_of_whole_points(claim: str, status: str, detail: str | None) -> None:
    (found,) = [item for item in ground(claim, evidence(UP)) if item.kind == "percent"]
    assert found.status == status
    assert detail is None or found.detail == detail
