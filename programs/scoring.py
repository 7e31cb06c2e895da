"""Verdicts and scores: computed from claim checks, never taken from a model (G10, X7).

``effective = min(model, matrix, ceiling)`` in the order PASS > LOW_CONFID > REJECT: the model's word only lowers it.
Do not recompute a verdict from ``facts_checked``: there overstated reads like indirect support (G11).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from programs.templates import CLASS_WORDS
from signatures.contracts import (
    SUPPORTED,
    ClaimCheck,
    Classification,
    EvidenceGap,
    EvidenceRef,
    FactChecked,
    FactVerification,
    GateNote,
    QuestionType,
    Verdict,
    VerdictAdjustment,
    VerifiedClaim,
    VerifiedEvidence,
    VerifiedProjection,
    VerifierResult,
)
from signatures.protocol import ProtocolError

RATIONALE_LIMIT = 1000
# Kinds of literals that name a thing; one that no excerpt has caps its claim (G12).
ENTITY_KINDS = frozenset({"ip", "port", "host", "service", "code", "quoted"})

_ORDER: dict[Verdict, int] = {"REJECT": 0, "LOW_CONFID": 1, "PASS": 2}

# FX-03..06
_VERIFICATION: dict[Classification, FactVerification] = {
    "direct_observation": "direct_evidence",
    "reasonable_inference": "indirect_support",
    "overstated": "indirect_support",
    "unsupported": "no_evidence",
    "external_unknown": "no_evidence",
    "contradicted": "contradicted",
}
# GS-05; everything else is worth nothing.
_VALUE: dict[FactVerification, float] = {"direct_evidence": 1.0, "indirect_support": 0.6}
# G19: any other type, known or not, is critical.
_NEVER_CRITICAL = frozenset({"context", "timeline_note"})


def is_critical(claim_type: str, question_type: QuestionType) -> bool:
    """Whether a claim of this type decides the verdict (G19). An unknown type does."""
    if claim_type == "knowledge_reference":
        return question_type == "knowledge"
    return claim_type not in _NEVER_CRITICAL


def verdict_matrix(labels: Iterable[Classification], *, fabricated: bool = False) -> Verdict:
    """The verdict that the classifications of the *critical* claims allow (FC-02..07).

    ``fabricated``: whether one of these claims names an entity, code or conclusion that no evidence has (FC-07, G12).
    """
    seen = set(labels)
    if "contradicted" in seen or fabricated:
        return "REJECT"  # FC-06, FC-07
    if not seen <= SUPPORTED:
        return "LOW_CONFID"  # FC-04
    # FC-02; all inference is FC-05, no critical claim at all is G9.
    return "PASS" if "direct_observation" in seen else "LOW_CONFID"


def groundedness(checks: Iterable[ClaimCheck]) -> float:
    """Mean value of the critical claims in 0..1, four decimals (GS-04..06); 0.0 with none, or with a contradiction."""
    facts = [_VERIFICATION[check.classification] for check in checks if check.is_critical]
    if not facts or "contradicted" in facts:
        return 0.0  # G9, GS-03
    return round(sum(_VALUE.get(fact, 0.0) for fact in facts) / len(facts), 4)


def facts_checked(checks: Iterable[ClaimCheck], claims: Sequence[VerifiedClaim]) -> tuple[FactChecked, ...]:
    """The compatibility list, derived from the checks (FX-02..06). ``claims`` supply the fact's text."""
    texts = {claim.claim_id: claim.claim_text for claim in claims}
    return tuple(
        FactChecked(
            fact=texts[check.claim_id],
            is_critical=check.is_critical,
            verification=_VERIFICATION[check.classification],
            detail=f"overstated: {check.detail}" if check.classification == "overstated" else check.detail,
        )
        for check in checks
    )


