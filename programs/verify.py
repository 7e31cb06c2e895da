"""Verification without a diagnosis: cases from outside meet the same gate, grounding, verifier and scoring.

``superbiz verify`` and ``POST /api/verify`` use this; so may a program: ``from programs import verify_claims``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import dspy
from pydantic import Field

from programs import gatekeeper, scoring
from programs.lms.adapter import CompactJSONAdapter
from programs.lms.choice import RoleLMs, open_lms
from programs.tools.registry import EVIDENCE_TOOLS
from programs.verifier import ClaimVerifier
from signatures.contracts import (
    ANSWER_VERSION,
    SUPPORTED,
    ClaimCheck,
    Classification,
    Contract,
    GatekeeperResult,
    LiteralFinding,
    ToolInvocation,
    Verdict,
)
from signatures.verdict_case import VerdictCase


class ClaimResult(Contract):
    """One judged claim. A claim whose bindings all failed the gate was judged by no model: ``basis`` is ``gate``."""

    claim_id: str
    classification: Classification
    model_classification: Classification | None = None
    basis: str = "model"
    probabilities: dict[str, float] = Field(default_factory=dict)
    literal_findings: tuple[LiteralFinding, ...] = ()
    detail: str = ""


class CaseResult(Contract):
    """The outcome of one case. Verdicts are absent when nothing passed the gate: none is invented (SV-03)."""

    case_id: str
    claims: tuple[ClaimResult, ...]
    model_verdict: Verdict | None = None
    effective_verdict: Verdict | None = None
    groundedness_score: float | None = None
    gatekeeper_result: GatekeeperResult
    seconds: float


def verify_claims(
    cases: Iterable[VerdictCase],
    verifier: ClaimVerifier | None = None,
    lms: RoleLMs | None = None,
    done: Collection[str] = (),
    on_claim: Callable[[str, str, Classification], None] | None = None,
) -> Iterator[CaseResult]:
    """Judge cases one by one; labels are ignored.

    Args:
        cases: what to judge; those whose ``case_id`` is in ``done`` are skipped.
        verifier: a (compiled) verifier; the baseline when None.
        lms: the models; opened by SUPERBIZ_LM when None.
        on_claim: called with (case_id, claim_id, classification) as each claim is judged.

    Raises:
        LMUnavailable: no model can answer.
    """
    models = lms or open_lms()
    judge = (verifier or ClaimVerifier()).bind(models.decide)
    for case in cases:
        if case.case_id not in done:
            with dspy.context(
                lm=models.generate, adapter=CompactJSONAdapter(), disable_history=True, **models.context()
            ):
                result = verify_case(case, judge, on_claim)
            yield result


def verify_case(
    case: VerdictCase, verifier: ClaimVerifier, on_claim: Callable[[str, str, Classification], None] | None = None
) -> CaseResult:
    """One case through gate, grounding, verifier and scoring, on the LM of the surrounding ``dspy.context``."""
    started = time.perf_counter()
    critical = {claim.claim_id: claim.is_critical for claim in case.claims}
    outcome = gatekeeper.check(
        contract_of(case),
        invocations_of(case),
        run_id=case.case_id,
        evidence_tools=EVIDENCE_TOOLS,
        critical=critical,
    )
    checks = []
    for claim in outcome.projection.claims:
        check = verifier.judge(case.query, claim, outcome.projection.evidence_of(claim.claim_id))
        checks.append(check)
        if on_claim is not None:
            on_claim(case.case_id, claim.claim_id, check.classification)
    verdicts: dict[str, Any] = {}
    if checks:
        result = scoring.evaluate(outcome.projection, checks, outcome.ceiling)
        checks = list(result.claim_checks)
        verdicts = result.model_dump(include={"model_verdict", "effective_verdict", "groundedness_score"})
    by_id = {check.claim_id: check for check in checks}
    return CaseResult(
        case_id=case.case_id,
        claims=tuple(_claim_result(stated.claim_id, by_id.get(stated.claim_id)) for stated in case.claims),
        gatekeeper_result=outcome.result,
        seconds=round(time.perf_counter() - started, 3),
        **verdicts,
    )


def _claim_result(claim_id: str, check: ClaimCheck | None) -> ClaimResult:
    if check is None:
        return ClaimResult(claim_id=claim_id, classification="unsupported", basis="gate", detail="引用的出处都不成立")
    return ClaimResult(
        claim_id=claim_id,
        classification=check.classification,
        model_classification=check.model_classification,
        probabilities=check.probabilities,
        literal_findings=check.literal_findings,
        detail=check.detail,
    )


def contract_of(case: VerdictCase) -> dict[str, Any]:
    """The case's claims as the Executor's contract; labels never enter it."""
    claims = [
        {
            "claim_id": claim.claim_id,
            "claim_type": claim.claim_type,
            "claim_text": claim.claim_text,
            "support_level": "direct",
            "evidence_bindings": [
                {
                    "source_type": "tool",
                    "tool_name": item.tool_name,
                    "source_invocation_ids": [item.source_invocation_id],
                    "evidence_excerpt": item.matched_text,
                    "raw_path": item.raw_path,
                }
                for item in claim.evidence
            ],
        }
        for claim in case.claims
    ]
    return {
        "answer_version": ANSWER_VERSION,
        "claims": claims,
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
    }


def invocations_of(case: VerdictCase) -> tuple[ToolInvocation, ...]:
    """The case's tool calls as invocation rows of a run named after the case."""
    return tuple(
        ToolInvocation(
            invocation_id=item.invocation_id,
            run_id=case.case_id,
            tool_name=item.tool_name,
            params=item.params or {},
            success=item.success,
            failure_code=item.failure_code,
            evidence_level="strong" if item.success else "none",
            output=item.output,
        )
        for item in case.invocations
    )


