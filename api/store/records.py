"""What the store hands out: frozen values, detached from the database."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from api.store.tables import DiagnosisRun, OrchestrationEvent, ToolInvocationRow
from signatures.contracts import RunEvent, ToolInvocation

RunStatus = Literal["running", "finished", "cancelled", "failed", "interrupted"]


class StoredRun(BaseModel):
    """A run as it stands in the store. ``result`` is the DiagnosisResult without its self_evaluation (X2)."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    session_id: str
    status: RunStatus
    question: str
    scenario: str | None
    answer: str | None
    verdict: str | None
    groundedness_score: float | None
    route: str | None
    version: str | None
    lm: str | None
    failure_code: str | None
    failure_reason: str | None
    started_at: str
    finished_at: str | None
    seconds: float | None
    result: dict[str, Any] | None
    self_evaluation: Any
    self_evaluation_version: int
    invocations: tuple[ToolInvocation, ...]
    events: tuple[RunEvent, ...]


def stored_run(
    run: DiagnosisRun,
    self_evaluation: Any,
    invocations: list[ToolInvocationRow],
    events: list[OrchestrationEvent],
) -> StoredRun:
    """The run of these rows, the calls in the order in which they began.

    Sorted here: databases put text in orders of their own.
    """
    called = sorted(invocations, key=lambda row: (row.started_at, len(row.invocation_id), row.invocation_id))
    fields = run.model_dump(exclude={"id", "score", "owner", "self_evaluation"})
    return StoredRun(
        **fields,
        run_id=run.id,
        groundedness_score=run.score,
        self_evaluation=self_evaluation,
        invocations=tuple(ToolInvocation(**row.model_dump()) for row in called),
        events=tuple(RunEvent(**row.model_dump(exclude={"id", "run_id"})) for row in events),
    )
