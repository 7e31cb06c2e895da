"""Runs a plan's tool calls side by side, each with its own deadline, and records every one of them.

Nothing that a tool does can end the run: wrong parameters, an exception, ten minutes of sleep and 200 MB of output all
become a failed invocation with a code and a reason (G6).
"""

from __future__ import annotations

import queue
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from programs.evidence import dedup_key
from programs.raw_path import canonical_json
from programs.runtime import RunCancelled
from programs.tools.base import BoundCall, Tool, ToolFailure, ToolOutput
from programs.tools.clean_text import clean, shorten
from programs.tools.invocation import answered, failed, now, outcome, repeated, why
from programs.tools.json_value import json_value
from programs.tools.tool_thread import Result, ToolThread
from signatures.contracts import PlanStep, ToolInvocation

DEADLINE_S = 10.0
MAX_CALLS = 32
MAX_OUTPUT = 5_000_000
_TICK_S = 0.1


def _ignore(*_: object) -> None:
    return None


def _never() -> bool:
    return False


@dataclass(frozen=True)
class _Call:
    """A call to be made; ``row`` is its record so far."""

    number: int
    tool: Tool
    bound: BoundCall
    row: ToolInvocation


@dataclass(frozen=True)
class _Running:
    call: _Call
    thread: ToolThread
    began: float


