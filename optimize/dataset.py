"""Labelled verdict cases as rows for compiling and scoring, and the check of such a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from signatures.contracts import CLASSIFICATIONS, Classification, VerifiedEvidence
from signatures.verdict_case import CaseFileError, VerdictCase, read_cases, scan_cases

SHIPPED_SPLITS = ("train", "dev")


@dataclass(frozen=True)
class ClaimRow:
    """One labelled claim with its own excerpts. ``family`` is the case id: rows of a family stay in one fold."""

    row_id: str
    family: str
    query: str
    claim: str
    evidence: tuple[VerifiedEvidence, ...]
    label: Classification
    lang: str
    claim_type: str
    is_critical: bool
    why: str


@dataclass(frozen=True)
class Problem:
    """One fault of a labelled file. ``line`` counts from 1, None for the file as a whole."""

    line: int | None
    field: str
    reason: str


def load_split(name_or_path: str | Path) -> list[VerdictCase]:
    """The labelled cases of a shipped split (``train``, ``dev``) or of a file.

    Raises CaseFileError (line and field named) for a file that is absent or faulty.
    """
    name = str(name_or_path)
    if name in SHIPPED_SPLITS:
        with resources.as_file(resources.files("data") / "verdicts" / f"{name}.jsonl") as path:
            return read_cases(path, require_labels=True)
    if not Path(name).exists():
        reason = f"no such file, and not a shipped split ({', '.join(SHIPPED_SPLITS)}); give the path of a JSONL file"
        raise CaseFileError(name, None, "", reason)
    return read_cases(name, require_labels=True)


def claim_rows(cases: Sequence[VerdictCase]) -> list[ClaimRow]:
    """Every labelled claim as one row; claims without a label are left out.

    ``VerifiedEvidence.run_id`` is the case id: within a file a case stands for a run.
    """
    return [
        ClaimRow(
            row_id=f"{case.case_id}/{claim.claim_id}",
            family=case.case_id,
            query=case.query,
            claim=claim.claim_text,
            evidence=tuple(
                VerifiedEvidence(
                    binding_id=f"{claim.claim_id}.b{index}",
                    run_id=case.case_id,
                    claim_id=claim.claim_id,
                    source_invocation_id=item.source_invocation_id,
                    tool_name=item.tool_name,
                    raw_path=item.raw_path or "$",
                    matched_text=item.matched_text,
                )
                for index, item in enumerate(claim.evidence, 1)
            ),
            label=claim.label,
            lang=claim.lang,
            claim_type=claim.claim_type,
            is_critical=claim.is_critical,
            why=claim.why,
        )
        for case in cases
        for claim in case.claims
        if claim.label is not None
    ]


def stats(cases: Sequence[VerdictCase]) -> dict[str, Any]:
    """Counts of a labelled set. A claim counts once for each tool that its evidence names."""
    claims = [claim for case in cases for claim in case.claims]
    labels: Counter[str] = Counter(claim.label or "unlabelled" for claim in claims)
    return {
        "cases": len(cases),
        "claims": len(claims),
        "labels": {name: labels[name] for name in (*CLASSIFICATIONS, "unlabelled") if name in labels},
        "langs": _counted(claim.lang for claim in claims),
        "difficulties": _counted(claim.difficulty for claim in claims),
        "claim_types": _counted(claim.claim_type for claim in claims),
        "tools": _counted(tool for claim in claims for tool in {item.tool_name for item in claim.evidence}),
        "multi_excerpt": sum(len(claim.evidence) > 1 for claim in claims),
        "critical": sum(claim.is_critical for claim in claims),
    }


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(value or "unstated" for value in values).items()))


def check_file(path: str | Path) -> list[Problem]:
    """Every fault of a labelled file, in line order: schema, labels, identity, and pointers that do not hold.

    Of a line that breaks the schema only the first fault is told. An empty list means the file can be used.
    """
    problems: list[Problem] = []
    try:
        for number, item in scan_cases(path, require_labels=True):
            if isinstance(item, CaseFileError):
                problems.append(Problem(number, item.field, item.reason))
            else:
                problems += _evidence_problems(number, item)
    except CaseFileError as error:
        problems.append(Problem(error.line, error.field, error.reason))
    return problems


def _evidence_problems(line: int, case: VerdictCase) -> list[Problem]:
    # raw_path reads no model, but the command line must start without loading the programs package.
    from programs.raw_path import RawPathError, resolve, text_of

    invocations = {item.invocation_id: item for item in case.invocations}
    problems: list[Problem] = []
    for claim_index, claim in enumerate(case.claims):
        place = f"claims[{claim_index}]"
        if not claim.evidence:
            problems.append(
                Problem(line, f"{place}.evidence", "is empty; a claim needs an excerpt to be judged against")
            )
        for index, item in enumerate(claim.evidence):
            at = f"{place}.evidence[{index}]"
            invocation = invocations.get(item.source_invocation_id)
            if invocation is None:
                known = ", ".join(invocations) or "none"
                reason = f"is {item.source_invocation_id!r}, which is no invocation of this case ({known})"
                problems.append(Problem(line, f"{at}.source_invocation_id", reason))
                continue
            if invocation.tool_name != item.tool_name:
                reason = f"is {item.tool_name!r}, but {item.source_invocation_id} is a {invocation.tool_name} call"
                problems.append(Problem(line, f"{at}.tool_name", reason))
            if item.raw_path is None:
                problems.append(Problem(line, f"{at}.raw_path", "is missing"))
                continue
            try:
                value = resolve(invocation.output, item.raw_path)
            except RawPathError as error:
                problems.append(Problem(line, f"{at}.raw_path", str(error)))
                continue
            if not item.matched_text.strip():
                problems.append(Problem(line, f"{at}.matched_text", "is blank"))
            elif item.matched_text not in text_of(value):
                shown = item.matched_text if len(item.matched_text) <= 60 else item.matched_text[:59] + "…"
                reason = f"is {shown!r}, which is not in the value at {item.raw_path}"
                problems.append(Problem(line, f"{at}.matched_text", reason))
    return problems
