"""The nodes of the graph other than verify: each takes the run and the state and returns a new state."""

from __future__ import annotations

import time
from dataclasses import replace

from programs import gatekeeper, templates
from programs.answer import blocks_of, healthy_conclusion, impact_of, missing_topics, raw_observations
from programs.composer import Composition
from programs.evidence import tool_trace_summary
from programs.facts import extract, health_summary
from programs.failures import INVALID, discarded_text, failure_of
from programs.material import evidence_of, known_services, suggestions_for, unavailable
from programs.planner import gap_steps
from programs.runtime import RunCancelled
from programs.state import Run, State
from programs.story import MISSES_SYMPTOM, guess_of
from programs.tools.default_plan import asked_services, default_plan, unknown_names
from signatures.contracts import ExecutorStatus, GateNote, GateOutcome, PlanStep
from signatures.protocol import ProtocolError, parse_executor_output


def plan(run: Run, state: State) -> State:
    """Cycle 1: the model's steps and the default evidence plan. Cycle 2: the gaps' own calls (G8)."""
    if state.retry_context is not None:
        steps = gap_steps(state.gaps)
        return replace(state, steps=steps, note=f"补查 {len(steps)} 项证据")
    scenario = run.context.scenario
    absent = () if asked_services(state.question, scenario) else unknown_names(state.question, scenario)
    planned: tuple[PlanStep, ...] = ()
    note = ""
    if not absent:
        try:
            planned = run.program.planner(question=state.question, scenario=scenario).steps
        except RunCancelled:
            raise
        except Exception as error:
            code, reason = failure_of(error)
            if code not in INVALID:
                return replace(state, fallback_origin="planner", failure_code=code, failure_reason=reason)
            # G30: the default evidence plan stands in; the failure stays visible.
            note = "规划模型没有给出可用的计划，改用默认计划"
            run.log.emit("plan", "note", note, failure_code=code, failure_reason=reason)
    steps = (*default_plan(state.question, scenario), *planned)
    return replace(
        state, steps=steps, absent=absent, note=note or f"计划 {len(steps)} 项查询，模型提出 {len(planned)} 项"
    )


def execute(run: Run, state: State) -> State:
    """Run the tools, let code write the facts and the model the story; parse the contract as if it were foreign."""
    started, absent = time.perf_counter(), state.absent
    batch = run.runner.run(state.steps)
    run.meter.add(tool_seconds=time.perf_counter() - started)
    run.log.emit("execute", "trace", "", summary=tool_trace_summary(batch))
    run.context.check_cancelled()
    scenario = run.context.scenario
    state = replace(state, invocations=(*state.invocations, *batch))
    facts = extract(state.invocations, state.question, scenario)
    healthy = not absent and health_summary(state.invocations, state.question, scenario)
    state = replace(state, facts=facts, healthy=healthy)
    guess = guess_of(state.question)
    unheard = [f"没有查到支持「{guess}」的证据"] if guess and not any(guess in fact.text for fact in facts) else []
    missing = (*unheard, *(f"没有查到 {word} 的日志和指标" for word in absent), *unavailable(state.invocations))
    state = replace(state, missing=missing)
    try:
        answer = run.program.executor(
            question=state.question,
            facts=facts,
            evidence_of=lambda fact: evidence_of(fact, state.invocations, run.context.run_id),
            healthy=healthy or bool(absent),
            suggestions=known_services(scenario) if absent else suggestions_for(state.invocations, facts, healthy),
            missing=missing,
            asked=asked_services(state.question, scenario),
        )
    except RunCancelled:
        raise
    except Exception as error:
        code, reason = failure_of(error)
        status: ExecutorStatus = "TIMEOUT" if code == "timeout" else "INVOCATION_FAILED"
        return replace(state, executor_status=status, failure_code=code, failure_reason=reason)
    for text in answer.discarded:
        run.log.emit("execute", "note", "模型说的因果格式不对，没有采用", **text.model_dump(exclude={"node"}))
    story = answer.story
    told = f"，因果：{story.text}" if story else ""
    state = replace(state, discarded=(*state.discarded, *answer.discarded))
    state = replace(adopted(state, answer.contract), story_problems=story.problems if story else ())
    return replace(state, note=f"{len(facts)} 条事实，{len(state.contract.get('claims', ()))} 条待核对结论{told}")


