"""The run store: nothing is lost, whatever the tools return and whoever writes at the same time."""

import json
import math
import multiprocessing
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from api.errors import NotFound, StorageError
from api.store import owner
from api.store.recorder import RunRecorder
from api.store.repository import RunStore, open_store
from signatures.contracts import DiagnosisResult, RunEvent, ToolInvocation

HOSTILE = {"logs": [{"message": "bad \udce4 nul \x00 引号", "value": math.nan, "big": math.inf, "中": "支付"}]}


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'runs.db'}"


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    opened = open_store(url(tmp_path), stale_after_s=600)
    opened.start_run("r1", question="为什么 5xx？", session_id="s1")
    return opened


def invocation(run_id: str = "r1", number: int = 1, output: Any = None) -> ToolInvocation:
    return ToolInvocation(
        invocation_id=f"inv_{run_id}_{number}",
        run_id=run_id,
        tool_name="query_logs",
        params={"service": ["payment-gateway"]},
        success=True,
        evidence_level="strong",
        hit_count=3,
        output=output,
        output_summary="3 条",
        started_at=f"2026-01-01T10:00:0{number}+08:00",
        duration_ms=1.5,
        injection_flags=("override",),
    )


def event(seq: int) -> RunEvent:
    return RunEvent(
        seq=seq, at="2026-01-01T10:00:00+08:00", node="plan", kind="note", message="m", data={"x": "\ud800"}
    )


def result(run_id: str = "r1") -> DiagnosisResult:
    return DiagnosisResult(
        run_id=run_id,
        question="为什么 5xx？",
        answer="结论\x00",
        route="composer",
        verdict="PASS",
        groundedness_score=0.8,
        self_evaluation={"verifier_evaluation": {"verdict": "PASS"}},
    )


def test_hostile_tool_output_is_read_back_as_it_was(store: RunStore) -> None:
    written = invocation(output=HOSTILE)
    store.add_invocation(written)
    run = store.get_run("r1")
    assert run is not None
    (read,) = run.invocations
    record = read.output["logs"][0]
    assert record["message"] == HOSTILE["logs"][0]["message"]
    assert math.isnan(record["value"])
    assert record["big"] == math.inf
    assert read.model_dump(exclude={"output"}) == written.model_dump(exclude={"output"})


def test_invocation_needs_its_run(store: RunStore) -> None:
    with pytest.raises(StorageError, match="FOREIGN KEY"):
        store.add_invocation(invocation("unknown"))


def test_two_runs_may_use_the_same_invocation_id(store: RunStore) -> None:
    store.start_run("r2", question="q", session_id="s1")
    for run_id in ("r1", "r2"):
        store.add_invocation(invocation(run_id).model_copy(update={"invocation_id": "inv_1"}))
    runs = [store.get_run(run_id) for run_id in ("r1", "r2")]
    assert [run.invocations[0].run_id for run in runs if run] == ["r1", "r2"]


def test_finished_run_holds_the_result_without_a_second_copy_of_the_evaluation(store: RunStore) -> None:
    assert store.finish_run(result())
    run = store.get_run("r1")
    assert run is not None
    assert run.result is not None
    assert (run.status, run.verdict, run.groundedness_score) == ("finished", "PASS", 0.8)
    assert run.result["answer"] == "结论\x00"
    assert "self_evaluation" not in run.result


def test_first_end_of_a_run_stays(store: RunStore) -> None:
    assert store.cancel_run("r1", "client closed the stream")
    assert not store.finish_run(result())
    run = store.get_run("r1")
    assert run is not None
    assert (run.status, run.failure_reason, run.answer) == ("cancelled", "client closed the stream", None)


@pytest.mark.parametrize(
    "order", [("rule_evaluation", "verifier_evaluation"), ("verifier_evaluation", "rule_evaluation")]
)
def test_se_03_each_channel_preserves_the_other(store: RunStore, order: tuple[str, str]) -> None:
    store.update_self_evaluation("r1", "aiops_rule_evaluation", {"score": 1.0})
    for key in order:
        store.update_self_evaluation("r1", key, {"from": key})
    run = store.get_run("r1")
    assert run is not None
    assert run.self_evaluation == {
        "aiops_rule_evaluation": {"score": 1.0},
        "rule_evaluation": {"from": "rule_evaluation"},
        "verifier_evaluation": {"from": "verifier_evaluation"},
    }
    assert run.self_evaluation_version == 3


@pytest.mark.parametrize(
    ("old", "kept"),
    [
        (None, {}),
        ("null", {}),
        ('{"future_channel":{"a":1}}', {"future_channel": {"a": 1}}),
        ("[1,2]", {"legacy_value": [1, 2]}),
        ('"PASS"', {"legacy_value": "PASS"}),
        ("{'verdict': broken", {"legacy_value": "{'verdict': broken"}),
    ],
)
def test_se_07_old_content_of_the_container_survives(
    store: RunStore, tmp_path: Path, old: str | None, kept: dict[str, Any]
) -> None:
    with sqlite3.connect(tmp_path / "runs.db") as raw:
        raw.execute("UPDATE diagnosis_run SET self_evaluation = ?", (old,))
    store.update_self_evaluation("r1", "rule_evaluation", {"score": 90})
    run = store.get_run("r1")
    assert run is not None
    assert run.self_evaluation == kept | {"rule_evaluation": {"score": 90}}


