from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from programs.scoring import (
    effective_verdict,
    evaluate,
    evaluate_protocol,
    facts_checked,
    groundedness,
    is_critical,
    verdict_matrix,
)
from signatures.contracts import (
    CLASSIFICATIONS,
    ClaimCheck,
    EvidenceRef,
    Verdict,
    VerifiedClaim,
    VerifiedEvidence,
    VerifiedProjection,
    VerifierResult,
)
from signatures.protocol import ProtocolError

ORDER = {"REJECT": 0, "LOW_CONFID": 1, "PASS": 2}
DIRECT, INFERRED, OVER, UNSUPPORTED, UNKNOWN, CONTRA = CLASSIFICATIONS


def projection(*critical: bool) -> VerifiedProjection:
    ids = [f"c{number}" for number in range(1, len(critical) + 1)]
    return VerifiedProjection(
        claims=tuple(
            VerifiedClaim(
                claim_id=claim_id,
                claim_type="error_event",
                claim_text=f"text of {claim_id}",
                support_level="direct",
                is_critical=flag,
                binding_ids=(f"{claim_id}:b1",),
            )
            for claim_id, flag in zip(ids, critical, strict=True)
        ),
        evidence=tuple(
            VerifiedEvidence(
                binding_id=f"{claim_id}:b1",
                run_id="r",
                claim_id=claim_id,
                source_invocation_id=f"inv_{claim_id}",
                tool_name="query_logs",
                raw_path="$.logs[0]",
                matched_text="x",
            )
            for claim_id in ids
        ),
    )


def check(claim_id: str, label: Any, critical: bool = True, **fields: Any) -> ClaimCheck:
    refs = (EvidenceRef(source_invocation_id=f"inv_{claim_id}", raw_path="$.logs[0]"),)
    base: dict[str, Any] = {"evidence_refs": refs, "is_critical": critical, "classification": label}
    return ClaimCheck(claim_id=claim_id, **{**base, **fields})


def judged(*labels: Any, ceiling: Verdict = "PASS", critical: bool = True, **fields: Any) -> VerifierResult:
    checks = [check(f"c{number}", label, critical, **fields) for number, label in enumerate(labels, start=1)]
    return evaluate(projection(*[critical] * len(labels)), checks, ceiling)


# --- matrix and score -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "verdict", "score"),
    [
        ([DIRECT], "PASS", 1.0),
        ([DIRECT, INFERRED], "PASS", 0.8),
        ([DIRECT, INFERRED, INFERRED, INFERRED], "PASS", 0.7),
        ([INFERRED], "LOW_CONFID", 0.6),
        ([INFERRED] * 3, "LOW_CONFID", 0.6),
        ([DIRECT, OVER], "LOW_CONFID", 0.8),
        ([DIRECT, UNSUPPORTED], "LOW_CONFID", 0.5),
        ([DIRECT, UNKNOWN], "LOW_CONFID", 0.5),
        ([DIRECT, INFERRED, UNSUPPORTED], "LOW_CONFID", 0.5333),
        ([UNSUPPORTED], "LOW_CONFID", 0.0),
        ([DIRECT] * 5 + [CONTRA], "REJECT", 0.0),
        ([CONTRA, UNSUPPORTED], "REJECT", 0.0),
        ([], "LOW_CONFID", 0.0),
    ],
)
def test_verdict_and_score_of_critical_labels(labels: list[Any], verdict: str, score: float) -> None:
    assert verdict_matrix(labels) == verdict
    assert groundedness([check(f"c{n}", label) for n, label in enumerate(labels)]) == score
    result = judged(*labels)
    assert (result.effective_verdict, result.groundedness_score) == (verdict, score)


def test_invented_entity_rejects_without_zeroing_the_score() -> None:
    assert verdict_matrix([DIRECT, UNSUPPORTED], fabricated=True) == "REJECT"
    result = evaluate(projection(True, True), [check("c1", DIRECT), check("c2", UNSUPPORTED, fabricated=True)], "PASS")
    assert (result.verdict, result.groundedness_score) == ("REJECT", 0.5)


def test_non_critical_claims_move_neither_verdict_nor_score() -> None:
    for label in CLASSIFICATIONS:
        extra = check("c2", label, critical=False, fabricated=label == UNSUPPORTED)
        result = evaluate(projection(True, False), [check("c1", DIRECT), extra], "PASS")
        assert (result.verdict, result.groundedness_score, result.critical_fact_count) == ("PASS", 1.0, 1)


def test_without_a_critical_claim_there_is_no_pass() -> None:
    result = judged(DIRECT, critical=False)
    assert (result.verdict, result.groundedness_score, result.critical_fact_count) == ("LOW_CONFID", 0.0, 0)


