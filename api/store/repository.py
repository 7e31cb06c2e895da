"""The run store: every read and write of it, each in one short transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col

from api.errors import NotFound, StorageError
from api.jsontext import lossless
from api.store.engine import for_writing, open_engine, storage_error
from api.store.owner import current_owner, is_dead
from api.store.records import RunStatus, StoredRun, stored_run
from api.store.tables import DiagnosisRun, DiagnosisSession, OrchestrationEvent, ToolInvocationRow
from signatures.contracts import DiagnosisResult, RunEvent, ToolInvocation


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _container(stored: str | None) -> dict[str, Any]:
    """The stored self_evaluation as an object; a value that is none is kept under ``legacy_value`` (G24)."""
    if stored is None:
        return {}
    try:
        value = json.loads(stored)
    except (ValueError, RecursionError):
        value = stored
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"legacy_value": value}


class RunStore:
    """Runs with their invocations, events and evaluation channels. Safe to share between threads.

    Every method raises StorageError when the database cannot do it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writing = for_writing(engine)

    @contextmanager
    def _reads(self) -> Iterator[Session]:
        """One consistent view of the database."""
        try:
            with Session(self._engine) as session, session.begin():
                yield session
        except SQLAlchemyError as error:
            raise storage_error(self._engine.url, error) from error

    @contextmanager
    def _writes(self) -> Iterator[Connection]:
        """One write transaction. Statements go to the connection: mapped objects would cost as much again."""
        try:
            with self._writing.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise storage_error(self._engine.url, error) from error

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def start_run(self, run_id: str, *, question: str, session_id: str, scenario: str | None = None) -> None:
        """Record that a run begins; its session is created when it is new."""
        now = _now()
        known = select(col(DiagnosisSession.id)).where(col(DiagnosisSession.id) == session_id)
        run = {
            "id": run_id,
            "session_id": session_id,
            "status": "running",
            "question": question,
            "scenario": scenario,
            "started_at": now,
            "owner": current_owner(),
            "self_evaluation_version": 0,
        }
        with self._writes() as connection:
            if connection.execute(known).first() is None:
                connection.execute(insert(DiagnosisSession), {"id": session_id, "created_at": now})
            connection.execute(insert(DiagnosisRun), run)

    def add_invocation(self, invocation: ToolInvocation) -> None:
        """Record one tool call, at once: a claim may cite only what stands here (G29)."""
        with self._writes() as connection:
            connection.execute(insert(ToolInvocationRow), invocation.model_dump())

    def add_events(self, run_id: str, events: Sequence[RunEvent]) -> None:
        """Append events of a run in the given order."""
        if events:
            with self._writes() as connection:
                connection.execute(
                    insert(OrchestrationEvent), [{"run_id": run_id, **event.model_dump()} for event in events]
                )

    def finish_run(self, result: DiagnosisResult) -> bool:
        """Record the answer. False when the run was ended before (cancelled): the first end stays."""
        return self._end(
            result.run_id,
            "finished",
            answer=result.answer,
            verdict=result.verdict,
            score=result.groundedness_score,
            route=result.route,
            version=result.version,
            lm=result.lm,
            seconds=result.seconds,
            scenario=result.scenario,
            failure_code=result.failure_code,
            failure_reason=result.failure_reason,
            result=result.model_dump(exclude={"self_evaluation"}),
        )

    def cancel_run(self, run_id: str, reason: str) -> bool:
        """Mark a running run as cancelled; False when it had ended."""
        return self._end(run_id, "cancelled", failure_reason=reason)

    def fail_run(self, run_id: str, code: str, reason: str) -> bool:
        """Mark a running run as failed; False when it had ended."""
        return self._end(run_id, "failed", failure_code=code, failure_reason=reason)

    def _end(self, run_id: str, status: RunStatus, **values: Any) -> bool:
        statement = (
            update(DiagnosisRun)
            .where(col(DiagnosisRun.id) == run_id, col(DiagnosisRun.status) == "running")
            .values(status=status, finished_at=_now(), **values)
        )
        with self._writes() as connection:
            return bool(connection.execute(statement).rowcount)

    def cancel_own_runs(self, reason: str) -> int:
        """Mark every running run of this process as cancelled; return how many."""
        own = select(col(DiagnosisRun.id)).where(
            col(DiagnosisRun.status) == "running", col(DiagnosisRun.owner) == current_owner()
        )
        with self._reads() as session:
            found = session.scalars(own).all()
        return sum(self.cancel_run(run_id, reason) for run_id in found)

    def mark_interrupted(self, stale_after_s: float) -> int:
        """Mark the runs of dead processes as interrupted; return how many.

        A run of another host counts as dead ``stale_after_s`` seconds after its start.
        """
        oldest = (datetime.now(UTC) - timedelta(seconds=stale_after_s)).isoformat(timespec="milliseconds")
        running = select(col(DiagnosisRun.id), col(DiagnosisRun.owner), col(DiagnosisRun.started_at)).where(
            col(DiagnosisRun.status) == "running"
        )
        with self._reads() as session:
            rows = session.execute(running).all()
        lost = [
            run_id
            for run_id, owner, started in rows
            if (dead := is_dead(owner)) is True or (dead is None and started < oldest)
        ]
        return sum(self._end(run_id, "interrupted", failure_reason="its process ended") for run_id in lost)

    def update_self_evaluation(self, run_id: str, key: str, value: Any) -> None:
        """Set one evaluation channel of a run and leave every other as it is (SE-02..07, OB-09, G24).

        Raises:
            NotFound: no such run.
        """
        stored = select(col(DiagnosisRun.self_evaluation)).where(col(DiagnosisRun.id) == run_id).with_for_update()
        with self._writes() as connection:
            row = connection.execute(stored).one_or_none()
            if row is None:
                raise NotFound(f"no run {run_id!r}")
            merged = _container(row[0]) | {key: value}
            connection.execute(
                update(DiagnosisRun)
                .where(col(DiagnosisRun.id) == run_id)
                .values(
                    self_evaluation=lossless(merged),
                    self_evaluation_version=col(DiagnosisRun.self_evaluation_version) + 1,
                )
            )

    def get_run(self, run_id: str) -> StoredRun | None:
        """The run with its invocations and events, or None."""
        with self._reads() as session:
            run = session.get(DiagnosisRun, run_id)
            if run is None:
                return None
            invocations = select(ToolInvocationRow).where(col(ToolInvocationRow.run_id) == run_id)
            events = (
                select(OrchestrationEvent)
                .where(col(OrchestrationEvent.run_id) == run_id)
                .order_by(col(OrchestrationEvent.id))
            )
            return stored_run(
                run,
                None if run.self_evaluation is None else _container(run.self_evaluation),
                list(session.scalars(invocations.order_by(col(ToolInvocationRow.started_at)))),
                list(session.scalars(events)),
            )

    def count_runs(self, status: RunStatus) -> int:
        """How many runs have this status."""
        counted = select(func.count()).select_from(DiagnosisRun).where(col(DiagnosisRun.status) == status)
        with self._reads() as session:
            return int(session.scalar(counted) or 0)


def open_store(url: str, *, stale_after_s: float) -> RunStore:
    """Open the store and mark what dead processes left running.

    Raises:
        StorageError: it cannot be opened; the message names it.
    """
    store = RunStore(open_engine(url))
    store.mark_interrupted(stale_after_s)
    return store


__all__ = ["RunStore", "StorageError", "open_store"]
