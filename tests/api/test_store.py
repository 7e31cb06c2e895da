"""The run store: nothing is lost, whatever the tools return and whoever writes at the same time."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from api.errors import NotFound, StorageError
from api.store.recorder import RunRecorder
from api.store.repository import RunStore
from signatures.contracts import DiagnosisResult, RunEvent, ToolInvocation
from tests.support.postgres import ON_BOTH

pytestmark = ON_BOTH
Sql = Callable[..., list[Any]]

HOSTILE = {"logs": [{"message": "bad \udce4 nul \x00 引号", "value": math.nan, "big": math.inf, "中": "支付"}]}


@pytest.fixture
def store(store: RunStore) -> RunStore:
    store.start_run("r1", question="为什么 5xx？", session_id="s1")
    return store


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


def test_text_that_no_column_holds_is_kept_or_replaced_but_never_loses_the_row(store: RunStore) -> None:
    bad = "nul \x00 half \udce4 支付"
    shown = "nul \ufffd half \ufffd 支付"
    names = ("tool_name", "failure_reason", "output_summary")
    written = invocation(output=bad).model_copy(update={"params": {bad: bad}, **dict.fromkeys(names, bad)})
    store.add_invocation(written)
    store.add_events("r1", [event(1).model_copy(update={"message": bad, "data": {bad: [bad]}})])
    store.update_self_evaluation("r1", bad, {"detail": bad})
    assert store.fail_run("r1", "INTERNAL", bad)
    run = store.get_run("r1")
    assert run is not None
    assert run.invocations == (written.model_copy(update=dict.fromkeys(names, shown)),)
    assert (run.events[0].message, run.events[0].data) == (shown, {bad: [bad]})
    assert run.self_evaluation == {bad: {"detail": bad}}
    assert run.failure_reason == shown


def test_one_line_of_a_megabyte_with_bytes_of_another_encoding_is_read_back_whole(store: RunStore) -> None:
    line = ("连接池耗尽 ".encode("gbk") + b"\xff pool exhausted ").decode("utf-8", "surrogateescape") * 40_000
    store.add_invocation(invocation(output={"logs": [line]}))
    run = store.get_run("r1")
    assert run is not None
    assert run.invocations[0].output["logs"][0] == line


def test_calls_are_read_in_the_order_in_which_they_began(store: RunStore) -> None:
    at = ["10:00:02", "10:00:01", "10:00:01.500", *["10:00:03"] * 8]
    for number in (11, 10, *range(1, 10)):
        started = f"2026-01-01T{at[number - 1]}+08:00"
        store.add_invocation(invocation(number=number).model_copy(update={"started_at": started}))
    run = store.get_run("r1")
    assert run is not None
    assert [int(item.invocation_id.rpartition("_")[2]) for item in run.invocations] == [2, 3, 1, *range(4, 12)]


def test_invocation_needs_its_run(store: RunStore) -> None:
    with pytest.raises(StorageError, match=r"(?i)foreign key"):
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


def test_run_whose_calls_the_database_has_lost_is_not_finished(store: RunStore, sql: Sql) -> None:
    for number in (1, 2):
        store.add_invocation(invocation(number=number))
    sql("DELETE FROM tool_invocation WHERE invocation_id = 'inv_r1_2'")
    with pytest.raises(StorageError, match="2 tool calls were recorded and the database has 1"):
        store.finish_run(result(), calls=2)
    assert store.count_runs("running") == 1
    assert store.finish_run(result(), calls=1)


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
    store: RunStore, sql: Sql, old: str | None, kept: dict[str, Any]
) -> None:
    sql("UPDATE diagnosis_run SET self_evaluation = :old", old=old)
    store.update_self_evaluation("r1", "rule_evaluation", {"score": 90})
    run = store.get_run("r1")
    assert run is not None
    assert run.self_evaluation == kept | {"rule_evaluation": {"score": 90}}


def test_evaluation_of_an_unknown_run_is_refused(store: RunStore) -> None:
    with pytest.raises(NotFound, match="nobody"):
        store.update_self_evaluation("nobody", "rule_evaluation", {})


def test_runs_of_living_processes_are_left_alone(store: RunStore) -> None:
    assert store.mark_interrupted(600) == 0
    assert store.count_runs("running") == 1


@pytest.mark.parametrize(("age_limit", "status"), [(3600.0, "running"), (-1.0, "interrupted")])
def test_run_of_another_host_is_lost_only_after_its_time(
    store: RunStore, sql: Sql, age_limit: float, status: str
) -> None:
    sql("UPDATE diagnosis_run SET owner = 'elsewhere|1|x'")
    store.mark_interrupted(age_limit)
    run = store.get_run("r1")
    assert run is not None
    assert run.status == status


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


def test_events_that_the_store_refuses_once_are_written_later(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = RunRecorder(store, "r1")
    recorder.on_event(event(1))
    with monkeypatch.context() as full:
        full.setattr(store, "add_events", lambda *_: (_ for _ in ()).throw(StorageError("disk is full")))
        with pytest.raises(StorageError):
            recorder.flush()
    recorder.on_event(event(2))
    recorder.flush()
    run = store.get_run("r1")
    assert run is not None
    assert [item.seq for item in run.events] == [1, 2]
    assert str(recorder.error) == "disk is full"


def test_stored_json_is_readable_chinese(store: RunStore, sql: Sql) -> None:
    store.add_invocation(invocation(output={"message": "支付网关"}))
    ((text,),) = sql("SELECT output FROM tool_invocation")
    assert "支付网关" in text
    assert json.loads(text) == {"message": "支付网关"}
