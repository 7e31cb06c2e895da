"""The verify node: claim by claim, rendered again where code can, asked of the model where it cannot; and the gap that
may start the one retry."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from programs import gatekeeper, scoring
from programs.evidence import dedup_key
from programs.facts import rerender
from programs.failures import failure_of, is_retryable
from programs.material import parsed_records
from programs.record_lines import excerpt_text
from programs.runtime import RunCancelled
from programs.state import Run, State
from programs.tools.registry import EVIDENCE_TOOLS
from programs.verifier import references
from signatures.contracts import (
    ClaimCheck,
    EvidenceGap,
    VerifiedClaim,
    VerifiedEvidence,
    VerifierAttempt,
    VerifierStatus,
)
from signatures.protocol import ProtocolError
from signatures.verifier import NameEvidenceGap, gap_signature

TECHNICAL_ATTEMPTS = 2  # G17


class GapNamer(dspy.Module):
    """Asks what is missing for one critical claim; used only where the answer could start the one retry."""

    def __init__(self) -> None:
        super().__init__()
        self.name = dspy.Predict(NameEvidenceGap)

    def forward(self, claim: str, excerpts: str, services: tuple[str, ...]) -> dspy.Prediction:
        signature = gap_signature(EVIDENCE_TOOLS[:2], services)
        return self.name(claim=claim, excerpts=excerpts[:400], signature=signature, config={"max_tokens": 90})


def verify(run: Run, state: State) -> State:
    """Judge claim by claim; one technical retry with the same bytes (IN-11); verdict and score by code."""
    outcome = state.gate_outcome
    payload = verifier_payload(state)
    digest = hashlib.sha256(json.dumps(payload, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    attempts: list[VerifierAttempt] = []
    for _ in range(TECHNICAL_ATTEMPTS):
        started = time.perf_counter()
        status: VerifierStatus
        try:
            checks = tuple(_checked(run, state, claim) for claim in outcome.projection.claims)
            result = scoring.evaluate(outcome.projection, checks, outcome.ceiling)
        except RunCancelled:
            raise
        except Exception as error:
            code, reason = failure_of(error)
            invalid = isinstance(error, (ProtocolError, AdapterParseError, ValueError))
            status = "TIMEOUT" if code == "timeout" else "INVALID_OUTPUT" if invalid else "INVOCATION_FAILED"
            attempts.append(_attempt(digest, status, started, reason))
            state = replace(
                state, verifier_status=status, attempts=tuple(attempts), failure_code=code, failure_reason=reason
            )
            if not invalid and not is_retryable(code):
                break
            continue
        attempts.append(_attempt(digest, "COMPLETED", started, None))
        gaps = _gaps(run, state, result.claim_checks, result.effective_verdict)
        return replace(
            state,
            verifier_status="COMPLETED",
            attempts=tuple(attempts),
            verifier_result=result,
            gaps=gaps,
            failure_code=None,
            failure_reason=None,
            note=f"{result.effective_verdict}，有据程度 {result.groundedness_score:.2f}",
        )
    return state


def verifier_payload(state: State) -> dict[str, Any]:
    """What the Verifier may see, and nothing else: a pure function of the state (IN-01..06)."""
    outcome = state.gate_outcome
    payload: dict[str, Any] = {
        "diagnosis_context": {"question": state.question, "question_type": state.question_type},
        "verified_executor_output": outcome.projection.model_dump(mode="json", exclude={"evidence"}),
        "verified_evidence": [item.model_dump(mode="json") for item in outcome.projection.evidence],
        "gatekeeper_audit": gatekeeper.audit_view(outcome.result),
        "verdict_ceiling": outcome.ceiling,
    }
    if state.retry_context is not None:
        payload["retry_context"] = state.retry_context
    return payload


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
    first = result.model_dump(mode="json", include={"effective_verdict", "groundedness_score"}) if result else None
    return replace(state, retries=state.retries + 1, retry_context=context, gaps=valid, first_attempt=first)


def _checked(run: Run, state: State, claim: VerifiedClaim) -> ClaimCheck:
    run.context.check_cancelled()
    started = time.perf_counter()
    evidence = state.gate_outcome.projection.evidence_of(claim.claim_id)
    check = _rendered(state, claim, evidence) or run.program.verifier.judge(state.question, claim, evidence)
    run.log.emit(
        "verify",
        "claim_checked",
        claim.claim_text,
        claim_id=claim.claim_id,
        classification=check.classification,
        basis=check.basis,
        seconds=round(time.perf_counter() - started, 2),
    )
    return check


def _rendered(state: State, claim: VerifiedClaim, evidence: tuple[VerifiedEvidence, ...]) -> ClaimCheck | None:
    """A claim that equals what code writes from its own excerpts is proven by writing it again.

    A look-up without a hit proves a negative only as far as it looked (G6): never more than an inference.
    """
    if claim.claim_text not in rerender(parsed_records(evidence)):
        return None
    negative = _looked_in_vain(state, evidence)
    return ClaimCheck(
        claim_id=claim.claim_id,
        is_critical=claim.is_critical,
        classification="reasonable_inference" if negative else "direct_observation",
        model_classification="reasonable_inference" if negative else "direct_observation",
        basis="rendered",
        evidence_refs=references(evidence),
    )


def _looked_in_vain(state: State, evidence: tuple[VerifiedEvidence, ...]) -> bool:
    """Whether an excerpt is a look-up without a hit, alone or beside other results of the same call."""
    empty = {row.invocation_id for row in state.invocations if row.failure_code == "NO_HIT"}
    records = [value for _, path, value in parsed_records(evidence) if path == "$.summary" and isinstance(value, dict)]
    return any(item.source_invocation_id in empty for item in evidence) or any(
        record.get("unknown_service") or record.get("matched") == 0 or record.get("series") == 0 for record in records
    )


def _gaps(run: Run, state: State, checks: tuple[ClaimCheck, ...], verdict: str) -> tuple[EvidenceGap, ...]:
    """Ask for the gap of the one critical claim that could start the retry; validity is code's word (G7)."""
    if verdict != "LOW_CONFID" or state.retries > 0 or state.gate_outcome.ceiling != "PASS":
        # What the retry filled is no gap any more.
        return state.gaps if state.retries and verdict == "LOW_CONFID" else ()
    open_labels = {"unsupported", "overstated", "reasonable_inference"}
    doubtful = [c for c in checks if c.is_critical and c.classification in open_labels and c.basis == "model"]
    if not doubtful:
        return ()
    check = doubtful[0]
    claim = next(c for c in state.gate_outcome.projection.claims if c.claim_id == check.claim_id)
    services = tuple(service.name for service in run.context.scenario.services)
    try:
        word = run.program.gap(
            claim=claim.claim_text,
            excerpts=excerpt_text(state.gate_outcome.projection.evidence_of(claim.claim_id)),
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
    return (_valid_gap(state, claim.claim_id, str(word.missing).strip(), str(word.tool), params),)


def _valid_gap(state: State, claim_id: str, missing: str, tool: str, params: dict[str, Any]) -> EvidenceGap:
    made = {dedup_key(row.tool_name, row.params) for row in state.invocations}
    repeated = dedup_key(tool, params) in made
    reason = "" if missing and not repeated else "这个查询本次已经做过" if repeated else "没有说清缺什么"
    return EvidenceGap(
        gap_id="g1",
        claim_id=claim_id,
        missing=missing,
        suggested_tool=tool,
        suggested_params=params,
        valid=not reason,
        reason=reason,
    )


def _attempt(digest: str, status: VerifierStatus, started: float, reason: str | None) -> VerifierAttempt:
    latency = round((time.perf_counter() - started) * 1000, 1)
    return VerifierAttempt(input_sha256=digest, status=status, latency_ms=latency, failure_reason=reason)
