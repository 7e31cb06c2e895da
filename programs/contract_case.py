"""Contracts from outside: a case's claims as a contract, and a whole contract through the graph."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from programs.case_result import CaseResult, ClaimResult
from programs.diagnosis import DiagnosisProgram
from programs.lms.choice import RoleLMs
from programs.runtime import RunContext
from programs.tools.registry import EVIDENCE_TOOLS
from programs.tools.scenario import Scenario, Window
from programs.verifier import ClaimVerifier
from signatures.contracts import ANSWER_VERSION, Classification, RunEvent, ToolInvocation
from signatures.verdict_case import VerdictCase


def verify_contract(
    case: VerdictCase,
    verifier: ClaimVerifier,
    lms: RoleLMs,
    on_claim: Callable[[str, str, Classification], None] | None = None,
) -> CaseResult:
    """The Executor contract of a case through the graph's own gate, Verifier and answer."""
    program = DiagnosisProgram(lms)
    program.verifier = verifier

    def told(event: RunEvent) -> None:
        if on_claim is not None and event.kind == "claim_checked":
            on_claim(case.case_id, event.data["claim_id"], event.data["classification"])

    result = program.judge_contract(
        case.query,
        _text(case.executor_output),
        RunContext(run_id=case.case_id, scenario=_NOWHERE, on_event=told),
        invocations_of(case),
        None if case.verifier_outputs is None else [_text(item) for item in case.verifier_outputs],
        question_type=case.question_type,
        evidence_tools=(*EVIDENCE_TOOLS, *case.evidence_tools),
    )
    evaluation = result.self_evaluation["verifier_evaluation"]
    return CaseResult(
        case_id=case.case_id,
        claims=tuple(ClaimResult(**claim.model_dump(include=_CLAIM_FIELDS)) for claim in result.claims),
        model_verdict=evaluation.get("model_verdict"),
        effective_verdict=result.verdict,
        groundedness_score=result.groundedness_score,
        gatekeeper_result=evaluation.get("gatekeeper_result"),
        seconds=result.seconds,
        diagnosis=result,
    )


def _text(value: Any) -> str:
    """An output as the text that it was; an object was parsed strictly with the case, so nothing is lost."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_CLAIM_FIELDS = {"claim_id", "classification", "basis", "probabilities", "literal_findings", "detail"}
_EPOCH = datetime.fromtimestamp(0, UTC)
# A contract from outside comes with its tool output: there is no telemetry to query.
_NOWHERE = Scenario(
    name="external",
    title="",
    default=False,
    clock=_EPOCH,
    zone=ZoneInfo("UTC"),
    window=Window(_EPOCH, _EPOCH),
    services=(),
    hosts=(),
    folder=Path(),
    runbook_folder=None,
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
            run_id=item.run_id or case.case_id,
            tool_name=item.tool_name,
            params=item.params or {},
            success=item.success,
            failure_code=item.failure_code,
            dedup_of=item.dedup_of,
            new_evidence=item.dedup_of is None,
            evidence_level="strong" if item.success else "none",
            output=item.output,
        )
        for item in case.invocations
    )