class ToolRunner:
    """The tool calls of one run. Ids are ``inv_<run6>_<n>`` in plan order, over all batches of the run (G29)."""

    def __init__(
        self,
        run_id: str,
        tools: Mapping[str, Tool],
        on_invocation: Callable[[ToolInvocation], None] = _ignore,
        on_event: Callable[[str, str, dict[str, Any]], None] = _ignore,
        *,
        deadline_s: float = DEADLINE_S,
        max_calls: int = MAX_CALLS,
        max_output: int = MAX_OUTPUT,
        cancelled: Callable[[], bool] = _never,
    ) -> None:
        """``on_event(kind, message, data)`` and ``on_invocation`` are called on the thread of ``run``."""
        self._run_id = run_id
        self._short = (re.sub(r"[^A-Za-z0-9]", "", run_id) or "run")[-6:]
        self._tools = tools
        self._on_invocation = on_invocation
        self._on_event = on_event
        self._deadline_s = deadline_s
        self._max_calls = max_calls
        self._max_output = max_output
        self._cancelled = cancelled
        self._count = 0
        self._first: dict[str, str] = {}
        self.invocations: list[ToolInvocation] = []

    def run(self, steps: Sequence[PlanStep]) -> tuple[ToolInvocation, ...]:
        """Run one batch; the invocations in plan order, each handed to ``on_invocation`` when it is finished.

        Raises RunCancelled between calls when the caller has gone.
        """
        self._check_cancelled()
        done: dict[int, ToolInvocation] = {}
        calls = []
        for step in steps:
            self._count += 1
            prepared = self._prepared(self._count, step)
            if isinstance(prepared, ToolInvocation):
                done[self._count] = self._finished(prepared)
            else:
                calls.append((prepared, step.reason))
        self._collect(calls, done)
        batch = tuple(done[number] for number in sorted(done))
        self.invocations.extend(batch)
        return batch

    def _prepared(self, number: int, step: PlanStep) -> _Call | ToolInvocation:
        row = ToolInvocation(
            invocation_id=f"inv_{self._short}_{number}",
            run_id=self._run_id,
            tool_name=clean(shorten(step.tool, 60)),
            success=False,
            started_at=now(),
        )
        if number > self._max_calls:
            return failed(row, "BUDGET_EXCEEDED", f"the run has used its {self._max_calls} tool calls")
        tool = self._tools.get(step.tool)
        try:
            row = row.model_copy(update={"params": json_value(step.params, self._max_output)})
            if tool is None:
                known = ", ".join(sorted(self._tools))
                return failed(row, "TOOL_ERROR", f"unknown tool {row.tool_name!r}: available are {known}")
            bound = tool.bind(step.params)
            row = row.model_copy(update={"params": json_value(bound.params, self._max_output)})
            first = self._first.setdefault(dedup_key(tool.name, bound.key), row.invocation_id)
        except Exception as error:
            return failed(row, "TOOL_ERROR", why(error))
        if first != row.invocation_id:
            return repeated(row, first)
        return _Call(number, tool, bound, row)

    def _collect(self, calls: Sequence[tuple[_Call, str]], done: dict[int, ToolInvocation]) -> None:
        results: queue.SimpleQueue[tuple[int, Result]] = queue.SimpleQueue()
        running: dict[int, _Running] = {}
        held: dict[int, tuple[_Call, ToolInvocation, Result]] = {}
        try:
            for call, reason in calls:
                self._check_cancelled()
                running[call.number] = self._started(call, reason, results)
            while running:
                self._check_cancelled()
                for number, result in self._arrived(results, running):
                    one = running.pop(number)
                    one.thread.abandon()
                    took = round((time.monotonic() - one.began) * 1000, 1)
                    held[number] = (one.call, one.call.row.model_copy(update={"duration_ms": took}), result)
                for number in sorted(held):
                    # Which of two equal look-ups is the repeated one is decided by the plan, not by the race.
                    if held[number][0].tool.kind == "telemetry" or all(other > number for other in running):
                        done[number] = self._finished(self._recorded(*held.pop(number)))
        finally:
            for one in running.values():
                one.thread.abandon()

    def _started(self, call: _Call, reason: str, results: queue.SimpleQueue[tuple[int, Result]]) -> _Running:
        self._on_event(
            "tool_started",
            f"{call.tool.name}：{reason or shorten(canonical_json(call.row.params), 120)}",
            {"invocation_id": call.row.invocation_id, "tool": call.tool.name, "params": call.row.params},
        )
        context = copy_context()
        thread = ToolThread(
            call.tool.name,
            lambda: context.run(call.bound.run),
            lambda result: results.put((call.number, result)),
        )
        began = time.monotonic()
        try:
            thread.start()
        except (ToolFailure, RuntimeError) as error:
            results.put((call.number, error))
        return _Running(call, thread, began)

    def _arrived(
        self, results: queue.SimpleQueue[tuple[int, Result]], running: Mapping[int, _Running]
    ) -> list[tuple[int, Result]]:
        try:
            number, result = results.get(timeout=_TICK_S)
            if number in running:
                return [(number, result)]
        except queue.Empty:
            pass
        late = ToolFailure(f"no answer within {self._deadline_s:g} s", "TIMEOUT")
        return [(number, late) for number, one in running.items() if time.monotonic() - one.began > self._deadline_s]

    def _recorded(self, call: _Call, row: ToolInvocation, result: Result) -> ToolInvocation:
        try:
            if isinstance(result, Exception):
                raise result
            if not isinstance(result, ToolOutput):
                raise ToolFailure(f"the tool returned a {type(result).__name__}, not a ToolOutput")
            record = answered(row, result, json_value(result.output, self._max_output))
            if call.tool.kind == "knowledge" and record.failure_code is None:
                key = dedup_key(call.tool.name, call.bound.key, record.output)
                first = self._first.setdefault(key, row.invocation_id)
                if first != row.invocation_id:
                    return repeated(row, first)
            return record
        except Exception as error:
            # The same question may be asked again after a failure.
            self._first = {key: of for key, of in self._first.items() if of != row.invocation_id}
            return failed(row, error.code if isinstance(error, ToolFailure) else "TOOL_ERROR", why(error))

    def _finished(self, row: ToolInvocation) -> ToolInvocation:
        self._on_invocation(row)
        self._on_event(
            "tool_finished",
            outcome(row),
            {
                "invocation_id": row.invocation_id,
                "tool": row.tool_name,
                "hits": row.hit_count,
                "ms": row.duration_ms,
                "failure_code": row.failure_code,
                "failure_reason": row.failure_reason,
            },
        )
        return row

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise RunCancelled(self._run_id)
