"""The contracts passed between the steps of a diagnosis.

Every value here is frozen: a step returns a new value instead of editing the one it was given. Words are the
field's own: claim, evidence binding, invocation, raw path, matched text, verdict, ceiling, groundedness.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ANSWER_VERSION = "executor_evidence_v2"
TRACEABILITY_VERSION = "claim_local_v1"

Classification = Literal[
    "direct_observation", "reasonable_inference", "overstated", "unsupported", "external_unknown", "contradicted"
]
CLASSIFICATIONS: tuple[Classification, ...] = (
    "direct_observation",
    "reasonable_inference",
    "overstated",
    "unsupported",
    "external_unknown",
    "contradicted",
)
SUPPORTED: frozenset[str] = frozenset({"direct_observation", "reasonable_inference"})

Verdict = Literal["PASS", "LOW_CONFID", "REJECT"]
FactVerification = Literal["direct_evidence", "indirect_support", "no_evidence", "contradicted"]
Severity = Literal["none", "low_confid", "reject"]
EvidenceLevel = Literal["none", "weak", "strong"]
FailureCode = Literal["TOOL_ERROR", "TIMEOUT", "NO_HIT", "DEDUPED", "BUDGET_EXCEEDED", "PARTIAL"]
VerifierStatus = Literal["COMPLETED", "INVALID_OUTPUT", "INVOCATION_FAILED", "TIMEOUT", "NOT_RUN"]
ExecutorStatus = Literal["COMPLETED", "INVALID_OUTPUT", "INVOCATION_FAILED", "TIMEOUT"]
FinalRoute = Literal["composer", "composer_safe", "fallback", "simple"]
FallbackOrigin = Literal["planner", "executor", "gatekeeper", "verifier"]
QuestionType = Literal["incident", "knowledge", "greeting"]
Basis = Literal["rendered", "model"]


class Contract(BaseModel):
    """Base of every contract: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- tools ----------------------------------------------------------------------------------------------------------


class ToolInvocation(Contract):
    """One tool call of a run, recorded before any claim may cite it.

    ``output`` is the tool's JSON value, exactly as bindings address it (``$`` is this value).
    ``duration_ms`` in milliseconds; ``started_at`` is ISO 8601 with a zone.
    """

    invocation_id: str
    run_id: str
    tool_name: str
    params: dict[str, Any] = Field(default_factory=dict)
    success: bool
    failure_code: FailureCode | None = None
    failure_reason: str | None = None
    evidence_level: EvidenceLevel = "none"
    new_evidence: bool = True
    dedup_of: str | None = None
    hit_count: int = 0
    output: Any = None
    output_summary: str = ""
    started_at: str = ""
    duration_ms: float = 0.0
    injection_flags: tuple[str, ...] = ()


class PlanStep(Contract):
    """One planned tool call. ``gap_id`` is set only in the evidence-gap cycle (G8)."""

    tool: str
    params: dict[str, Any] = Field(default_factory=dict)
    reason: str = ""
    gap_id: str | None = None
    origin: Literal["model", "default", "follow_up", "gap"] = "model"


# --- executor contract (executor_evidence_v2) -----------------------------------------------------------------------


class EvidenceBinding(Contract):
    """A pointer from a claim into tool output. ``raw_path`` is the strict JSONPath subset of G3."""

    source_type: str
    tool_name: str
    source_invocation_ids: tuple[str, ...]
    evidence_excerpt: str
    raw_path: str | None = None
    source_id: str | None = None


class Claim(Contract):
    claim_id: str
    claim_type: str
    claim_text: str
    support_level: Literal["direct", "indirect"]
    evidence_bindings: tuple[EvidenceBinding, ...]


class ExecutorEvidenceV2(Contract):
    """What the Executor asserts, each claim with its bindings; guesses stay apart from claims."""

    answer_version: Literal["executor_evidence_v2"] = "executor_evidence_v2"
    claims: tuple[Claim, ...] = ()
    hypotheses: tuple[str, ...] = ()
    recommended_actions: tuple[str, ...] = ()
    missing_info: tuple[str, ...] = ()


# --- gate -----------------------------------------------------------------------------------------------------------


class CheckedBinding(Contract):
    """One (binding, invocation id) pair after the gate's checks (X10)."""

    binding_id: str
    claim_id: str
    source_invocation_id: str
    tool_name: str
    raw_path: str | None = None
    status: Literal["passed", "failed"]
    failed_rule: str | None = None
    failure_code: str | None = None
    matched_text_sha256: str | None = None


