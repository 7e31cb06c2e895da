"""Numbers in words, in Chinese and English: found as the figure that they mean, and never as another."""

from __future__ import annotations

import pytest

from programs.grounding import ground
from tests.programs.test_literals_width import evidence

# (claim, the same figure in a record, another figure)
CASES = [
    ("错误率三成", "error rate 30%", "error rate 50%"),
    ("错误率七成五", "error rate 75%", "error rate 95%"),
    ("错误率两成半", "error rate 25%", "error rate 45%"),
    ("错误率百分之九十五", "error rate 95%", "error rate 59%"),
    ("错误率百分之十二点五", "error rate 12.5%", "error rate 15.2%"),
    ("错误率千分之五", "error rate 0.5%", "error rate 5%"),
    ("错误率万分之三", "error rate 0.03%", "error rate 3%"),
    ("错误率百分之 3.5", "error rate 3.5%", "error rate 35%"),
    ("三分之一的请求失败", "failed request ratio 33%", "failed request ratio 53%"),
    ("四分之三的请求失败", "failed request ratio 75%", "failed request ratio 25%"),
    ("一半请求失败", "failed request ratio 50%", "failed request ratio 80%"),
    ("耗时一个半小时", "took 90 min", "took 60 min"),
    ("耗时 3 个半小时", "took 210 min", "took 180 min"),
    ("耗时一分半钟", "took 90 s", "took 60 s"),
    ("耗时两天半", "took 60 hours", "took 48 hours"),
    ("耗时三刻钟", "took 45 min", "took 30 min"),
    ("耗时两周", "took 14 days", "took 7 days"),
    ("耗时一个星期", "took 7 days", "took 14 days"),
    ("花了半小时", "took 30 min", "took 20 min"),
    ("耗时半小时", "took 30 min", "took 20 min"),
    ("error rate 30 percentage points", "error rate 30%", "error rate 20%"),
    ("花了半个小时", "took 30 min", "took 20 min"),
    ("花了半分钟", "took 30 s", "took 20 s"),
    ("流量翻了一番", "traffic grew 2x", "traffic grew 3x"),
    ("流量翻了两倍", "traffic grew 2x", "traffic grew 5x"),
    ("一百二十个连接", "120 connections", "210 connections"),
    ("三百零五条日志", "305 lines", "350 lines"),
    ("三百五十个连接", "350 connections", "305 connections"),
    ("两千个连接", "2000 connections", "3000 connections"),
    ("一千二百个连接", "1200 connections", "2100 connections"),
    ("十二万个连接", "120000 connections", "210000 connections"),
    ("三亿个连接", "300000000 connections", "400000000 connections"),
    ("十五分钟后恢复耗时十五分钟", "took 15 min", "took 51 min"),
    ("耗时二十秒", "took 20 s", "took 12 s"),
    ("took fifteen minutes", "took 15 min", "took 51 min"),
    ("took half an hour", "took 30 min", "took 20 min"),
    ("took half a minute", "took 30 s", "took 20 s"),
    ("took two and a half hours", "took 150 min", "took 120 min"),
    ("took an hour and a half", "took 90 min", "took 60 min"),
    ("took one and a half minutes", "took 90 s", "took 60 s"),
    ("two thirds of the requests failed", "failed request ratio 67%", "failed request ratio 33%"),
    ("a quarter of the requests failed", "failed request ratio 25%", "failed request ratio 75%"),
    ("half of the requests failed", "failed request ratio 50%", "failed request ratio 90%"),
    ("three fifths of the requests failed", "failed request ratio 60%", "failed request ratio 30%"),
    ("one tenth of requests failed", "failed request ratio 10%", "failed request ratio 90%"),
    ("traffic doubled", "traffic grew 2x", "traffic grew 3x"),
    ("traffic tripled", "traffic grew 3x", "traffic grew 2x"),
    ("traffic quadrupled", "traffic grew 4x", "traffic grew 2x"),
    ("it retried five times", "retried 5 times", "retried 8 times"),
]
ENGLISH = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven",
    12: "twelve", 15: "fifteen", 20: "twenty", 30: "thirty", 40: "forty", 45: "forty-five", 50: "fifty", 60: "sixty",
    90: "ninety",
}  # fmt: skip
CHINESE = {
    2: "两", 3: "三", 4: "四", 5: "五", 6: "六", 7: "七", 8: "八", 9: "九", 10: "十", 11: "十一", 19: "十九",
    20: "二十", 99: "九十九", 105: "一百零五", 150: "一百五", 2030: "两千零三十", 3600: "三千六百",
}  # fmt: skip


def figures(claim: str, text: str) -> set[str]:
    return {item.status for item in ground(claim, evidence(text)) if item.kind != "state"}


@pytest.mark.parametrize(("claim", "same", "other"), CASES)
def test_a_figure_in_words_is_the_figure(claim: str, same: str, other: str) -> None:
    assert figures(claim, same) == {"found"}
    assert "found" not in figures(claim, other)


@pytest.mark.parametrize(("value", "word"), ENGLISH.items())
def test_each_english_number(value: int, word: str) -> None:
    assert figures(f"took {word} minutes", f"took {value} min") == {"found"}
    assert "found" not in figures(f"took {word} minutes", f"took {value + 7} min")


@pytest.mark.parametrize(("value", "word"), CHINESE.items())
def test_each_chinese_number(value: int, word: str) -> None:
    assert figures(f"耗时{word}秒", f"took {value} s") == {"found"}
    assert "found" not in figures(f"耗时{word}秒", f"took {value + 7} s")


@pytest.mark.parametrize(
    "prose",
    [
        *(
            "成功三次握手的说明",
            "两路都正常",
            "上百个告警",
            "第三个步骤",
            "周一的发布",
            "一个服务",
            "几十次",
            "好几千条",
        ),
        *("one of the pods", "a minute later", "half-open sockets", "three times as many"),
    ],
)
def test_words_that_are_no_figure_are_not_looked_up(prose: str) -> None:
    assert not [item for item in ground(prose, evidence("ok 17")) if item.critical and item.status == "conflicting"]
