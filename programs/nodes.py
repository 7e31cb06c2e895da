"""The nodes of the graph: each takes the run and the state and returns a new state."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from programs import gatekeeper, scoring, templates
from programs.answer import blocks_of, healthy_conclusion, impact_of, raw_observations, safe_suggestions
from programs.facts import extract, health_summary, rerender
from programs.failures import failure_of, is_retryable
from programs.material import evidence_of, parsed_records, suggestions_for, unavailable
from programs.planner import gap_steps
from programs.record_lines import excerpt_text
from programs.runtime import RunCancelled
from programs.state import Run, State
from programs.tools.default_plan import asked_services, default_plan, unknown_names
from programs.verifier import references
from signatures.contracts import (
    ClaimCheck,
    EvidenceGap,
    ExecutorStatus,
    PlanStep,
    VerifiedClaim,
    VerifiedEvidence,
    VerifierAttempt,
    VerifierStatus,
)
from signatures.protocol import ProtocolError, parse_executor_output
from signatures.verifier import NameEvidenceGap, gap_signature

EVIDENCE_TOOLS = ("query_logs", "query_metrics", "lookup_knowledge")
TECHNICAL_ATTEMPTS = 2  # G17


class GapNamer(dspy.Module):
    """Asks what is missing for one critical claim; used only where the answer could start the one retry."""

    def __init__(self) -> None:
        super().__init__()
        self.name = dspy.Predict(NameEvidenceGap)

    def forward(self, claim: str, excerpts: str, services: tuple[str, ...]) -> dspy.Prediction:
        signature = gap_signature(EVIDENCE_TOOLS[:2], services)
        return self.name(claim=claim, excerpts=excerpts[:400], signature=signature, config={"max_tokens": 90})


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
            if not is_retryable(code):
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
    started = time.perf_counter()
    batch = run.runner.run(state.steps)
    run.meter.add_tool_seconds(time.perf_counter() - started)
    run.context.check_cancelled()
    scenario = run.context.scenario
    state = replace(state, invocations=(*state.invocations, *batch))
    facts = extract(state.invocations, state.question, scenario)
    healthy = not state.absent and health_summary(state.invocations, state.question, scenario)
    state = replace(state, facts=facts, healthy=healthy)
    missing = [*(f"没有查到 {word} 的日志和指标" for word in state.absent), *unavailable(state.invocations)]
    try:
        answer = run.program.executor(
            question=state.question,
            facts=facts,
            evidence_of=lambda fact: evidence_of(fact, state.invocations, run.context.run_id),
            healthy=healthy or bool(state.absent),
            suggestions=suggestions_for(state.invocations, facts, healthy),
            missing=missing,
        )
        contract, warnings = parse_executor_output(answer.contract)
    except RunCancelled:
        raise
    except ProtocolError as error:
        return replace(state, executor_status="INVALID_OUTPUT", failure_code=error.code, failure_reason=str(error))
    except Exception as error:
        code, reason = failure_of(error)
        status: ExecutorStatus = "TIMEOUT" if code == "timeout" else "INVOCATION_FAILED"
        return replace(state, executor_status=status, failure_code=code, failure_reason=reason)
    story = answer.story
    told = f"，因果：{story.text}" if story else ""
    note = f"{len(facts)} 条事实，{len(contract['claims'])} 条待核对结论{told}"
    return replace(state, contract=contract, contract_warnings=warnings, executor_status="COMPLETED", note=note)


def gate(run: Run, state: State) -> State:
    """Deterministic: every claim whose pointer does not hold is out before any model judges it (GK-01)."""
    outcome = gatekeeper.check(
        state.contract,
        state.invocations,
        run_id=run.context.run_id,
        evidence_tools=EVIDENCE_TOOLS,
        question_type=state.question_type,
    )
    checked = outcome.result.checked_bindings
    passed = sum(item.status == "passed" for item in checked)
    note = f"出处 {passed}/{len(checked)} 成立，{len(outcome.projection.claims)} 条结论进入核对"
    if outcome.ceiling == "REJECT":
        reason = ", ".join(outcome.result.failed_rules) or ", ".join(item.code for item in outcome.result.warnings)
        return replace(state, gate=outcome, failure_code="gate_reject", failure_reason=reason, note=note)
    return replace(state, gate=outcome, note=note)


def verify(run: Run, state: State) -> State:
    """Judge claim by claim; one technical retry with the same bytes (IN-11); verdict and score by code."""
    outcome = state.gate_outcome
    payload = verifier_payload(state)
    digest = hashlib.sha256(json.dumps(payload, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
    attempts: list[VerifierAttempt] = []
    for _ in range(TECHNICAL_ATTEMPTS):
        started = time.perf_counter()
        status: VerifierStatus
        try:
            checks = tuple(_checked(run, state, claim) for claim in outcome.projection.claims)
            result = scoring.evaluate(outcome.projection, checks, outcome.ceiling)
        except RunCancelled:
            raise
        except Exception as error:
            code, reason = failure_of(error)
            invalid = isinstance(error, (ProtocolError, AdapterParseError, ValueError))
            status = "TIMEOUT" if code == "timeout" else "INVALID_OUTPUT" if invalid else "INVOCATION_FAILED"
            attempts.append(_attempt(digest, status, started, reason))
            state = replace(
                state, verifier_status=status, attempts=tuple(attempts), failure_code=code, failure_reason=reason
            )
            if not invalid and not is_retryable(code):
                break
            continue
        attempts.append(_attempt(digest, "COMPLETED", started, None))
        gaps = _gaps(run, state, result.claim_checks, result.effective_verdict)
        return replace(
            state,
            verifier_status="COMPLETED",
            attempts=tuple(attempts),
            verifier_result=result,
            gaps=gaps,
            failure_code=None,
            failure_reason=None,
            note=f"{result.effective_verdict}，有据程度 {result.groundedness_score:.2f}",
        )
    return state


def verifier_payload(state: State) -> dict[str, Any]:
    """What the Verifier may see, and nothing else: a pure function of the state (IN-01..06)."""
    outcome = state.gate_outcome
    payload: dict[str, Any] = {
        "diagnosis_context": {"question": state.question, "question_type": state.question_type},
        "verified_executor_output": outcome.projection.model_dump(mode="json", exclude={"evidence"}),
        "verified_evidence": [item.model_dump(mode="json") for item in outcome.projection.evidence],
        "gatekeeper_audit": gatekeeper.audit_view(outcome.result),
        "verdict_ceiling": outcome.ceiling,
    }
    if state.retry_context is not None:
        payload["retry_context"] = state.retry_context
    return payload


def prepare_retry(run: Run, state: State) -> State:
    """Count the cycle before it starts and say what it is for (RT-07, G8)."""
    result = state.verifier_result
    valid = tuple(gap for gap in state.gaps if gap.valid)
    context = {
        "cycle": 1,
        "gaps": [
            gap.model_dump(mode="json", include={"gap_id", "claim_id", "missing", "suggested_tool", "suggested_params"})
            for gap in valid
        ],
        "confirmed_claim_ids": [c.claim_id for c in result.claim_checks if c.classification == "direct_observation"]
        if result
        else [],
        "prior_effective_verdict": result.effective_verdict if result else None,
    }
    run.log.emit("prepare_retry", "note", "还缺证据，补查一次", gaps=len(valid))
    first = result.model_dump(mode="json", include={"effective_verdict", "groundedness_score"}) if result else None
    return replace(state, retries=state.retries + 1, retry_context=context, gaps=valid, first_attempt=first)


def compose(run: Run, state: State) -> State:
    """Write the answer from what the Verifier allows: a model's conclusion on PASS, fixed forms otherwise."""
    from programs.composer import Composition

    result = state.verifier_result
    assert result is not None  # the edge into this node requires a completed verify
    blocks, cause = blocks_of(state)
    if state.healthy:
        composition = Composition(healthy_conclusion(state, run.context.scenario), "TEMPLATE")
    elif result.effective_verdict == "PASS" and cause:
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
    blocks, _ = blocks_of(state, safe=True)
    blocks = replace(blocks, suggestions=safe_suggestions(state))
    return replace(state, answer=templates.render_answer(blocks, "REJECT"), route="composer_safe")


