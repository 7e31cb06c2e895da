"""What a result says about itself: who lowered the verdict, which note belongs to which claim, what was refused."""

from __future__ import annotations

from typing import Any

import pytest

from programs.scoring import evaluate, evaluate_protocol
from signatures.contracts import ClaimCheck, EvidenceRef, LiteralFinding
from signatures.protocol import ProtocolError
from tests.programs.test_scoring import CONTRA, DIRECT, INFERRED, UNSUPPORTED, check, judged, projection, protocol

# --- who lowered the verdict (FC-07, G10) -----------------------------------------------------------------------------


def test_an_invented_entity_is_the_models_own_rejection() -> None:
    result = evaluate(projection(True), [check("c1", UNSUPPORTED, fabricated=True)], "PASS")
    assert (result.model_verdict, result.verdict_adjustments) == ("REJECT", ())


def test_an_invented_entity_overrules_a_stated_pass() -> None:
    raw = protocol()
    raw["claim_checks"][0]["fabricated"] = True
    result = evaluate_protocol(raw, projection(True), "PASS")
    assert (result.model_verdict, result.verdict) == ("PASS", "REJECT")
    assert [step.code for step in result.verdict_adjustments] == ["matrix"]


def test_each_lowering_is_recorded_with_what_it_lowered() -> None:
    raw = protocol()
    raw["claim_checks"][0]["classification"] = INFERRED
    result = evaluate_protocol(raw, projection(True), "REJECT")
    assert [(step.code, step.before, step.after) for step in result.verdict_adjustments] == [
        ("matrix", "PASS", "LOW_CONFID"),
        ("ceiling", "LOW_CONFID", "REJECT"),
    ]
    assert all(step.reason for step in result.verdict_adjustments)


# --- warnings name their claim (G12, G14) -----------------------------------------------------------------------------


def finding(text: str = "10.0.0.9", kind: str = "ip", status: Any = "unseen", critical: bool = True) -> LiteralFinding:
    return LiteralFinding(text=text, kind=kind, status=status, critical=critical)


def warned(*findings: LiteralFinding) -> list[tuple[str, str | None, str]]:
    checks = [check("c1", DIRECT), check("c2", DIRECT, literal_findings=findings)]
    result = evaluate(projection(True, True), checks, "PASS")
    return [(note.code, note.claim_id, note.message) for note in result.warnings]


@pytest.mark.parametrize("kind", ["ip", "port", "host", "service", "code", "quoted"])
def test_an_entity_that_no_excerpt_has_is_warned_about_with_its_claim(kind: str) -> None:
    ((code, claim_id, message),) = warned(finding(kind=kind))
    assert (code, claim_id) == ("claim.entity_unseen", "c2")
    assert "10.0.0.9" in message


@pytest.mark.parametrize(
    "harmless",
    [finding(kind="percent"), finding(kind="time"), finding(status="found"), finding(critical=False)],
)
def test_other_findings_are_no_unseen_entity(harmless: LiteralFinding) -> None:
    assert warned(harmless) == []


def test_a_long_entity_does_not_flood_the_warning() -> None:
    ((_, _, message),) = warned(finding(text="x" * 5000, kind="quoted"))
    assert "x" * 60 in message
    assert len(message) < 200


def test_reference_warnings_name_their_claim_and_the_refused_place() -> None:
    refs = (EvidenceRef(source_invocation_id="inv_9", raw_path="$.a"), EvidenceRef(source_invocation_id="inv_8"))
    checks = [check("c1", DIRECT), check("c2", DIRECT, evidence_refs=refs)]
    result = evaluate(projection(True, True), checks, "PASS")
    assert [(note.code, note.claim_id) for note in result.warnings] == [
        ("refs.unresolved", "c2"),
        ("refs.unresolved", "c2"),
        ("refs.none", "c2"),
    ]
    assert "inv_9 $.a" in result.warnings[0].message
    assert result.warnings[1].message.startswith("inv_8  is not")


def test_a_long_reference_does_not_flood_the_warning() -> None:
    ref = EvidenceRef(source_invocation_id="i" * 9000, raw_path="$." + "p" * 9000)
    assert len(judged(DIRECT, evidence_refs=(ref,)).warnings[0].message) < 400


def test_the_reader_learns_why_support_became_none() -> None:
    (lost,) = judged(DIRECT, evidence_refs=(), detail="日志里写着超时").claim_checks
    assert lost.detail == "日志里写着超时 没有对得上的证据引用"
    (bare,) = judged(DIRECT, evidence_refs=()).claim_checks
    assert bare.detail == "没有对得上的证据引用"


# --- incomplete or malformed checks (G13) -----------------------------------------------------------------------------


def refusal(claims: int, ids: list[str]) -> str:
    with pytest.raises(ProtocolError) as error:
        evaluate(projection(*[True] * claims), [check(claim_id, DIRECT) for claim_id in ids], "PASS")
    return str(error.value)


def test_the_refusal_names_the_claims_and_stays_short() -> None:
    assert "missing check for c2, c3;" in refusal(3, ["c1"])
    many = refusal(9, [])
    assert "c1, c2, c3, c4, c5;" in many
    assert "c6" not in many
    assert len(refusal(1, ["c1", "z" * 9000])) < 400


def test_a_malformed_check_is_refused_by_claim_and_field_without_what_the_model_wrote() -> None:
    raw = protocol()
    raw["claim_checks"][0]["detail"] = ["raw text of the model"]
    with pytest.raises(ProtocolError) as error:
        evaluate_protocol(raw, projection(True), "PASS")
    assert error.value.code == "claim_checks"
    assert str(error.value) == "check of 'c1' is malformed: 1 validation error for ClaimCheck detail"


def external(**fields: Any) -> ClaimCheck:
    raw = protocol()
    raw["claim_checks"][0].update(fields)
    return evaluate_protocol(raw, projection(False), "PASS").claim_checks[0]


def test_an_external_check_may_raise_criticality_and_is_not_critical_by_default() -> None:
    assert external(is_critical=True).is_critical is True
    assert external().is_critical is False
    assert external(is_critical=None).is_critical is False


def test_unknown_fields_of_an_external_check_are_ignored_and_null_means_absent() -> None:
    read = external(detail=None, fabricated=None, probabilities="high", basis="guess", note=1)
    assert (read.detail, read.fabricated, read.probabilities, read.basis) == ("", False, {}, "model")


def test_the_suggested_call_of_a_gap_is_read() -> None:
    gap = external(
        evidence_gap={
            "gap_id": "g1",
            "missing": "慢查询",
            "suggested_tool": "query_logs",
            "suggested_params": {"service": ["db"]},
        }
    ).evidence_gap
    assert gap is not None
    assert (gap.suggested_tool, gap.suggested_params) == ("query_logs", {"service": ["db"]})


# --- rationale --------------------------------------------------------------------------------------------------------


def test_the_rationale_counts_the_critical_conclusions_by_class() -> None:
    assert judged(DIRECT, INFERRED, DIRECT).rationale == "关键结论 3 条：直接证实 2 条，合理推断 1 条。"
    assert judged(CONTRA).rationale == "关键结论 1 条：与证据矛盾 1 条。"
    assert judged(DIRECT, critical=False).rationale == "没有关键结论。"
