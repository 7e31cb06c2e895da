"""One question: checked, run, written down (X3: a thin caller and persister, the graph decides everything else)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.errors import RunTimedOut, StorageError
from api.program_source import Programs
from api.question import new_run_id, valid_question, valid_session
from api.store.recorder import RunRecorder
from api.store.repository import RunStore
from programs.runtime import RunCancelled, RunContext
from signatures.contracts import DiagnosisResult, RunEvent

if TYPE_CHECKING:
    from programs.tools.scenario import Scenario


def ignore_event(_: RunEvent) -> None:
    """No one watches."""


def never() -> bool:
    """No one cancels."""
    return False


@dataclass(frozen=True)
class Accepted:
    """A question that passed every check. ``scenario_reason``: why this scenario, when none was named."""

    run_id: str
    session_id: str
    question: str
    scenario: Scenario
    scenario_reason: str
    version: str


class ChatService:
    """Answers questions and keeps their records.

    Args:
        store: the run store.
        programs: where programs come from.
        deadline_s: seconds after which a run is stopped at the next step.
    """

    def __init__(self, store: RunStore, programs: Programs, *, deadline_s: float = 600.0) -> None:
        self.store = store
        self.programs = programs
        self._deadline_s = deadline_s

    def accept(
        self, question: str, scenario: str | None = None, session_id: str | None = None, version: str | None = None
    ) -> Accepted:
        """Check a question and everything it names; nothing is stored yet.

        Raises:
            BadInput, ScenarioError, VersionError: a value cannot be used; the message names it.
        """
        from programs.tools.scenario import load_scenario, pick_scenario

        text = valid_question(question)
        session = valid_session(session_id)
        chosen, reason = (load_scenario(scenario), "") if scenario else pick_scenario(text)
        return Accepted(new_run_id(), session, text, chosen, reason, self.programs.resolve(version))

    def ask(
        self,
        question: str,
        scenario: str | None = None,
        session_id: str | None = None,
        on_event: Callable[[RunEvent], None] = ignore_event,
        cancelled: Callable[[], bool] = never,
    ) -> DiagnosisResult:
        """`accept` and `run` in one call."""
        return self.run(self.accept(question, scenario, session_id), on_event, cancelled)

    def run(
        self,
        accepted: Accepted,
        on_event: Callable[[RunEvent], None] = ignore_event,
        cancelled: Callable[[], bool] = never,
    ) -> DiagnosisResult:
        """Answer an accepted question; its row in the store tells how it ended, whatever happens.

        Raises:
            RunCancelled: ``cancelled`` became true; the run is marked cancelled. KeyboardInterrupt likewise.
            RunTimedOut: the deadline passed; the run is marked failed.
            LMUnavailable, VersionError, StorageError: as they come; the run is marked failed.
        """
        deadline = time.monotonic() + self._deadline_s

        def stopped() -> bool:
            return cancelled() or time.monotonic() > deadline

        self.store.start_run(
            accepted.run_id,
            question=accepted.question,
            session_id=accepted.session_id,
            scenario=accepted.scenario.name,
        )
        recorder = RunRecorder(self.store, accepted.run_id)

        def record_and_show(event: RunEvent) -> None:
            recorder.on_event(event)
            on_event(event)

        with self._ending(accepted.run_id, recorder, cancelled):
            context = RunContext(
                run_id=accepted.run_id,
                scenario=accepted.scenario,
                on_event=record_and_show,
                on_invocation=recorder.on_invocation,
                cancelled=stopped,
            )
            context.check_cancelled()
            program = self.programs.program(accepted.version)
            context.check_cancelled()
            result = program.diagnose(accepted.question, context)
            if cancelled():
                raise RunCancelled(accepted.run_id)
            self._keep(result, recorder)
        return result

    @contextlib.contextmanager
    def _ending(self, run_id: str, recorder: RunRecorder, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Whatever leaves the block, the run's row says how it ended."""
        try:
            yield
        except (RunCancelled, KeyboardInterrupt) as error:
            timed_out = isinstance(error, RunCancelled) and not cancelled()
            late = False
            with contextlib.suppress(StorageError):
                reason = f"deadline of {self._deadline_s:g} s passed"
                late = timed_out and self.store.fail_run(run_id, "TIMEOUT", reason)
                if not late:
                    self.store.cancel_run(run_id, "cancelled by the caller")
            with contextlib.suppress(StorageError):
                recorder.flush()
            if late:
                raise RunTimedOut(
                    f"run {run_id} was stopped after {self._deadline_s:g} s; ask a narrower question, or raise "
                    "SUPERBIZ_RUN_DEADLINE"
                ) from None
            raise
        except Exception as error:
            with contextlib.suppress(StorageError):
                self.store.fail_run(run_id, failure_code(error), f"{type(error).__name__}: {error}"[:1_000])
            with contextlib.suppress(StorageError):
                recorder.flush()
            raise

    def _keep(self, result: DiagnosisResult, recorder: RunRecorder) -> None:
        """Write the evaluation channels, then the answer: whoever reads a finished run finds both (SE-02, SE-04)."""
        from programs.evidence import rule_evaluation

        recorder.flush()
        if recorder.error is not None:
            raise recorder.error
        run_id = result.run_id
        self.store.update_self_evaluation(run_id, "rule_evaluation", rule_evaluation(recorder.invocations))
        if "verifier_evaluation" in result.self_evaluation:
            verdict = result.self_evaluation["verifier_evaluation"]
            self.store.update_self_evaluation(run_id, "verifier_evaluation", verdict)
        if not self.store.finish_run(result, calls=len(recorder.invocations)):
            raise RunCancelled(run_id)


def failure_code(error: Exception) -> str:
    """The stable code under which a run's failure is stored."""
    names = {
        "LMUnavailable": "MODEL_UNAVAILABLE",
        "ScenarioError": "SCENARIO",
        "StorageError": "STORAGE",
        "VersionError": "VERSION",
    }
    return names.get(type(error).__name__, "INTERNAL")
