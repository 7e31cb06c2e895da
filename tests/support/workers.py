"""Processes that write to a run store at the same time, or until they are killed.

A server process that has everything imported forks them: each would otherwise import for a second first.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from api.chat_service import Accepted, ChatService
from api.store.repository import open_store
from programs.runtime import EventLog, RunContext
from programs.tools.scenario import Scenario, Window
from signatures.contracts import DiagnosisResult, ToolInvocation

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
CALLS = 6
EVENTS_A_CALL = 6


# --- a run whose content is known from its id -------------------------------------------------------------------------


def call_of(run_id: str, number: int) -> ToolInvocation:
    """The invocation of that number of a run, always the same one."""
    return ToolInvocation(
        invocation_id=f"inv_{run_id[:6]}_{number}",
        run_id=run_id,
        tool_name="query_logs",
        params={"service": ["payment-gateway"], "number": number},
        success=True,
        evidence_level="strong",
        hit_count=number,
        output={"run": run_id, "logs": [f"{run_id} {number} 连接池耗尽 \x00 \udce4"] * (1 + 97 * number)},
        output_summary="连接池耗尽",
        started_at=f"2026-01-01T10:00:{number:02d}+08:00",
        duration_ms=1.0,
    )


def answer_of(run_id: str) -> str:
    """The answer of a run."""
    return f"结论 {run_id}"


class LongProgram:
    """Makes ``CALLS`` tool calls with ``EVENTS_A_CALL`` events each; ``on_stored`` hears of each stored call."""

    def __init__(self, on_stored: Callable[[str, int], None] = lambda *_: None) -> None:
        self._on_stored = on_stored

    def diagnose(self, question: str, context: RunContext) -> DiagnosisResult:
        log = EventLog(context.on_event)
        for number in range(1, CALLS + 1):
            for _ in range(EVENTS_A_CALL):
                log.emit("execute", "note", "查证据", number=number)
            context.on_invocation(call_of(context.run_id, number))
            self._on_stored(context.run_id, number)
        return DiagnosisResult(
            run_id=context.run_id,
            question=question,
            answer=answer_of(context.run_id),
            route="composer",
            verdict="PASS",
            groundedness_score=1.0,
            version="baseline",
            self_evaluation={"verifier_evaluation": {"verdict": "PASS"}},
        )


def _scenario() -> Scenario:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Scenario("pool", "连接池", True, now, UTC, Window(now, now), (), (), Path("."), None)  # type: ignore[arg-type]


def run_until_killed(url: str, name: str, told: Connection) -> None:
    """One run after the other; tells ``("stored", run_id, number)`` and ``("finished", run_id)`` when that is so."""
    told.send(("begun", ""))
    program = LongProgram(lambda run_id, number: told.send(("stored", run_id, number)))
    programs: Any = SimpleNamespace(program=lambda _: program)
    service = ChatService(open_store(url, stale_after_s=600), programs)
    turn = 0
    while True:
        turn += 1
        result = service.run(Accepted(f"{name}{turn:03d}-run", "shared", "为什么？", _scenario(), "", "baseline"))
        told.send(("finished", result.run_id))


# --- many at once -----------------------------------------------------------------------------------------------------


def open_and_write(url: str, number: int, gate: Barrier, faults: Any) -> None:
    """Open the store when all are ready, write five runs, and end without a clean-up as a killed worker would."""
    gate.wait(60)
    try:
        opened = open_store(url, stale_after_s=600)
        for turn in range(5):
            run_id = f"p{number}_{turn}"
            opened.start_run(run_id, question="q", session_id="shared")
            opened.add_invocation(call_of(run_id, turn))
    except Exception as error:
        faults.put(repr(error))


def write_channels(url: str, number: int, threads: int, gate: Barrier, faults: Any) -> None:
    """Write the container of run ``r1`` from several threads: two channels of its own and a shared one each."""
    store = open_store(url, stale_after_s=600)
    gate.wait(60)
    at_once = threading.Barrier(threads)

    def write(thread: int) -> None:
        name = f"{number}_{thread}"
        at_once.wait(60)
        try:
            store.update_self_evaluation("r1", f"first_{name}", {"of": name})
            store.update_self_evaluation("r1", "shared", {"of": name})
            store.update_self_evaluation("r1", f"second_{name}", {"of": name})
        except Exception as error:
            faults.put(repr(error))

    run_threads([lambda thread=thread: write(thread) for thread in range(threads)])
    store.close()


def run_threads(work: Sequence[Callable[[], Any]]) -> list[BaseException]:
    """Run all at once, wait for all, return what was raised."""
    faults: list[BaseException] = []

    def guarded(one: Callable[[], Any]) -> None:
        try:
            one()
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=guarded, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


@contextmanager
def processes(target: Callable[..., None], arguments: Sequence[tuple[Any, ...]]) -> Iterator[list[ForkServerProcess]]:
    """Running processes, one for each tuple of arguments; those still there at the end are killed."""
    started = [PROCESSES.Process(target=target, args=given, daemon=True) for given in arguments]
    for process in started:
        process.start()
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.join(30)


def all_done(target: Callable[..., None], count: int, *given: Any) -> list[str]:
    """Run ``target(*given[0], number, *given[1:], gate, faults)`` in ``count`` processes at once; what went wrong."""
    gate, faults = PROCESSES.Barrier(count), PROCESSES.Queue()
    url, *others = given
    with processes(target, [(url, number, *others, gate, faults) for number in range(count)]) as started:
        for process in started:
            process.join(120)
        codes = [f"exit code {process.exitcode}" for process in started if process.exitcode != 0]
    return codes + [faults.get() for _ in range(faults.qsize())]
