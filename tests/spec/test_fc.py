"""FC: the Verifier checks each claim against verified evidence, and code turns the checks into a verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest

from programs import judging
from tests.spec.harness import CAUSE, Spec, binding, check, claim, contract, output

MARK = "zebra-marker-41"
UNSUPPORTED = ["unsupported", "external_unknown", "overstated"]


def _verdict(spec: Spec, *labels: str, verdict: str = "PASS", **changes: Any) -> Any:
    ids = [f"c{number}" for number in range(len(labels))]
    checks = [check(claim_id, label, **changes) for claim_id, label in zip(ids, labels, strict=True)]
    given = contract(*[claim(claim_id) for claim_id in ids])
    return spec.judge(given, verifier_outputs=[output(*checks, verdict=verdict)])


def test_fc_01_the_verifier_reads_only_the_projection_and_returns_a_structured_verdict(
    spec: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    judge = judging.judge
    monkeypatch.setattr(judging, "judge", lambda run, given: (seen.append(given), judge(run, given))[1])
    lost = claim("c2", claim_text=MARK, evidence_bindings=[binding(ids=["inv_999"])])
    judged = spec.judge(contract(claim(), lost, hypotheses=[MARK]))
    (given,) = seen
    assert set(json.loads(given.serialized())) == {
        "diagnosis_context",
        "verified_executor_output",
        "verified_evidence",
        "gatekeeper_audit",
        "verdict_ceiling",
    }
    assert MARK not in given.serialized() and judged.verdict == "LOW_CONFID"


def test_fc_02_pass_when_critical_claims_are_direct_or_inferred_one_of_them_direct(spec: Spec) -> None:
    judged = _verdict(spec, "direct_observation", "reasonable_inference")
    assert (judged.verdict, judged.evaluation["groundedness_score"]) == ("PASS", 0.8)


@pytest.mark.parametrize(
    "labels",
    [("direct_observation", label) for label in (*UNSUPPORTED, "contradicted")]
    + [("reasonable_inference", "reasonable_inference")],
)
def test_fc_03_no_pass_when_one_condition_fails(spec: Spec, labels: tuple[str, ...]) -> None:
    assert _verdict(spec, *labels).verdict != "PASS"


def test_fc_03_no_pass_under_a_lower_ceiling(spec: Spec) -> None:
    given = contract(claim("c0"), claim("c1", evidence_bindings=[binding(ids=["inv_999"])]))
    assert spec.judge(given, verifier_outputs=[output(check("c0"))]).verdict == "LOW_CONFID"


@pytest.mark.parametrize("label", UNSUPPORTED)
def test_fc_04_low_confid_when_a_critical_claim_lacks_support(spec: Spec, label: str) -> None:
    assert _verdict(spec, "direct_observation", label).verdict == "LOW_CONFID"
    live = spec.judge(label=label)
    assert live.evaluation["model_verdict"] == live.verdict == "LOW_CONFID"


@pytest.mark.parametrize("count", [1, 3])
def test_fc_05_low_confid_when_everything_is_inferred(spec: Spec, count: int) -> None:
    assert _verdict(spec, *["reasonable_inference"] * count).verdict == "LOW_CONFID"


def test_fc_06_reject_when_a_critical_claim_contradicts_its_evidence(spec: Spec) -> None:
    assert _verdict(spec, *["direct_observation"] * 5, "contradicted").verdict == "REJECT"
    live = spec.judge(label="contradicted")
    assert live.evaluation["model_verdict"] == live.verdict == "REJECT"


@pytest.mark.parametrize("wrong", ["请求在 5000ms 后超时", "连接池总数 total=16"])
def test_fc_06_a_number_that_the_record_states_otherwise_contradicts_whatever_the_model_says(
    spec: Spec, wrong: str
) -> None:
    judged = spec.judge(contract(claim(claim_text=f"payment-gateway {wrong}")))
    assert judged.classes == {"c1": "contradicted"} and judged.verdict == "REJECT"
    assert judged.evaluation["model_verdict"] == "PASS"


def test_fc_07_reject_when_a_check_says_fabricated(spec: Spec) -> None:
    assert _verdict(spec, "unsupported", fabricated=True).verdict == "REJECT"


@pytest.mark.parametrize("named", ["redis-9", "错误码 ORA-01555", "主机 10.9.8.7"])
def test_fc_07_a_name_that_no_excerpt_has_caps_the_verdict_and_is_noted(spec: Spec, named: str) -> None:
    judged = spec.judge(contract(claim(), claim("c2", claim_text=f"payment-gateway 的超时来自 {named}")))
    assert judged.classes["c2"] == "unsupported" and judged.verdict == "LOW_CONFID"
    assert "claim.entity_unseen" in [note["code"] for note in judged.evaluation["warnings"]]


def test_fc_08_every_claim_has_exactly_one_check(spec: Spec) -> None:
    given = contract(claim("c1"), claim("c2"), claim("c3", "context"))
    judged = spec.judge(given)
    assert [item["claim_id"] for item in judged.evaluation["claim_checks"]] == ["c1", "c2", "c3"]


@pytest.mark.parametrize("ids", [["c1"], ["c1", "c1"], ["c1", "c2", "c2"], ["c1", "c2", "c9"], []])
def test_fc_08_a_missing_double_or_unknown_check_is_invalid_output(spec: Spec, ids: list[str]) -> None:
    stated = {**output(), "claim_checks": [check(claim_id) for claim_id in ids]}
    judged = spec.judge(contract(claim("c1"), claim("c2")), verifier_outputs=[stated])
    assert (judged.evaluation["verifier_status"], judged.route) == ("INVALID_OUTPUT", "fallback")


@pytest.mark.parametrize(
    "ref",
    [
        {"source_invocation_id": "inv_999"},
        {"source_invocation_id": "inv_2", "tool_name": "query_logs", "raw_path": "$.logs[1]"},
        {"source_invocation_id": "inv_1", "tool_name": "query_metrics"},
        {"source_invocation_id": "inv_1", "raw_path": "$.logs[0]"},
        {"source_invocation_id": "inv_1", "claim_id": "c2"},
    ],
)
def test_fc_09_a_ref_that_matches_no_evidence_of_the_claim_is_not_accepted(spec: Spec, ref: dict[str, Any]) -> None:
    good = check()["evidence_refs"][0]
    found = spec.judge(verifier_outputs=[output(check(evidence_refs=[ref, good]))]).evaluation
    (kept,) = found["claim_checks"][0]["evidence_refs"]
    assert (kept["source_invocation_id"], kept["raw_path"]) == ("inv_1", "$.logs[1]")
    assert "refs.unresolved" in [note["code"] for note in found["warnings"]]


@pytest.mark.parametrize("label", ["direct_observation", "reasonable_inference"])
def test_fc_10_without_matching_evidence_a_claim_is_not_supported(spec: Spec, label: str) -> None:
    judged = spec.judge(verifier_outputs=[output(check(classification=label, evidence_refs=[]))])
    assert judged.classes == {"c1": "unsupported"} and judged.verdict == "LOW_CONFID"


def test_fc_11_nothing_of_the_raw_executor_text_reaches_the_verifier_or_the_evaluation(spec: Spec) -> None:
    given = contract(claim(), hypotheses=[MARK], recommended_actions=[f"重启 {MARK}"], missing_info=[MARK], extra=MARK)
    judged = spec.judge(f"<think>{MARK}</think>" + json.dumps(given, ensure_ascii=False))
    assert judged.verdict == "PASS"
    assert MARK not in json.dumps([judged.judged, judged.evaluation], ensure_ascii=False)


def test_fc_12_without_a_legal_contract_fallback_follows_the_executor(spec: Spec) -> None:
    asked = spec.ask(contracts=["no contract"])
    assert asked.nodes == ["plan", "execute", "fallback"]


def test_fc_13_the_verifier_then_does_not_run_and_no_verdict_is_invented(spec: Spec) -> None:
    asked = spec.ask(contracts=["no contract"])
    assert asked.calls("verifier") == 0 and asked.evaluation["verifier_status"] == "NOT_RUN"
    assert not {"model_verdict", "effective_verdict", "verdict"} & asked.evaluation.keys()
    assert asked.body["verdict"] is None and CAUSE not in asked.answer
