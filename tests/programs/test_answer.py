"""What may stand in an answer, verdict by verdict: REJECT shows direct observations only and repeats no cause."""

from __future__ import annotations

from programs.answer import blocks_of
from programs.scoring import evaluate
from programs.state import State
from programs.templates import render_answer
from signatures.contracts import (
    ClaimCheck,
    Classification,
    EvidenceRef,
    GatekeeperResult,
    GateOutcome,
    VerifiedClaim,
    VerifiedEvidence,
    VerifiedProjection,
    VerifierResult,
)

TEXTS = {
    "direct": "磁盘用了 100%。",
    "inferred": "后面的写入都会失败。",
    "wrong": "内存没有变化。",
    "cause": "清理任务停了，导致磁盘写满。",
}


def state(**labels: Classification) -> State:
    claims, evidence, checks = [], [], []
    for claim_id, label in labels.items():
        kind = "root_cause" if claim_id == "cause" else "metric_value"
        claims.append(
            VerifiedClaim(
                claim_id=claim_id,
                claim_type=kind,
                claim_text=TEXTS[claim_id],
                support_level="direct",
                is_critical=True,
                binding_ids=(f"{claim_id}:b1",),
            )
        )
        evidence.append(
            VerifiedEvidence(
                binding_id=f"{claim_id}:b1",
                run_id="r",
                claim_id=claim_id,
                source_invocation_id="inv_1",
                tool_name="query_metrics",
                raw_path=f"$.series[{len(evidence)}].stats",
                matched_text="{}",
            )
        )
        refs = (EvidenceRef(source_invocation_id="inv_1", raw_path=evidence[-1].raw_path),)
        checks.append(ClaimCheck(claim_id=claim_id, is_critical=True, classification=label, evidence_refs=refs))
    projection = VerifiedProjection(claims=tuple(claims), evidence=tuple(evidence))
    result: VerifierResult = evaluate(projection, checks, "PASS")
    gate = GateOutcome(
        result=GatekeeperResult(status="pass", severity="none"),
        ceiling="PASS",
        projection=projection,
    )
    contract = {"recommended_actions": ["先回退清理任务的改动", "处置步骤可参考手册《磁盘写满》"], "missing_info": []}
    return State(question="q", question_type="incident", gate=gate, verifier_result=result, contract=contract)


def test_reject_confirms_direct_observations_only_and_repeats_no_cause() -> None:
    rejected = state(
        direct="direct_observation", inferred="reasonable_inference", wrong="contradicted", cause="unsupported"
    )
    blocks, cause = blocks_of(rejected)
    answer = render_answer(blocks, "REJECT")
    assert [text for text, _ in blocks.confirmed] == [TEXTS["direct"]]
    assert cause == "" and "清理任务" not in answer and "导致" not in answer
    assert not any(TEXTS[name] in answer for name in ("inferred", "wrong", "cause"))
    assert blocks.suggestions == ("处置步骤可参考手册《磁盘写满》",)


def test_low_confidence_keeps_inferences_and_names_the_unproven_cause_apart() -> None:
    blocks, cause = blocks_of(state(direct="direct_observation", inferred="reasonable_inference", cause="unsupported"))
    assert [text for text, _ in blocks.confirmed] == [TEXTS["direct"], TEXTS["inferred"]]
    assert cause == "" and blocks.directions == (TEXTS["cause"],)
    assert any("因果" in gap for gap in blocks.gaps)


def test_pass_gives_the_cause_and_every_suggestion() -> None:
    blocks, cause = blocks_of(state(direct="direct_observation", cause="reasonable_inference"))
    assert cause == blocks.conclusion == TEXTS["cause"]
    assert len(blocks.suggestions) == 2 and blocks.gaps == ()


def test_a_verified_cause_below_pass_is_only_a_direction() -> None:
    held_back = state(direct="unsupported", cause="reasonable_inference")
    blocks, cause = blocks_of(held_back)
    assert cause == "" and blocks.directions == (TEXTS["cause"],)
