"""The verify node: claim by claim, rendered again where code can, asked of the model where it cannot."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from dspy.utils.exceptions import AdapterParseError

from programs import gatekeeper, scoring
from programs.facts import rerender
from programs.failures import failure_of, is_retryable
from programs.gaps import named_gaps, stated_gaps
from programs.grounding import ground
from programs.material import parsed_records
from programs.runtime import RunCancelled
from programs.state import Run, State
from programs.verifier import guarded, references
from signatures.contracts import (
    ClaimCheck,
    DiagnosisContext,
    VerifiedClaim,
    VerifiedEvidence,
    VerifiedOutput,
    VerifiedProjection,
    VerifierAttempt,
    VerifierInput,
    VerifierResult,
    VerifierStatus,
)
from signatures.protocol import ProtocolError, parse_verifier_output

TECHNICAL_ATTEMPTS = 2  # G17


def verify(run: Run, state: State) -> State:
    """Judge claim by claim; one technical retry with the same bytes (IN-11); verdict and score by code."""
    given = verifier_input(state)
    digest = hashlib.sha256(given.serialized().encode("utf-8", "surrogatepass")).hexdigest()
    attempts: list[VerifierAttempt] = []
    for number in range(TECHNICAL_ATTEMPTS if state.recorded is None else len(state.recorded)):
        started = time.perf_counter()
        status: VerifierStatus
        try:
            result = judge(run, given) if state.recorded is None else replay(state.recorded[number], given)
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
        gaps = stated_gaps(state, result) if state.external else named_gaps(run, state, given, result)
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


def verifier_input(state: State) -> VerifierInput:
    """What the Verifier may see, and nothing else: a pure function of the state (IN-01..06)."""
    outcome = state.gate_outcome
    return VerifierInput(
        diagnosis_context=DiagnosisContext(question=state.question, question_type=state.question_type),
        verified_executor_output=VerifiedOutput(claims=outcome.projection.claims),
        verified_evidence=outcome.projection.evidence,
        gatekeeper_audit=gatekeeper.audit_view(outcome.result),
        verdict_ceiling=outcome.ceiling,
        retry_context=state.retry_context,
    )


def judge(run: Run, given: VerifierInput) -> VerifierResult:
    """One pass over the claims: rendered again where code can, asked of the model where it cannot."""
    checks = tuple(_checked(run, given, claim) for claim in given.verified_executor_output.claims)
    return scoring.evaluate(_projection(given), checks, given.verdict_ceiling)


def replay(text: str, given: VerifierInput) -> VerifierResult:
    """A recorded or external Verifier output in the place of the model; code guards it like the model's own.

    Raises:
        ProtocolError: it is no legal output for these claims.
    """
    claims = {claim.claim_id: claim for claim in given.verified_executor_output.claims}

    def guard_it(check: ClaimCheck) -> ClaimCheck:
        evidence = given.evidence_of(check.claim_id)
        return guarded(check, ground(claims[check.claim_id].claim_text, evidence), evidence)

    return scoring.evaluate_protocol(parse_verifier_output(text), _projection(given), given.verdict_ceiling, guard_it)


def _projection(given: VerifierInput) -> VerifiedProjection:
    return VerifiedProjection(claims=given.verified_executor_output.claims, evidence=given.verified_evidence)


def _checked(run: Run, given: VerifierInput, claim: VerifiedClaim) -> ClaimCheck:
    run.context.check_cancelled()
    started = time.perf_counter()
    evidence = given.evidence_of(claim.claim_id)
    question = given.diagnosis_context.question
    check = _rendered(claim, evidence) or run.program.verifier.judge(question, claim, evidence)
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


def _rendered(claim: VerifiedClaim, evidence: tuple[VerifiedEvidence, ...]) -> ClaimCheck | None:
    """A claim that equals what code writes from its own excerpts is proven by writing it again.

    A look-up without a hit proves a negative only as far as it looked (G6): never more than an inference.
    """
    if claim.claim_text not in rerender(parsed_records(evidence)):
        return None
    negative = _looked_in_vain(evidence)
    return ClaimCheck(
        claim_id=claim.claim_id,
        is_critical=claim.is_critical,
        classification="reasonable_inference" if negative else "direct_observation",
        model_classification="reasonable_inference" if negative else "direct_observation",
        basis="rendered",
        evidence_refs=references(evidence),
    )


def _looked_in_vain(evidence: tuple[VerifiedEvidence, ...]) -> bool:
    """Whether an excerpt is a look-up without a hit, alone or beside other results of the same call."""
    records = [value for _, path, value in parsed_records(evidence) if path == "$.summary" and isinstance(value, dict)]
    return any(item.no_hit for item in evidence) or any(
        record.get("unknown_service") or record.get("matched") == 0 or record.get("series") == 0 for record in records
    )


def _attempt(digest: str, status: VerifierStatus, started: float, reason: str | None) -> VerifierAttempt:
    latency = round((time.perf_counter() - started) * 1000, 1)
    return VerifierAttempt(input_sha256=digest, status=status, latency_ms=latency, failure_reason=reason)
