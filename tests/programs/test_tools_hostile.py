"""Whatever a tool does, its call is a row with a code, the other calls are answered, and memory stays bounded (G6)."""

from __future__ import annotations

import json
import threading
import tracemalloc
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from programs.evidence import tool_trace_summary
from programs.runtime import RunCancelled
from programs.tools.base import ToolOutput
from programs.tools.json_value import MAX_DEPTH, json_value
from programs.tools.runner import ToolRunner
from programs.tools.tool_thread import MAX_HUNG
from signatures.contracts import ToolInvocation
from tests.programs.test_tools_runner import Scripted, step


def beside_a_good_one(work: Callable[[], Any]) -> ToolInvocation:
    """The row of a tool that does ``work``; a good tool in the same batch is answered."""

    def answer(_: Mapping[str, Any]) -> ToolOutput:
        return work()  # type: ignore[no-any-return]

    tools = {"bad": Scripted(answer, "bad"), "good": Scripted(lambda _: ToolOutput({"ok": 1}, 1), "good")}
    run = ToolRunner("run-hostile", tools)
    bad, good = run.run([step("bad"), step("good")])
    assert good.success
    text = json.dumps(bad.model_dump(), allow_nan=False, ensure_ascii=False)
    text.encode("utf-8")
    assert len(text) < 2_000_000
    again = run.run([step("good", n=2)])[0]
    assert again.success
    return bad


def raiser(error: BaseException) -> Callable[[], Any]:
    def work() -> Any:
        raise error

    return work


def endless(depth: int = 0) -> int:
    return endless(depth + 1) + 1


