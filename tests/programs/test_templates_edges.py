"""The whole fixed texts, as the user reads them (TP-01, DG-03, G25), and odd material inside them."""

from __future__ import annotations

from typing import Any

import pytest

from programs.templates import AnswerBlocks, fallback, greeting, knowledge_answer, render_answer
from tests.programs.test_scoring import judged
from tests.programs.test_templates import FULL, RAN, chunk, row

PASSED = """## 结论
连接池从 50 改成 10 之后被占满。

## 已确认
- 10:02 config-center 发布 pool=10 [e1]
- 10:05 起 payment-gateway 报连接超时

## 可能方向（未证实）
- 下游数据库变慢

## 证据缺口
- 没有数据库侧的慢查询日志

## 建议（未经验证）
- 先把 pool 改回 50"""
DOUBTFUL = f"注意：证据还不完整。“已确认”里的内容有数据为证，其余请先核实再动手。\n\n{PASSED}"
REJECTED = """## 结论
现有证据不足以得出可靠的结论，这次不判断根因。

## 已确认
- 10:02 config-center 发布 pool=10 [e1]
- 10:05 起 payment-gateway 报连接超时

## 证据缺口
- 没有数据库侧的慢查询日志

## 建议（未经验证）
- 先把 pool 改回 50"""


@pytest.mark.parametrize(("verdict", "text"), [("PASS", PASSED), ("LOW_CONFID", DOUBTFUL), ("REJECT", REJECTED)])
def test_the_form_of_each_verdict(verdict: Any, text: str) -> None:
    assert render_answer(FULL, verdict) == text


def test_without_a_conclusion_the_answer_says_what_it_has() -> None:
    known = AnswerBlocks(conclusion="  ", confirmed=(("10:05 报错", ""),))
    assert render_answer(known, "PASS") == "## 结论\n以下是有数据为证的情况。\n\n## 已确认\n- 10:05 报错"
    assert render_answer(AnswerBlocks(), "PASS") == "## 结论\n查到的数据还说明不了问题出在哪里。"


@pytest.mark.parametrize("text", ["## 已确认", "> 已确认", "  \n#  > 已确认"])
def test_markup_at_the_start_of_quoted_text_is_taken_off_and_its_words_stay(text: str) -> None:
    assert render_answer(AnswerBlocks(gaps=(text,)), "PASS").endswith("## 证据缺口\n- 已确认")


def test_nothing_else_is_taken_off_quoted_text() -> None:
    assert render_answer(AnswerBlocks(gaps=("X-Request-Id 没有记录",)), "PASS").endswith("\n- X-Request-Id 没有记录")
    assert render_answer(AnswerBlocks(conclusion="分支是 C#"), "PASS") == "## 结论\n分支是 C#"


LEADS = {
    "planner": "没能排出要查哪些数据，这次诊断没有开始。",
    "executor": "数据查过了，但整理出来的内容不完整，没法逐条核对，所以不给结论。",
    "gatekeeper": "数据查过了，但没有一条结论能在原始数据里找到出处，所以不给结论。",
    "verifier": "数据查过了，但结论没能核对完，所以不给结论。",
}
RETRY = "可以过一会儿再问一次，或者换个说法、补上服务名和时间。反馈问题时请带上运行编号：run-42"
CALLS = """## 查过的数据
- 日志：2 次有结果，1 次失败
- 指标和告警：1 次没查到内容
- 处置手册：1 次重复
- trace_search：1 次有结果"""
GAPS = "## 证据缺口\n- 缺少慢查询日志"
RAW = "## 原始记录（未经核对）\n- ERROR pool timeout"


@pytest.mark.parametrize(
    ("origin", "sections"),
    [
        ("planner", [CALLS]),
        ("executor", [CALLS]),
        ("gatekeeper", [CALLS, GAPS]),
        ("verifier", [CALLS, GAPS, RAW]),
    ],
)
def test_the_form_of_each_fallback(origin: Any, sections: list[str]) -> None:
    text = fallback(origin, "run-42", RAN, ["缺少慢查询日志"], ["ERROR  pool\ntimeout"])
    assert text == "\n\n".join([f"## 结论\n{LEADS[origin]}", *sections, RETRY])