def fallback(run: Run, state: State) -> State:
    """The fixed text for a run without a completed verify (G25); no verdict is invented."""
    origin = state.fallback_origin or "executor"
    run.log.emit("fallback", "node_started", "没有可核对的结论", origin=origin, failure_code=state.failure_code)
    gaps = tuple(str(item) for item in state.contract.get("missing_info", []))
    answer = templates.fallback(origin, run.context.run_id, state.invocations, gaps, raw_observations(state))
    return replace(state, answer=answer, route="fallback", verifier_result=None)


def look_up(run: Run, state: State) -> State:
    """The simple path of a plain knowledge question: runbook passages as they stand (G2)."""
    with run.meter.step("execute"):
        step = PlanStep(tool="lookup_knowledge", params={"query": state.question}, origin="default")
        batch = run.runner.run((step,))
    chunks = batch[0].output.get("chunks", []) if isinstance(batch[0].output, dict) else []
    return replace(state, invocations=batch, answer=templates.knowledge_answer(chunks), route="simple")


def _checked(run: Run, state: State, claim: VerifiedClaim) -> ClaimCheck:
    run.context.check_cancelled()
    started = time.perf_counter()
    evidence = state.gate_outcome.projection.evidence_of(claim.claim_id)
    check = _rendered(state, claim, evidence) or run.program.verifier.judge(state.question, claim, evidence)
    run.log.emit(
        "verify",
        "claim_checked",
        claim.claim_text,
        claim_id=claim.claim_id,
        classification=check.classification,
        basis=check.basis,
        seconds=round(time.perf_counter() - started, 2),
    )
    return check


