"""Each word for up and for down, and each way to write a change: against the record it conflicts, with it never."""

from __future__ import annotations

import pytest

from programs.grounding import ground
from programs.literals.setting import direction_of, steps_of
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_width import evidence

UP = [
    *(["增加", "增大", "提高", "提升", "调大", "调高", "上调", "扩大", "扩容", "加大", "升高"]),
    *(["increased", "increasing", "raised", "raises", "enlarged"]),
]
DOWN = [
    *(["减少", "减小", "降低", "调小", "调低", "下调", "缩小", "缩减", "缩容", "降为"]),
    *(["decreased", "decreasing", "lowered", "lower", "reduced", "reduces", "shrank", "shrinks", "shrunk"]),
]
RAISED = "config changed keys=[datasource.pool.maximum-pool-size] old=8 new=64"
LOWERED = "config changed keys=[datasource.pool.maximum-pool-size] old=64 new=8"


def wrong(claim: str, *texts: str) -> list[LiteralFinding]:
    found = ground(claim, evidence(*texts))
    return [item for item in found if item.status == "conflicting" and item.kind in ("state", "order")]


def told(word: str) -> str:
    return f"The pool limit was {word} by the change." if word.isascii() else f"连接池上限被{word}了"


@pytest.mark.parametrize("word", UP)
def test_a_word_for_up_conflicts_with_a_lowered_setting_alone(word: str) -> None:
    (finding,) = wrong(told(word), LOWERED)
    assert (finding.text, finding.kind, finding.evidence_text) == (word, "state", "old=64 new=8")
    assert (finding.place, finding.detail) == ("inv_1 $.logs[0].message", "the excerpts show the opposite direction")
    assert finding.critical
    assert not wrong(told(word), RAISED)


@pytest.mark.parametrize("word", DOWN)
def test_a_word_for_down_conflicts_with_a_raised_setting_alone(word: str) -> None:
    (finding,) = wrong(told(word), RAISED)
    assert (finding.text, finding.evidence_text) == (word, "old=8 new=64")
    assert not wrong(told(word), LOWERED)


@pytest.mark.parametrize(
    "thing",
    [
        "配置",
        "变更值",
        "参数",
        "设置",
        "队列上限",
        "阈值",
        "批次大小",
        "最大线程数",
        "限制",
        "线程池",
        "改动后的值",
        "the config",
        "Configuration",
        "this setting",
        "the limit",
        "the heap size",
        "the threshold",
    ],
)
def test_what_counts_as_a_setting(thing: str) -> None:
    claim = f"{thing} was raised" if thing.isascii() else f"{thing}被调大"
    assert wrong(claim, LOWERED)
    assert not wrong(claim.replace(thing, "流量" if not thing.isascii() else "the load"), LOWERED)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("pool-size 64 -> 8", (64, 8)),
        ("queue.limit 10→20", (10, 20)),
        ("queue.limit 10 => 20", (10, 20)),
        ("queue.limit 10 ⇒ 20", (10, 20)),
        ("mem limit 512 Mi -> 256 Mi", (512, 256)),
        ("cpu limit 0.5 -> 1.5", (0.5, 1.5)),
        ("timeout setting from=30 to=5", (30, 5)),
        ("config before: 30 after: 5", (30, 5)),
        ("config old: 30, new: 5", (30, 5)),
        ("config offset -5 -> 5", (-5, 5)),
    ],
)
def test_ways_to_write_a_change(text: str, steps: tuple[float, float]) -> None:
    ((old, new, written),) = steps_of(text)
    assert (old, new) == steps
    assert written in text and written[0] != " "
    assert direction_of(text) == (1 if new > old else -1)


@pytest.mark.parametrize(
    "text",
    [
        "heap 64M -> 8M",  # no setting
        "pool-size 8 -> 8",
        "limit 64 -> 8.1.2",
        "limit 64 -> 8th",
        "limit 10 - 20",
        "config old=30 and much later, after many other words, new=5",
        "config was pushed" + "." * 90 + "64 -> 8",
        "threshold=3",
    ],
)
def test_what_is_no_change_of_a_setting(text: str) -> None:
    assert steps_of(text) == [] and direction_of(text) == 0


def test_a_setting_stands_near_its_numbers() -> None:
    assert steps_of("limit" + "." * 70 + " 64 -> 8")
    assert direction_of("limit 8 -> 64; size 4 -> 8") == 1
    assert direction_of("limit 8 -> 64; size 8 -> 4") == 0


@pytest.mark.parametrize(
    "claim",
    [
        "连接池上限被调小，之后 QPS 升高",  # another clause
        "连接池上限被调小；QPS 升高",
        "连接池上限被调小。QPS 升高",
        "连接池上限被调小,QPS 升高",
        "连接池上限被调小！QPS 升高",
        "连接池上限被调小？QPS 升高",
        *(f"连接池上限被调小{word}等待升高" for word in ("导致", "造成", "引起", "进而", "使得", "从而")),
        "上限被调小以后 hikaricp_connections_pending 升高",
        "把池上限从增加改成降低",  # both words in one clause
        "hikaricp_connections_max 的大小升高",
    ],
)
def test_another_clause_or_a_metric_may_rise(claim: str) -> None:
    assert not wrong(claim, LOWERED)


def test_the_first_record_that_shows_it_is_the_place() -> None:
    (finding,) = wrong("连接池上限被调大", "pool warmed up", LOWERED, "queue.limit 9 -> 2")
    assert finding.place == "inv_1 $.logs[1].message"
    assert len(wrong("池上限被调大，参数被提高", LOWERED)) == 2
    assert not wrong("连接池上限被调大", LOWERED, RAISED)


@pytest.mark.parametrize(
    "claim",
    [
        "连接池从 8 改成 64",
        "连接池由 8 调到 64",
        "连接池从 8 变为了 64",
        "连接池由 8 调至 64",
        "pool went from 8 to 64",
        "Pool changed From 8 To 64",
        "连接池从 8 到 64",
    ],
)
def test_both_numbers_the_other_way_round_conflict(claim: str) -> None:
    (finding,) = [item for item in wrong(claim, "n/a", LOWERED) if item.kind == "order"]
    assert finding.evidence_text == "old=64 new=8"
    assert finding.place == "inv_1 $.logs[1].message"
    assert finding.detail == "the excerpts show that change the other way round"
    assert finding.text in claim and finding.text.endswith("64")
    assert not [item for item in wrong(claim, RAISED) if item.kind == "order"]
    assert not [item for item in wrong(claim, LOWERED, RAISED) if item.kind == "order"]


@pytest.mark.parametrize("record", ["max pool size 64 -> 8", "config from=64 to=8", "config before=64 after=8"])
def test_the_other_way_round_in_any_writing(record: str) -> None:
    (finding,) = [item for item in wrong("最大连接数从 8 改成 64", record) if item.kind == "order"]
    assert finding.evidence_text and finding.evidence_text in record
    assert not [item for item in wrong("最大连接数从 64 改成 8", record) if item.kind == "order"]


@pytest.mark.parametrize(
    "claim",
    ["连接池从 8 改成 8", "从 8，后来别的改成 64", "连接池从 8.1.2 改成 64", "从 8 改成 64:30", "池 8 到 64 之间"],
)
def test_what_tells_no_change(claim: str) -> None:
    assert not [item for item in wrong(claim, LOWERED) if item.kind == "order"]
