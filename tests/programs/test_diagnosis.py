"""The graph end to end on shipped incidents with scripted model answers: routes, verdicts, what a user reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from dspy.lm15 import AuthError, ServerError

from programs.diagnosis import DiagnosisProgram
from programs.runtime import RunCancelled, RunContext
from programs.tools.scenario import load_scenario, pick_scenario
from signatures.contracts import DiagnosisResult, RunEvent, ToolInvocation
from tests.scripted.models import Reply, ScriptedDecider, ScriptedEngine, scripted_lms

QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"
CAUSE = (
    "config-center 把 payment-gateway 的 datasource.pool.maximum-pool-size 从 64 改成 8，"
    "导致 HikariPool-pay 连接池耗尽，进而 payment-gateway 大量返回 HTTP 503。"
)


class Asked:
    """One run and everything it handed out."""

    def __init__(self, engine: ScriptedEngine, decider: ScriptedDecider) -> None:
        self.engine, self.decider = engine, decider
        self.events: list[RunEvent] = []
        self.invocations: list[ToolInvocation] = []

    def ask(
        self, question: str, scenario: str | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> DiagnosisResult:
        program = DiagnosisProgram(scripted_lms(self.engine, self.decider))
        source = load_scenario(scenario) if scenario else pick_scenario(question)[0]
        context = RunContext("run-0123456789", source, self.events.append, self.invocations.append, cancelled)
        return program.diagnose(question, context)


def scripted(label: str = "reasonable_inference", **changes: Reply | list[Reply]) -> Asked:
    replies: dict[str, Reply | list[Reply]] = {
        "planner": {"fetch": ["logs payment-gateway"], "words": ["5xx"]},
        "executor": {"cause": CAUSE, "handles": ["e1", "e2"]},
        "composer": {"conclusion": "config-center 把 maximum-pool-size 从 64 改成 8，连接池耗尽，支付网关返回 503。"},
        "gap": {"missing": "缺少连接池的指标", "tool": "query_logs", "service": "mysql-pay", "words": "pool"},
    }
    return Asked(ScriptedEngine(**{**replies, **changes}), ScriptedDecider(label))


def test_the_flagship_question_passes_and_cites_the_change() -> None:
    run = scripted()
    result = run.ask(QUESTION)
    assert (result.verdict, result.route) == ("PASS", "composer")
    conclusion, confirmed = result.answer.split("## 已确认")
    assert "64" in conclusion and "503" in conclusion
    assert "maximum-pool-size 64 -> 8" in confirmed and "[证" in confirmed
    assert any("maximum-pool-size 64 -> 8" in item.quote for item in result.evidence)


def test_an_absence_is_quoted_by_the_sentence_that_was_claimed() -> None:
    result = scripted().ask("搜索服务报警 SearchErrorRateHigh，搜索出了什么故障？")
    claimed = {claim.claim_text for claim in result.claims if claim.claim_type == "negative_observation"}
    quoted = {item.quote for item in result.evidence if item.raw_path == "$.summary"}
    assert quoted and quoted <= claimed


def test_every_invocation_is_handed_over_before_a_claim_cites_it() -> None:
    run = scripted()
    result = run.ask(QUESTION)
    known = {row.invocation_id for row in run.invocations}
    assert known and {ref.source_invocation_id for claim in result.claims for ref in claim.evidence_refs} <= known


def test_an_unsupported_cause_is_never_told_as_confirmed() -> None:
    result = scripted("unsupported").ask(QUESTION)
    assert result.verdict == "LOW_CONFID"
    assert result.answer.startswith("注意：")
    assert CAUSE not in result.answer.split("## 已确认")[1].split("##")[0]
    assert any("因果" in gap for gap in result.evidence_gaps)


def test_a_contradicted_cause_is_withheld_and_the_answer_degraded() -> None:
    run = scripted("contradicted")
    result = run.ask(QUESTION)
    assert (result.verdict, result.route) == ("REJECT", "composer_safe")
    assert CAUSE not in result.answer and "不足以得出可靠的结论" in result.answer
    assert run.engine.calls.get("composer", 0) == 0


def test_a_story_with_a_number_that_no_record_has_is_not_told_and_the_verdict_says_so() -> None:
    wrong = {"cause": CAUSE.replace("从 64 改成 8", "从 64 改成 16"), "handles": ["e1", "e2"]}
    result = scripted(executor=wrong).ask(QUESTION)
    assert not [claim for claim in result.claims if claim.claim_type == "root_cause"]
    assert result.verdict == "LOW_CONFID"
    assert "16" not in result.answer.split("## 已确认")[0] and "原因还没有查实" in result.answer
    warnings = result.self_evaluation["verifier_evaluation"]["gatekeeper_result"]["warnings"]
    assert "answer.no_cause" in [warning["code"] for warning in warnings]
    assert any("因果" in gap for gap in result.evidence_gaps)


def test_a_false_alarm_names_no_cause_and_asks_no_story() -> None:
    run = scripted()
    result = run.ask("搜索服务报警 SearchErrorRateHigh，搜索出了什么故障？")
    assert result.verdict == "PASS"
    assert "没有看到故障" in result.answer and "导致" not in result.answer
    assert run.engine.calls.get("executor", 0) == 0
    assert not [claim for claim in result.claims if claim.claim_type == "root_cause"]


def test_a_question_about_something_absent_says_what_is_missing() -> None:
    run = scripted()
    result = run.ask("短信验证码服务 sms-service 从 10:05 开始发送失败，是什么原因？")
    assert result.verdict == "LOW_CONFID"
    assert "sms-service" in result.answer.split("##")[1]
    before, suggestions = result.answer.split("## 建议")
    assert "payment-gateway" not in before and "payment-gateway" in suggestions
    assert any("sms-service" in gap for gap in result.evidence_gaps)


def test_the_story_is_tried_again_when_code_sees_a_problem() -> None:
    bad = {"cause": "payment-gateway 返回 HTTP 503，导致 payment-gateway 返回 HTTP 503。", "handles": ["e1"]}
    run = scripted(executor=[bad, {"cause": CAUSE, "handles": ["e6"]}])
    result = run.ask(QUESTION)
    assert run.engine.calls["executor"] == 2
    assert CAUSE in [claim.claim_text for claim in result.claims]


def test_a_conclusion_with_a_foreign_number_is_replaced_by_the_verified_cause() -> None:
    run = scripted(composer={"conclusion": "连接池从 64 改成 8，3000 名用户受影响，损失 99999 元。"})
    result = run.ask(QUESTION)
    assert "99999" not in result.answer and CAUSE in result.answer
    assert result.self_evaluation["verifier_evaluation"]["composer_status"] == "FALLBACK"


def test_a_planner_that_writes_nonsense_is_replaced_by_the_default_plan() -> None:
    result = scripted(planner={"steps": "look everywhere"}).ask(QUESTION)
    assert result.verdict == "PASS"


def test_a_planner_that_cannot_be_reached_ends_in_the_planner_fallback() -> None:
    result = scripted(planner=ServerError("boom")).ask(QUESTION)
    assert (result.route, result.fallback_origin, result.verdict) == ("fallback", "planner", None)


def test_a_wrong_key_ends_in_the_planner_fallback_without_a_verdict() -> None:
    run = scripted(planner=AuthError("bad key"))
    result = run.ask(QUESTION)
    assert (result.route, result.fallback_origin, result.verdict) == ("fallback", "planner", None)
    assert result.failure_code == "auth"
    assert "run-0123456789" in result.answer
    evaluation = result.self_evaluation["verifier_evaluation"]
    assert not {"model_verdict", "effective_verdict", "verdict"} & evaluation.keys()


def test_a_dead_story_model_ends_in_the_executor_fallback_that_lists_what_was_read() -> None:
    result = scripted(executor=ServerError("down")).ask(QUESTION)
    assert (result.route, result.fallback_origin, result.verdict) == ("fallback", "executor", None)
    assert "日志" in result.answer and "payment-gateway" not in result.answer


def test_a_broken_judge_is_asked_twice_with_the_same_bytes_and_then_given_up() -> None:
    def broken(state: dict[str, Any]) -> str:
        raise ServerError("no answer")

    run = scripted()
    run.decider.label = broken
    result = run.ask(QUESTION)
    assert (result.route, result.fallback_origin) == ("fallback", "verifier")
    attempts = result.self_evaluation["verifier_evaluation"]["attempts"]
    assert len(attempts) == 2 and len({item["input_sha256"] for item in attempts}) == 1
    assert run.decider.states[0] == run.decider.states[1]


def test_one_gap_cycle_at_most_and_its_calls_are_the_gaps_own() -> None:
    run = scripted("unsupported")
    result = run.ask(QUESTION)
    started = [event.node for event in run.events if event.kind == "node_started"]
    assert started.count("plan") == 2 and run.engine.calls["planner"] == 1
    assert result.self_evaluation["verifier_evaluation"]["evidence_retry_count"] == 1


def test_a_gap_that_the_retry_filled_is_not_shown_any_more() -> None:
    run = scripted()
    labels = iter(["unsupported"])
    run.decider.label = lambda state: next(labels, "reasonable_inference")
    result = run.ask(QUESTION)
    assert result.self_evaluation["verifier_evaluation"]["evidence_retry_count"] == 1
    assert result.verdict == "PASS"
    assert "缺少连接池的指标" not in result.answer and result.evidence_gaps == ()


def test_a_greeting_takes_the_simple_path_without_a_model_call() -> None:
    run = scripted()
    result = run.ask("你好", "payment-pool")
    assert (result.route, result.verdict, run.engine.calls) == ("simple", None, {})


def test_a_runbook_question_shows_the_passage_and_judges_nothing() -> None:
    run = scripted()
    result = run.ask("消费延迟的处置手册是怎么写的？", "broker-disk")
    assert (result.route, run.engine.calls) == ("simple", {})
    assert "手册" in result.answer


def test_a_cancelled_run_stops_at_the_next_step() -> None:
    run = scripted()
    with pytest.raises(RunCancelled):
        run.ask(QUESTION, cancelled=lambda: any(event.node == "execute" for event in run.events))
    assert "verify" not in {event.node for event in run.events}


def test_the_judge_sees_only_the_claims_own_excerpts() -> None:
    run = scripted()
    run.ask(QUESTION)
    (state,) = run.decider.states[:1]
    assert set(state["inputs"]) == {"context", "claim", "excerpts", "findings"}
    assert "batch-03" not in json.dumps(state["inputs"], ensure_ascii=False)


def test_the_result_names_what_each_step_cost() -> None:
    result = scripted().ask(QUESTION)
    assert {"plan", "execute", "gate", "verify", "compose"} <= {cost.step for cost in result.calls}
