"""The outcome of a verdict case, and what labels say about many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from signatures.contracts import (
    SUPPORTED,
    Classification,
    Contract,
    DiagnosisResult,
    GatekeeperResult,
    LiteralFinding,
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
    """The outcome of one case. Verdicts are absent when nothing passed the gate: none is invented (SV-03).

    ``diagnosis`` only for a whole contract: route, answer, evaluation. ``gatekeeper_result`` is absent for a contract
    that was not legal, for which the gate never ran.
    """

    case_id: str
    claims: tuple[ClaimResult, ...]
    model_verdict: Verdict | None = None
    effective_verdict: Verdict | None = None
    groundedness_score: float | None = None
    gatekeeper_result: GatekeeperResult | None = None
    seconds: float
    diagnosis: DiagnosisResult | None = None


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
