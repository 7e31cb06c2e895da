"""Repeats, head lines, shares and grades in the odd cases (G5, G23, NE rows)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from programs.evidence import dedup_key, rule_evaluation, tool_trace_summary
from tests.programs.test_evidence import ERROR, LOGS, MIXED, row

# --- repeats (G5) -----------------------------------------------------------------------------------------------------


def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return dedup_key("query_logs", left) == dedup_key("query_logs", right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"service": ("a", "b")}, {"service": {"b", "a"}}),
        ({"service": ["a", "a"]}, {"service": ["a"]}),
        ({"times": ["2026-01-01T02:10:00+08:00"]}, {"times": ["2025-12-31T18:10:00Z"]}),
        ({"limit": 5.0}, {"limit": 5}),
    ],
)
def test_parameters_of_one_meaning_make_a_repeat(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert same(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"limit": 5.5}, {"limit": 5}),
        ({"flag": True}, {"flag": False}),
        ({"start": "2026-01-01T02:10:00"}, {"start": "2026-01-01T02:10:00+08:00"}),
        ({"contains": "ab"}, {"contains": "a b"}),
        ({"contains": "5"}, {"contains": 5}),
        ({"service": ["a"]}, {"contains": ["a"]}),
        ({"service": []}, {}),
    ],
)
def test_parameters_of_another_meaning_make_a_new_call(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert not same(left, right)


A, B = {"doc": "a.md", "section": "1", "text": "x"}, {"doc": "b.md", "section": "1", "text": "x"}


def looked_up(output: Any, query: str = "连接池", tool: str = "lookup_knowledge") -> str:
    return dedup_key(tool, {"query": query}, output)


@pytest.mark.parametrize(
    "other", [B, {**A, "section": "2"}, {**A, "text": "y"}, {**A, "chunk_id": "k1"}, "a.md", {"doc": "a.md"}]
)
def test_chunks_differ_by_document_section_text_or_id(other: Any) -> None:
    assert looked_up({"chunks": [A]}) != looked_up({"chunks": [other]})


def test_a_chunk_with_an_id_is_known_by_it_alone() -> None:
    first, moved = {**A, "chunk_id": "k1"}, {**B, "chunk_id": "k1"}
    assert looked_up({"chunks": [first]}) == looked_up({"chunks": [moved]}, query="pool")


@pytest.mark.parametrize("output", [None, "text", {}, {"chunks": []}, {"chunks": None}])
def test_a_look_up_that_returned_no_chunk_is_known_by_its_question(output: Any) -> None:
    assert looked_up(output) == looked_up(None)
    assert looked_up(output) != looked_up(output, query="pool")


def test_only_a_knowledge_look_up_is_known_by_what_it_returned() -> None:
    assert looked_up({"chunks": [A]}, tool="search") != looked_up({"chunks": [A]}, query="pool", tool="search")


# --- head lines -------------------------------------------------------------------------------------------------------


def test_the_head_line_of_each_kind_of_call() -> None:
    rows = (
        row(1, params={"service": ["db"]}),
        row(2, success=False, failure_code="TIMEOUT", failure_reason="no  answer\nin 5 s", evidence_level="none"),
        row(3, success=False, evidence_level="none", hit_count=0),
        row(4, failure_code="NO_HIT", evidence_level="none", hit_count=0),
        row(5, dedup_of="inv_1", evidence_level="none"),
        row(6, failure_code="DEDUPED", evidence_level="none"),
        row(7, failure_code="PARTIAL", evidence_level="weak"),
    )
    assert tool_trace_summary(rows).splitlines() == [
        '[inv_1] query_logs {"service":["db"]} ok hits=3 evidence=strong',
        "[inv_2] query_logs {} failed TIMEOUT: no answer in 5 s hits=3 evidence=none",
        "[inv_3] query_logs {} failed TOOL_ERROR hits=0 evidence=none",
        "[inv_4] query_logs {} no hit hits=0 evidence=none",
        "[inv_5] query_logs {} repeated of inv_1 hits=3 evidence=none",
        "[inv_6] query_logs {} repeated hits=3 evidence=none",
        "[inv_7] query_logs {} partial hits=3 evidence=weak",
    ]


def test_long_parameters_and_reasons_are_cut_in_the_head_line() -> None:
    rows = [row(1, success=False, params={"q": "p" * 500}, failure_reason="z" * 500)]
    params, reason = '{"q":"' + "p" * 194, "z" * 120
    assert tool_trace_summary(rows) == (
        f"[inv_1] query_logs {params} failed TOOL_ERROR: {reason} hits=3 evidence=strong"
    )


def test_a_head_line_can_always_be_stored() -> None:
    tool_trace_summary([row(1, success=False, failure_reason="\ud800 \x00")]).encode("utf-8")


# --- facts and their share --------------------------------------------------------------------------------------------


def test_facts_stand_under_their_call_also_when_it_was_partial() -> None:
    rows = [row(1, output_summary="fact one"), row(2, output_summary="fact two", failure_code="PARTIAL"), row(3)]
    assert tool_trace_summary(rows).splitlines() == [
        "[inv_1] query_logs {} ok hits=3 evidence=strong",
        "fact one",
        "[inv_2] query_logs {} partial hits=3 evidence=strong",
        "fact two",
        "[inv_3] query_logs {} ok hits=3 evidence=strong",
    ]


def test_a_stored_summary_is_preferred_and_an_output_without_one_is_summarised() -> None:
    assert tool_trace_summary([row(1, output=LOGS, output_summary="as stored")]).endswith("\nas stored")
    assert ERROR in tool_trace_summary([row(1, output=LOGS)])


def test_calls_share_the_room_equally_and_use_it() -> None:
    rows = [row(number, output_summary=str(number) * 5000) for number in range(1, 5)]
    text = tool_trace_summary(rows, 2000)
    facts = [line for line in text.splitlines() if not line.startswith("[")]
    assert len({len(line) for line in facts}) == 1
    assert 1990 < len(text) <= 2000


def test_a_share_too_small_to_say_anything_is_not_used() -> None:
    head = len(tool_trace_summary([row(1)]))
    facts = row(1, output_summary="f" * 500)
    assert "f" * 41 in tool_trace_summary([facts], head + 1 + 41)
    assert tool_trace_summary([facts], head + 1 + 40) == tool_trace_summary([row(1)])


def test_the_default_limit_is_twelve_thousand_characters() -> None:
    assert len(tool_trace_summary([row(1, output_summary="f" * 20_000)])) == 12_000


def test_too_many_calls_lose_the_middle_and_keep_both_ends() -> None:
    lines = tool_trace_summary([row(number) for number in range(400)], 1000).splitlines()
    assert lines[0].startswith("[inv_0]")
    assert lines[-1].startswith("[inv_399]")
    assert lines.count("…") == 1
    numbers = [int(line[5:].partition("]")[0]) for line in lines if line != "…"]
    gaps = [left for left, right in itertools.pairwise(numbers) if right != left + 1]
    assert len(gaps) == 1
    assert abs(lines.index("…") - len(lines) // 2) <= 1
    assert len("\n".join(lines)) > 900


def test_one_head_line_longer_than_the_limit_is_cut() -> None:
    text = tool_trace_summary([row(1, params={"q": "p" * 500})], 50)
    assert text == '[inv_1] query_logs {"q":"' + "p" * 25


def test_nothing_called_is_an_empty_trace() -> None:
    assert tool_trace_summary([]) == ""


# --- rule evaluation (G23) --------------------------------------------------------------------------------------------


def test_the_whole_evaluation_of_a_mixed_run() -> None:
    flagged = row(5, injection_flags=("end_of_input", "new_task"))
    assert rule_evaluation((*MIXED, row(6, evidence_level="weak"), flagged)) == {
        "version": "rules_v1",
        "score": 50,
        "grade": "C",
        "evidence_levels": {"strong": 2, "weak": 1, "none": 3},
        "tools": {"lookup_knowledge": 1, "query_logs": 5},
        "issues": [
            "inv_2 query_logs: failed TIMEOUT",
            "inv_3 query_logs: no hit",
            "inv_4 lookup_knowledge: repeated",
            "inv_5 query_logs: suspicious text (end_of_input, new_task)",
        ],
    }


@pytest.mark.parametrize(("strong", "score", "grade"), [(4, 80, "A"), (3, 60, "B"), (2, 40, "C"), (1, 20, "D")])
def test_the_grade_begins_at_its_least_score(strong: int, score: int, grade: str) -> None:
    rows = [row(number, evidence_level="strong" if number < strong else "none") for number in range(5)]
    value = rule_evaluation(rows)
    assert (value["score"], value["grade"]) == (score, grade)


def test_repeats_do_not_lower_the_score() -> None:
    assert rule_evaluation([row(1), row(2, dedup_of="inv_1", evidence_level="none")])["score"] == 100


def test_tools_are_listed_by_name() -> None:
    rows = [row(1, tool_name="query_metrics"), row(2, tool_name="lookup_knowledge"), row(3)]
    assert list(rule_evaluation(rows)["tools"]) == ["lookup_knowledge", "query_logs", "query_metrics"]


def test_a_time_without_a_zone_is_no_instant() -> None:
    assert not same({"start": "2026-01-01T02:10:00"}, {"start": "2026-01-01T02:10:00Z"})


@pytest.mark.parametrize("code", ["NO_HIT", "DEDUPED"])
def test_a_call_that_brought_nothing_shows_no_facts(code: str) -> None:
    rows = [row(1, failure_code=code, output_summary="fact one")]
    assert "fact one" not in tool_trace_summary(rows)


@pytest.mark.parametrize("sizes", [(5000, 300), (300, 5000), (300, 5000, 20, 5000)])
def test_room_that_a_short_call_leaves_goes_to_the_long_ones(sizes: tuple[int, ...]) -> None:
    text = tool_trace_summary([row(number, output_summary="f" * size) for number, size in enumerate(sizes)], 2000)
    assert 1990 < len(text) <= 2000
