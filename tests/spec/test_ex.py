"""EX: what the Executor hands over: claims with bindings, everything else apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.spec.harness import CAUSE, KNOWLEDGE, LOGS, METRICS, Spec, binding, claim, contract

TOP = ["answer_version", "claims", "hypotheses", "recommended_actions", "missing_info"]


def _without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != key}


def _invalid(judged: Any) -> None:
    assert judged.evaluation["executor_status"] == "INVALID_OUTPUT"
    assert (judged.route, judged.diagnosis["fallback_origin"]) == ("fallback", "executor")


def _schema_failed(judged: Any) -> None:
    assert judged.gate["failed_rules"] == ["schema.executor_v2"]


def test_ex_01_claims_hypotheses_recommendations_and_missing_info_are_apart(spec: Spec) -> None:
    """A cause told as a hypothesis is never judged nor shown as a claim."""
    judged = spec.judge(contract(hypotheses=[CAUSE], recommended_actions=["先回退"], missing_info=["数据库日志"]))
    assert [item["claim_id"] for item in judged.evaluation["claim_checks"]] == ["c1"]
    assert CAUSE not in judged.answer
    assert "先回退" in judged.answer.split("## 建议（未经验证）")[1]


@pytest.mark.parametrize("key", TOP)
def test_ex_02_each_of_the_five_keys_is_required(spec: Spec, key: str) -> None:
    _invalid(spec.judge(_without(contract(), key)))


@pytest.mark.parametrize("version", ["executor_evidence_v1", "executor_evidence_v3", None, "", "EXECUTOR_EVIDENCE_V2"])
def test_ex_03_the_version_must_be_v2(spec: Spec, version: str | None) -> None:
    _invalid(spec.judge(contract(answer_version=version)))


def test_ex_04_one_fence_is_taken_off_and_prose_is_not(spec: Spec) -> None:
    text = json.dumps(contract(), ensure_ascii=False)
    assert spec.judge(f"```json\n{text}\n```").verdict == "PASS"
    _invalid(spec.judge(f"Here is the answer:\n{text}"))


def test_ex_05_a_diagnosis_summary_is_refused(spec: Spec) -> None:
    _schema_failed(spec.judge(contract(diagnosis_summary="连接池耗尽")))


def test_ex_06_a_user_facing_answer_is_refused(spec: Spec) -> None:
    judged = spec.judge(contract(user_facing_answer="连接池耗尽，请重启"))
    _schema_failed(judged)
    assert "请重启" not in judged.answer


@pytest.mark.parametrize("key", ["claim_id", "claim_type", "claim_text", "support_level", "evidence_bindings"])
def test_ex_07_each_field_of_a_claim_is_required(spec: Spec, key: str) -> None:
    _schema_failed(spec.judge(contract(_without(claim(), key))))


def test_ex_07_a_claim_id_is_used_once(spec: Spec) -> None:
    judged = spec.judge(contract(claim("c1"), claim("c1")))
    _schema_failed(judged)
    assert "c1" in judged.gate["errors"][0]["message"]


@pytest.mark.parametrize(("level", "legal"), [("direct", True), ("indirect", True), ("strong", False), (None, False)])
def test_ex_08_support_level_is_direct_or_indirect(spec: Spec, level: str | None, legal: bool) -> None:
    gate = spec.judge(contract(claim(support_level=level))).gate
    assert (gate["failed_rules"] == []) is legal


@pytest.mark.parametrize("bindings", [[], None, {}])
def test_ex_09_a_claim_has_at_least_one_binding(spec: Spec, bindings: Any) -> None:
    _schema_failed(spec.judge(contract(claim(evidence_bindings=bindings))))


@pytest.mark.parametrize("key", ["source_type", "tool_name", "source_invocation_ids", "evidence_excerpt"])
def test_ex_10_each_field_of_a_binding_is_required(spec: Spec, key: str) -> None:
    _schema_failed(spec.judge(contract(claim(evidence_bindings=[_without(binding(), key)]))))


@pytest.mark.parametrize(
    "change", [{"source_invocation_ids": []}, {"evidence_excerpt": ""}, {"evidence_excerpt": " \n"}]
)
def test_ex_10_and_none_of_them_may_be_empty(spec: Spec, change: dict[str, Any]) -> None:
    _schema_failed(spec.judge(contract(claim(evidence_bindings=[{**binding(), **change}]))))


@pytest.mark.parametrize("source_id", [None, "logs-prod-7"])
def test_ex_11_a_source_id_may_stand_in_a_binding_or_not(spec: Spec, source_id: str | None) -> None:
    assert spec.judge(contract(claim(evidence_bindings=[binding(source_id=source_id)]))).verdict == "PASS"


@pytest.mark.parametrize(
    ("stated", "tools"),
    [
        (binding(), ()),
        (binding("38.84", "$.series[0]", ["inv_2"], tool_name="query_metrics"), ()),
        (binding("pay span 3000ms", "$.spans[0]", ["inv_4"], tool_name="query_traces"), ("query_traces",)),
    ],
)
def test_ex_12_a_binding_may_rest_on_any_evidence_tool(spec: Spec, stated: Any, tools: tuple[str, ...]) -> None:
    traces = {"invocation_id": "inv_4", "tool_name": "query_traces", "output": {"spans": ["pay span 3000ms"]}}
    given = contract(claim(evidence_bindings=[stated]))
    judged = spec.judge(given, invocations=(LOGS, METRICS, KNOWLEDGE, traces), evidence_tools=list(tools))
    assert judged.gate["failed_rules"] == []


def test_ex_12_a_runbook_may_be_cited_as_reference(spec: Spec) -> None:
    cited = binding("maximum-pool-size", "$.chunks[0]", ["inv_3"], tool_name="lookup_knowledge")
    stated = claim("k1", "knowledge_reference", claim_text="手册建议看 maximum-pool-size", evidence_bindings=[cited])
    assert spec.judge(contract(claim(), stated)).gate["failed_rules"] == []


def test_ex_13_a_chunk_id_alone_is_no_evidence(spec: Spec) -> None:
    alone = {**_without(binding(), "source_invocation_ids"), "source_id": "k1"}
    _schema_failed(spec.judge(contract(claim(evidence_bindings=[alone]))))


def test_ex_14_what_the_session_cannot_show_is_missing_info_and_no_claim(spec: Spec) -> None:
    asked = spec.ask("短信验证码服务 sms-service 从 10:05 开始发送失败，是什么原因？")
    assert [item for item in asked.body["claims"] if item["claim_type"] == "root_cause"] == []
    assert any("sms-service" in gap for gap in asked.body["evidence_gaps"])
    assert "判断不了原因" in asked.answer


def test_ex_15_an_unsupported_cause_among_the_claims_is_not_confirmed(spec: Spec) -> None:
    cause = claim("r1", "root_cause", claim_text="运维误删了 redis-9 的 key 导致超时")
    judged = spec.judge(contract(claim(), cause), label={"连接池": "direct_observation", "redis": "direct_observation"})
    assert judged.classes["r1"] == "unsupported"
    assert "redis-9" not in judged.answer.split("## 已确认")[1].split("##")[0]


def test_ex_16_a_runbook_may_shape_the_suggestions(spec: Spec) -> None:
    answer = spec.ask().answer
    assert "手册《" in answer.split("## 建议（未经验证）")[1]


@pytest.mark.parametrize("kind", ["root_cause", "error_event", "context"])
def test_ex_17_a_runbook_is_no_fact_of_the_incident(spec: Spec, kind: str) -> None:
    cited = binding("maximum-pool-size", "$.chunks[0]", ["inv_3"], tool_name="lookup_knowledge")
    stated = claim("k1", kind, claim_text="连接池耗尽", evidence_bindings=[cited])
    judged = spec.judge(contract(claim(), stated))
    assert judged.gate["failed_rules"] == ["evidence.runbook_not_incident"]
    assert "k1" not in judged.classes and judged.verdict == "LOW_CONFID"
