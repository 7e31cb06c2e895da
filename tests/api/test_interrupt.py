"""Ctrl-C while something runs: the first press stops it cleanly, a second one at once."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api import cli_ask, program_source
from api.chat_service import ChatService
from api.interrupt import Interruptible
from api.store.repository import open_store
from programs.runtime import RunCancelled

ROOT = Path(__file__).parents[2]


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_first_press_is_seen_by_the_work_and_the_clean_up_runs() -> None:
    cleaned: list[bool] = []

    def work(cancelled: Callable[[], bool]) -> str:
        threading.Timer(0.1, press_ctrl_c).start()
        while not cancelled():
            time.sleep(0.01)
        raise RunCancelled("r1")

    with pytest.raises(RunCancelled):
        Interruptible(work, lambda: cleaned.append(True)).run()
    assert cleaned
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_result_and_fault_of_the_work_come_through() -> None:
    assert Interruptible(lambda _: 5, lambda: None).run() == 5
    with pytest.raises(ZeroDivisionError):
        Interruptible(lambda _: 1 // 0, lambda: None).run()


STUCK = """
import sys, time
from api import interrupt
interrupt.GRACE_SECONDS = float(sys.argv[1])
def work(cancelled):
    print("working", flush=True)
    time.sleep(60)
interrupt.Interruptible(work, lambda: print("cleaned", flush=True)).run()
"""


@pytest.mark.parametrize(("grace", "presses"), [("0.3", 1), ("30", 2)])
def test_stuck_work_does_not_hold_the_process(grace: str, presses: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, grace],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "cleaned\n"
        if presses == 2:
            process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
    finally:
        process.kill()
        process.communicate()


def ask(**options: Any) -> None:
    given: dict[str, Any] = {"scenario": None, "as_json": False, "trace": False, "version": None, "lm": None}
    cli_ask.run_ask("支付网关 5xx，为什么？", **{**given, "session": "s1", **options})


@pytest.mark.parametrize("moment", ["load", "execute"])
def test_ctrl_c_during_ask_marks_the_run_cancelled(
    monkeypatch: pytest.MonkeyPatch,
    scripted: Callable[..., Any],
    home: Path,
    capsys: pytest.CaptureFixture[str],
    moment: str,
) -> None:
    def press(step: str) -> None:
        if step == moment:
            press_ctrl_c()
            time.sleep(0.3)

    programs = scripted(before_step=press)
    if moment == "load":
        loaded = programs.program

        def load(version: str) -> Any:
            press("load")
            return loaded(version)

        programs.program = load
    monkeypatch.setattr(program_source, "ProgramSource", lambda *_: programs)
    with pytest.raises(RunCancelled):
        ask()
    store = open_store(f"sqlite:///{home / 'superbiz.db'}", stale_after_s=600)
    assert store.count_runs("cancelled") == 1
    assert capsys.readouterr().out == ""


def test_ask_prints_answer_and_evidence_and_no_escape_sequence(
    monkeypatch: pytest.MonkeyPatch, scripted: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program_source, "ProgramSource", lambda *_: scripted())
    ask()
    shown = capsys.readouterr()
    assert shown.out == (
        "结论\n连接池耗尽 [证1]\n\n证据\n[证1] 10:05:00 payment-gateway(query_logs) 「pool \ufffd[31mexhausted」\n"
    )
    assert "规划" in shown.err
    assert "PASS" in shown.err


def test_ask_json_prints_one_object_only(
    monkeypatch: pytest.MonkeyPatch, scripted: Callable[..., Any], capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    import json

    monkeypatch.setattr(program_source, "ProgramSource", lambda *_: scripted())
    ask(as_json=True, trace=True)
    answer = json.loads(capsys.readouterr().out)
    wanted = "run_id answer verdict groundedness_score route claims evidence evidence_gaps calls seconds version lm "
    assert set((wanted + "scenario fallback_origin").split()) <= answer.keys()
    assert [event["node"] for event in answer["events"]][:2] == ["plan", "execute"]
    stored = ChatService(open_store(f"sqlite:///{home / 'superbiz.db'}", stale_after_s=600), scripted())
    assert stored.store.get_run(answer["run_id"]) is not None