@pytest.mark.parametrize(
    ("claim_type", "incident", "knowledge"),
    [
        *((name, True, True) for name in ("root_cause", "impact", "alert_state", "error_event", "metric_value")),
        *((name, True, True) for name in ("change_event", "negative_observation", "something_new", "")),
        ("context", False, False),
        ("timeline_note", False, False),
        ("knowledge_reference", False, True),
    ],
)
def test_which_claims_decide(claim_type: str, incident: bool, knowledge: bool) -> None:
    assert is_critical(claim_type, "incident") is incident
    assert is_critical(claim_type, "knowledge") is knowledge


@pytest.mark.parametrize(
    ("label", "verification"),
    [
        (DIRECT, "direct_evidence"),
        (INFERRED, "indirect_support"),
        (OVER, "indirect_support"),
        (UNSUPPORTED, "no_evidence"),
        (UNKNOWN, "no_evidence"),
        (CONTRA, "contradicted"),
    ],
)
def test_fact_of_each_class(label: Any, verification: str) -> None:
    (fact,) = facts_checked([check("c1", label, detail="why")], projection(True).claims)
    assert (fact.fact, fact.verification, fact.is_critical) == ("text of c1", verification, True)
    assert "why" in fact.detail
    assert ("overstated" in fact.detail) == (label == OVER)


# --- effective verdict ------------------------------------------------------------------------------------------------

VERDICTS = st.sampled_from(get_args(Verdict))
LABELS = st.lists(st.sampled_from(CLASSIFICATIONS), min_size=1, max_size=6)


@given(VERDICTS, VERDICTS, VERDICTS)
@settings(max_examples=40)
def test_effective_verdict_is_the_lowest(model: Any, matrix: Any, ceiling: Any) -> None:
    effective = effective_verdict(model, matrix, ceiling)
    assert ORDER[effective] == min(ORDER[model], ORDER[matrix], ORDER[ceiling])


@given(LABELS, LABELS, VERDICTS)
@settings(max_examples=60, deadline=None)
def test_nothing_lifts_a_verdict_above_matrix_or_ceiling(labels: list[Any], said: list[Any], ceiling: Any) -> None:
    checks = [
        check(f"c{n}", label, model_classification=said[(n - 1) % len(said)]) for n, label in enumerate(labels, start=1)
    ]
    result = evaluate(projection(*[True] * len(labels)), checks, ceiling)
    assert ORDER[result.verdict] <= min(ORDER[ceiling], ORDER[verdict_matrix(labels)], ORDER[result.model_verdict])
    assert 0.0 <= result.groundedness_score <= 1.0
    assert result.verdict == result.effective_verdict
    assert bool(result.verdict_adjustments) == (result.verdict != result.model_verdict)
    if CONTRA in labels:
        assert (result.verdict, result.groundedness_score) == ("REJECT", 0.0)
    if result.verdict == "PASS":
        assert result.groundedness_score >= 0.5


@pytest.mark.parametrize("ceiling", ["LOW_CONFID", "REJECT"])
def test_ceiling_is_a_hard_bound_and_named(ceiling: Any) -> None:
    result = judged(DIRECT, ceiling=ceiling)
    assert (result.model_verdict, result.verdict, result.verdict_ceiling) == ("PASS", ceiling, ceiling)
    assert [(step.code, step.before, step.after) for step in result.verdict_adjustments] == [
        ("ceiling", "PASS", ceiling)
    ]


def test_model_verdict_is_the_models_own_word_and_the_guards_lower_it() -> None:
    result = judged(CONTRA, model_classification=DIRECT, ceiling="LOW_CONFID")
    assert (result.model_verdict, result.verdict) == ("PASS", "REJECT")
    assert [step.code for step in result.verdict_adjustments] == ["matrix"]


def test_label_stays_direct_under_a_low_ceiling() -> None:
    assert judged(DIRECT, ceiling="LOW_CONFID").claim_checks[0].classification == DIRECT


def test_guard_cannot_lift_what_the_model_refused() -> None:
    result = judged(DIRECT, model_classification=UNSUPPORTED)
    assert (result.model_verdict, result.verdict) == ("LOW_CONFID", "LOW_CONFID")


# --- completeness, refs, criticality ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "code"),
    [
        (["c1"], "claim_checks.missing"),
        (["c1", "c2", "c1"], "claim_checks.duplicate"),
        (["c1", "c2", "c9"], "claim_checks.unknown"),
        ([], "claim_checks.missing"),
    ],
)
def test_each_claim_needs_exactly_one_check(ids: list[str], code: str) -> None:
    with pytest.raises(ProtocolError) as error:
        evaluate(projection(True, True), [check(claim_id, DIRECT) for claim_id in ids], "PASS")
    assert error.value.code == code


def test_checks_come_back_in_the_order_of_the_claims() -> None:
    result = evaluate(projection(True, True), [check("c2", DIRECT), check("c1", DIRECT)], "PASS")
    assert [item.claim_id for item in result.claim_checks] == ["c1", "c2"]


