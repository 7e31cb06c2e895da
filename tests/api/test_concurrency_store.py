"""Many writers on one store: threads over their own connections, several processes, on each database."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from api.store.repository import RunStore, open_store
from signatures.contracts import RunEvent
from tests.support import workers
from tests.support.postgres import ON_BOTH

pytestmark = ON_BOTH
Sql = Callable[..., list[Any]]
OLD = [
    ('{"future_channel":{"a":1}}', {"future_channel": {"a": 1}}),
    ("{'verdict': broken", {"legacy_value": "{'verdict': broken"}),
    (None, {}),
]


@pytest.mark.parametrize(("old", "kept"), OLD)
def test_se_06_fifty_writers_of_five_processes_lose_no_key(
    store: RunStore, database_url: str, sql: Sql, old: str | None, kept: dict[str, Any]
) -> None:
    store.start_run("r1", question="q", session_id="s1")
    sql("UPDATE diagnosis_run SET self_evaluation = :old", old=old)
    assert workers.all_done(workers.write_channels, 5, database_url, 10) == []
    run = store.get_run("r1")
    assert run is not None
    writers = {f"{process}_{thread}" for process in range(5) for thread in range(10)}
    own = {f"{turn}_{name}": {"of": name} for turn in ("first", "second") for name in writers}
    shared = run.self_evaluation.pop("shared")
    assert run.self_evaluation == kept | own
    assert shared["of"] in writers
    assert run.self_evaluation_version == 150


@pytest.mark.parametrize(("old", "kept"), OLD)
def test_both_evaluation_channels_written_at_the_same_moment_are_both_there(
    store: RunStore, sql: Sql, old: str | None, kept: dict[str, Any]
) -> None:
    for number in range(20):
        run_id = f"r{number}"
        store.start_run(run_id, question="q", session_id="s1")
        sql("UPDATE diagnosis_run SET self_evaluation = :old WHERE id = :id", old=old, id=run_id)
        barrier = threading.Barrier(2)

        def write(key: str, run_id: str = run_id, barrier: threading.Barrier = barrier) -> None:
            barrier.wait(10)
            store.update_self_evaluation(run_id, key, {"from": key})

        keys = ("rule_evaluation", "verifier_evaluation")
        assert workers.run_threads([lambda key=key, write=write: write(key) for key in keys]) == []
        run = store.get_run(run_id)
        assert run is not None
        assert run.self_evaluation == kept | {key: {"from": key} for key in keys}


def test_runs_that_begin_a_session_together_all_get_it(store: RunStore, sql: Sql) -> None:
    names = [f"r{number}" for number in range(24)]
    barrier = threading.Barrier(len(names))

    def start(run_id: str) -> None:
        barrier.wait(10)
        store.start_run(run_id, question="q", session_id="the same")

    assert workers.run_threads([lambda run_id=run_id: start(run_id) for run_id in names]) == []
    assert store.count_runs("running") == len(names)
    assert sql("SELECT id FROM diagnosis_session") == [("the same",)]


def test_four_processes_open_an_empty_database_at_once(database_url: str, sql: Sql) -> None:
    assert workers.all_done(workers.open_and_write, 4, database_url) == []
    assert sql("SELECT count(*) FROM diagnosis_run") == [(20,)]
    assert sql("SELECT count(*) FROM tool_invocation") == [(20,)]
    if database_url.startswith("sqlite"):
        assert sql("PRAGMA journal_mode") == [("wal",)]
    again = open_store(database_url, stale_after_s=600)
    assert again.count_runs("interrupted") + again.count_runs("running") == 20
    assert again.count_runs("running") == 0
    again.close()


def test_run_is_read_as_it_stood_at_one_moment(store: RunStore) -> None:
    store.start_run("r1", question="q", session_id="s1")
    written = threading.Event()

    def write() -> None:
        small = workers.call_of("r1", 0).model_copy(update={"output": None})
        for number in range(150):
            store.add_invocation(small.model_copy(update={"invocation_id": f"i{number}"}))
            event = RunEvent(seq=number, at="2026-01-01T10:00:00+08:00", node="n", kind="note", message="m")
            store.add_events("r1", [event])
        written.set()

    def read() -> None:
        while not written.is_set():
            run = store.get_run("r1")
            assert run is not None
            assert len(run.invocations) - len(run.events) in (0, 1)

    assert workers.run_threads([write, read]) == []
    assert written.is_set()
