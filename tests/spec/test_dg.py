"""DG: an Executor output that is no contract costs the answer, never the run."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.spec.harness import Spec, claim, contract
from tests.spec.test_zh import readable

LEGAL = json.dumps(contract(), ensure_ascii=False)
BROKEN = [
    LEGAL[:-1],
    LEGAL + "\n以上。",
    "我认为是连接池的问题。",
    LEGAL.replace('"', "“", 1),
    f"[{LEGAL}]",
    "",
    "null",
    LEGAL.replace('"claims"', '"claims": [], "claims"', 1),
]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(max_size=200), st.sampled_from(BROKEN), st.binary(max_size=80).map(repr)))
def test_dg_01_whatever_the_executor_writes_the_graph_answers_and_the_verifier_sees_none_of_it(
    spec: Spec, text: str
) -> None:
    judged = spec.judge(text)
    assert judged.route == "fallback" and judged.judged == []
    assert readable(judged.answer)


@pytest.mark.parametrize("text", BROKEN)
def test_dg_02_text_that_is_no_contract_is_invalid_output(spec: Spec, text: str) -> None:
    assert spec.ask(contracts=[text]).evaluation["executor_status"] == "INVALID_OUTPUT"


@pytest.mark.parametrize("text", BROKEN)
def test_dg_03_it_goes_straight_to_the_fallback_whose_text_is_fixed(spec: Spec, text: str) -> None:
    first, second = spec.ask(contracts=[text]), spec.ask(contracts=[text])
    assert first.nodes == ["plan", "execute", "fallback"]
    assert first.body["fallback_origin"] == "executor"
    assert first.answer.replace(first.body["run_id"], "") == second.answer.replace(second.body["run_id"], "")


@pytest.mark.parametrize("text", BROKEN)
def test_dg_04_gate_verifier_and_composer_do_not_run(spec: Spec, text: str) -> None:
    asked = spec.ask(contracts=[text])
    assert not {"gate", "verify", "compose", "compose_safe"} & set(asked.nodes)
    assert asked.calls("verifier") == asked.calls("composer") == 0
    assert "gatekeeper_result" not in asked.evaluation


@pytest.mark.parametrize(("text", "code"), [(LEGAL[:-1], "not_json"), ("[]", "not_an_object"), ("", "empty")])
def test_dg_05_events_and_evaluation_show_what_failed(spec: Spec, text: str, code: str) -> None:
    asked = spec.ask(contracts=[text])
    event = next(item for item in asked.stored["events"] if item["node"] == "fallback")
    assert event["data"] == {"origin": "executor", "failure_code": code}
    assert asked.evaluation["failure_code"] == asked.stored["failure_code"] == code
    (lost,) = asked.evaluation["discarded"]
    assert (lost["node"], lost["length"]) == ("executor", len(text))


def test_dg_05_a_story_that_is_no_json_is_visible_too(spec: Spec) -> None:
    asked = spec.ask(executor='{"cause": "Sent to the "dictator", waiting"}')
    notes = [event for event in asked.stored["events"] if event["kind"] == "note" and event["node"] == "execute"]
    assert notes and notes[0]["data"]["failure_code"] == "invalid_output"
    assert len(asked.evaluation["discarded"]) == len(notes)
    assert "dictator" not in json.dumps(asked.stored, ensure_ascii=False)


@pytest.mark.parametrize("text", BROKEN)
def test_dg_06_it_is_neither_a_contract_nor_a_verdict(spec: Spec, text: str) -> None:
    asked = spec.ask(contracts=[text])
    assert asked.body["verdict"] is None and asked.body["claims"] == []
    absent = {"verified_executor_output", "executor_structured_output", "verdict", "effective_verdict", "model_verdict"}
    assert not absent & asked.evaluation.keys()
    assert claim()["claim_text"] not in json.dumps(asked.stored, ensure_ascii=False)
