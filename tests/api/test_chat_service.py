"""One question through the service: what is refused, and what the store says afterwards."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from api.chat_service import ChatService
from api.errors import BadInput, RunTimedOut, StorageError
from api.store.repository import RunStore
from optimize.manifest import VersionError
from programs.runtime import RunCancelled
from programs.tools.scenario import ScenarioError
from signatures.contracts import RunEvent

QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"


def stop_at(wanted: str, error: BaseException) -> Callable[[str], None]:
    def before_step(step: str) -> None:
        if step == wanted:
            raise error

    return before_step


def test_answered_run_is_stored_with_both_evaluation_channels(service: ChatService) -> None:
    seen: list[RunEvent] = []
    result = service.ask(QUESTION, on_event=seen.append)
    run = service.store.get_run(result.run_id)
    assert run is not None
    assert (run.status, run.answer, run.verdict, run.lm) == ("finished", result.answer, "PASS", "scripted")
    assert set(run.self_evaluation) == {"rule_evaluation", "verifier_evaluation"}
    assert run.self_evaluation["verifier_evaluation"]["verdict"] == "PASS"
    assert [event.seq for event in run.events] == [event.seq for event in seen]
    assert [item.tool_name for item in run.invocations] == ["query_logs"]


def test_invocation_is_stored_before_the_next_step_begins(store: RunStore, scripted: Callable[..., Any]) -> None:
    counts: dict[str, int] = {}

    def before_step(step: str) -> None:
        run = store.get_run(accepted.run_id)
        assert run is not None
        counts[step] = len(run.invocations)

    service = ChatService(store, scripted(before_step=before_step))
    accepted = service.accept(QUESTION)
    service.run(accepted)
    assert (counts["execute"], counts["gate"]) == (0, 1)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("", "empty"),
        (" \n\t　", "empty"),
        ("\u200b\ufeff", "empty"),
        ("长" * 20_000, "20,000 characters, the limit is 4,000"),
        ("为什么\x005xx", r"U\+0000 at character 4"),
        ("\x1b[31mred", r"U\+001B at character 1"),
        ("bad \udce4 byte", "UTF-8 at character 5"),
    ],
)
def test_unusable_question_is_refused_and_not_stored(service: ChatService, question: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        service.ask(question)
    assert service.store.count_runs("failed") == service.store.count_runs("running") == 0


def test_question_of_exactly_the_limit_with_line_breaks_is_taken(service: ChatService) -> None:
    question = "第一行\r\n第二行\t" + "长" * 3_991
    assert service.ask(question).question == question.replace("\r\n", "\n")


def test_unknown_names_are_refused_before_anything_is_stored(service: ChatService) -> None:
    with pytest.raises(ScenarioError, match="nowhere"):
        service.ask(QUESTION, scenario="nowhere")
    with pytest.raises(BadInput, match="session"):
        service.ask(QUESTION, session_id="../etc")
    with pytest.raises(VersionError, match="v9"):
        service.accept(QUESTION, version="v9")


def test_ctrl_c_marks_the_run_cancelled_and_keeps_what_it_did(store: RunStore, scripted: Callable[..., Any]) -> None:
    service = ChatService(store, scripted(before_step=stop_at("verify", KeyboardInterrupt())))
    accepted = service.accept(QUESTION)
    with pytest.raises(KeyboardInterrupt):
        service.run(accepted)
    run = store.get_run(accepted.run_id)
    assert run is not None
    assert (run.status, run.answer, len(run.invocations)) == ("cancelled", None, 1)
    assert run.events[-1].node == "verify"


def test_caller_that_goes_away_stops_the_run_at_the_next_step(store: RunStore, scripted: Callable[..., Any]) -> None:
    gone = threading.Event()
    programs = scripted(before_step=lambda step: gone.set() if step == "execute" else None)
    service = ChatService(store, programs)
    accepted = service.accept(QUESTION)
    with pytest.raises(RunCancelled):
        service.run(accepted, cancelled=gone.is_set)
    run = store.get_run(accepted.run_id)
    assert run is not None
    assert run.status == "cancelled"
    assert programs.by_version["baseline"].steps == ["plan", "execute"]


def test_interrupt_while_the_model_loads_marks_the_run_cancelled(store: RunStore, scripted: Callable[..., Any]) -> None:
    programs = scripted()
    programs.program = stop_at("baseline", KeyboardInterrupt())
    service = ChatService(store, programs)
    accepted = service.accept(QUESTION)
    with pytest.raises(KeyboardInterrupt):
        service.run(accepted)
    run = store.get_run(accepted.run_id)
    assert run is not None
    assert run.status == "cancelled"


def test_run_cancelled_while_it_waited_is_marked_and_never_started(
    store: RunStore, scripted: Callable[..., Any]
) -> None:
    programs = scripted()
    service = ChatService(store, programs)
    accepted = service.accept(QUESTION)
    with pytest.raises(RunCancelled):
        service.run(accepted, cancelled=lambda: True)
    run = store.get_run(accepted.run_id)
    assert run is not None
    assert run.status == "cancelled"
    assert programs.by_version["baseline"].steps == []


def test_deadline_stops_a_run_at_the_next_step(store: RunStore, scripted: Callable[..., Any]) -> None:
    pause = threading.Event()
    service = ChatService(store, scripted(before_step=lambda _: pause.wait(0.2) and None), deadline_s=0.1)
    accepted = service.accept(QUESTION)
    with pytest.raises(RunTimedOut, match="SUPERBIZ_RUN_DEADLINE"):
        service.run(accepted)
    run = store.get_run(accepted.run_id)
    assert run is not None
    assert (run.status, run.failure_code) == ("failed", "TIMEOUT")


def test_fault_inside_the_program_is_stored_as_a_failed_run(store: RunStore, scripted: Callable[..., Any]) -> None:
    service = ChatService(store, scripted(before_step=stop_at("gate", ZeroDivisionError("boom"))))
    accepted = service.accept(QUESTION)
    with pytest.raises(ZeroDivisionError):
        service.run(accepted)
    run = store.get_run(accepted.run_id)
    assert run is not None
    assert (run.status, run.failure_code, run.failure_reason) == ("failed", "INTERNAL", "ZeroDivisionError: boom")
    assert [event.node for event in run.events] == ["plan", "execute", "gate"]


def test_lost_invocation_is_a_storage_error_even_when_the_program_swallows_it(
    store: RunStore, scripted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = ChatService(store, scripted())

    def full(_: object) -> None:
        raise StorageError("disk is full")

    monkeypatch.setattr(store, "add_invocation", full)
    with pytest.raises(StorageError, match="full"):
        service.ask(QUESTION)
    assert store.count_runs("failed") == 1


def test_concurrent_runs_of_different_versions_do_not_mix(store: RunStore, scripted: Callable[..., Any]) -> None:
    service = ChatService(store, scripted())
    accepted = [service.accept(f"{QUESTION} {n}", version=("baseline", "v2")[n % 2]) for n in range(10)]
    threads = [threading.Thread(target=service.run, args=(item,)) for item in accepted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for item in accepted:
        run = store.get_run(item.run_id)
        assert run is not None
        assert (run.question, run.version, run.status) == (item.question, item.version, "finished")
        assert {invocation.run_id for invocation in run.invocations} == {item.run_id}
