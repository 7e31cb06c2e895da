"""SV: the gate's severity bounds the verdict."""

from __future__ import annotations

import pytest

from tests.spec.harness import Spec, binding, check, claim, contract, output

NOWHERE = binding(ids=["inv_999"])


def half() -> dict[str, object]:
    """A contract of two claims; the second one's only binding fails."""
    return contract(claim("c1"), claim("c2", evidence_bindings=[NOWHERE]))


@pytest.mark.parametrize("model", ["PASS", "LOW_CONFID", "REJECT"])
@pytest.mark.parametrize("ceiling", ["PASS", "LOW_CONFID"])
def test_sv_01_the_ceiling_is_a_hard_upper_bound(spec: Spec, model: str, ceiling: str) -> None:
    order = ["REJECT", "LOW_CONFID", "PASS"]
    given = contract() if ceiling == "PASS" else half()
    judged = spec.judge(given, verifier_outputs=[output(check(), verdict=model)])
    assert judged.evaluation["verdict_ceiling"] == ceiling
    assert judged.verdict == min(model, ceiling, key=order.index)


def test_sv_02_severity_reject_goes_to_fallback_without_the_verifier(spec: Spec) -> None:
    judged = spec.judge(contract(claim(evidence_bindings=[NOWHERE])))
    assert judged.gate["severity"] == "reject"
    assert (judged.route, judged.diagnosis["fallback_origin"]) == ("fallback", "gatekeeper")
    assert judged.judged == []


def test_sv_03_no_verdict_is_invented_for_it(spec: Spec) -> None:
    judged = spec.judge(contract(claim(evidence_bindings=[NOWHERE])))
    assert not {"model_verdict", "effective_verdict", "verdict", "groundedness_score"} & judged.evaluation.keys()
    assert judged.evaluation["verifier_status"] == "NOT_RUN"


def test_sv_04_low_confid_severity_downgrades_a_model_pass_and_says_why(spec: Spec) -> None:
    judged = spec.judge(half())
    assert judged.evaluation["model_verdict"] == "PASS"
    assert judged.verdict == "LOW_CONFID"
    assert [item["code"] for item in judged.evaluation["verdict_adjustments"]] == ["ceiling"]


@pytest.mark.parametrize(("model", "effective"), [("LOW_CONFID", "LOW_CONFID"), ("REJECT", "REJECT")])
def test_sv_05_a_model_verdict_at_or_below_the_ceiling_stays(spec: Spec, model: str, effective: str) -> None:
    judged = spec.judge(half(), verifier_outputs=[output(check(), verdict=model)])
    assert judged.verdict == effective


def test_sv_06_the_gate_result_is_kept_whole(spec: Spec) -> None:
    kept = spec.judge(half()).gate
    assert (kept["status"], kept["severity"]) == ("fail", "low_confid")
    assert {row["status"] for row in kept["checked_bindings"]} == {"passed", "failed"}
    assert kept["failed_rules"] == ["evidence.invocation_ref"]
    assert "inv_999" in kept["errors"][0]["message"]
    assert kept["warnings"] == []
