"""Verification without a diagnosis: cases from outside meet the same gate, grounding, verifier and scoring.

``superbiz verify`` and ``POST /api/verify`` use this; so may a program: ``from programs import verify_claims``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import dspy

from programs import gatekeeper, scoring
from programs.case_result import CaseResult, ClaimResult
from programs.contract_case import contract_of, invocations_of, verify_contract
from programs.lms.adapter import CompactJSONAdapter
from programs.lms.choice import RoleLMs, open_lms
from programs.tools.registry import EVIDENCE_TOOLS
from programs.verifier import ClaimVerifier
from signatures.contracts import (
    ClaimCheck,
    Classification,
)
from signatures.verdict_case import VerdictCase


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
        if case.case_id not in done and case.executor_output is not None:
            yield verify_contract(case, judge, models, on_claim)
        elif case.case_id not in done:
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