class GateNote(Contract):
    """A warning or error of the gate: a stable ``code`` and a sentence that names the offending value."""

    code: str
    message: str
    claim_id: str | None = None
    binding_id: str | None = None


class GatekeeperResult(Contract):
    version: str = "gate_v1"
    status: Literal["pass", "fail"]
    severity: Severity
    rules: tuple[str, ...] = ()
    failed_rules: tuple[str, ...] = ()
    checked_bindings: tuple[CheckedBinding, ...] = ()
    warnings: tuple[GateNote, ...] = ()
    errors: tuple[GateNote, ...] = ()


class VerifiedEvidence(Contract):
    """One passed binding. ``matched_text`` is cut by the gate from the stored output, not copied from the Executor."""

    binding_id: str
    run_id: str
    claim_id: str
    source_invocation_id: str
    tool_name: str
    raw_path: str
    matched_text: str
    no_hit: bool = Field(default=False, description="the call found nothing: it shows absence as far as it looked (G6)")


class VerifiedClaim(Contract):
    """A claim with at least one passed binding, as the Verifier may see it."""

    claim_id: str
    claim_type: str
    claim_text: str
    support_level: Literal["direct", "indirect"]
    is_critical: bool
    binding_ids: tuple[str, ...]


class VerifiedProjection(Contract):
    """Everything that passed the gate, and nothing else (IN-05, IN-06)."""

    answer_version: Literal["executor_evidence_v2"] = "executor_evidence_v2"
    claims: tuple[VerifiedClaim, ...] = ()
    evidence: tuple[VerifiedEvidence, ...] = ()

    def evidence_of(self, claim_id: str) -> tuple[VerifiedEvidence, ...]:
        """The claim's own excerpts: its whole evidence context (CL-01)."""
        return tuple(item for item in self.evidence if item.claim_id == claim_id)


class GateOutcome(Contract):
    """The gate's audit, the hard ceiling it sets, and what it lets through."""

    result: GatekeeperResult
    ceiling: Verdict
    projection: VerifiedProjection = VerifiedProjection()


class DiagnosisContext(Contract):
    """What was asked; never how the run came to its claims."""

    question: str
    question_type: QuestionType


class VerifiedOutput(Contract):
    """The claims with a passed binding, as part of the Verifier's input."""

    answer_version: Literal["executor_evidence_v2"] = "executor_evidence_v2"
    claims: tuple[VerifiedClaim, ...] = ()


class VerifierInput(Contract):
    """Everything that the Verifier may see, and nothing else (IN-01..06). ``retry_context`` only in cycle 2 (IN-03)."""

    diagnosis_context: DiagnosisContext
    verified_executor_output: VerifiedOutput
    verified_evidence: tuple[VerifiedEvidence, ...]
    gatekeeper_audit: dict[str, Any]
    verdict_ceiling: Verdict
    retry_context: dict[str, Any] | None = None

    def evidence_of(self, claim_id: str) -> tuple[VerifiedEvidence, ...]:
        """The claim's own excerpts: its whole evidence context (CL-01)."""
        return tuple(item for item in self.verified_evidence if item.claim_id == claim_id)

    def serialized(self) -> str:
        """The input as text: the same bytes for the same input (IN-11)."""
        return self.model_dump_json(exclude_none=True)


# --- grounding ------------------------------------------------------------------------------------------------------


class LiteralFinding(Contract):
    """One literal of a claim looked up in the claim's own excerpts.

    ``kind``: number, percent, duration, bytes, cpu, count, time, ip, port, host, service, code, quoted, state, order.
    ``place``: ``invocation_id raw_path`` of the excerpt that decided, when one did.
    """

    text: str
    kind: str
    status: Literal["found", "conflicting", "unseen"]
    critical: bool = True
    place: str | None = None
    evidence_text: str | None = None
    detail: str = ""


# --- verifier -------------------------------------------------------------------------------------------------------


class EvidenceRef(Contract):
    source_invocation_id: str
    tool_name: str | None = None
    raw_path: str | None = None
    claim_id: str | None = None


class EvidenceGap(Contract):
    """What is missing for a critical claim; ``valid`` and ``reason`` are computed by code (G7)."""

    gap_id: str
    claim_id: str
    missing: str
    suggested_tool: str | None = None
    suggested_params: dict[str, Any] = Field(default_factory=dict)
    valid: bool = False
    reason: str = ""


