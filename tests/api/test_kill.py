"""kill -9 at random moments of a run: what was reported as written is there, and the run is known as interrupted."""

import os
import random
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from api.store.records import StoredRun
from api.store.repository import RunStore, open_store
from tests.support import workers
from tests.support.postgres import ON_BOTH

SEED = 20_260_101
KILLS = {"sqlite": 20, "postgresql": 8}
# The server may still be busy with the last statement of a killed client.
OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
# Seconds from before the store is opened; a run takes some hundredths, so that some kills meet each of its parts.
LONGEST_S = 0.4


def everything(told: Connection) -> list[tuple[Any, ...]]:
    """What the killed process had told until its end."""
    messages = []
    try:
        while True:
            messages.append(told.recv())
    except EOFError:
        return messages


def killed_after(delay: float | None, url: str, name: str) -> list[tuple[Any, ...]]:
    """Let a process run question after question, kill it, return what it had told.

    Without a delay it is killed after its first finished run, however slow the machine is.
    """
    told, telling = workers.PROCESSES.Pipe(duplex=False)
    with workers.processes(workers.run_until_killed, [(url, name, telling)]) as (process,):
        telling.close()
        heard = [told.recv()]
        while delay is None and heard[-1][0] != "finished":
            heard.append(told.recv())
        time.sleep(delay or 0.0)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join(30)
        assert process.exitcode == -signal.SIGKILL
    return [*heard, *everything(told)]


def run_of(store: RunStore, run_id: str) -> StoredRun:
    run = store.get_run(run_id)
    assert run is not None, run_id
    return run


def check_calls(run: StoredRun, stored: set[tuple[str, int]]) -> None:
    """Every call that was reported is there, and none is half there."""
    calls = [workers.call_of(run.run_id, number) for number in range(1, len(run.invocations) + 1)]
    assert list(run.invocations) == calls
    assert {number for run_id, number in stored if run_id == run.run_id} <= set(range(1, len(calls) + 1))


def check(store: RunStore, run_ids: set[str], told: list[tuple[Any, ...]]) -> set[str]:
    """The statuses of the runs, after checking each against what was told of it."""
    stored = {(run_id, number) for kind, run_id, *rest in told if kind == "stored" for number in rest}
    finished = {message[1] for message in told if message[0] == "finished"}
    assert {run_id for run_id, _ in stored} | finished <= run_ids
    statuses = set()
    for run_id in run_ids:
        run = run_of(store, run_id)
        check_calls(run, stored)
        statuses.add(run.status)
        if run.status == "finished":
            assert run.answer == workers.answer_of(run_id)
            assert set(run.self_evaluation) == {"rule_evaluation", "verifier_evaluation"}
            assert len(run.events) == workers.CALLS * workers.EVENTS_A_CALL
        else:
            assert (run.status, run.answer) == ("interrupted", None)
            assert run_id not in finished
    return statuses


@ON_BOTH
def test_killed_process_loses_no_invocation_and_its_run_is_interrupted(
    database_url: str, sql: Callable[..., list[Any]], until: Callable[..., None]
) -> None:
    kind = database_url.partition(":")[0].partition("+")[0]
    chance = random.Random(SEED)
    delays = [*(chance.uniform(0, LONGEST_S) for _ in range(KILLS[kind] - 1)), None]
    seen: set[str] = set()
    known: set[str] = set()
    for number, delay in enumerate(delays):
        name = f"k{number:02d}"
        told = killed_after(delay, database_url, name)
        if kind == "postgresql":
            until(lambda: sql(OTHERS) == [(0,)])
        store = open_store(database_url, stale_after_s=600)
        new = {row[0] for row in sql("SELECT id FROM diagnosis_run")} - known
        try:
            assert all(run_id.startswith(name) for run_id in new)
            seen |= check(store, new, told)
        except AssertionError as error:
            raise AssertionError(f"kill {number} after {delay} s (seed {SEED}, all delays {delays})") from error
        assert store.count_runs("running") == 0
        known |= new
        store.close()
    if kind == "sqlite":
        assert sql("PRAGMA integrity_check") == [("ok",)]
    assert "finished" in seen and seen <= {"finished", "interrupted"}
    store = open_store(database_url, stale_after_s=600)
    assert check(store, known, []) == seen
    store.close()


def test_run_of_a_living_process_is_not_taken_for_a_lost_one(database_url: str, until: Callable[..., None]) -> None:
    told, telling = workers.PROCESSES.Pipe(duplex=False)
    with workers.processes(workers.run_until_killed, [(database_url, "live", telling)]):
        while told.recv()[0] != "stored":
            pass
        store = open_store(database_url, stale_after_s=0)
        assert store.count_runs("interrupted") == 0
        store.close()
