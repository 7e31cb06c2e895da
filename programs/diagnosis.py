"""The state graph of a diagnosis, readable top to bottom.

    plan -> execute -> gate -> verify -> compose | compose_safe | prepare_retry -> plan(EVIDENCE_GAP_ONLY)
    any handled failure before a completed verify -> fallback ; every end -> persist

Each node takes the state and returns a new one; the edges are the pure functions of ``routing``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dspy

from programs import judging, nodes
from programs.composer import Composer
from programs.executor import Executor
from programs.lms.adapter import CompactJSONAdapter
from programs.lms.choice import RoleLMs
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
from signatures.contracts import DiagnosisResult


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
        self.gap = judging.GapNamer()
        self.lms = lms
        self.version = version

    def diagnose(self, question: str, context: RunContext) -> DiagnosisResult:
        """Answer one question from one run's tool output.

        Raises:
            RunCancelled: the caller went away.
            ScenarioError: the telemetry cannot be read.
        """
        with dspy.context(
            lm=self.lms.generate,
            adapter=CompactJSONAdapter(),
            disable_history=True,
            **self.lms.context(),
        ):
            result: DiagnosisResult = self(question, context)
            return result

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
            if after_execute(state.executor_status) == "fallback":
                return nodes.fallback(run, replace(state, fallback_origin="executor"))
            state = _step(run, "gate", "核对每条结论的出处", nodes.gate, state)
            if after_gate(state.gate_outcome.ceiling) == "fallback":
                return nodes.fallback(run, replace(state, fallback_origin="gatekeeper"))
            state = _step(run, "verify", "逐条判断证据是否支持", judging.verify, state)
            verified = state.verifier_result
            edge = after_verify(
                state.verifier_status,
                verified.effective_verdict if verified else None,
                state.gate_outcome.ceiling,
                sum(gap.valid for gap in state.gaps),
                state.retries,
            )
            run.log.emit("verify", "route", f"下一步：{edge}", route=edge)
            if edge == "fallback":
                return nodes.fallback(run, replace(state, fallback_origin="verifier"))
            if edge == "prepare_retry":
                state = judging.prepare_retry(run, state)
                continue
            node = nodes.compose if edge == "compose" else nodes.compose_safe
            return _step(run, edge, "写答案", node, state)


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