def _rendered(state: State, claim: VerifiedClaim, evidence: tuple[VerifiedEvidence, ...]) -> ClaimCheck | None:
    """A claim that equals what code writes from its own excerpts is proven by writing it again.

    A look-up without a hit proves a negative only as far as it looked (G6): never more than an inference.
    """
    if claim.claim_text not in rerender(parsed_records(evidence)):
        return None
    empty = {row.invocation_id for row in state.invocations if row.failure_code == "NO_HIT"}
    negative = any(item.source_invocation_id in empty for item in evidence)
    return ClaimCheck(
        claim_id=claim.claim_id,
        is_critical=claim.is_critical,
        classification="reasonable_inference" if negative else "direct_observation",
        model_classification="reasonable_inference" if negative else "direct_observation",
        basis="rendered",
        evidence_refs=references(evidence),
    )


def _gaps(run: Run, state: State, checks: tuple[ClaimCheck, ...], verdict: str) -> tuple[EvidenceGap, ...]:
    """Ask for the gap of the one critical claim that could start the retry; validity is code's word (G7)."""
    if verdict != "LOW_CONFID" or state.retries > 0 or state.gate_outcome.ceiling != "PASS":
        return state.gaps if state.retries else ()
    open_labels = {"unsupported", "overstated", "reasonable_inference"}
    doubtful = [c for c in checks if c.is_critical and c.classification in open_labels and c.basis == "model"]
    if not doubtful:
        return ()
    check = doubtful[0]
    claim = next(c for c in state.gate_outcome.projection.claims if c.claim_id == check.claim_id)
    services = tuple(service.name for service in run.context.scenario.services)
    try:
        word = run.program.gap(
            claim=claim.claim_text,
            excerpts=excerpt_text(state.gate_outcome.projection.evidence_of(claim.claim_id)),
            services=services,
        )
    except RunCancelled:
        raise
    except Exception as error:
        run.log.emit("verify", "note", "没能说出缺什么证据", reason=failure_of(error)[1])
        return ()
    params: dict[str, Any] = {"service": [str(word.service)]}
    if word.tool == "query_logs" and str(word.words).strip():
        params["contains"] = str(word.words).strip()
    return (_valid_gap(state, claim.claim_id, str(word.missing).strip(), str(word.tool), params),)


def _valid_gap(state: State, claim_id: str, missing: str, tool: str, params: dict[str, Any]) -> EvidenceGap:
    from programs.evidence import dedup_key

    made = {dedup_key(row.tool_name, row.params) for row in state.invocations}
    repeated = dedup_key(tool, params) in made
    reason = "" if missing and not repeated else "这个查询本次已经做过" if repeated else "没有说清缺什么"
    return EvidenceGap(
        gap_id="g1",
        claim_id=claim_id,
        missing=missing,
        suggested_tool=tool,
        suggested_params=params,
        valid=not reason,
        reason=reason,
    )


def _attempt(digest: str, status: VerifierStatus, started: float, reason: str | None) -> VerifierAttempt:
    latency = round((time.perf_counter() - started) * 1000, 1)
    return VerifierAttempt(input_sha256=digest, status=status, latency_ms=latency, failure_reason=reason)
