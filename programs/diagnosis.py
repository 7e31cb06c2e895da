"""The state graph of a diagnosis, readable top to bottom.

    plan -> execute -> gate -> verify -> compose | compose_safe | prepare_retry -> plan(EVIDENCE_GAP_ONLY)
    any handled failure before a completed verify -> fallback ; every end -> persist

Each node takes the state and returns a new one; the edges are the pure functions of ``routing``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Literal

import dspy

from programs import gaps, judging, nodes
from programs.composer import Composer
from programs.executor import Executor
from programs.lms.adapter import CompactJSONAdapter
from programs.lms.choice import RoleLMs
from programs.material import unavailable
from programs.outcome import to_result
from programs.planner import Planner
from programs.router import question_type
from programs.routing import after_execute, after_gate, after_verify
from programs.runtime import EventLog, Meter, RunContext
from programs.state import Run, State
from programs.templates import greeting
from programs.tools.registry import scenario_tools
from programs.tools.runner import ToolRunner
from programs.verifier import ClaimVerifier
from signatures.contracts import DiagnosisResult, ToolInvocation


class DiagnosisProgram(dspy.Module):
    """Planner, Executor, Verifier and Composer around deterministic Python.

    Args:
        lms: the models to run on.
        version: name of the compiled version loaded into this program; recorded with every run.
    """

    def __init__(self, lms: RoleLMs, version: str = "baseline") -> None:
        super().__init__()
        self.planner = Planner()
        self.executor = Executor()
        self.verifier = ClaimVerifier(lms.decide)
        self.composer = Composer()
        self.gap = gaps.GapNamer()
        self.lms = lms
        self.version = version

    def diagnose(self, question: str, context: RunContext) -> DiagnosisResult:
        """Answer one question from one run's tool output.

        Raises:
            RunCancelled: the caller went away.
            ScenarioError: the telemetry cannot be read.
        """
        with self._models():
            result: DiagnosisResult = self(question, context)
            return result

    def _models(self) -> AbstractContextManager[None]:
        """DSPy's surroundings of one run: requests never configure DSPy globally."""
        context: AbstractContextManager[None] = dspy.context(
            lm=self.lms.generate, adapter=CompactJSONAdapter(), disable_history=True, **self.lms.context()
        )
        return context

    def judge_contract(
        self,
        question: str,
        contract: str,
        context: RunContext,
        invocations: Sequence[ToolInvocation] = (),
        recorded: Sequence[str] | None = None,
        **fields: Any,
    ) -> DiagnosisResult:
        """An Executor contract from outside through gate, Verifier and the answer's template; no tool runs.

        Args:
            contract: the text of an executor_evidence_v2 contract.
            invocations: the tool calls that it cites; those of ``context.run_id`` count.
            recorded: outputs of another Verifier, an attempt each, read in the place of asking the model.
            fields: further fields of the state (``question_type``, ``evidence_tools``).
        """
        run = _open_run(self, context)
        state = State(
            question=question,
            external=True,
            invocations=tuple(invocations),
            missing=unavailable(invocations),
            recorded=None if recorded is None else tuple(recorded),
            **fields,
        )
        started = time.perf_counter()
        with self._models():
            state, edge = checked(run, nodes.adopted(state, contract))
            state = finished(run, state, edge)
        return to_result(run, state, seconds=time.perf_counter() - started)

    def forward(self, question: str, context: RunContext) -> DiagnosisResult:
        started = time.perf_counter()
        run = _open_run(self, context)
        state = State(question=question, question_type=question_type(question))
        if state.question_type == "greeting":
            state = replace(state, route="simple", answer=greeting())
        elif state.question_type == "knowledge":
            state = nodes.look_up(run, state)
        else:
            state = self._graph(run, state)
        result = to_result(run, state, seconds=time.perf_counter() - started)
        run.log.emit("persist", "run_finished", "完成", verdict=result.verdict, route=result.route)
        return result

    def _graph(self, run: Run, state: State) -> State:
        """The diagnosis cycle; at most one evidence-gap cycle (RT-07)."""
        while True:
            state = _step(run, "plan", "决定查什么", nodes.plan, state)
            if state.fallback_origin:
                return nodes.fallback(run, state)
            state = _step(run, "execute", "查证据、整理事实", nodes.execute, state)
            state, edge = checked(run, state)
            if edge != "prepare_retry":
                return finished(run, state, edge)
            state = gaps.prepare_retry(run, state)


Edge = Literal["compose", "compose_safe", "prepare_retry", "fallback"]


def checked(run: Run, state: State) -> tuple[State, Edge]:
    """From what the Executor handed over to the edge behind the Verifier."""
    if after_execute(state.executor_status) == "fallback":
        return replace(state, fallback_origin="executor"), "fallback"
    state = _step(run, "gate", "核对每条结论的出处", nodes.gate, state)
    if after_gate(state.gate_outcome.ceiling) == "fallback":
        return replace(state, fallback_origin="gatekeeper"), "fallback"
    state = _step(run, "verify", "逐条判断证据是否支持", judging.verify, state)
    verified = state.verifier_result
    edge = after_verify(
        state.verifier_status,
        verified.effective_verdict if verified else None,
        state.gate_outcome.ceiling,
        # An external contract has no cycle that could fill a gap.
        0 if state.external else sum(gap.valid for gap in state.gaps),
        state.retries,
    )
    run.log.emit("verify", "route", f"下一步：{edge}", route=edge)
    return (replace(state, fallback_origin="verifier") if edge == "fallback" else state), edge


def finished(run: Run, state: State, edge: Edge) -> State:
    """The answer of a run whose last edge is known."""
    if edge == "fallback":
        return nodes.fallback(run, state)
    return _step(run, edge, "写答案", nodes.compose if edge == "compose" else nodes.compose_safe, state)


def _step(run: Run, name: str, message: str, node: Callable[[Run, State], State], state: State) -> State:
    run.context.check_cancelled()
    run.log.emit(name, "node_started", message)
    started = time.perf_counter()
    with run.meter.step(name):
        state = node(run, state)
    summary: dict[str, Any] = {"seconds": round(time.perf_counter() - started, 2)}
    run.log.emit(name, "node_finished", state.note or message, **summary)
    return replace(state, note="")


def _open_run(program: DiagnosisProgram, context: RunContext) -> Run:
    log, meter = EventLog(context.on_event), Meter()
    runner = ToolRunner(
        context.run_id,
        scenario_tools(context.scenario),
        context.on_invocation,
        lambda kind, message, data: log.emit("execute", kind, message, **data),
        cancelled=context.cancelled,
    )
    return Run(program=program, context=context, log=log, meter=meter, runner=runner)