def figures(cases: Sequence[VerdictCase], results: Sequence[CaseResult]) -> dict[str, Any]:
    """What a labelled file says about the judgements; only rows with a label and a result count.

    ``supported_balanced_accuracy`` and ``macro_f1`` in 0..1; ``unsafe_pass``: cases that PASS although a critical claim
    is not supported by its label; ``seconds_per_claim``: wall time.
    """
    from sklearn.metrics import balanced_accuracy_score, f1_score, recall_score

    by_case = {result.case_id: result for result in results}
    gold: list[str] = []
    told: list[str] = []
    unsafe = 0
    for case in cases:
        result = by_case.get(case.case_id)
        if result is None:
            continue
        judged = {claim.claim_id: claim.classification for claim in result.claims}
        for claim in case.claims:
            if claim.label is not None and claim.claim_id in judged:
                gold.append(claim.label)
                told.append(judged[claim.claim_id])
        wrong = any(claim.is_critical and claim.label and claim.label not in SUPPORTED for claim in case.claims)
        unsafe += result.effective_verdict == "PASS" and wrong
    if not gold:
        return {"claims": 0}
    right = [label in SUPPORTED for label in gold]
    said = [label in SUPPORTED for label in told]
    seconds = sum(result.seconds for result in results)
    return {
        "claims": len(gold),
        "cases": len(by_case),
        "supported_balanced_accuracy": round(float(balanced_accuracy_score(right, said)), 4),
        "macro_f1": round(float(f1_score(gold, told, average="macro", zero_division=0)), 4),
        "contradicted_recall": round(
            float(recall_score(gold, told, labels=["contradicted"], average="macro", zero_division=0)), 4
        ),
        "not_supported_taken_as_supported": round(
            sum(s and not r for r, s in zip(right, said, strict=True)) / max(1, right.count(False)), 4
        ),
        "unsafe_pass": unsafe,
        "seconds_per_claim": round(seconds / len(gold), 3),
    }
