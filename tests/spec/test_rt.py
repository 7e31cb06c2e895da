"""RT: the edges of the graph, each taken through the service."""

from __future__ import annotations

import inspect
from dataclasses import fields
from itertools import product
from typing import Any, get_args

import pytest
from dspy.lm15 import AuthError, ServerError

from api.settings import Settings
from programs import routing
from signatures.contracts import ExecutorStatus, Verdict, VerifierStatus
from tests.spec.harness import CAUSE, Spec, binding, check, claim, contract, output

MARK = "zebra-marker-41"
BLOCKS = ("## 已确认", "## 可能方向（未证实）", "## 证据缺口")


def _marked(facts: Any) -> dict[str, Any]:
    """A legal contract of one real fact, with the mark in every place that no verified material has."""
    fact = next(item for item in facts if item.claim_type == "error_event")
    bindings = [item.model_dump(mode="json", exclude_none=True) for item in fact.bindings]
    kept = claim("c1", "error_event", claim_text=fact.text, evidence_bindings=bindings)
    lost = claim("c2", claim_text=f"{MARK} 导致全部故障", evidence_bindings=[binding(ids=["inv_999"])])
    return contract(kept, lost, hypotheses=[f"{MARK} 可能是原因"], missing_info=[f"{MARK} 没有查"])


def _section(answer: str, title: str) -> str:
    return answer.split(title, 1)[1].split("\n## ", 1)[0] if title in answer else ""


def test_rt_01_the_edge_behind_verify_is_a_pure_table_of_status_verdict_ceiling_gaps_and_retries() -> None:
    for status, effective, ceiling, gaps, retries in product(
        get_args(VerifierStatus), (*get_args(Verdict), None), ("PASS", "LOW_CONFID"), (0, 1, 3), (0, 1)
    ):
        edge = routing.after_verify(status, effective, ceiling, gaps, retries)
        if status != "COMPLETED" or effective is None:
            wanted = "fallback"
        elif effective == "LOW_CONFID":
            wanted = "prepare_retry" if ceiling == "PASS" and gaps and not retries else "compose"
        else:
            wanted = {"PASS": "compose", "REJECT": "compose_safe"}[effective]
        assert edge == wanted == routing.after_verify(status, effective, ceiling, gaps, retries)


def test_rt_01_the_route_taken_is_recorded_as_an_event_of_the_graph(spec: Spec) -> None:
    routes = [event["data"]["route"] for event in spec.ask().stored["events"] if event["kind"] == "route"]
    assert routes == ["compose"]


def test_rt_02_the_composer_of_a_pass_gets_only_what_the_verifier_allowed(spec: Spec) -> None:
    asked = spec.ask()
    assert asked.body["verdict"] == "PASS"
    (prompt,) = [text for text in asked.engine.prompts if "写一句结论" in text]
    material = prompt.split("material: ")[-1]
    allowed = " ".join(item["claim_text"] for item in asked.body["claims"])
    assert CAUSE in material
    for line in material.splitlines()[1:]:
        assert line.removeprefix("现象：").rstrip("…")[:20] in allowed


def test_rt_03_no_raw_executor_text_passes_through_a_pass(spec: Spec) -> None:
    asked = spec.ask(executor={"cause": CAUSE, "handles": ["e1", "e2"]})
    assert asked.body["verdict"] == "PASS"
    assert '"cause"' not in asked.answer and '"handles"' not in asked.answer
    judged = spec.judge(contract(hypotheses=[MARK], missing_info=[MARK]))
    assert judged.verdict == "PASS" and MARK not in judged.answer


def test_rt_04_a_user_facing_answer_of_the_executor_never_reaches_the_user(spec: Spec) -> None:
    asked = spec.ask(contracts=[lambda facts: {**_marked(facts), "user_facing_answer": MARK}])
    assert asked.body["route"] == "fallback"
    assert MARK not in asked.answer and not any(MARK in prompt for prompt in asked.engine.prompts)


