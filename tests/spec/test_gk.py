"""GK: the gate checks every binding deterministically, between parsing and the Verifier."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from tests.spec.harness import KNOWLEDGE, LOGS, METRICS, Spec, binding, claim, contract

SCHEMA = "schema.executor_v2"
REF = "evidence.invocation_ref"
OTHER_RUN = {**LOGS, "invocation_id": "inv_8", "run_id": "another-run-of-the-session"}


def _refused(judged: Any, rule: str) -> None:
    assert judged.gate["status"] == "fail"
    assert rule in judged.gate["failed_rules"]
    assert judged.route == "fallback"


def test_gk_01_the_gate_is_a_node_of_its_own_before_the_verifier_and_needs_no_model(
    spec: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("the gate opened a connection")

    asked = spec.ask()
    assert asked.nodes.index("execute") < asked.nodes.index("gate") < asked.nodes.index("verify")
    monkeypatch.setattr(socket, "create_connection", no_network)
    given = contract(claim(evidence_bindings=[binding(ids=["inv_999"])]))
    first, second = spec.judge(given), spec.judge(given)
    assert first.gate == second.gate
    assert first.engine.calls == {} and first.judged == []


@pytest.mark.parametrize("removed", ["diagnosis_summary", "user_facing_answer"])
@pytest.mark.parametrize("value", ["x", None, {}])
def test_gk_02_a_removed_field_fails_the_schema_even_as_null(spec: Spec, removed: str, value: Any) -> None:
    _refused(spec.judge(contract(**{removed: value})), SCHEMA)


@pytest.mark.parametrize("bindings", [None, [], "absent"])
def test_gk_03_a_claim_without_bindings_fails_the_schema(spec: Spec, bindings: Any) -> None:
    stated = claim(evidence_bindings=bindings)
    if bindings == "absent":
        del stated["evidence_bindings"]
    _refused(spec.judge(contract(stated)), SCHEMA)


@pytest.mark.parametrize("wrong", ["inv-999", "inv_8", "id:inv_1", "INV_1", "Summary of inv_1", " inv_1"])
def test_gk_04_an_id_that_is_no_call_of_this_run_fails_the_reference(spec: Spec, wrong: str) -> None:
    given = contract(claim(evidence_bindings=[binding(ids=[wrong])]))
    _refused(spec.judge(given, invocations=(LOGS, OTHER_RUN)), REF)


def test_gk_05_the_tool_of_the_call_must_be_the_one_named(spec: Spec) -> None:
    judged = spec.judge(contract(claim(evidence_bindings=[binding(tool_name="query_metrics")])))
    _refused(judged, REF)
    assert judged.gate["checked_bindings"][0]["failure_code"] == "TOOL_MISMATCH"


def test_gk_06_matching_ids_tools_and_paths_pass(spec: Spec) -> None:
    assert spec.judge().gate["status"] == "pass"


def test_gk_07_a_pass_has_no_failed_rules(spec: Spec) -> None:
    gate = spec.judge(contract(extra_key=1)).gate
    assert gate["failed_rules"] == []
    assert [note["code"] for note in gate["warnings"]] == ["schema.unknown_key"]


@pytest.mark.parametrize("given", [contract(diagnosis_summary="x"), contract(claim(evidence_bindings=[binding("?")]))])
def test_gk_08_a_rejecting_gate_goes_straight_to_fallback(spec: Spec, given: Any) -> None:
    judged = spec.judge(given)
    assert (judged.route, judged.diagnosis["fallback_origin"]) == ("fallback", "gatekeeper")


def test_gk_09_the_verifier_does_not_run_behind_a_rejecting_gate(spec: Spec) -> None:
    nowhere = contract(claim(evidence_bindings=[binding(ids=["inv_999"])]))
    asked = spec.ask(contracts=[nowhere])
    assert (asked.body["route"], asked.calls("verifier")) == ("fallback", 0)
    assert "verify" not in asked.nodes and asked.evaluation["verifier_status"] == "NOT_RUN"


def test_gk_10_with_some_bindings_passed_only_those_reach_the_verifier(spec: Spec) -> None:
    mixed = claim("c1", evidence_bindings=[binding(), binding("old=64 new=8", "$.logs[7]")])
    judged = spec.judge(contract(mixed, claim("c2", evidence_bindings=[binding(ids=["inv_999"])])))
    assert [item["binding_id"] for item in judged.evaluation["verified_evidence"]] == ["c1:b1"]
    assert len(judged.judged) == 1 and "old=64" not in judged.judged[0]["excerpts"]


def test_gk_11_and_the_effective_verdict_is_at_most_low_confid(spec: Spec) -> None:
    judged = spec.judge(contract(claim("c1"), claim("c2", evidence_bindings=[binding(ids=["inv_999"])])))
    assert judged.evaluation["model_verdict"] == "PASS"
    assert judged.evaluation["effective_verdict"] == "LOW_CONFID"


@pytest.mark.parametrize(
    ("bad", "rule", "code"),
    [
        (binding(raw_path="$.logs[9]"), "evidence.raw_path", "PATH_NOT_FOUND"),
        (binding(raw_path="$.logs[*]"), "evidence.raw_path", "PATH_NOT_FOUND"),
        (binding(raw_path="$.logs[-1]"), "evidence.raw_path", "PATH_NOT_FOUND"),
        (binding("no such words", None), "evidence.raw_path", "PATH_MISSING"),
        (binding("connection IS NOT available"), "evidence.excerpt_match", "EXCERPT_NOT_FOUND"),
        (binding("8"), "evidence.excerpt_match", "EXCERPT_TOO_SHORT"),
    ],
)
def test_gk_06_paths_and_excerpts_must_hold(spec: Spec, bad: dict[str, Any], rule: str, code: str) -> None:
    judged = spec.judge(contract(claim(evidence_bindings=[bad])))
    row = judged.gate["checked_bindings"][0]
    assert (row["failed_rule"], row["failure_code"]) == (rule, code)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ({"success": False, "failure_code": "TIMEOUT"}, "TIMEOUT"),
        ({"success": False, "failure_code": "NO_HIT"}, "NO_HIT"),
        ({"failure_code": "DEDUPED", "dedup_of": "inv_2"}, "DEDUPED_NO_NEW_EVIDENCE"),
        ({"tool_name": "format_time"}, "HELPER_TOOL"),
    ],
)
def test_gk_06_a_call_without_evidence_supports_nothing(spec: Spec, call: dict[str, Any], code: str) -> None:
    used = {**LOGS, **call}
    stated = claim(evidence_bindings=[binding(tool_name=used["tool_name"])])
    judged = spec.judge(contract(stated), invocations=(used, METRICS, KNOWLEDGE))
    assert judged.gate["failed_rules"] == ["evidence.usable"]
    assert judged.gate["checked_bindings"][0]["failure_code"] == code
