"""NE: a call that brought nothing stays visible, and is never taken for evidence."""

from __future__ import annotations

from typing import Any

import pytest

from programs.tools.base import ToolFailure
from programs.tools.query_logs import QueryLogs
from programs.tools.query_metrics import QueryMetrics
from tests.spec.harness import KNOWLEDGE, LOGS, Spec, binding, claim, contract
from tests.spec.test_zh import readable

EMPTY: dict[str, Any] = {
    **LOGS,
    "success": False,
    "failure_code": "NO_HIT",
    "params": {"service": ["payment-gateway"], "contains": "OutOfMemory"},
    "output": {
        "logs": [],
        "summary": {"service": ["payment-gateway"], "contains": "OutOfMemory", "matched": 0, "scanned": 3725},
    },
}
NOTHING = binding('"matched":0', "$.summary")


def _broken(code: str) -> Any:
    def bind(self: Any, params: Any) -> Any:
        raise ToolFailure("the store is down", code)  # type: ignore[arg-type]

    return bind


@pytest.fixture
def all_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    from programs.tools.lookup_knowledge import LookupKnowledge

    for tool in (QueryLogs, QueryMetrics, LookupKnowledge):
        monkeypatch.setattr(tool, "bind", _broken("TOOL_ERROR"))


def test_ne_01_failed_empty_and_repeated_calls_are_told_apart(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QueryMetrics, "bind", _broken("TOOL_ERROR"))
    twice = {"fetch": ["logs payment-gateway", "logs mysql-pay"], "words": ["zebra41"]}
    gap = {"missing": "缺少连接池的指标", "tool": "query_logs", "service": "mysql-pay", "words": "zebra42"}
    asked = spec.ask(planner=twice, gap=gap, label="unsupported")
    codes = {row["failure_code"] for row in asked.stored["invocations"]}
    assert {"TOOL_ERROR", "NO_HIT", None} <= codes
    traced = "\n".join(event["data"]["summary"] for event in asked.stored["events"] if event["kind"] == "trace")
    for row in asked.stored["invocations"]:
        (line,) = [line for line in traced.splitlines() if line.startswith(f"[{row['invocation_id']}]")]
        told = {"TOOL_ERROR": "failed TOOL_ERROR", "NO_HIT": "no hit", "DEDUPED": "repeated of", None: " ok "}
        assert told[row["failure_code"]] in line
    assert asked.body["route"] == "composer" and readable(asked.answer)


def test_ne_02_a_failed_call_is_a_gap_with_its_tool_and_code(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QueryMetrics, "bind", _broken("TOOL_ERROR"))
    asked = spec.ask()
    told = [gap for gap in asked.body["evidence_gaps"] if "指标" in gap and "TOOL_ERROR" in gap]
    assert told and told[0] in asked.answer.split("## 证据缺口")[1]


@pytest.mark.usefixtures("all_fail")
def test_ne_03_when_every_tool_fails_there_is_still_an_answer(spec: Spec) -> None:
    asked = spec.ask()
    assert {row["success"] for row in asked.stored["invocations"]} == {False}
    assert readable(asked.answer) and asked.body["verdict"] in (None, "LOW_CONFID")
    assert "导致" not in asked.answer and "失败" in asked.answer + "".join(asked.body["evidence_gaps"])


def test_ne_04_a_repeated_look_up_brings_no_new_evidence(spec: Spec) -> None:
    asked = spec.ask(planner={"fetch": ["runbook"], "words": []})
    repeated = [row for row in asked.stored["invocations"] if row["failure_code"] == "DEDUPED"]
    assert repeated
    for row in repeated:
        assert (row["evidence_level"], row["new_evidence"], row["hit_count"]) == ("none", False, 0)
        assert row["dedup_of"] in {item["invocation_id"] for item in asked.stored["invocations"]}
    counted = asked.container["rule_evaluation"]["evidence_levels"]
    assert counted["none"] >= len(repeated)


def test_ne_05_and_cannot_be_cited(spec: Spec) -> None:
    again = {**LOGS, "invocation_id": "inv_5", "failure_code": "DEDUPED", "dedup_of": "inv_1"}
    judged = spec.judge(contract(claim(evidence_bindings=[binding(ids=["inv_5"])])), invocations=[LOGS, again])
    (row,) = judged.gate["checked_bindings"]
    assert (row["failed_rule"], row["failure_code"]) == ("evidence.usable", "DEDUPED_NO_NEW_EVIDENCE")
    assert "inv_1" in judged.gate["errors"][0]["message"] and judged.route == "fallback"


def test_ne_05_what_was_not_found_shows_absence_in_its_window_and_never_directly(spec: Spec) -> None:
    stated = claim(
        claim_type="negative_observation",
        claim_text="10:00 到 10:30，payment-gateway 的日志里没有 OutOfMemory",
        evidence_bindings=[NOTHING],
    )
    judged = spec.judge(contract(stated), invocations=[EMPTY, KNOWLEDGE])
    assert judged.gate["status"] == "pass"
    assert judged.classes == {"c1": "reasonable_inference"} and judged.verdict == "LOW_CONFID"


@pytest.mark.parametrize("text", ["payment-gateway 的日志里没有 OutOfMemory", "没有内存问题"])
def test_ne_05_an_absence_without_its_window_caps_the_verdict(spec: Spec, text: str) -> None:
    stated = claim("n1", "negative_observation", claim_text=text, evidence_bindings=[NOTHING])
    judged = spec.judge(contract(stated), invocations=[EMPTY])
    assert judged.evaluation["verdict_ceiling"] == "LOW_CONFID"
    assert [note["code"] for note in judged.gate["warnings"]] == ["claim.window_missing"]
