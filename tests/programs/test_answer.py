"""What may stand in an answer, verdict by verdict: REJECT shows direct observations only and repeats no cause."""

from __future__ import annotations

import pytest

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
    assert not any(TEXTS["cause"][:9] in gap for gap in blocks.gaps), "said once, as a direction"


def test_a_long_claim_that_a_gap_names_is_cut_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "订单服务在夜里发布之后开始反复重启，日志里反复出现连接被拒绝的报错，"
    long += "怀疑是因为打开了配置项 trace.debug.enabled 之后内存不够"
    monkeypatch.setitem(TEXTS, "direct", long)
    blocks, _ = blocks_of(state(direct="unsupported", cause="reasonable_inference"))
    (gap,) = [gap for gap in blocks.gaps if "订单服务" in gap]
    assert gap.endswith("配置项…")


def test_pass_gives_the_cause_and_every_suggestion() -> None:
    blocks, cause = blocks_of(state(direct="direct_observation", cause="reasonable_inference"))
    assert cause == blocks.conclusion == TEXTS["cause"]
    assert len(blocks.suggestions) == 2 and blocks.gaps == ()


def test_a_verified_cause_below_pass_is_only_a_direction() -> None:
    held_back = state(direct="unsupported", cause="reasonable_inference")
    blocks, cause = blocks_of(held_back)
    assert cause == "" and blocks.directions == (TEXTS["cause"],)