def adopted(state: State, text: str) -> State:
    """The state with the contract in ``text``, or INVALID_OUTPUT; of an illegal text only its digest is kept (X12)."""
    try:
        contract, _ = parse_executor_output(text)
    except ProtocolError as error:
        lost = discarded_text("executor", error.code, text)
        return replace(
            state,
            executor_status="INVALID_OUTPUT",
            discarded=(*state.discarded, lost),
            failure_code=error.code,
            failure_reason=f"{lost.length} characters, SHA-256 {lost.sha256[:12]}: {error.code}",
        )
    return replace(state, contract=contract, executor_status="COMPLETED")


def gate(run: Run, state: State) -> State:
    """Deterministic: every claim whose pointer does not hold is out before any model judges it (GK-01)."""
    outcome = gatekeeper.check(
        state.contract,
        state.invocations,
        run_id=run.context.run_id,
        evidence_tools=state.evidence_tools,
        question_type=state.question_type,
    )
    outcome = outcome if state.external else _capped_without_cause(state, outcome)
    checked = outcome.result.checked_bindings
    passed = sum(item.status == "passed" for item in checked)
    note = f"出处 {passed}/{len(checked)} 成立，{len(outcome.projection.claims)} 条结论进入核对"
    if outcome.ceiling == "REJECT":
        reason = ", ".join(outcome.result.failed_rules) or ", ".join(item.code for item in outcome.result.warnings)
        return replace(state, gate=outcome, failure_code="gate_reject", failure_reason=reason, note=note)
    return replace(state, gate=outcome, note=note)


def _capped_without_cause(state: State, outcome: GateOutcome) -> GateOutcome:
    """Facts alone do not answer why, nor does a cause that never reaches what is broken: PASS would mislead."""
    told = any(claim.claim_type == "root_cause" for claim in outcome.projection.claims)
    if state.healthy or outcome.ceiling != "PASS" or (told and MISSES_SYMPTOM not in state.story_problems):
        return outcome
    if told:
        note = GateNote(
            code="answer.symptom_not_reached", message="the cause told does not reach the symptom asked about"
        )
    else:
        note = GateNote(code="answer.no_cause", message="no root-cause claim answers the question")
    result = outcome.result.model_copy(update={"severity": "low_confid", "warnings": (*outcome.result.warnings, note)})
    return outcome.model_copy(update={"ceiling": "LOW_CONFID", "result": result})


def compose(run: Run, state: State) -> State:
    """Write the answer from what the Verifier allows: a model's conclusion on PASS, fixed forms otherwise."""
    result = state.verifier_result
    assert result is not None  # the edge into this node requires a completed verify
    blocks, cause = blocks_of(state)
    if state.healthy:
        composition = Composition(healthy_conclusion(state, run.context.scenario), "TEMPLATE")
    elif result.effective_verdict == "PASS" and cause and not state.external:
        composition = run.program.composer(question=state.question, cause=cause, facts=impact_of(state)).composition
    else:
        composition = Composition(blocks.conclusion, "TEMPLATE")
    blocks = replace(blocks, conclusion=composition.conclusion)
    answer = templates.render_answer(blocks, result.effective_verdict)
    if composition.status == "FALLBACK":
        run.log.emit("compose", "note", "写结论的模型没有给出可用的句子，改用已核对的原句", reason=composition.reason)
    return replace(state, composition=composition, answer=answer, route="composer")


def compose_safe(run: Run, state: State) -> State:
    """REJECT: a fixed template, no model, no root cause (RT-10..13)."""
    blocks, _ = blocks_of(state)
    answer = templates.render_answer(blocks, "REJECT")
    return replace(state, composition=Composition(templates.DEGRADED, "TEMPLATE"), answer=answer, route="composer_safe")


def fallback(run: Run, state: State) -> State:
    """The fixed text for a run without a completed verify (G25); no verdict is invented."""
    origin = state.fallback_origin or "executor"
    run.log.emit("fallback", "node_started", "没有可核对的结论", origin=origin, failure_code=state.failure_code)
    gaps = missing_topics(state)
    answer = templates.fallback(origin, run.context.run_id, state.invocations, gaps, raw_observations(state))
    return replace(state, answer=answer, route="fallback", verifier_result=None)


def look_up(run: Run, state: State) -> State:
    """The simple path of a plain knowledge question: runbook passages as they stand (G2)."""
    with run.meter.step("execute"):
        step = PlanStep(tool="lookup_knowledge", params={"query": state.question}, origin="default")
        batch = run.runner.run((step,))
    chunks = batch[0].output.get("chunks", []) if isinstance(batch[0].output, dict) else []
    return replace(state, invocations=batch, answer=templates.knowledge_answer(chunks), route="simple")