def effective_verdict(model: Verdict, matrix: Verdict, ceiling: Verdict) -> Verdict:
    """The lowest of the three (G10, SV-01)."""
    return min((model, matrix, ceiling), key=_ORDER.__getitem__)


def evaluate(
    projection: VerifiedProjection,
    checks: Sequence[ClaimCheck],
    ceiling: Verdict,
    rationale: str = "",
    *,
    stated_verdict: Verdict | None = None,
) -> VerifierResult:
    """Turn one pass of claim checks into the normalised Verifier result.

    ``stated_verdict`` is a verdict that came with the checks (a recorded or external result). Without it the model's
    verdict is the matrix over the model's own classifications, before any code guard.

    Raises:
        ProtocolError: not exactly one check for each claim of the projection (G13).
    """
    _complete(projection, checks)
    by_id = {check.claim_id: check for check in checks}
    settled: list[ClaimCheck] = []
    warnings: list[GateNote] = []
    for claim in projection.claims:
        check, notes = _with_valid_refs(by_id[claim.claim_id], projection.evidence_of(claim.claim_id))
        # G19: the model may raise, never lower.
        settled.append(check.model_copy(update={"is_critical": claim.is_critical or check.is_critical}))
        warnings += [*notes, *_unseen_entities(check)]
    critical = [check for check in settled if check.is_critical]
    fabricated = any(check.fabricated for check in critical)
    matrix = verdict_matrix((check.classification for check in critical), fabricated=fabricated)
    model = stated_verdict or verdict_matrix(
        (check.model_classification or by_id[check.claim_id].classification for check in critical),
        fabricated=fabricated,
    )
    effective = effective_verdict(model, matrix, ceiling)
    return VerifierResult(
        model_verdict=model,
        effective_verdict=effective,
        verdict=effective,
        verdict_ceiling=ceiling,
        groundedness_score=groundedness(settled),
        critical_fact_count=len(critical),
        claim_checks=tuple(settled),
        facts_checked=facts_checked(settled, projection.claims),
        rationale=(rationale or _summary(critical))[:RATIONALE_LIMIT],
        verdict_adjustments=_adjustments(model, matrix, ceiling),
        warnings=tuple(warnings),
    )


def evaluate_protocol(
    raw: Mapping[str, Any],
    projection: VerifiedProjection,
    ceiling: Verdict,
    guarded: Callable[[ClaimCheck], ClaimCheck] = lambda check: check,
) -> VerifierResult:
    """The same for a recorded or external result, as ``parse_verifier_output`` returns it (FX-02, X6, X7).

    ``guarded`` lowers a stated check to what code can vouch for.

    Raises:
        ProtocolError: a check is malformed, missing, doubled or about an unknown claim.
    """
    stated_checks = [_check_from(item) for item in raw["claim_checks"]]
    _complete(projection, stated_checks)
    checks = [guarded(check) for check in stated_checks]
    result = evaluate(projection, checks, ceiling, raw["rationale"], stated_verdict=raw["verdict"])
    notes = list(result.warnings)
    if raw.get("groundedness_score", result.groundedness_score) != result.groundedness_score:
        message = f"stated {raw['groundedness_score']}, computed {result.groundedness_score}"
        notes.append(GateNote(code="score.recomputed", message=message))
    stated = raw.get("facts_checked")
    if stated is not None and stated != [fact.model_dump() for fact in result.facts_checked]:
        notes.append(GateNote(code="facts_checked.recomputed", message="stated facts_checked differs from the checks"))
    return result.model_copy(update={"warnings": tuple(notes)})


def _unseen_entities(check: ClaimCheck) -> list[GateNote]:
    return [
        GateNote(
            code="claim.entity_unseen",
            message=f"no excerpt of this claim has {item.text[:80]}",
            claim_id=check.claim_id,
        )
        for item in check.literal_findings
        if item.critical and item.status == "unseen" and item.kind in ENTITY_KINDS
    ]