def test_se_06_interleaved_writers_lose_nothing(store: RunStore) -> None:
    writers = 20
    barrier = threading.Barrier(writers)
    faults: list[Exception] = []

    def write(number: int) -> None:
        barrier.wait()
        try:
            for turn in range(3):
                store.update_self_evaluation("r1", f"channel_{number}_{turn}", {"n": number})
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run = store.get_run("r1")
    assert run is not None
    assert not faults
    assert len(run.self_evaluation) == writers * 3
    assert run.self_evaluation_version == writers * 3


def test_evaluation_of_an_unknown_run_is_refused(store: RunStore) -> None:
    with pytest.raises(NotFound, match="nobody"):
        store.update_self_evaluation("nobody", "rule_evaluation", {})


def _open_and_write(database: str, number: int, gate: Any, faults: Any) -> None:
    gate.wait()
    try:
        opened = open_store(database, stale_after_s=600)
        for turn in range(5):
            opened.start_run(f"p{number}_{turn}", question="q", session_id="shared")
            opened.add_invocation(invocation(f"p{number}_{turn}", output={"n": turn}))
    except Exception as error:
        faults.put(repr(error))
    # Ends without a clean-up, as a killed worker would.


def test_four_processes_open_an_empty_database_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    gate, faults = spawn.Barrier(4), spawn.Queue()
    workers = [spawn.Process(target=_open_and_write, args=(url(tmp_path), n, gate, faults)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert faults.empty(), faults.get()
    with sqlite3.connect(tmp_path / "runs.db") as raw:
        assert raw.execute("SELECT count(*) FROM diagnosis_run").fetchone() == (20,)
        assert raw.execute("SELECT count(*) FROM tool_invocation").fetchone() == (20,)
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    again = open_store(url(tmp_path), stale_after_s=600)
    assert again.count_runs("interrupted") + again.count_runs("running") == 20
    assert again.count_runs("running") == 0


def test_runs_of_living_processes_are_left_alone(store: RunStore) -> None:
    assert store.mark_interrupted(600) == 0
    assert store.count_runs("running") == 1


@pytest.mark.parametrize(("age_limit", "status"), [(3600.0, "running"), (-1.0, "interrupted")])
def test_run_of_another_host_is_lost_only_after_its_time(
    store: RunStore, tmp_path: Path, age_limit: float, status: str
) -> None:
    with sqlite3.connect(tmp_path / "runs.db") as raw:
        raw.execute("UPDATE diagnosis_run SET owner = 'elsewhere|1|x'")
    store.mark_interrupted(age_limit)
    run = store.get_run("r1")
    assert run is not None
    assert run.status == status


def test_restarted_process_with_the_same_id_is_not_the_old_one() -> None:
    host, pid, mark = owner.current_owner().split("|")
    assert owner.is_dead(f"{host}|{pid}|{mark}") is False
    if mark:
        assert owner.is_dead(f"{host}|{pid}|another-boot:1") is True
    assert owner.is_dead(f"{host}|999999999|{mark}") is True


def test_recorder_writes_invocations_at_once_and_events_in_batches(store: RunStore) -> None:
    recorder = RunRecorder(store, "r1")
    recorder.on_event(event(1))
    recorder.on_invocation(invocation())
    run = store.get_run("r1")
    assert run is not None
    assert (len(run.invocations), len(run.events)) == (1, 0)
    for seq in range(2, 41):
        recorder.on_event(event(seq))
    recorder.flush()
    run = store.get_run("r1")
    assert run is not None
    assert [item.seq for item in run.events] == list(range(1, 41))
    assert run.events[0].data == {"x": "\ud800"}


def test_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_text("this is not a database, it is a note to the reader" * 100)
    with pytest.raises(StorageError, match=r"runs\.db.*not a database"):
        open_store(url(tmp_path), stale_after_s=600)


@pytest.mark.parametrize("bad", ["nonsense", "sqlite://", "nodriver://host/db"])
def test_unusable_database_url_is_a_storage_error(bad: str) -> None:
    with pytest.raises(StorageError):
        open_store(bad, stale_after_s=600)


def test_password_of_a_database_url_is_not_shown() -> None:
    with pytest.raises(StorageError) as caught:
        open_store("nodriver://me:secret@host/db", stale_after_s=600)
    assert "secret" not in str(caught.value)


def test_stored_json_is_readable_chinese(store: RunStore, tmp_path: Path) -> None:
    store.add_invocation(invocation(output={"message": "支付网关"}))
    with sqlite3.connect(tmp_path / "runs.db") as raw:
        (text,) = raw.execute("SELECT output FROM tool_invocation").fetchone()
    assert "支付网关" in text
    assert json.loads(text) == {"message": "支付网关"}
