"""Evidence gaps: what is missing for a critical claim, and the one retry that may fill it (RT-07, G7, G8)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dspy

from programs.evidence import dedup_key
from programs.failures import failure_of
from programs.record_lines import excerpt_text
from programs.runtime import RunCancelled
from programs.state import Run, State
from programs.tools.registry import EVIDENCE_TOOLS
from signatures.contracts import ClaimCheck, EvidenceGap, VerifierInput, VerifierResult
from signatures.verifier import NameEvidenceGap, gap_signature

# A gap of such a claim may be filled by looking again; not what contradicts or lies outside the data (G7).
GAP_LABELS = frozenset({"unsupported", "overstated", "reasonable_inference"})


class GapNamer(dspy.Module):
    """Asks what is missing for one critical claim; used only where the answer could start the one retry."""

    def __init__(self) -> None:
        super().__init__()
        self.name = dspy.Predict(NameEvidenceGap)

    def forward(self, claim: str, excerpts: str, services: tuple[str, ...]) -> dspy.Prediction:
        signature = gap_signature(EVIDENCE_TOOLS[:2], services)
        return self.name(claim=claim, excerpts=excerpts[:400], signature=signature, config={"max_tokens": 90})


def stated_gaps(state: State, result: VerifierResult) -> tuple[EvidenceGap, ...]:
    """The gaps that a recorded output states, their validity computed (G7); no cycle follows an external contract."""
    return tuple(
        check.evidence_gap.model_copy(update={"valid": not reason, "reason": reason})
        for check in result.claim_checks
        if check.evidence_gap is not None
        for reason in [_gap_problem(state, check, check.evidence_gap)]
    )


def named_gaps(run: Run, state: State, given: VerifierInput, result: VerifierResult) -> tuple[EvidenceGap, ...]:
    """Ask for the gap of the one critical claim that could start the retry; validity is code's word (G7)."""
    verdict = result.effective_verdict
    if verdict != "LOW_CONFID" or state.retries > 0 or given.verdict_ceiling != "PASS":
        # What the retry filled is no gap any more.
        return state.gaps if state.retries and verdict == "LOW_CONFID" else ()
    doubtful = [
        check
        for check in result.claim_checks
        if check.is_critical and check.classification in GAP_LABELS and check.basis == "model"
    ]
    if not doubtful:
        return ()
    check = doubtful[0]
    claim = next(c for c in given.verified_executor_output.claims if c.claim_id == check.claim_id)
    services = tuple(service.name for service in run.context.scenario.services)
    try:
        word = run.program.gap(
            claim=claim.claim_text,
            excerpts=excerpt_text(given.evidence_of(claim.claim_id)),
            services=services,
        )
    except RunCancelled:
        raise
    except Exception as error:
        run.log.emit("verify", "note", "没能说出缺什么证据", reason=failure_of(error)[1])
        return ()
    params: dict[str, Any] = {"service": [str(word.service)]}
    if word.tool == "query_logs" and str(word.words).strip():
        params["contains"] = str(word.words).strip()
    gap = EvidenceGap(
        gap_id="g1",
        claim_id=claim.claim_id,
        missing=str(word.missing).strip(),
        suggested_tool=str(word.tool),
        suggested_params=params,
    )
    reason = _gap_problem(state, check, gap)
    return (gap.model_copy(update={"valid": not reason, "reason": reason}),)


def _gap_problem(state: State, check: ClaimCheck, gap: EvidenceGap) -> str:
    """Why a gap may not start the retry; empty when it may (G7)."""
    if not check.is_critical:
        return "不是关键结论"
    if check.classification not in GAP_LABELS:
        return "这类判断补查也改变不了"
    if not gap.missing.strip():
        return "没有说清缺什么"
    if gap.suggested_tool not in EVIDENCE_TOOLS:
        return "没有这个查询工具"
    made = {dedup_key(row.tool_name, row.params) for row in state.invocations}
    if dedup_key(gap.suggested_tool, gap.suggested_params) in made:
        return "这个查询本次已经做过"
    return ""


def prepare_retry(run: Run, state: State) -> State:
    """Count the cycle before it starts and say what it is for (RT-07, G8)."""
    result = state.verifier_result
    valid = tuple(gap for gap in state.gaps if gap.valid)
    context = {
        "cycle": 1,
        "gaps": [
            gap.model_dump(mode="json", include={"gap_id", "claim_id", "missing", "suggested_tool", "suggested_params"})
            for gap in valid
        ],
        "confirmed_claim_ids": [c.claim_id for c in result.claim_checks if c.classification == "direct_observation"]
        if result
        else [],
        "prior_effective_verdict": result.effective_verdict if result else None,
    }
    run.log.emit("prepare_retry", "note", "还缺证据，补查一次", gaps=len(valid))
    first = {"attempts": [item.model_dump(mode="json", exclude_none=True) for item in state.attempts]}
    if result is not None:
        kept = {"model_verdict", "effective_verdict", "groundedness_score", "claim_checks"}
        first |= result.model_dump(mode="json", include=kept, exclude_none=True)
    # Nothing of the first cycle may pass for the second one's, whatever becomes of that (G8).
    return replace(
        state,
        retries=state.retries + 1,
        retry_context=context,
        gaps=valid,
        first_cycle=first,
        contract={},
        gate=None,
        verifier_status="NOT_RUN",
        attempts=(),
        verifier_result=None,
    )