def _check_from(item: Mapping[str, Any]) -> ClaimCheck:
    known = {"claim_id", "classification", "fabricated", "detail", "evidence_refs", "is_critical", "evidence_gap"}
    fields = {key: value for key, value in item.items() if key in known and value is not None}
    gap = fields.pop("evidence_gap", None)
    try:
        return ClaimCheck(
            **{"is_critical": False, **fields, "model_classification": item["classification"]},
            evidence_gap=EvidenceGap(claim_id=item["claim_id"], **_gap_fields(gap)) if gap else None,
        )
    except (AttributeError, TypeError, ValueError) as error:
        problem = " ".join(str(error).splitlines()[:2])
        raise ProtocolError("claim_checks", f"check of {item['claim_id']!r} is malformed: {problem}") from None


def _gap_fields(gap: Mapping[str, Any]) -> dict[str, Any]:
    # Validity is computed by code (G7), so a stated one is not read.
    known = ("gap_id", "missing", "suggested_tool", "suggested_params")
    return {key: gap[key] for key in known if gap.get(key) is not None}


def _complete(projection: VerifiedProjection, checks: Sequence[ClaimCheck]) -> None:
    wanted = {claim.claim_id for claim in projection.claims}
    counts = Counter(check.claim_id for check in checks)
    problems = {
        "unknown": counts.keys() - wanted,
        "duplicate": {claim_id for claim_id, count in counts.items() if count > 1},
        "missing": wanted - counts.keys(),
    }
    for kind, ids in problems.items():
        if ids:
            names = ", ".join(sorted(ids)[:5])
            raise ProtocolError(f"claim_checks.{kind}", f"{kind} check for {names[:200]}; each claim needs exactly one")


def _with_valid_refs(check: ClaimCheck, evidence: Sequence[VerifiedEvidence]) -> tuple[ClaimCheck, list[GateNote]]:
    """Keep the refs that name this claim's own evidence (G14); support without any is no support (FC-10)."""
    kept = tuple(ref for ref in check.evidence_refs if any(_names(ref, item) for item in evidence))
    notes = [
        GateNote(
            code="refs.unresolved",
            message=f"{ref.source_invocation_id[:60]} {(ref.raw_path or '')[:200]} is not evidence of this claim",
            claim_id=check.claim_id,
        )
        for ref in check.evidence_refs
        if ref not in kept
    ]
    update: dict[str, Any] = {"evidence_refs": kept}
    if not kept and check.classification in SUPPORTED:
        update |= {"classification": "unsupported", "detail": f"{check.detail} 没有对得上的证据引用".strip()}
        notes.append(GateNote(code="refs.none", message="support without evidence", claim_id=check.claim_id))
    return check.model_copy(update=update), notes


def _names(ref: EvidenceRef, item: VerifiedEvidence) -> bool:
    return (
        ref.source_invocation_id == item.source_invocation_id
        and ref.claim_id in (None, item.claim_id)
        and ref.tool_name in (None, item.tool_name)
        and ref.raw_path in (None, item.raw_path)
    )


def _adjustments(model: Verdict, matrix: Verdict, ceiling: Verdict) -> tuple[VerdictAdjustment, ...]:
    steps = (("matrix", matrix, "the claim checks allow no more"), ("ceiling", ceiling, "the gate allows no more"))
    found: list[VerdictAdjustment] = []
    current = model
    for code, bound, reason in steps:
        if _ORDER[bound] < _ORDER[current]:
            found.append(VerdictAdjustment(code=code, before=current, after=bound, reason=reason))
            current = bound
    return tuple(found)


def _summary(critical: Sequence[ClaimCheck]) -> str:
    if not critical:
        return "没有关键结论。"
    counts = Counter(check.classification for check in critical)
    parts = "，".join(f"{CLASS_WORDS[label]} {counts[label]} 条" for label in CLASS_WORDS if counts[label])
    return f"关键结论 {len(critical)} 条：{parts}。"
