"""From the final state to what a run returns and what is persisted (OB, AU rows)."""

from __future__ import annotations

import hashlib
from typing import Any

from programs.answer import blocks_of, evidence_items, missing_topics
from programs.gatekeeper import audit_view
from programs.state import Run, State
from signatures.catalog import prompt_audit
from signatures.contracts import TRACEABILITY_VERSION, DiagnosisResult, ReportedClaim

COMPOSED_CHARS = 2000  # G22


def to_result(run: Run, state: State, seconds: float) -> DiagnosisResult:
    """The run's result; values that do not exist are left out, never invented (G16)."""
    result = state.verifier_result
    gaps: tuple[str, ...] = missing_topics(state)
    if result is not None:
        gaps = blocks_of(state)[0].gaps
    return DiagnosisResult(
        run_id=run.context.run_id,
        question=state.question,
        answer=state.answer,
        route=state.route,
        verdict=result.effective_verdict if result else None,
        groundedness_score=result.groundedness_score if result else None,
        claims=_claims(state),
        evidence=evidence_items(state),
        evidence_gaps=gaps,
        calls=run.meter.report(),
        seconds=round(seconds, 3),
        version=run.program.version,
        lm=run.program.lms.name,
        scenario=None if state.external else run.context.scenario.name,
        fallback_origin=state.fallback_origin,
        failure_code=state.failure_code,
        failure_reason=state.failure_reason,
        self_evaluation=_self_evaluation(state),
    )


def _claims(state: State) -> tuple[ReportedClaim, ...]:
    result = state.verifier_result
    if result is None:
        return ()
    checks = {check.claim_id: check for check in result.claim_checks}
    return tuple(
        ReportedClaim(
            claim_id=claim.claim_id,
            claim_type=claim.claim_type,
            claim_text=claim.claim_text,
            is_critical=checks[claim.claim_id].is_critical,
            classification=checks[claim.claim_id].classification,
            basis=checks[claim.claim_id].basis,
            probabilities=checks[claim.claim_id].probabilities,
            evidence_refs=checks[claim.claim_id].evidence_refs,
            literal_findings=checks[claim.claim_id].literal_findings,
            detail=checks[claim.claim_id].detail,
        )
        for claim in state.gate_outcome.projection.claims
    )


def _self_evaluation(state: State) -> dict[str, Any]:
    """The program's channel of the run's container; runs on the simple path have none (G2)."""
    return {} if state.route == "simple" else {"verifier_evaluation": verifier_evaluation(state)}


def verifier_evaluation(state: State) -> dict[str, Any]:
    """The persisted evaluation: never raw Executor text, never the tool trace (OB-19)."""
    evaluation: dict[str, Any] = {
        "traceability_version": TRACEABILITY_VERSION,
        "executor_status": state.executor_status,
        "verifier_status": state.verifier_status,
        "attempts": [item.model_dump(mode="json", exclude_none=True) for item in state.attempts],
        "evidence_retry_count": state.retries,
        "final_route": state.route,
        "prompt_audit": prompt_audit().model_dump(mode="json"),
    }
    for key in ("fallback_origin", "failure_code", "failure_reason"):
        value = getattr(state, key)
        if value:
            evaluation[key] = value
    if state.discarded:
        evaluation["discarded"] = [item.model_dump(mode="json") for item in state.discarded]
    if state.first_cycle is not None:
        evaluation["first_cycle"] = state.first_cycle
    if state.gate is not None:
        projection = state.gate.projection.model_dump(mode="json")
        evaluation["gatekeeper_result"] = state.gate.result.model_dump(mode="json", exclude_none=True)
        evaluation["gatekeeper_audit"] = audit_view(state.gate.result)
        evaluation["verdict_ceiling"] = state.gate.ceiling
        evaluation["verified_evidence"] = projection.pop("evidence")
        evaluation["verified_executor_output"] = projection
        evaluation["executor_structured_output"] = projection
    if state.verifier_result is not None:
        evaluation.update(state.verifier_result.model_dump(mode="json", exclude_none=True))
        evaluation["evidence_gaps"] = [gap.model_dump(mode="json", exclude_none=True) for gap in state.gaps]
    if state.composition is not None:
        evaluation["composer_status"] = state.composition.status
        if state.composition.reason:
            evaluation["composer_reason"] = state.composition.reason
        evaluation["composer_output"] = {
            "text": state.answer[:COMPOSED_CHARS],
            "sha256": hashlib.sha256(state.answer.encode("utf-8", "replace")).hexdigest(),
        }
    return evaluation
