"""IN: the Verifier's input is explicit, verified only, and the same bytes when it is asked again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dspy.lm15 import ServerError

from programs import judging
from tests.spec.harness import CAUSE, KNOWLEDGE, LOGS, METRICS, Spec, binding, claim, contract

KEYS = {"diagnosis_context", "verified_executor_output", "verified_evidence", "gatekeeper_audit", "verdict_ceiling"}
LOST = "zebra-lost-excerpt"


@pytest.fixture
def inputs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What each pass of the Verifier was given, as the text that was hashed."""
    seen: list[dict[str, Any]] = []
    judge = judging.judge

    def spy(run: Any, given: Any) -> Any:
        seen.append(json.loads(given.serialized()))
        return judge(run, given)

    monkeypatch.setattr(judging, "judge", spy)
    return seen


def _mixed() -> dict[str, Any]:
    half = claim("c1", evidence_bindings=[binding(), binding(LOST, "$.logs[0]")])
    return contract(half, claim("c2", claim_text=f"{LOST} 超时", evidence_bindings=[binding(LOST, "$.logs[0]")]))


def test_in_01_the_input_is_built_from_the_state_alone(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.judge(_mixed())
    spec.judge(query="另一个问题")
    spec.judge(_mixed())
    assert inputs[0] == inputs[2] != inputs[1]


def test_in_02_it_has_exactly_its_keys(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.judge()
    assert set(inputs[0]) == KEYS
    assert set(inputs[0]["diagnosis_context"]) == {"question", "question_type"}


def test_in_03_retry_context_is_there_only_after_a_retry_was_prepared(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.ask(label="unsupported")
    first, second = inputs
    assert set(first) == KEYS and set(second) == KEYS | {"retry_context"}
    context = second["retry_context"]
    assert (context["cycle"], context["prior_effective_verdict"]) == (1, "LOW_CONFID")
    assert set(context["gaps"][0]) == {"gap_id", "claim_id", "missing", "suggested_tool", "suggested_params"}
    assert "c1" in context["confirmed_claim_ids"]


def test_in_04_it_holds_no_reasoning_no_raw_text_no_trace_and_no_prompt(
    spec: Spec, inputs: list[dict[str, Any]]
) -> None:
    thinking = '<think>executor-reasoning-7</think>{"cause": "%s", "handles": ["e1", "e2"]}'
    asked = spec.ask(
        planner='<think>planner-reasoning-7</think>{"fetch": ["logs payment-gateway"], "words": ["5xx"]}',
        executor=thinking % CAUSE,
    )
    text = json.dumps(inputs, ensure_ascii=False)
    assert CAUSE in text
    markers = [
        "planner-reasoning-7",
        "executor-reasoning-7",
        '{"cause"',
        '"handles"',
        "找出最早的起因",
        "output_summary",
    ]
    assert [mark for mark in markers if mark in text] == []
    uncited = {row["invocation_id"] for row in asked.stored["invocations"]} - {
        item["source_invocation_id"] for item in inputs[0]["verified_evidence"]
    }
    assert uncited and not [name for name in uncited if f'"{name}"' in text]


def test_in_05_only_material_of_passed_bindings_is_in_it(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.judge(_mixed())
    (given,) = inputs
    assert [item["claim_id"] for item in given["verified_executor_output"]["claims"]] == ["c1"]
    assert given["verified_executor_output"]["claims"][0]["binding_ids"] == ["c1:b1"]
    assert [item["binding_id"] for item in given["verified_evidence"]] == ["c1:b1"]


def test_in_06_failed_or_uncited_material_is_not_even_in_the_audit(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.judge(_mixed())
    text = json.dumps(inputs, ensure_ascii=False)
    assert LOST not in text and "old=64" not in text and "38.84" not in text
    failed = [row for row in inputs[0]["gatekeeper_audit"]["checked_bindings"] if row["status"] == "failed"]
    assert [set(row) for row in failed] == [{"binding_id", "claim_id", "status", "failed_rule", "failure_code"}] * 2


def test_in_07_each_item_keeps_claim_invocation_tool_path_and_text(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.judge()
    (item,) = inputs[0]["verified_evidence"]
    wanted = ("claim_id", "source_invocation_id", "tool_name", "raw_path")
    assert [item[key] for key in wanted] == ["c1", "inv_1", "query_logs", "$.logs[1]"]
    assert "3000ms" in item["matched_text"]


def test_in_08_each_item_leads_back_to_its_passed_binding_of_this_run(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    asked = spec.ask()
    rows = {row["binding_id"]: row for row in asked.evaluation["gatekeeper_result"]["checked_bindings"]}
    for item in inputs[0]["verified_evidence"]:
        assert item["run_id"] == asked.body["run_id"]
        assert rows[item["binding_id"]]["status"] == "passed"
        assert rows[item["binding_id"]]["raw_path"] == item["raw_path"]


def test_in_09_the_audit_and_the_ceiling_are_fields_of_their_own(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.judge(_mixed())
    assert inputs[0]["verdict_ceiling"] == "LOW_CONFID"
    assert inputs[0]["gatekeeper_audit"]["severity"] == "low_confid"
    assert "verdict_ceiling" not in inputs[0]["gatekeeper_audit"]


def test_in_10_a_low_confid_ceiling_prevents_a_pass(spec: Spec) -> None:
    judged = spec.judge(_mixed())
    assert (judged.evaluation["model_verdict"], judged.verdict) == ("PASS", "LOW_CONFID")


def _once_broken(fault: Exception) -> Any:
    faults = [fault]

    def label(_: dict[str, Any]) -> str:
        if faults:
            raise faults.pop()
        return "reasonable_inference"

    return label


@pytest.mark.parametrize("fault", [ServerError("500"), TimeoutError("late"), ValueError("no class")])
def test_in_11_the_second_attempt_gets_the_same_bytes(
    spec: Spec, inputs: list[dict[str, Any]], fault: Exception
) -> None:
    asked = spec.ask(label=_once_broken(fault))
    assert inputs[0] == inputs[1]
    first, second = asked.evaluation["attempts"]
    assert first["input_sha256"] == second["input_sha256"] and second["status"] == "COMPLETED"
    assert asked.judged[0] == asked.judged[1] and asked.body["verdict"] == "PASS"


def test_in_12_executor_gate_and_tools_do_not_run_again(spec: Spec) -> None:
    asked, clean = spec.ask(label=_once_broken(ServerError("500"))), spec.ask()
    assert asked.nodes == clean.nodes
    assert asked.calls("executor") == clean.calls("executor") == 1
    assert len(asked.stored["invocations"]) == len(clean.stored["invocations"])


def test_in_06_uncited_calls_are_not_in_it(spec: Spec, inputs: list[dict[str, Any]]) -> None:
    spec.judge(invocations=(LOGS, METRICS, KNOWLEDGE))
    assert "inv_2" not in json.dumps(inputs) and "inv_3" not in json.dumps(inputs)
