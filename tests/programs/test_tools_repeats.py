"""Which calls of a run bring nothing new, and what each answer is worth as evidence (G5, G6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from programs.tools.base import ToolFailure, ToolOutput
from programs.tools.registry import scenario_tools
from programs.tools.runner import ToolRunner
from programs.tools.scenario import load_scenario
from signatures.contracts import ToolInvocation
from tests.programs.test_tools_runner import Scripted, step

Make = Callable[..., Any]


def pair(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[ToolInvocation, ToolInvocation]:
    tools = {"scripted": Scripted(lambda _: ToolOutput({"ok": 1}, 1))}
    left, right = ToolRunner("run-pair", tools).run([step(**first), step(**second)])
    return left, right


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"service": ["a", "b"]}, {"service": ["b", "a"]}),
        ({"service": ["a"], "metric": None}, {"service": ["a"]}),
        ({"start": "2026-01-01T02:10:00+08:00"}, {"start": "2025-12-31T18:10:00Z"}),
        ({"start": "2026-01-01T02:10:00+08:00"}, {"start": "2026-01-01T02:10:00.000000+08:00"}),
        ({"contains": " pool  empty "}, {"contains": "pool empty"}),
        ({"limit": 50}, {"limit": 50.0}),
        ({"start": "0001-01-01T00:00:00+08:00"}, {"start": "0001-01-01T00:00:00+08:00"}),
    ],
    ids=["list order", "null and absent", "zone", "fraction", "blanks", "number", "before all time"],
)
def test_the_same_question_in_other_words_is_a_repeat(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    left, right = pair(first, second)
    assert (left.success, left.new_evidence, left.evidence_level, left.dedup_of) == (True, True, "strong", None)
    assert (right.success, right.failure_code, right.dedup_of) == (True, "DEDUPED", left.invocation_id)
    assert (right.new_evidence, right.evidence_level, right.hit_count, right.output) == (False, "none", 0, None)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"service": ["a"]}, {"service": ["a", "b"]}),
        ({"start": "2026-01-01T02:10:00+08:00"}, {"start": "2026-01-01T02:10:00Z"}),
        ({"metric": "cpu"}, {"metric": "cpu_usage"}),
        ({"service": ["a"]}, {"topic": ["a"]}),
        ({"contains": "ERROR"}, {"contains": "error"}),
    ],
)
def test_another_question_is_fresh(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    assert [row.failure_code for row in pair(first, second)] == [None, None]


def test_another_run_may_ask_again() -> None:
    tools = {"scripted": Scripted(lambda _: ToolOutput({"ok": 1}, 1))}
    assert all(ToolRunner(run, tools).run([step(q=1)])[0].new_evidence for run in ("run-1", "run-2"))


def chunks(*ids: str) -> ToolOutput:
    return ToolOutput({"chunks": [{"chunk_id": one, "text": f"text of {one}"} for one in ids]}, len(ids))


def looked_up(name: str, *answers: ToolOutput) -> list[ToolInvocation]:
    tools = {name: Scripted(lambda params: answers[params["n"]], name, "knowledge")}
    return list(ToolRunner("run-know", tools).run([step(name, n=n) for n in range(len(answers))]))


def test_a_look_up_is_a_repeat_by_the_set_of_chunks_it_returns() -> None:
    rows = looked_up("lookup_knowledge", chunks("a", "b"), chunks("b", "a"), chunks("a"), chunks("b", "a"))
    first = rows[0].invocation_id
    assert [row.dedup_of for row in rows] == [None, first, None, first]
    assert [row.evidence_level for row in rows] == ["strong", "none", "strong", "none"]


def test_other_chunks_of_another_knowledge_tool_are_fresh() -> None:
    assert [row.dedup_of for row in looked_up("search_wiki", chunks("a"), chunks("b"))] == [None, None]


def test_chunks_of_a_wrong_shape_end_nothing() -> None:
    rows = looked_up("lookup_knowledge", ToolOutput({"chunks": 7}, 1), chunks("a"), ToolOutput({"chunks": [None]}, 1))
    assert [row.failure_code for row in rows] == ["TOOL_ERROR", None, None]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (ToolOutput({"logs": [1]}, 1), (True, None, "strong", True)),
        (ToolOutput({"chunks": [1]}, 1, "weak"), (True, None, "weak", True)),
        (ToolOutput({"logs": [1]}, 1, "strong", "PARTIAL", "two of three"), (True, "PARTIAL", "strong", True)),
        (ToolOutput({"logs": []}, 0, "strong", "NO_HIT", "nothing"), (False, "NO_HIT", "none", False)),
        (ToolFailure("no answer", "TIMEOUT"), (False, "TIMEOUT", "none", False)),
        (ToolFailure("too many", "BUDGET_EXCEEDED"), (False, "BUDGET_EXCEEDED", "none", False)),
        (RuntimeError("down"), (False, "TOOL_ERROR", "none", False)),
    ],
    ids=["hit", "low relevance", "partial", "no hit", "timeout", "budget", "error"],
)
def test_what_each_answer_is_worth(answer: ToolOutput | Exception, expected: tuple[Any, ...]) -> None:
    def work(_: Mapping[str, Any]) -> ToolOutput:
        if isinstance(answer, Exception):
            raise answer
        return answer

    (row,) = ToolRunner("run-worth", {"scripted": Scripted(work)}).run([step()])
    assert (row.success, row.failure_code, row.evidence_level, row.new_evidence) == expected
    assert (row.output is None) == isinstance(answer, Exception)


def test_the_shipped_tools_grade_hits_and_absence(scenario_folder: Make, line: Make) -> None:
    folder = scenario_folder([line("09:10:00", "ERROR", "shop", "boom")])
    run = ToolRunner("r", scenario_tools(load_scenario(str(folder))))
    hit, none, metrics, book, unknown = run.run(
        [
            step("query_logs", service=["shop"]),
            step("query_logs", service=["db"]),
            step("query_metrics", service=["db"]),
            step("lookup_knowledge", query="连接池上限"),
            step("lookup_knowledge", query="qqqq zzzz"),
        ]
    )
    assert (hit.evidence_level, none.evidence_level, metrics.evidence_level) == ("strong", "none", "none")
    assert (none.failure_code, metrics.failure_code, unknown.failure_code) == ("NO_HIT", "NO_HIT", "NO_HIT")
    assert book.evidence_level in ("strong", "weak")
    assert none.output["window"]