@pytest.mark.parametrize("why", ["ceiling", "no valid gap", "retried"])
def test_rt_05_low_confid_composes_without_another_planner_cycle(spec: Spec, why: str) -> None:
    if why == "ceiling":
        asked = spec.ask(contracts=[_marked])
    elif why == "no valid gap":
        asked = spec.ask(label="external_unknown")
    else:
        asked = spec.ask(label="unsupported")
    assert (asked.body["verdict"], asked.body["route"]) == ("LOW_CONFID", "composer")
    assert asked.nodes.count("plan") == (2 if why == "retried" else 1)
    assert asked.nodes[-1] == "compose"


def test_rt_06_confirmed_directions_and_gaps_are_separate_blocks(spec: Spec) -> None:
    asked = spec.ask(label="overstated")
    assert [title for title in BLOCKS if title in asked.answer] == list(BLOCKS)
    assert CAUSE not in _section(asked.answer, BLOCKS[0])
    assert CAUSE in _section(asked.answer, BLOCKS[1])


def test_rt_07_one_gap_cycle_and_never_a_second(spec: Spec) -> None:
    asked = spec.ask(label="unsupported")
    assert asked.nodes.count("plan") == 2 and asked.nodes.count("verify") == 2
    assert asked.evaluation["evidence_retry_count"] == 1
    fetched = [event for event in asked.stored["events"] if event["kind"] == "tool_started"]
    assert fetched[-1]["data"]["params"] == {"service": ["mysql-pay"], "contains": "pool"}
    (gap,) = asked.evaluation["evidence_gaps"]
    assert gap["valid"] and gap["claim_id"] == "cause"


@pytest.mark.parametrize(
    "gap",
    [
        {"missing": "缺少连接池的指标", "tool": "format_time", "service": "mysql-pay", "words": "pool"},
        {"missing": "缺少连接池的指标", "tool": "query_logs", "service": "no-such-service", "words": "pool"},
        {"missing": "", "tool": "query_logs", "service": "mysql-pay", "words": "pool"},
        {"missing": "缺少支付网关的日志", "tool": "query_logs", "service": "payment-gateway", "words": "5xx"},
        "not json",
        ServerError("down"),
    ],
)
def test_rt_07_a_gap_that_is_not_valid_starts_no_cycle(spec: Spec, gap: Any) -> None:
    asked = spec.ask(label="unsupported", gap=gap)
    assert asked.body["verdict"] == "LOW_CONFID"
    assert asked.nodes.count("plan") == 1


def test_rt_08_neither_a_score_nor_a_setting_decides_the_retry(spec: Spec) -> None:
    scores = {"unsupported": 0, "overstated": 0}
    for label in scores:
        asked = spec.ask(label=label)
        scores[label] = asked.evaluation["groundedness_score"]
        assert asked.nodes.count("plan") == 2
    assert scores["unsupported"] != scores["overstated"]
    assert set(inspect.signature(routing.after_verify).parameters) == {
        "status",
        "effective",
        "ceiling",
        "valid_critical_gaps",
        "retries",
    }
    assert not [field.name for field in fields(Settings) if "retry" in field.name or "threshold" in field.name]


def test_rt_09_reject_starts_no_supplementation_round(spec: Spec) -> None:
    asked = spec.ask(label="contradicted")
    assert asked.body["verdict"] == "REJECT"
    assert asked.nodes.count("plan") == 1 and asked.calls("gap") == 0


def test_rt_10_reject_goes_to_the_safe_composer(spec: Spec) -> None:
    asked = spec.ask(label="contradicted")
    assert asked.nodes[-1] == "compose_safe" and asked.body["route"] == "composer_safe"
    assert asked.calls("composer") == 0


def test_rt_11_and_says_that_the_evidence_supports_no_reliable_conclusion(spec: Spec) -> None:
    assert "现有证据不足以得出可靠的结论" in spec.ask(label="contradicted").answer