@pytest.mark.parametrize(
    "ref",
    [
        EvidenceRef(source_invocation_id="inv_c9"),
        EvidenceRef(source_invocation_id="inv_c2"),
        EvidenceRef(source_invocation_id="inv_c1", raw_path="$.logs[1]"),
        EvidenceRef(source_invocation_id="inv_c1", tool_name="query_metrics"),
        EvidenceRef(source_invocation_id="inv_c1", claim_id="c2"),
    ],
)
@pytest.mark.parametrize("label", [DIRECT, INFERRED, CONTRA])
def test_support_by_anything_but_the_claims_own_evidence_is_no_support(ref: EvidenceRef, label: Any) -> None:
    checks = [check("c1", label, evidence_refs=(ref,)), check("c2", DIRECT)]
    result = evaluate(projection(True, True), checks, "PASS")
    first = result.claim_checks[0]
    assert first.evidence_refs == ()
    assert first.classification == (CONTRA if label == CONTRA else UNSUPPORTED)
    assert "refs.unresolved" in [note.code for note in result.warnings]
    assert result.verdict != "PASS"


def test_support_without_any_ref_is_no_support() -> None:
    result = judged(DIRECT, evidence_refs=())
    assert result.claim_checks[0].classification == UNSUPPORTED
    assert (result.model_verdict, result.verdict) == ("PASS", "LOW_CONFID")


def test_one_good_ref_is_enough_and_the_bad_one_goes() -> None:
    good = EvidenceRef(source_invocation_id="inv_c1", tool_name="query_logs", raw_path="$.logs[0]", claim_id="c1")
    result = judged(DIRECT, evidence_refs=(EvidenceRef(source_invocation_id="inv_9"), good))
    assert result.claim_checks[0].evidence_refs == (good,)
    assert result.verdict == "PASS"


def test_a_check_may_raise_criticality_but_never_lower_it() -> None:
    raised = evaluate(projection(False), [check("c1", CONTRA, critical=True)], "PASS")
    lowered = evaluate(projection(True), [check("c1", CONTRA, critical=False)], "PASS")
    assert raised.verdict == lowered.verdict == "REJECT"


def test_rationale_is_kept_bounded_and_never_empty() -> None:
    assert len(evaluate(projection(True), [check("c1", DIRECT)], "PASS", "长" * 5000).rationale) == 1000
    assert "直接证实 1 条" in judged(DIRECT, INFERRED).rationale
    assert judged(DIRECT, critical=False).rationale


# --- recorded and external results ------------------------------------------------------------------------------------


def protocol(**fields: Any) -> dict[str, Any]:
    refs = [{"source_invocation_id": "inv_c1", "tool_name": "query_logs", "raw_path": "$.logs[0]"}]
    item = {"claim_id": "c1", "classification": DIRECT, "evidence_refs": refs}
    return {"verdict": "PASS", "rationale": "because", "claim_checks": [item], **fields}


def test_external_result_gets_the_same_derivation() -> None:
    result = evaluate_protocol(protocol(), projection(True), "PASS")
    assert (result.verdict, result.groundedness_score, result.rationale) == ("PASS", 1.0, "because")
    assert result.facts_checked[0].verification == "direct_evidence"
    assert result.warnings == ()


def test_stated_score_and_facts_are_overwritten_with_a_warning() -> None:
    raw = protocol(groundedness_score=0.2, facts_checked=[])
    result = evaluate_protocol(raw, projection(True), "PASS")
    assert result.groundedness_score == 1.0
    assert [note.code for note in result.warnings] == ["score.recomputed", "facts_checked.recomputed"]


@pytest.mark.parametrize(("stated", "label", "verdict"), [("PASS", CONTRA, "REJECT"), ("REJECT", DIRECT, "REJECT")])
def test_stated_verdict_counts_downwards_only(stated: str, label: Any, verdict: str) -> None:
    raw = protocol(verdict=stated)
    raw["claim_checks"][0]["classification"] = label
    result = evaluate_protocol(raw, projection(True), "PASS")
    assert (result.model_verdict, result.verdict) == (stated, verdict)


def test_gap_of_an_external_check_is_read_but_its_validity_is_not() -> None:
    raw = protocol()
    raw["claim_checks"][0]["evidence_gap"] = {"gap_id": "g1", "missing": "慢查询", "valid": True}
    gap = evaluate_protocol(raw, projection(True), "PASS").claim_checks[0].evidence_gap
    assert gap is not None
    assert (gap.missing, gap.valid) == ("慢查询", False)


@pytest.mark.parametrize(
    "broken",
    [
        {"evidence_refs": ["inv_c1"]},
        {"evidence_refs": [{"raw_path": "$"}]},
        {"fabricated": "maybe"},
        {"detail": 7},
        {"evidence_gap": "slow query log"},
        {"evidence_gap": {"missing": "x"}},
    ],
)
def test_malformed_external_check_is_invalid_output(broken: dict[str, Any]) -> None:
    raw = protocol()
    raw["claim_checks"][0].update(broken)
    with pytest.raises(ProtocolError, match="c1"):
        evaluate_protocol(raw, projection(True), "PASS")
