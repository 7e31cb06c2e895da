"""Cases from outside: what enters the gate, and the figures over a labelled file by hand."""

from __future__ import annotations

import json

from programs.case_result import CaseResult, ClaimResult, figures
from programs.contract_case import contract_of
from signatures.contracts import Classification, GatekeeperResult, Verdict
from signatures.verdict_case import VerdictCase


def case(case_id: str, *labels: str) -> VerdictCase:
    claims = [
        {
            "claim_id": f"c{number}",
            "claim_type": "symptom",
            "claim_text": f"断言 {number}",
            "is_critical": True,
            "lang": "zh",
            "difficulty": "easy",
            "evidence": [
                {"source_invocation_id": "i", "tool_name": "query_logs", "raw_path": "$.a", "matched_text": "xx"}
            ],
            "label": label,
            "why": "SECRET-LABEL-REASON",
        }
        for number, label in enumerate(labels)
    ]
    invocations = [{"invocation_id": "i", "tool_name": "query_logs", "output": {"a": "xx"}}]
    return VerdictCase.model_validate(
        {"case_id": case_id, "source": "s", "query": "q", "invocations": invocations, "claims": claims}
    )


def result(case_id: str, verdict: Verdict | None, *labels: Classification) -> CaseResult:
    return CaseResult(
        case_id=case_id,
        claims=tuple(ClaimResult(claim_id=f"c{n}", classification=label) for n, label in enumerate(labels)),
        effective_verdict=verdict,
        gatekeeper_result=GatekeeperResult(status="pass", severity="none"),
        seconds=3.0,
    )


def test_labels_and_reasons_never_enter_the_contract() -> None:
    text = json.dumps(contract_of(case("k", "contradicted")), ensure_ascii=False)
    assert "contradicted" not in text and "SECRET" not in text


def test_figures_by_hand() -> None:
    cases = [case("a", "direct_observation", "unsupported"), case("b", "contradicted")]
    told = [result("a", "LOW_CONFID", "direct_observation", "overstated"), result("b", "PASS", "reasonable_inference")]
    figure = figures(cases, told)
    assert figure["claims"] == 3 and figure["cases"] == 2
    assert figure["supported_balanced_accuracy"] == 0.75
    assert figure["contradicted_recall"] == 0.0
    assert figure["not_supported_taken_as_supported"] == 0.5
    assert figure["unsafe_pass"] == 1
    assert figure["seconds_per_claim"] == 2.0


def test_a_case_without_a_result_is_left_out() -> None:
    assert figures([case("a", "direct_observation")], []) == {"claims": 0}
