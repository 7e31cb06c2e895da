"""The run store: every read and write of it, each in one short transaction."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, func, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlmodel import Session, col

from api.errors import NotFound, StorageError
from api.store.container import read_container, with_channel
from api.store.engine import for_reading, for_steps, for_writing, open_engine
from api.store.faults import is_conflict, storage_error
from api.store.owner import current_owner, is_dead
from api.store.records import RunStatus, StoredRun, stored_run
from api.store.tables import DiagnosisRun, DiagnosisSession, OrchestrationEvent, ToolInvocationRow
from signatures.contracts import DiagnosisResult, RunEvent, ToolInvocation

T = TypeVar("T")
_ATTEMPTS = 5


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class RunStore:
    """Runs with their invocations, events and evaluation channels. Safe to share between threads.

    Every method raises StorageError when the database cannot do it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = for_reading(engine)
        self._steps = for_steps(engine)
        self._ends = for_writing(engine)

    @contextmanager
    def _reads(self) -> Iterator[Session]:
        """One consistent view of the database."""
        try:
            with Session(self._reading) as session, session.begin():
                yield session
        except SQLAlchemyError as error:
            raise storage_error(self._engine.url, error) from error

    def _write(self, work: Callable[[Connection], T], engine: Engine | None = None) -> T:
        """The result of one write transaction; it is run again when the database calls it off for another one.

        Statements go to the connection: mapped objects would cost as much again.
        """
        engine = engine or self._steps
        attempt = 1
        while True:
            try:
                with engine.begin() as connection:
                    return work(connection)
            except SQLAlchemyError as error:
                if attempt == _ATTEMPTS or not is_conflict(error):
                    raise storage_error(self._engine.url, error) from error
            attempt += 1
            time.sleep(random.uniform(0, 0.05))

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

        def start(connection: Connection) -> None:
            if connection.execute(known).first() is None:
                # Another run of the session may create it at the same moment.
                with suppress(IntegrityError), connection.begin_nested():
                    connection.execute(insert(DiagnosisSession), {"id": session_id, "created_at": now})
            connection.execute(insert(DiagnosisRun), run)

        self._write(start)

    def add_invocation(self, invocation: ToolInvocation) -> None:
        """Record one tool call, at once: a claim may cite only what stands here (G29)."""
        # Not model_dump: it would copy megabytes of output.
        row = {name: getattr(invocation, name) for name in ToolInvocation.model_fields}
        self._write(lambda connection: connection.execute(insert(ToolInvocationRow), row))

    def add_events(self, run_id: str, events: Sequence[RunEvent]) -> None:
        """Append events of a run in the given order."""
        if events:
            rows = [{"run_id": run_id, **event.model_dump()} for event in events]
            self._write(lambda connection: connection.execute(insert(OrchestrationEvent), rows))

    def finish_run(self, result: DiagnosisResult, *, calls: int | None = None) -> bool:
        """Record the answer. False when the run was ended before (cancelled): the first end stays.

        Args:
            calls: how many tool calls were recorded; a server that crashed since may have lost the last ones, and then
                this is a StorageError.
        """
        return self._end(
            result.run_id,
            "finished",
            calls,
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

    def _end(self, run_id: str, status: RunStatus, calls: int | None = None, **values: Any) -> bool:
        statement = (
            update(DiagnosisRun)
            .where(col(DiagnosisRun.id) == run_id, col(DiagnosisRun.status) == "running")
            .values(status=status, finished_at=_now(), **values)
        )
        recorded = select(func.count()).where(col(ToolInvocationRow.run_id) == run_id)

        def end(connection: Connection) -> bool:
            if calls is not None and (found := connection.execute(recorded).scalar_one()) != calls:
                raise StorageError(f"run {run_id}: {calls} tool calls were recorded and the database has {found}")
            return bool(connection.execute(statement).rowcount)

        return self._write(end, self._ends)

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
        of_run = col(DiagnosisRun.id) == run_id
        # Readers of the row's key (foreign keys of the run's other tables) need not wait for this lock.
        stored = select(col(DiagnosisRun.self_evaluation)).where(of_run).with_for_update(key_share=True)
        version = col(DiagnosisRun.self_evaluation_version) + 1

        def merge(connection: Connection) -> None:
            row = connection.execute(stored).one_or_none()
            if row is None:
                raise NotFound(f"no run {run_id!r}")
            merged = with_channel(row[0], key, value)
            changed = update(DiagnosisRun).where(of_run)
            connection.execute(changed.values(self_evaluation=merged, self_evaluation_version=version))

        self._write(merge)

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
                None if run.self_evaluation is None else read_container(run.self_evaluation),
                list(session.scalars(invocations)),
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
