"""ZH: whatever happens, a person gets readable Chinese."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from dspy.lm15 import AuthError, ServerError

from tests.spec.harness import Spec, contract

KEYS = re.compile(r"claim_id|claim_text|evidence_bindings|answer_version|matched_text|raw_path|source_invocation")


def _raises(fault: Exception) -> Callable[[dict[str, Any]], str]:
    def broken(_: dict[str, Any]) -> str:
        raise fault

    return broken


ROUTES: dict[str, dict[str, Any]] = {
    "pass": {},
    "low": {"label": "unsupported"},
    "reject": {"label": "contradicted"},
    "planner": {"planner": AuthError("401")},
    "executor": {"contracts": ["not json"]},
    "gate": {"contracts": [contract()]},
    "verifier": {"label": _raises(ServerError("boom"))},
    "composer": {"composer": ServerError("boom")},
    "english": {"question": "Why does the payment gateway return so many 5xx since 10:05?"},
    "greeting": {"question": "hello", "scenario": "payment-pool"},
    "healthy": {"question": "搜索服务报警 SearchErrorRateHigh，搜索出了什么故障？"},
}


def readable(answer: str) -> bool:
    """Prose in Chinese around names and quotes: no JSON, no contract keys."""
    prose = re.sub(r"「[^」]*」|[A-Za-z0-9_./:%=>\-]+", "", answer)
    letters = [sign for sign in prose if sign.isalpha()]
    chinese = [sign for sign in letters if "\u4e00" <= sign <= "\u9fff"]
    return len(chinese) >= 10 and len(chinese) >= 0.9 * len(letters) and not KEYS.search(answer)


@pytest.mark.parametrize("route", ROUTES)
def test_zh_01_every_route_ends_in_readable_chinese(spec: Spec, route: str) -> None:
    answer = spec.ask(**ROUTES[route]).answer
    assert readable(answer), answer


def test_zh_02_a_pass_is_rendered_from_the_verified_projection(spec: Spec) -> None:
    asked = spec.ask()
    stated = {item["claim_text"] for item in asked.evaluation["verified_executor_output"]["claims"]}
    lines = asked.answer.split("## 已确认\n")[1].split("\n## ")[0].strip().splitlines()
    assert lines and {re.sub(r"^- | \[证\d+\]$|( \[?证\d+\]?)+$", "", line) for line in lines} <= stated


def test_zh_03_it_is_not_the_executors_json(spec: Spec) -> None:
    answer = spec.ask().answer
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(answer)
    assert not KEYS.search(answer) and "{" not in answer.replace("「", "").split("## 已确认")[0]


def test_zh_04_the_trace_shows_the_contract_as_its_projection_only(spec: Spec) -> None:
    lost = {"claim_id": "x9", "claim_type": "context", "claim_text": "未核对的话", "support_level": "direct"}
    asked = spec.ask(contracts=[lambda facts: _with(facts, lost)])
    shown = asked.evaluation["executor_structured_output"]
    assert [item["claim_id"] for item in shown["claims"]] == ["c1"]
    assert "未核对的话" not in json.dumps(asked.stored, ensure_ascii=False)


def _with(facts: Any, lost: dict[str, Any]) -> dict[str, Any]:
    fact = facts[0]
    bindings = [item.model_dump(mode="json", exclude_none=True) for item in fact.bindings]
    kept = {**lost, "claim_id": "c1", "claim_text": fact.text, "evidence_bindings": bindings}
    nowhere = [{**bindings[0], "source_invocation_ids": ["inv_999"]}]
    return contract(kept, {**lost, "evidence_bindings": nowhere})


def test_zh_05_the_client_and_the_store_get_the_one_routed_answer(spec: Spec) -> None:
    for options in ROUTES.values():
        asked = spec.ask(**options)
        assert asked.stored["answer"] == asked.answer
        assert asked.stored["route"] == asked.body["route"]