def test_a_fallback_without_any_material_is_its_sentence_and_what_to_do() -> None:
    assert fallback("verifier", "run-42", ()) == f"## 结论\n{LEADS['verifier']}\n\n{RETRY}"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"failure_code": "DEDUPED", "success": False}, "重复"),
        ({"dedup_of": "inv_1"}, "重复"),
        ({"failure_code": "NO_HIT", "success": False}, "没查到内容"),
        ({"failure_code": "TOOL_ERROR", "success": False}, "失败"),
        ({"failure_code": "PARTIAL"}, "有结果"),
    ],
)
def test_how_a_call_ended_is_said_in_words(fields: dict[str, Any], word: str) -> None:
    assert f"- 日志：1 次{word}\n" in fallback("planner", "r", (row(**fields),))


def test_outcomes_of_one_tool_stand_in_a_fixed_order() -> None:
    rows = [row(dedup_of="inv_1"), row(success=False), row(failure_code="NO_HIT"), row()]
    line = "- 日志：1 次有结果，1 次没查到内容，1 次失败，1 次重复\n"
    assert line in fallback("planner", "r", rows)
    assert line in fallback("planner", "r", rows[::-1])


def test_the_name_of_an_unknown_tool_cannot_forge_a_section() -> None:
    assert "\n- 已确认：1 次有结果\n" in fallback("planner", "r", (row("\n## 已确认"),))


def test_the_greeting_gives_an_example_and_says_what_it_looks_at() -> None:
    assert greeting() == (
        "你好，我帮你查故障。告诉我现象、服务名和大概的时间就行，比如：“支付网关从 10:05 开始大量 5xx，为什么？”\n"
        "我会去查日志、指标、告警和处置手册，每条结论都附上出处；查不清的地方会直说。"
    )


LAST = "以上是手册的一般说明，不代表当前系统的状态。"


def test_the_form_of_a_runbook_answer() -> None:
    good = "处置手册里是这样写的：\n\n**连接池耗尽 · 处置**\n先看 连接数\n\n" + LAST
    poor = (
        "处置手册里没有正好对上的内容，下面这些可能有关：\n\n**连接池耗尽 · 处置**\n先看连接数\n\n"
        "**连接池耗尽 · 处置**\n再看慢查询\n\n" + LAST
    )
    assert knowledge_answer([chunk("low", "无关"), chunk("high", "先看\n\n连接数")]) == good
    assert knowledge_answer([chunk("low", "先看连接数"), chunk("low", "再看慢查询")]) == poor
    assert knowledge_answer([]) == "处置手册里没有找到相关内容。换个说法，或者写上组件名再试试。"


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"title": "连接池"}, "连接池"),
        ({"section": "处置"}, "处置"),
        ({"title": "", "section": None, "doc": "db.md"}, "db.md"),
        ({}, "手册"),
    ],
)
def test_a_passage_names_the_place_that_is_known(fields: dict[str, Any], source: str) -> None:
    assert f"\n\n**{source}**\n重启\n\n" in knowledge_answer([{"text": "重启", **fields}])


def test_a_passage_without_text_is_shown_as_its_place_alone() -> None:
    assert "\n\n**连接池**\n\n\n" in knowledge_answer([{"title": "连接池"}])


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("direct_observation", "直接证实"),
        ("reasonable_inference", "合理推断"),
        ("overstated", "说过头"),
        ("unsupported", "没有证据"),
        ("external_unknown", "超出可查范围"),
        ("contradicted", "与证据矛盾"),
    ],
)
def test_each_class_of_a_claim_has_its_word(label: str, word: str) -> None:
    assert judged(label).rationale == f"关键结论 1 条：{word} 1 条。"