class Mute:
    """Has no text of its own."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class MuteError(Exception):
    __str__ = Mute.__str__


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (raiser(RuntimeError("no route to host")), "RuntimeError: no route to host"),
        (raiser(SystemExit(3)), "SystemExit: 3"),
        (raiser(KeyboardInterrupt()), "KeyboardInterrupt"),
        (raiser(GeneratorExit()), "GeneratorExit"),
        (raiser(MemoryError()), "MemoryError"),
        (raiser(StopIteration()), "StopIteration"),
        (raiser(MuteError()), "MuteError: <MuteError>"),
        (raiser(RuntimeError("密" * 100_000)), "RuntimeError: 密密"),
        (raiser(RuntimeError("\ud800\x00")), "RuntimeError: "),
        (endless, "RecursionError"),
        (lambda: None, "NoneType, not a ToolOutput"),
        (lambda: {"logs": []}, "dict, not a ToolOutput"),
        (lambda: ToolOutput({}, "many"), "'<' not supported"),  # type: ignore[arg-type]
        (lambda: ToolOutput({}, 1, "great"), "field evidence_level"),  # type: ignore[arg-type]
        (lambda: ToolOutput((n for n in range(3)), 3), "generator"),
        (lambda: ToolOutput({"logs": [iter([])]}, 3), "list_iterator"),
        (lambda: ToolOutput(["x" * 1000] * 200_000, 1), "larger than 5,000,000"),
        (lambda: ToolOutput("x" * 200_000_000, 1), "larger than 5,000,000"),
        (lambda: ToolOutput(b"x" * 200_000_000, 1), "larger than 5,000,000"),
        (lambda: ToolOutput([""] * 3_000_000, 1), "larger than 5,000,000"),
    ],
)
def test_what_goes_wrong_in_a_tool_is_a_failed_row_with_its_reason(work: Callable[[], Any], reason: str) -> None:
    row = beside_a_good_one(work)
    assert (row.success, row.failure_code, row.evidence_level, row.output) == (False, "TOOL_ERROR", "none", None)
    assert reason in str(row.failure_reason)
    assert len(str(row.failure_reason)) <= 300
    assert "failed TOOL_ERROR" in tool_trace_summary([row])


def test_an_output_that_holds_itself_is_refused() -> None:
    own_list: list[Any] = []
    own_list += [own_list, own_list]
    own_dict: dict[str, Any] = {}
    own_dict["self"] = own_dict
    for value in (own_list, own_dict):
        row = beside_a_good_one(partial(ToolOutput, value, 1))
        assert row.failure_code == "TOOL_ERROR"
        assert f"deeper than {MAX_DEPTH} levels" in str(row.failure_reason)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("连接池耗尽".encode("gb18030"), "连接池耗尽"),
        ("连接池耗尽".encode(), "连接池耗尽"),
        (bytearray(b"ok\x00"), "ok␀"),
        (Mute(), "<Mute>"),
        (10**5000, "0x"),
        (2**64, "18446744073709551616"),
        (2**63, 2**63),
        (-(2**70), "-1180591620717411303424"),
        (True, True),
        (float("inf"), "inf"),
        (json.loads("1e999"), "inf"),
        (("a", 1), ["a", 1]),
        ("\ud800\x00", "�␀"),
        ("x" * 1_000_000, "x" * 1_000_000),
    ],
    ids=[
        *("bytes-gbk", "bytes-utf8", "bytearray", "mute", "huge", "65 bits", "64 bits", "minus", "true", "infinite"),
        *("1e999", "tuple", "unstorable", "1 MB"),
    ],
)
def test_odd_values_are_kept_as_something_that_can_be_stored_and_cited(value: Any, stored: Any) -> None:
    row = beside_a_good_one(lambda: ToolOutput({"value": value}, 1))
    assert row.success
    kept = row.output["value"]
    assert kept == stored or (stored == "0x" and kept.startswith("0x") and len(kept) == 1000)
    assert type(kept) is type(stored)
    assert len(row.output_summary) <= 600


def test_keys_that_are_no_text_are_kept_as_text() -> None:
    row = beside_a_good_one(lambda: ToolOutput({None: 1, 2: 2, Mute(): 3, "\x00": 4, 10**5000: 5}, 1))
    assert [key[:6] for key in row.output] == ["None", "2", "<Mute>", "␀", hex(10**5000)[:6]]


def test_a_hit_count_that_no_store_can_hold_is_cut() -> None:
    assert beside_a_good_one(lambda: ToolOutput({}, 10**30)).hit_count == 2**31 - 1


@pytest.mark.parametrize(
    "value",
    [["x" * 1000] * 200_000, [""] * 1_500_000, "x" * 100_000_000],
    ids=["texts", "empty texts", "one text"],
)
def test_what_is_copied_of_a_huge_output_stays_bounded(value: Any) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(Exception, match="larger than"):
            json_value(value, 1_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000


# --- tools that never come back ---------------------------------------------------------------------------------------


def test_calls_of_a_tool_that_hangs_are_refused_before_threads_run_out() -> None:
    free = threading.Event()
    called: list[int] = []

    def answer(params: Mapping[str, Any]) -> ToolOutput:
        called.append(params["n"])
        free.wait(60)
        return ToolOutput({"n": params["n"]}, 1)

    tools = {"hangs": Scripted(answer, "hangs"), "good": Scripted(lambda _: ToolOutput({}, 1), "good")}

    def run(count: int) -> list[ToolInvocation]:
        runner = ToolRunner("run-hung", tools, deadline_s=0.2, max_calls=count + 1)
        return list(runner.run([*(step("hangs", n=n) for n in range(count)), step("good")]))

    threads = threading.active_count()
    try:
        rows = [row for _ in range(4) for row in run(20)]
        assert {row.failure_code for row in rows if row.tool_name == "hangs"} == {"TIMEOUT"}
        assert all(row.success for row in rows if row.tool_name == "good")
        assert MAX_HUNG <= len(called) < MAX_HUNG + 20
        assert threading.active_count() < threads + MAX_HUNG + 20
        assert f"{MAX_HUNG} earlier calls of hangs still hang" in str(rows[-2].failure_reason)
    finally:
        free.set()
    for thread in threading.enumerate():
        if thread.name == "tool-hangs":
            thread.join(10)
    assert [row.failure_reason for row in run(3)] == [None] * 4


def test_a_late_answer_changes_nothing() -> None:
    free, answered = threading.Event(), threading.Event()

    def answer(_: Mapping[str, Any]) -> ToolOutput:
        free.wait(60)
        answered.set()
        return ToolOutput({"late": True}, 1)

    run = ToolRunner("run-late", {"late": Scripted(answer, "late")}, deadline_s=0.1)
    (row,) = run.run([step("late")])
    free.set()
    assert answered.wait(10)
    assert (row.failure_code, row.output) == ("TIMEOUT", None)
    (again,) = run.run([step("late")])
    assert again.success
    assert [one.failure_code for one in run.invocations] == ["TIMEOUT", None]


def test_cancelling_while_tools_hang_leaves_no_one_waiting() -> None:
    free, gone = threading.Event(), threading.Event()

    def answer(_: Mapping[str, Any]) -> ToolOutput:
        gone.set()
        free.wait(600)
        return ToolOutput({}, 1)

    run = ToolRunner("run-gone", {"waits": Scripted(answer, "waits")}, cancelled=gone.is_set, deadline_s=600)
    try:
        with pytest.raises(RunCancelled):
            run.run([step("waits"), step("waits", n=2)])
    finally:
        free.set()
    assert run.invocations == []
