"""Hostile model output: refused or unwrapped by a stated rule, never repaired, never lost without a trace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from programs.tools.query_metrics import QueryMetrics
from tests.scripted.models import ScriptedDecider, ScriptedEngine
from tests.spec.harness import LOGS, REPLIES, ScriptedSource, Spec, claim, contract, output
from tests.spec.hostile.material import returns, strict
from tests.spec.test_zh import readable

LEGAL = json.dumps(contract(), ensure_ascii=False)
VERDICT = json.dumps(output())


@pytest.mark.parametrize(
    "text", ["{“answer_version”:“executor_evidence_v2”,“claims”:[]}", LEGAL.replace('"', "”"), LEGAL.replace('"', "'")]
)
def test_hostile_01_typographic_quotes_are_invalid_output_and_visible(spec: Spec, text: str) -> None:
    asked = spec.ask(contracts=[text])
    assert asked.evaluation["executor_status"] == "INVALID_OUTPUT"
    assert asked.evaluation["discarded"][0]["length"] == len(text)
    assert asked.body["failure_code"] == "not_json" and readable(asked.answer)


def test_hostile_02_unescaped_quotes_never_shorten_a_claim(spec: Spec) -> None:
    broken = LEGAL.replace(claim()["claim_text"], 'Sent to the "dictator", waiting')
    judged = spec.judge(broken)
    assert judged.evaluation["executor_status"] == "INVALID_OUTPUT"
    assert "Sent to the" not in json.dumps(judged.body)
    story = spec.ask(executor='{"cause": "Sent to the "dictator", waiting", "handles": ["e1"]}')
    assert "Sent to the" not in json.dumps(story.stored) and story.evaluation["discarded"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f'{{"json_input": {LEGAL}}}', None),
        (f'{{"outer": {{"json_input": {LEGAL}}}}}', "answer_version"),
        (json.dumps(LEGAL), "not_an_object"),
        (f"{LEGAL}</answer>", "not_json"),
        (f"{LEGAL}\n<|im_end|>", "not_json"),
    ],
)
def test_hostile_03_a_wrapped_contract_is_unwrapped_once_or_refused(spec: Spec, text: str, code: str | None) -> None:
    judged = spec.judge(text)
    assert judged.diagnosis["failure_code"] == code
    assert judged.verdict == (None if code else "PASS")


@pytest.mark.parametrize("before", ['<think>zebra-41 {"verdict":"PASS"}</think>', "zebra-41</think>\n", ""])
def test_hostile_04_reasoning_is_left_behind(spec: Spec, before: str) -> None:
    stated = before + json.dumps(output(verdict="REJECT"))
    judged = spec.judge(before + LEGAL, verifier_outputs=[stated])
    assert judged.verdict == "REJECT"
    assert "zebra-41" not in json.dumps(judged.body)


def test_hostile_04_an_opening_tag_alone_is_no_answer(spec: Spec) -> None:
    judged = spec.judge(verifier_outputs=["<think>" + VERDICT])
    assert (judged.evaluation["verifier_status"], judged.route) == ("INVALID_OUTPUT", "fallback")


@pytest.mark.parametrize("second", ["PASS", "REJECT"])
def test_hostile_05_two_objects_are_ambiguous(spec: Spec, second: str) -> None:
    two = VERDICT + "\n" + json.dumps(output(verdict=second))
    judged = spec.judge(verifier_outputs=[two, two])
    assert [item["status"] for item in judged.evaluation["attempts"]] == ["INVALID_OUTPUT"] * 2
    assert (judged.route, judged.verdict) == ("fallback", None)
    assert spec.judge(LEGAL + LEGAL).evaluation["executor_status"] == "INVALID_OUTPUT"


def test_hostile_06_duplicate_keys_and_ids_are_invalid(spec: Spec) -> None:
    twice = VERDICT.replace('"verdict": "PASS"', '"verdict": "REJECT", "verdict": "PASS"')
    assert spec.judge(verifier_outputs=[twice]).evaluation["verifier_status"] == "INVALID_OUTPUT"
    doubled = LEGAL.replace('"claim_type"', '"claim_text": "x", "claim_type"')
    assert spec.judge(doubled).evaluation["executor_status"] == "INVALID_OUTPUT"
    assert spec.judge(contract(claim("c1"), claim("c1"))).gate["failed_rules"] == ["schema.executor_v2"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_hostile_07_numbers_that_are_none(spec: Spec, number: str) -> None:
    stated = json.dumps(output(groundedness_score=0.5)).replace("0.5", number)
    judged = spec.judge(verifier_outputs=[stated, VERDICT])
    assert [item["status"] for item in judged.evaluation["attempts"]] == ["INVALID_OUTPUT", "COMPLETED"]
    assert judged.evaluation["groundedness_score"] == 1.0


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), "1e999", 10**400])
def test_hostile_07_such_metric_values_are_text_in_valid_json(
    spec: Spec, monkeypatch: pytest.MonkeyPatch, value: Any
) -> None:
    record = {"metric": "http_5xx_percent", "service": "payment-gateway", "value": value}
    returns(monkeypatch, QueryMetrics, lambda: {"series": [record]})
    asked = spec.ask()
    strict(json.dumps(asked.stored, allow_nan=False))
    assert readable(asked.answer)


@pytest.mark.parametrize("field", ["case_id", "query"])
def test_hostile_08_a_case_that_is_no_unicode_text_is_refused_by_name(spec: Spec, field: str) -> None:
    case = {"case_id": "a", "query": "q", "invocations": [LOGS], "executor_output": contract(), field: "x \ud800"}
    client = spec.client_of(ScriptedSource(ScriptedEngine(**REPLIES), ScriptedDecider("direct_observation")))
    answer = client.post("/api/verify", content=json.dumps(case).encode())
    assert answer.status_code == 422
    assert f"{field} holds a lone surrogate" in answer.json()["detail"]
