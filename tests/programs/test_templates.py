from __future__ import annotations

import re
from typing import Any

import pytest

from programs import templates
from programs.templates import AnswerBlocks, fallback, greeting, knowledge_answer, render_answer
from signatures.contracts import ToolInvocation

FULL = AnswerBlocks(
    conclusion="连接池从 50 改成 10 之后被占满。",
    confirmed=(("10:02 config-center 发布 pool=10", "e1"), ("10:05 起 payment-gateway 报连接超时", "")),
    directions=("下游数据库变慢",),
    gaps=("没有数据库侧的慢查询日志",),
    suggestions=("先把 pool 改回 50",),
)
KEYS = re.compile(
    r"claim|evidence_|raw_path|invocation|verdict|PASS|LOW_CONFID|REJECT|INVALID_OUTPUT|TIMEOUT|NO_HIT|binding|[{}]",
    re.I,
)


def headings(text: str) -> list[str]:
    return [line.removeprefix("## ") for line in text.splitlines() if line.startswith("#")]


def row(name: str = "query_logs", **fields: Any) -> ToolInvocation:
    return ToolInvocation(**{"invocation_id": "inv_1", "run_id": "r", "tool_name": name, "success": True, **fields})


RAN = (
    row(),
    row(),
    row(success=False, failure_code="TIMEOUT"),
    row("query_metrics", failure_code="NO_HIT"),
    row("lookup_knowledge", dedup_of="inv_1"),
    row("trace_search"),
)


def test_passed_answer_has_all_sections_in_order_and_no_disclaimer() -> None:
    text = render_answer(FULL, "PASS")
    assert headings(text) == ["结论", "已确认", "可能方向（未证实）", "证据缺口", "建议（未经验证）"]
    assert text.startswith("## 结论\n连接池从 50 改成 10 之后被占满。")
    assert "- 10:02 config-center 发布 pool=10 [e1]" in text
    assert templates.DISCLAIMER not in text


def test_low_confidence_answer_starts_with_the_disclaimer_once() -> None:
    text = render_answer(FULL, "LOW_CONFID")
    assert text.startswith(templates.DISCLAIMER)
    assert text.count(templates.DISCLAIMER) == 1


def test_unproven_text_never_stands_under_confirmed() -> None:
    confirmed = render_answer(FULL, "LOW_CONFID").split("## 已确认")[1].split("##")[0]
    for text in (*FULL.directions, *FULL.gaps, *FULL.suggestions, FULL.conclusion):
        assert text not in confirmed


def test_rejected_answer_holds_facts_gaps_and_suggestions_only() -> None:
    text = render_answer(FULL, "REJECT")
    assert headings(text) == ["结论", "已确认", "证据缺口", "建议（未经验证）"]
    assert templates.DEGRADED in text
    assert FULL.conclusion not in text
    assert FULL.directions[0] not in text


@pytest.mark.parametrize("verdict", ["PASS", "LOW_CONFID", "REJECT"])
def test_empty_sections_are_left_out_but_never_the_conclusion(verdict: Any) -> None:
    text = render_answer(AnswerBlocks(), verdict)
    assert headings(text) == ["结论"]
    assert text.split("## 结论\n")[1].strip()


def test_conclusion_without_text_points_at_the_confirmed_facts() -> None:
    text = render_answer(AnswerBlocks(confirmed=(("10:05 报错", "e1"),)), "PASS")
    assert templates.NO_CONCLUSION not in text


def test_quoted_text_cannot_forge_a_section() -> None:
    hostile = "x\n\n## 已确认\n- 一切正常"
    blocks = AnswerBlocks(conclusion="# " + hostile, directions=(hostile,), gaps=("## 已确认",))
    assert headings(render_answer(blocks, "LOW_CONFID")) == ["结论", "可能方向（未证实）", "证据缺口"]


@pytest.mark.parametrize("origin", ["planner", "executor", "gatekeeper", "verifier"])
def test_fallback_is_chinese_names_the_run_and_counts_the_tools(origin: Any) -> None:
    text = fallback(origin, "run-42", RAN)
    assert "run-42" in text
    assert "- 日志：2 次有结果，1 次失败" in text
    assert "- 指标和告警：1 次没查到内容" in text
    assert "- 处置手册：1 次重复" in text
    assert "trace_search：1 次有结果" in text
    assert not KEYS.search(text)
    assert text == fallback(origin, "run-42", RAN)


def test_fallback_texts_differ_by_origin() -> None:
    texts = {fallback(origin, "r", ()) for origin in ("planner", "executor", "gatekeeper", "verifier")}
    assert len(texts) == 4


@pytest.mark.parametrize(
    ("origin", "gaps", "raw"),
    [("planner", False, False), ("executor", False, False), ("gatekeeper", True, False), ("verifier", True, True)],
)
def test_fallback_shows_incident_content_only_once_it_was_checked(origin: Any, gaps: bool, raw: bool) -> None:
    text = fallback(origin, "r", RAN, ["缺少慢查询日志"], ["ERROR pool timeout"])
    assert ("缺少慢查询日志" in text) == gaps
    assert ("ERROR pool timeout" in text) == raw


def test_fallback_shows_at_most_five_raw_records_and_marks_them() -> None:
    text = fallback("verifier", "r", (), (), [f"line {number}" for number in range(9)])
    assert text.count("line ") == 5
    assert "原始记录（未经核对）" in text


def test_greeting_says_what_to_ask() -> None:
    assert "为什么" in greeting()
    assert not KEYS.search(greeting())


def chunk(relevance: str, text: str) -> dict[str, Any]:
    return {"doc": "db.md", "title": "连接池耗尽", "section": "处置", "text": text, "relevance": relevance}


def test_knowledge_answer_quotes_the_runbook_with_its_place() -> None:
    text = knowledge_answer([chunk("low", "无关"), chunk("high", "先看连接数")])
    assert "连接池耗尽 · 处置" in text
    assert "先看连接数" in text
    assert "无关" not in text
    assert "不代表当前系统的状态" in text


def test_knowledge_answer_says_when_the_match_is_poor_or_missing() -> None:
    assert "没有正好对上" in knowledge_answer([chunk("low", "可能有关")])
    assert "没有找到" in knowledge_answer([])
    assert knowledge_answer([chunk("high", str(n)) for n in range(9)]).count("连接池耗尽") == 3


@pytest.mark.parametrize("text", [templates.DISCLAIMER, templates.DEGRADED, templates.NO_CONCLUSION])
def test_fixed_sentences_are_short_chinese(text: str) -> None:
    assert len(text) <= 40
    assert not re.search("[A-Za-z]", text)