class ClaimCheck(Contract):
    """The judgement of one claim.

    ``model_classification`` is what the model said before any code guard; ``classification`` is what counts.
    ``probabilities``: class name to probability, when the model gives them (sum 1).
    """

    claim_id: str
    is_critical: bool
    classification: Classification
    model_classification: Classification | None = None
    fabricated: bool = False
    basis: Basis = "model"
    detail: str = ""
    probabilities: dict[str, float] = Field(default_factory=dict)
    literal_findings: tuple[LiteralFinding, ...] = ()
    evidence_refs: tuple[EvidenceRef, ...]
    evidence_gap: EvidenceGap | None = None


class FactChecked(Contract):
    fact: str
    is_critical: bool
    verification: FactVerification
    detail: str = ""


class VerdictAdjustment(Contract):
    """One reason why the effective verdict is below the model's."""

    code: str
    before: Verdict
    after: Verdict
    reason: str


class VerifierResult(Contract):
    """The normalised Verifier output (VJ rows): every verdict and score in it is computed by code."""

    model_verdict: Verdict
    effective_verdict: Verdict
    verdict: Verdict
    verdict_ceiling: Verdict
    groundedness_score: float = Field(ge=0.0, le=1.0)
    critical_fact_count: int
    claim_checks: tuple[ClaimCheck, ...]
    facts_checked: tuple[FactChecked, ...]
    rationale: str
    verdict_adjustments: tuple[VerdictAdjustment, ...] = ()
    warnings: tuple[GateNote, ...] = ()


class VerifierAttempt(Contract):
    """One technical attempt: same bytes every time (IN-11)."""

    input_sha256: str
    status: VerifierStatus
    latency_ms: float
    failure_reason: str | None = None


# --- run ------------------------------------------------------------------------------------------------------------


class DiscardedText(Contract):
    """A model text that was no legal output: what it was, never what it said (X12). ``length`` in characters."""

    node: str
    failure_code: str
    sha256: str
    length: int


class PromptEntry(Contract):
    node: str
    name: str
    version: str


class PromptAudit(Contract):
    """Which prompts a run used, by name and version; never their text (OB-17)."""

    version: str
    prompts: tuple[PromptEntry, ...]


class StepCost(Contract):
    """What one graph step cost. Tokens are the model's own counts; seconds are wall time."""

    step: str
    model_calls: int = 0
    decision_calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    model_seconds: float = 0.0
    tool_seconds: float = 0.0


class RunEvent(Contract):
    """One orchestration event: shown live, persisted, replayed.

    ``kind``: ``node_started``, ``node_finished``, ``tool_started``, ``tool_finished``, ``claim_checked``, ``route``,
    ``note``, ``trace`` (what a batch of tool calls brought, for `--trace`; no message), ``run_finished``.
    """

    seq: int
    at: str
    node: str
    kind: str
    message: str
    data: dict[str, Any] = Field(default_factory=dict)


class EvidenceItem(Contract):
    """One line of the evidence list a user reads: mark, time, source, quoted text."""

    mark: str
    claim_ids: tuple[str, ...]
    source_invocation_id: str
    tool_name: str
    raw_path: str
    time: str | None = None
    source: str = ""
    quote: str = ""


class ReportedClaim(Contract):
    """A claim as the answer's audit shows it."""

    claim_id: str
    claim_type: str
    claim_text: str
    is_critical: bool
    classification: Classification
    basis: Basis
    probabilities: dict[str, float] = Field(default_factory=dict)
    evidence_refs: tuple[EvidenceRef, ...] = ()
    literal_findings: tuple[LiteralFinding, ...] = ()
    detail: str = ""


class DiagnosisResult(Contract):
    """What a run returns. ``verdict`` is absent (None) when no Verifier completed: none is invented (SV-03)."""

    run_id: str
    question: str
    answer: str
    route: FinalRoute
    verdict: Verdict | None = None
    groundedness_score: float | None = None
    claims: tuple[ReportedClaim, ...] = ()
    evidence: tuple[EvidenceItem, ...] = ()
    evidence_gaps: tuple[str, ...] = ()
    calls: tuple[StepCost, ...] = ()
    seconds: float = 0.0
    version: str = "baseline"
    lm: str = ""
    scenario: str | None = None
    fallback_origin: FallbackOrigin | None = None
    failure_code: str | None = None
    failure_reason: str | None = None
    self_evaluation: dict[str, Any] = Field(default_factory=dict)
