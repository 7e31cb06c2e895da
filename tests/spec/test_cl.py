"""CL: a claim is judged against its own excerpts and nothing else."""

from __future__ import annotations

import json
from typing import Any

from tests.spec.harness import LOGS, Spec, binding, claim, contract

POOL = claim("c1", claim_text="HikariPool-pay 等待 3000ms 超时", evidence_bindings=[binding()])
CHANGE = claim(
    "c2",
    "change_event",
    claim_text="maximum-pool-size 由 64 改为 8",
    evidence_bindings=[binding("old=64", "$.logs[0]")],
)


def _with(stated: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**stated, "evidence_bindings": other["evidence_bindings"]}


def test_cl_01_swapping_the_evidence_of_two_claims_costs_both_their_support(spec: Spec) -> None:
    own = spec.judge(contract(POOL, CHANGE))
    swapped = spec.judge(contract(_with(POOL, CHANGE), _with(CHANGE, POOL)))
    assert set(own.classes.values()) == {"direct_observation"} and own.verdict == "PASS"
    assert "direct_observation" not in swapped.classes.values() and swapped.verdict != "PASS"


def test_cl_01_the_model_sees_no_excerpt_of_another_claim(spec: Spec) -> None:
    pool, change = spec.judge(contract(POOL, CHANGE)).judged
    assert "3000ms" in pool["excerpts"] and "64 -> 8" not in pool["excerpts"]
    assert "64 -> 8" in change["excerpts"] and "3000ms" not in change["excerpts"]


def test_cl_02_text_that_contains_the_facts_may_be_a_direct_observation(spec: Spec) -> None:
    judged = spec.judge(contract(POOL))
    assert judged.evaluation["verdict_ceiling"] == "PASS"
    assert judged.classes == {"c1": "direct_observation"}


def test_cl_02_also_under_a_lower_ceiling_only_the_verdict_is_capped(spec: Spec) -> None:
    judged = spec.judge(contract(POOL, claim("c9", evidence_bindings=[binding(ids=["inv_999"])])))
    assert judged.classes == {"c1": "direct_observation"} and judged.verdict == "LOW_CONFID"


def test_cl_03_verified_claims_and_evidence_are_the_models_whole_context(spec: Spec) -> None:
    (given,) = spec.judge(contract(POOL)).judged
    assert set(given) == {"context", "claim", "excerpts", "findings"}
    assert given["claim"] == POOL["claim_text"] and "Connection is not available" in given["excerpts"]


def test_cl_04_no_tool_and_no_trace_summary_is_offered_to_the_verifiers_model(spec: Spec) -> None:
    asked = spec.ask()
    for state in asked.decider.states:
        assert set(state) <= {"instructions", "inputs", "input_fields", "demos"}
        assert "inv_" not in json.dumps(state["inputs"], ensure_ascii=False)


def test_cl_05_unreferenced_tool_material_is_not_read(spec: Spec) -> None:
    beside = {**LOGS["output"]["logs"][1], "message": "zebra-marker-41 disk full"}
    extended = {**LOGS, "output": {"logs": [*LOGS["output"]["logs"], beside]}}
    judged = spec.judge(contract(POOL), invocations=[extended])
    assert judged.judged and "zebra-marker-41" not in json.dumps(judged.judged)
