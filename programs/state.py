"""The state that travels through the graph, and the run around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from programs.runtime import EventLog, Meter, RunContext
from programs.tools.registry import EVIDENCE_TOOLS
from signatures.contracts import (
    DiscardedText,
    EvidenceGap,
    ExecutorStatus,
    FallbackOrigin,
    FinalRoute,
    GateOutcome,
    PlanStep,
    QuestionType,
    ToolInvocation,
    VerifierAttempt,
    VerifierResult,
    VerifierStatus,
)

if TYPE_CHECKING:
    from programs.composer import Composition
    from programs.diagnosis import DiagnosisProgram
    from programs.facts import Fact
    from programs.tools.runner import ToolRunner


@dataclass(frozen=True)
class Run:
    """The fixed surroundings of one run."""

    program: DiagnosisProgram
    context: RunContext
    log: EventLog
    meter: Meter
    runner: ToolRunner


@dataclass(frozen=True)
class State:
    """One value per step; a node returns a copy with its own fields set.

    ``external``: the contract came from outside, so that no tool and no writing model takes part. ``recorded``: outputs
    of another Verifier, an attempt each, to be read in the place of asking the model. ``missing``: what code found out
    to be missing (failed calls, unknown services). ``discarded``: model texts that were no legal output (X12).
    """

    question: str
    question_type: QuestionType = "incident"
    evidence_tools: tuple[str, ...] = EVIDENCE_TOOLS
    external: bool = False
    steps: tuple[PlanStep, ...] = ()
    invocations: tuple[ToolInvocation, ...] = ()
    absent: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    healthy: bool = False
    executor_status: ExecutorStatus = "COMPLETED"
    story_problems: tuple[str, ...] = ()
    contract: dict[str, Any] = field(default_factory=dict)
    discarded: tuple[DiscardedText, ...] = ()
    missing: tuple[str, ...] = ()
    gate: GateOutcome | None = None
    verifier_status: VerifierStatus = "NOT_RUN"
    attempts: tuple[VerifierAttempt, ...] = ()
    verifier_result: VerifierResult | None = None
    gaps: tuple[EvidenceGap, ...] = ()
    recorded: tuple[str, ...] | None = None
    retries: int = 0
    retry_context: dict[str, Any] | None = None
    first_cycle: dict[str, Any] | None = None
    composition: Composition | None = None
    route: FinalRoute = "fallback"
    answer: str = ""
    fallback_origin: FallbackOrigin | None = None
    failure_code: str | None = None
    failure_reason: str | None = None
    note: str = ""

    @property
    def gate_outcome(self) -> GateOutcome:
        """The gate's outcome; only asked for after the gate has run."""
        if self.gate is None:
            raise RuntimeError("the gate has not run")
        return self.gate

    def claim(self, claim_id: str) -> dict[str, Any]:
        """The Executor's raw claim of this id."""
        return next((item for item in self.contract.get("claims", []) if item.get("claim_id") == claim_id), {})