def test_rt_12_no_raw_executor_answer_under_reject(spec: Spec) -> None:
    asked = spec.ask(contracts=[lambda facts: _with_cause(facts, MARK)], label="contradicted")
    assert asked.body["verdict"] == "REJECT" and MARK not in asked.answer


def _with_cause(facts: Any, words: str) -> dict[str, Any]:
    made = _marked(facts)
    bindings = made["claims"][0]["evidence_bindings"]
    cause = claim("r1", "root_cause", claim_text=f"{words} 导致超时", evidence_bindings=bindings)
    return contract(made["claims"][0], cause, missing_info=[words], recommended_actions=[f"重启 {words}"])


@pytest.mark.parametrize("label", ["contradicted", "unsupported", "reasonable_inference", "direct_observation"])
def test_rt_13_no_root_cause_conclusion_under_reject(spec: Spec, label: str) -> None:
    cause = claim("r1", "root_cause", claim_text="payment-gateway 的连接池拿不到连接，所以请求超时")
    given = contract(claim(), claim("c2"), cause)
    checks = [check("c1"), check("c2", "contradicted"), check("r1", label)]
    judged = spec.judge(given, verifier_outputs=[output(*checks)])
    assert judged.verdict == "REJECT"
    assert cause["claim_text"] not in judged.answer and "所以请求超时" not in judged.answer


@pytest.mark.parametrize(
    ("fault", "attempts"),
    [(ServerError("boom"), 2), (TimeoutError("late"), 2), (ValueError("no class"), 2), (AuthError("401"), 1)],
)
def test_rt_14_a_verifier_that_fails_leads_to_fallback(spec: Spec, fault: Exception, attempts: int) -> None:
    def broken(_: dict[str, Any]) -> str:
        raise fault

    asked = spec.ask(label=broken)
    assert (asked.body["route"], asked.body["fallback_origin"]) == ("fallback", "verifier")
    assert len(asked.evaluation["attempts"]) == attempts


def test_rt_15_no_execution_status_is_used_as_a_verdict(spec: Spec) -> None:
    statuses = {*get_args(ExecutorStatus), *get_args(VerifierStatus)}
    assert set(get_args(Verdict)) == {"PASS", "LOW_CONFID", "REJECT"} and not statuses & set(get_args(Verdict))

    def broken(_: dict[str, Any]) -> str:
        raise ServerError("boom")

    asked = spec.ask(label=broken)
    assert asked.body["verdict"] is None and asked.evaluation["verifier_status"] == "INVOCATION_FAILED"
    assert not {"model_verdict", "effective_verdict", "verdict"} & asked.evaluation.keys()


def _twice(facts: Any) -> dict[str, Any]:
    made = _marked(facts)
    cause = {
        **made["claims"][0],
        "claim_id": "r1",
        "claim_type": "root_cause",
        "claim_text": "payment-gateway 因此超时",
    }
    return contract(made["claims"][0], cause)


def test_rt_07_a_second_cycle_that_fails_shows_nothing_of_the_first_as_its_own(spec: Spec) -> None:
    asked = spec.ask(contracts=[_twice, "not json"], label="unsupported")
    assert asked.nodes.count("plan") == 2 and asked.body["route"] == "fallback"
    assert asked.evaluation["verifier_status"] == "NOT_RUN" and asked.evaluation["attempts"] == []
    assert not {"gatekeeper_result", "verified_evidence", "effective_verdict", "verdict"} & asked.evaluation.keys()
    assert asked.evaluation["first_cycle"]["effective_verdict"] == "LOW_CONFID"
    assert asked.body["verdict"] is None and asked.body["claims"] == []


def test_rt_07_the_first_cycle_stays_on_record_beside_the_second(spec: Spec) -> None:
    asked = spec.ask(label="unsupported")
    first = asked.evaluation["first_cycle"]
    assert first["effective_verdict"] == "LOW_CONFID" and len(first["attempts"]) == 1
    assert "first_cycle" not in spec.ask().evaluation
