"""The gate: throws out every claim whose pointer into this run's tool output does not hold. No model, no network.

What it lets through (the projection) is cut from the stored output, never copied from the Executor (X10).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from programs.gate_rules import PARTIAL, RULES, SCHEMA, WINDOW_MISSING, BindingFailed, BindingRules, schema_notes, shown
from programs.injection import injection_flags
from programs.raw_path import canonical_json, storable
from programs.scoring import is_critical
from signatures.contracts import (
    CheckedBinding,
    GatekeeperResult,
    GateNote,
    GateOutcome,
    QuestionType,
    Severity,
    ToolInvocation,
    Verdict,
    VerifiedClaim,
    VerifiedEvidence,
    VerifiedProjection,
)

EVIDENCE_ITEMS = 40
EVIDENCE_BYTES = 16 * 1024

_EVIDENCE_DROPPED = "evidence.dropped"
_CLAIM_DROPPED = "claim.evidence_dropped"
# Recorded, and no reason to doubt the record: logs may quote an attack (G32).
_SUSPICIOUS = "evidence.suspicious_text"
# Warnings that alone lower the ceiling to LOW_CONFID (X11).
_CAPPING = frozenset({_CLAIM_DROPPED, WINDOW_MISSING, PARTIAL})
_SEVERITY: dict[Verdict, Severity] = {"PASS": "none", "LOW_CONFID": "low_confid", "REJECT": "reject"}


def check(
    contract: Mapping[str, Any],
    invocations: Sequence[ToolInvocation],
    *,
    run_id: str,
    evidence_tools: Collection[str],
    question_type: QuestionType = "incident",
    critical: Mapping[str, bool] | None = None,
) -> GateOutcome:
    """Check every binding of a legal contract against this run's invocations (GK rows).

    Args:
        contract: the raw contract, as ``parse_executor_output`` returns it.
        invocations: stored tool calls; only those of ``run_id`` count (GK-04, G31).
        evidence_tools: names of the tools whose output may be cited; all others are helpers (D9).
        question_type: a runbook may be cited as a fact only when the question asks for knowledge (G4).
        critical: claim id -> flag that overrides the table of G19 (a labelled case's own word).
    """
    errors, warnings = schema_notes(contract)
    if errors:
        result = GatekeeperResult(
            status="fail", severity="reject", rules=(SCHEMA,), failed_rules=(SCHEMA,), warnings=warnings, errors=errors
        )
        return GateOutcome(result=result, ceiling="REJECT")
    if not contract["claims"]:
        empty = GateNote(code="claims.empty", message="the contract asserts nothing")
        result = GatekeeperResult(status="pass", severity="reject", rules=RULES, warnings=(*warnings, empty))
        return GateOutcome(result=result, ceiling="REJECT")  # G9

    rules = BindingRules(invocations, run_id, evidence_tools, question_type)
    checked = [_checked(rules, run_id, *item) for item in _expanded(contract["claims"])]
    passed = [item.evidence for item in checked if item.evidence]
    kept = _within_limits(passed)
    notes = [note for item in checked if item.evidence for note in item.notes] + _drop_notes(passed, kept)
    failed = {item.row.failed_rule for item in checked if item.row.failed_rule}
    ceiling = _ceiling(any_failed=bool(failed), any_passed=bool(kept), notes=notes)
    result = GatekeeperResult(
        status="fail" if failed else "pass",
        severity=_SEVERITY[ceiling],
        rules=RULES,
        failed_rules=tuple(rule for rule in RULES if rule in failed),
        checked_bindings=tuple(item.row for item in checked),
        warnings=(*warnings, *notes),
        errors=tuple(note for item in checked if not item.evidence for note in item.notes),
    )
    projection = _projection(contract["claims"], kept, question_type, critical or {})
    return GateOutcome(result=result, ceiling=ceiling, projection=projection)


@dataclass(frozen=True)
class _Checked:
    """One binding, what it let through (None: it failed), and its warnings or its one error."""

    row: CheckedBinding
    evidence: VerifiedEvidence | None
    notes: tuple[GateNote, ...]


def _checked(
    rules: BindingRules,
    run_id: str,
    claim: Mapping[str, Any],
    binding_id: str,
    invocation_id: str,
    binding: Mapping[str, Any],
) -> _Checked:
    row = CheckedBinding(
        binding_id=binding_id,
        claim_id=claim["claim_id"],
        source_invocation_id=shown(invocation_id),
        tool_name=shown(binding["tool_name"]),
        raw_path=shown(binding["raw_path"], 200) if binding.get("raw_path") is not None else None,
        status="failed",
    )
    try:
        found = rules.check(claim, invocation_id, binding)
    except BindingFailed as failure:
        told = row.model_copy(update={"failed_rule": failure.rule, "failure_code": failure.code})
        return _Checked(told, None, (_note(row, failure.rule, failure.message),))
    evidence = VerifiedEvidence(
        binding_id=binding_id,
        run_id=run_id,
        claim_id=row.claim_id,
        source_invocation_id=invocation_id,
        tool_name=binding["tool_name"],
        raw_path=storable(found.raw_path),
        matched_text=found.matched_text,
        no_hit=found.no_hit,
    )
    digest = hashlib.sha256(found.matched_text.encode()).hexdigest()
    warnings = found.warnings
    if flags := injection_flags(found.matched_text):
        warnings += ((_SUSPICIOUS, f"the excerpt reads like an order: {', '.join(flags)}"),)
    return _Checked(
        row.model_copy(
            update={
                "status": "passed",
                "matched_text_sha256": digest,
                "source_invocation_id": evidence.source_invocation_id,
                "tool_name": evidence.tool_name,
                "raw_path": evidence.raw_path,
            }
        ),
        evidence,
        tuple(_note(row, code, message) for code, message in warnings),
    )


def audit_view(result: GatekeeperResult) -> dict[str, Any]:
    """The audit as the Verifier may see it (X9): ids, rules and codes, nothing a failed binding said or pointed at."""
    return {
        "version": result.version,
        "status": result.status,
        "severity": result.severity,
        "rules": list(result.rules),
        "failed_rules": list(result.failed_rules),
        "checked_bindings": [_binding_view(row) for row in result.checked_bindings],
        "warnings": [_note_view(note) for note in result.warnings],
        "errors": [_note_view(note) for note in result.errors],
    }


def _binding_view(row: CheckedBinding) -> dict[str, Any]:
    hidden = {"source_invocation_id", "tool_name", "raw_path"} if row.status == "failed" else set()
    return row.model_dump(exclude_none=True, exclude=hidden)


def _note_view(note: GateNote) -> dict[str, Any]:
    return note.model_dump(exclude_none=True, exclude={"message"})


def _note(row: CheckedBinding, code: str, message: str) -> GateNote:
    return GateNote(code=code, message=message, claim_id=row.claim_id, binding_id=row.binding_id)


def _ceiling(*, any_failed: bool, any_passed: bool, notes: Sequence[GateNote]) -> Verdict:
    # The table of X11.
    if not any_passed:
        return "REJECT"
    if any_failed or any(note.code in _CAPPING for note in notes):
        return "LOW_CONFID"
    return "PASS"


def _expanded(
    claims: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, Any], str, str, Mapping[str, Any]]]:
    """(claim, binding id, invocation id, binding): one for each invocation that a binding names (X10)."""
    for claim in claims:
        for number, binding in enumerate(claim["evidence_bindings"], start=1):
            ids = tuple(dict.fromkeys(binding["source_invocation_ids"]))
            for part, invocation_id in enumerate(ids, start=1):
                suffix = f".{part}" if len(ids) > 1 else ""
                yield claim, f"{claim['claim_id']}:b{number}{suffix}", invocation_id, binding


def _within_limits(passed: Sequence[VerifiedEvidence]) -> tuple[VerifiedEvidence, ...]:
    """At most 40 items and 16 KB of JSON (G22). Claims take turns, so that a long one does not starve the others."""
    turns: dict[str, int] = {}
    order: list[tuple[int, int]] = []
    for index, item in enumerate(passed):
        turns[item.claim_id] = turns.get(item.claim_id, 0) + 1
        order.append((turns[item.claim_id], index))
    kept: set[int] = set()
    used = len("[]")
    for _, index in sorted(order):
        size = len(canonical_json(passed[index].model_dump()).encode()) + len(",")
        if len(kept) < EVIDENCE_ITEMS and used + size <= EVIDENCE_BYTES:
            kept.add(index)
            used += size
    return tuple(item for index, item in enumerate(passed) if index in kept)


def _drop_notes(passed: Sequence[VerifiedEvidence], kept: Sequence[VerifiedEvidence]) -> list[GateNote]:
    left = {item.binding_id for item in kept}
    judged = {item.claim_id for item in kept}
    limit = f"the limit of {EVIDENCE_ITEMS} items or {EVIDENCE_BYTES} bytes"
    dropped = [item for item in passed if item.binding_id not in left]
    notes = [
        GateNote(
            code=_EVIDENCE_DROPPED,
            message=f"left out by {limit}",
            claim_id=item.claim_id,
            binding_id=item.binding_id,
        )
        for item in dropped
    ]
    lost = dict.fromkeys(item.claim_id for item in dropped if item.claim_id not in judged)
    return notes + [
        GateNote(code=_CLAIM_DROPPED, message=f"no evidence left after {limit}: not judged", claim_id=claim_id)
        for claim_id in lost
    ]


def _projection(
    claims: Sequence[Mapping[str, Any]],
    kept: Sequence[VerifiedEvidence],
    question_type: QuestionType,
    critical: Mapping[str, bool],
) -> VerifiedProjection:
    """IN-05: a claim stays with the bindings that passed, and vanishes when none did."""
    bindings: dict[str, list[str]] = {}
    for item in kept:
        bindings.setdefault(item.claim_id, []).append(item.binding_id)
    return VerifiedProjection(
        claims=tuple(
            VerifiedClaim(
                claim_id=claim["claim_id"],
                claim_type=storable(claim["claim_type"]),
                claim_text=storable(claim["claim_text"]),
                support_level=claim["support_level"],
                is_critical=critical.get(claim["claim_id"], is_critical(claim["claim_type"], question_type)),
                binding_ids=tuple(bindings[claim["claim_id"]]),
            )
            for claim in claims
            if claim["claim_id"] in bindings
        ),
        evidence=tuple(kept),
    )
