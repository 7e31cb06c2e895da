"""The Verifier: one small question per claim, then code.

The model judges a claim against the claim's own excerpts and nothing else (CL-01). Code then applies what it knows
better: a conflicting literal makes the claim contradicted, an unseen one lowers it. No model lifts a verdict above
what the literals allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dspy

from programs.grounding import ground
from programs.record_lines import excerpt_text
from programs.scoring import ENTITY_KINDS
from signatures.contracts import (
    CLASSIFICATIONS,
    SUPPORTED,
    ClaimCheck,
    Classification,
    EvidenceRef,
    LiteralFinding,
    VerifiedClaim,
    VerifiedEvidence,
)
from signatures.verifier import CheckClaim

CONTEXT_CHARS = 80


class ClaimVerifier(dspy.Module):
    """CheckClaim as a module; ``check`` is the predictor that ``optimize`` compiles.

    Args:
        decide: a decision client (probabilities in one forward pass), or None to let ``dspy.settings.lm`` write.
    """

    def __init__(self, decide: Any | None = None) -> None:
        super().__init__()
        self.check = dspy.Predict(CheckClaim)
        self._decide = decide

    def bind(self, decide: Any | None) -> ClaimVerifier:
        """The same compiled program on another decision client."""
        self._decide = decide
        return self

    def forward(self, context: str, claim: str, excerpts: str, findings: str) -> dspy.Prediction:
        """The model's own word: classification, supported, probabilities (empty when the model gives none)."""
        from programs.lms.decision import collect_answers

        options = {"lm": self._decide} if self._decide is not None else {}
        with collect_answers() as answers:
            word = self.check(context=context, claim=claim, excerpts=excerpts, findings=findings, **options)
        probabilities, p_supported = _probabilities(answers)
        label = self._combine(bool(word.supported), str(word.classification), probabilities)
        return dspy.Prediction(
            classification=label,
            supported=label in SUPPORTED,
            probabilities=_joint(probabilities, p_supported),
            p_supported=p_supported,
        )

    def _combine(self, supported: bool, classification: str, probabilities: Mapping[str, float]) -> Classification:
        """``supported`` decides the side, the class distribution decides within it; without one, the cautious one."""
        if probabilities:
            weights = self.check.fields.get("classification", {}).get("weights", {})
            side = [label for label in CLASSIFICATIONS if (label in SUPPORTED) == supported]
            return max(side, key=lambda label: probabilities.get(label, 0.0) * weights.get(label, 1.0))
        known: dict[str, Classification] = {label: label for label in CLASSIFICATIONS}
        label = known.get(classification, "unsupported")
        return label if supported or label not in SUPPORTED else "unsupported"

    def judge(self, question: str, claim: VerifiedClaim, evidence: Sequence[VerifiedEvidence]) -> ClaimCheck:
        """Ground the claim's literals, ask the model, apply the guards."""
        findings = ground(claim.claim_text, evidence)
        word = self(**claim_inputs(question, claim.claim_text, evidence, findings))
        stated = ClaimCheck(
            claim_id=claim.claim_id,
            is_critical=claim.is_critical,
            classification=word.classification,
            model_classification=word.classification,
            probabilities=word.probabilities,
            evidence_refs=references(evidence),
        )
        return guarded(stated, findings, evidence)


def claim_inputs(
    question: str, claim_text: str, evidence: Sequence[VerifiedEvidence], findings: Sequence[LiteralFinding]
) -> dict[str, str]:
    """The four inputs of CheckClaim, the same in serving and in compiling."""
    return {
        "context": question[:CONTEXT_CHARS],
        "excerpts": excerpt_text(evidence),
        "findings": findings_text(findings),
        "claim": claim_text,
    }


def findings_text(findings: Sequence[LiteralFinding]) -> str:
    """What code found out about the claim's literals, in one line for the model."""
    parts = []
    conflicting = [f"{item.text} (excerpts: {item.evidence_text})" for item in findings if item.status == "conflicting"]
    unseen = [item.text for item in findings if item.status == "unseen" and item.critical]
    if conflicting:
        parts.append("differs: " + "; ".join(conflicting[:3]))
    if unseen:
        parts.append("not in excerpts: " + ", ".join(unseen[:4]))
    return ". ".join(parts)


def guard(classification: str, findings: Sequence[LiteralFinding]) -> tuple[Classification, str]:
    """The class that counts, and why it differs from the model's. G12; design "Literal grounding"."""
    known: dict[str, Classification] = {label: label for label in CLASSIFICATIONS}
    label = known[classification]
    for item in findings:
        if item.status == "conflicting" and item.critical:
            return "contradicted", f"{item.text} 与证据中的 {item.evidence_text} 不一致"
    unseen = [item for item in findings if item.status == "unseen" and item.critical]
    named = next((item for item in unseen if item.kind in ENTITY_KINDS), None)
    if named is not None and label in SUPPORTED:
        return "unsupported", f"证据中没有出现 {named.text}"
    if unseen and label == "direct_observation":
        return "reasonable_inference", f"证据中没有直接出现 {unseen[0].text}"
    return label, ""


def guarded(stated: ClaimCheck, findings: Sequence[LiteralFinding], evidence: Sequence[VerifiedEvidence]) -> ClaimCheck:
    """A stated check, whoever stated it, lowered to what code can vouch for."""
    label, reason = guard(stated.classification, findings)
    if label == "direct_observation" and any(item.no_hit for item in evidence):
        label, reason = "reasonable_inference", "没有查到只说明查过的范围里没有"  # G6
    return stated.model_copy(
        update={
            "classification": label,
            "detail": reason or stated.detail,
            "literal_findings": tuple(findings),
        }
    )


def references(evidence: Sequence[VerifiedEvidence]) -> tuple[EvidenceRef, ...]:
    """One ref per distinct place of the claim's own evidence."""
    seen: dict[tuple[str, str], EvidenceRef] = {}
    for item in evidence:
        seen.setdefault(
            (item.source_invocation_id, item.raw_path),
            EvidenceRef(
                source_invocation_id=item.source_invocation_id,
                tool_name=item.tool_name,
                raw_path=item.raw_path,
                claim_id=item.claim_id,
            ),
        )
    return tuple(seen.values())


def _probabilities(answers: list[dict[str, Any]]) -> tuple[dict[str, float], float | None]:
    if not answers:
        return {}, None
    answer = answers[-1]
    return dict(answer["classification"]["probabilities"]), float(answer["supported"]["noul"])


def _joint(probabilities: Mapping[str, float], p_supported: float | None) -> dict[str, float]:
    """Six classes summing to 1: ``supported`` splits the mass, the class distribution splits each side."""
    if p_supported is None or not probabilities:
        return {}
    sides = {True: p_supported, False: 1.0 - p_supported}
    totals = {
        side: sum(value for label, value in probabilities.items() if (label in SUPPORTED) == side) or 1.0
        for side in sides
    }
    return {
        label: round(sides[label in SUPPORTED] * value / totals[label in SUPPORTED], 4)
        for label, value in probabilities.items()
    }
