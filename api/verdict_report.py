"""A judged verdict case as it is printed, stored and sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.console import clean

if TYPE_CHECKING:
    from programs.case_result import CaseResult


def result_object(result: CaseResult) -> dict[str, Any]:
    """The result as values that `api.jsontext` writes."""
    dumped: dict[str, Any] = result.model_dump()
    return dumped


def result_lines(result: dict[str, Any]) -> list[str]:
    """The verdict of a case and its claims, one line each; of a whole contract its answer too."""
    gate = result.get("gatekeeper_result") or {}
    score = result.get("groundedness_score")
    head = (
        f"{result['case_id']}  {result.get('effective_verdict')}  (model {result.get('model_verdict')}, "
        f"groundedness {'-' if score is None else format(score, '.2f')}, gate {gate.get('status', '-')})"
    )
    claims = [_claim_line(claim) for claim in result.get("claims", ())]
    return [clean(line, one_line=False) for line in (head, *claims, *_answer_lines(result.get("diagnosis")))]


def _answer_lines(diagnosis: dict[str, Any] | None) -> list[str]:
    if not diagnosis:
        return []
    why = f"  failed: {diagnosis['failure_code']}" if diagnosis.get("failure_code") else ""
    route = f"  route {diagnosis['route']}{why}"
    return [route, *(f"  | {line}".rstrip() for line in str(diagnosis["answer"]).splitlines())]


def _claim_line(claim: dict[str, Any]) -> str:
    word = claim.get("classification")
    share = (claim.get("probabilities") or {}).get(word)
    findings = claim.get("literal_findings") or ()
    bad = [item["text"] for item in findings if item.get("status") != "found" and item.get("critical", True)]
    notes = f"  not in the evidence: {', '.join(bad)}" if bad else ""
    return f"  {claim['claim_id']}  {word}{'' if share is None else f' {share:.2f}'}{notes}"


def figure_lines(figures: dict[str, Any]) -> list[str]:
    """One line a figure; nested figures (per class) are left to ``--json``."""
    return [
        f"{name.replace('_', ' ')}: {format(value, '.3f') if isinstance(value, float) else value}"
        for name, value in figures.items()
        if isinstance(value, int | float | str)
    ]
