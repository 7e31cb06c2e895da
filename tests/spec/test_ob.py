"""OB: a run leaves behind what it decided, on every route, and nothing that it must not keep."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from dspy.lm15 import AuthError, ServerError

from api.store.repository import RunStore
from signatures import catalog
from signatures.executor import TellStory
from signatures.planner import PlanEvidence
from signatures.verifier import CheckClaim
from tests.spec.harness import CAUSE, Spec, binding, claim, contract

MARK = "zebra-marker-41"
NOWHERE = contract(claim(evidence_bindings=[binding(ids=["inv_999"])]))


def _broken(_: dict[str, Any]) -> str:
    raise ServerError("boom")


FALLBACKS: dict[str, dict[str, Any]] = {
    "planner": {"planner": AuthError("401")},
    "executor": {"contracts": ["not json"]},
    "gatekeeper": {"contracts": [NOWHERE]},
    "verifier": {"label": _broken},
}


def test_ob_01_verification_verdict_and_composition_are_kept_in_this_runs_container(spec: Spec) -> None:
    first, second = spec.ask(), spec.ask(label="contradicted")
    assert first.evaluation["verifier_status"] == "COMPLETED"
    assert first.evaluation["effective_verdict"] == "PASS" and first.evaluation["composer_status"] == "COMPLETED"
    assert second.evaluation["effective_verdict"] == "REJECT"
    assert {item["run_id"] for item in first.evaluation["verified_evidence"]} == {first.body["run_id"]}


def test_ob_02_claim_checks_are_kept_one_for_each_claim(spec: Spec) -> None:
    asked = spec.ask()
    assert len(asked.evaluation["claim_checks"]) == len(asked.body["claims"]) > 1


def test_ob_03_and_facts_checked_too(spec: Spec) -> None:
    found = spec.ask().evaluation
    assert len(found["facts_checked"]) == len(found["claim_checks"])


def test_ob_04_and_everything_that_led_to_the_verdict(spec: Spec) -> None:
    wanted = {
        "verifier_status",
        "model_verdict",
        "effective_verdict",
        "verdict",
        "groundedness_score",
        "rationale",
        "verified_executor_output",
        "verified_evidence",
        "gatekeeper_result",
        "gatekeeper_audit",
    }
    for label in ("reasonable_inference", "unsupported", "contradicted"):
        found = spec.ask(label=label).evaluation
        assert wanted <= found.keys() and all(found[key] not in (None, "", "UNKNOWN") for key in wanted)


@pytest.mark.parametrize("label", ["reasonable_inference", "unsupported", "contradicted"])
def test_ob_05_the_composed_answer_is_kept_compact(spec: Spec, label: str) -> None:
    asked = spec.ask(label=label)
    kept = asked.evaluation["composer_output"]
    assert kept["text"] == asked.answer[:2000] and len(kept["sha256"]) == 64


def test_ob_05_a_long_answer_is_cut_in_the_evaluation_only(spec: Spec) -> None:
    long = contract(*[claim(f"c{n}", claim_text="payment-gateway 超时 " + "很长" * 150 + f"{n}号") for n in range(12)])
    judged = spec.judge(long, label="reasonable_inference")
    assert len(judged.answer) > 2000 and len(judged.evaluation["composer_output"]["text"]) == 2000


@pytest.mark.parametrize("reply", [ServerError("down"), "not json", {"conclusion": "损失 99999 元，机房停电。"}])
def test_ob_06_a_composer_that_fails_is_visible_and_the_answer_stands(spec: Spec, reply: Any) -> None:
    asked = spec.ask(composer=reply)
    assert asked.body["verdict"] == "PASS" and CAUSE in asked.answer
    assert asked.evaluation["composer_status"] == "FALLBACK" and asked.evaluation["composer_reason"]
    notes = [event for event in asked.stored["events"] if event["node"] == "compose" and event["kind"] == "note"]
    assert notes[0]["data"]["reason"] == asked.evaluation["composer_reason"]


def test_ob_07_composing_changes_nothing_that_verifying_wrote(spec: Spec) -> None:
    own = {"composer_status", "composer_reason", "composer_output"}
    ids = "run_id"
    kept = []
    for reply in ({"conclusion": "损失 99999 元。"}, {"conclusion": f"{CAUSE}"}):
        asked = spec.ask(composer=reply)
        text = json.dumps({k: v for k, v in asked.evaluation.items() if k not in own}, ensure_ascii=False)
        short = asked.body[ids][-6:]
        kept.append(text.replace(asked.body[ids], "RUN").replace(short, "SHORT"))
    first, second = (json.loads(text) for text in kept)
    for evaluation in (first, second):
        evaluation.pop("attempts")
    assert first == second and "claim_checks" in first and "gatekeeper_result" in first


def test_ob_08_verdict_is_the_effective_one_whatever_the_model_said(spec: Spec) -> None:
    given = contract(claim(), claim("c2", evidence_bindings=[binding(ids=["inv_999"])]))
    found = spec.judge(given).evaluation
    assert found["verdict"] == found["effective_verdict"] == "LOW_CONFID" != found["model_verdict"]


def test_ob_09_the_rule_channels_stay_byte_for_byte(
    spec: Spec, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both rule channels are there before the Verifier's is written, and are read back as they were."""
    update, before = RunStore.update_self_evaluation, {}

    def written(self: RunStore, run_id: str, key: str, value: Any) -> None:
        if key == "verifier_evaluation":
            update(self, run_id, "aiops_rule_evaluation", {"score": 0.1 + 0.2, "中": "文"})
            before.update(_channels(database, run_id))
        update(self, run_id, key, value)

    monkeypatch.setattr(RunStore, "update_self_evaluation", written)
    after = _channels(database, spec.ask().body["run_id"])
    assert set(before) == {"rule_evaluation", "aiops_rule_evaluation"}
    assert before == {name: text for name, text in after.items() if name != "verifier_evaluation"}
    assert "verifier_evaluation" in after


def _channels(database: Path, run_id: str) -> dict[str, str]:
    with sqlite3.connect(database) as raw:
        (text,) = raw.execute("SELECT self_evaluation FROM diagnosis_run WHERE id = ?", (run_id,)).fetchone()
    return {name: json.dumps(value, ensure_ascii=False) for name, value in json.loads(text).items()}


@pytest.mark.parametrize("origin", FALLBACKS)
def test_ob_10_a_fallback_keeps_status_reason_and_prompt_audit(spec: Spec, origin: str) -> None:
    found = spec.ask(**FALLBACKS[origin]).evaluation
    assert found["fallback_origin"] == origin
    assert found["failure_code"] and found["failure_reason"]
    assert found["prompt_audit"]["prompts"] and found["verifier_status"] and found["executor_status"]
    assert ("gatekeeper_audit" in found) is (origin in ("gatekeeper", "verifier"))


@pytest.mark.parametrize("origin", FALLBACKS)
def test_ob_11_and_no_invented_verdict(spec: Spec, origin: str) -> None:
    asked = spec.ask(**FALLBACKS[origin])
    assert not {"model_verdict", "effective_verdict", "verdict", "groundedness_score"} & asked.evaluation.keys()
    assert asked.stored["verdict"] is None
    assert None not in asked.evaluation.values() and '"UNKNOWN"' not in json.dumps(asked.evaluation)


@pytest.mark.parametrize("origin", ["gatekeeper", "verifier"])
def test_ob_12_the_gate_result_is_kept_once_the_gate_ran(spec: Spec, origin: str) -> None:
    assert "gatekeeper_result" in spec.ask(**FALLBACKS[origin]).evaluation


def test_ob_13_whole(spec: Spec) -> None:
    given = contract(claim(), claim("c2", evidence_bindings=[binding(ids=["inv_999"])]), extra=1)
    gate = spec.judge(given).gate
    assert set(gate) == {
        "version",
        "status",
        "severity",
        "rules",
        "failed_rules",
        "checked_bindings",
        "warnings",
        "errors",
    }
    assert len(gate["rules"]) == 6 and gate["warnings"] and gate["errors"] and len(gate["checked_bindings"]) == 2


def test_ob_14_a_prompt_audit_is_kept(spec: Spec) -> None:
    assert set(spec.ask().evaluation["prompt_audit"]) == {"version", "prompts"}


def test_ob_15_its_version_is_the_catalogs(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "CATALOG_VERSION", "2099.1.1")
    assert spec.ask().evaluation["prompt_audit"]["version"] == "2099.1.1"


def test_ob_16_it_names_the_four_prompts_with_their_versions(spec: Spec) -> None:
    prompts = spec.ask().evaluation["prompt_audit"]["prompts"]
    assert [item["node"] for item in prompts] == ["planner", "executor", "verifier", "composer"]
    assert all(item["name"] and item["version"] for item in prompts)


def test_ob_17_no_prompt_text_is_in_the_store(spec: Spec, database: Path) -> None:
    for options in ({}, *FALLBACKS.values()):
        spec.ask(**options)
    with sqlite3.connect(database) as raw:
        stored = "\n".join(raw.iterdump())
    sentences = [
        line.strip()
        for signature in (PlanEvidence, TellStory, CheckClaim)
        for line in signature.instructions.splitlines()
        if len(line.strip()) > 15
    ]
    assert len(sentences) > 5 and [line for line in sentences if line in stored] == []


@pytest.mark.parametrize("node", [*FALLBACKS, "composer"])
def test_ob_18_the_audit_is_there_when_any_of_the_five_nodes_fails(spec: Spec, node: str) -> None:
    options = FALLBACKS.get(node, {"composer": ServerError("down")})
    assert len(spec.ask(**options).evaluation["prompt_audit"]["prompts"]) == 4


def test_ob_19_neither_raw_executor_text_nor_the_tool_trace_is_kept(spec: Spec, database: Path) -> None:
    raw_text = f"先想一想 {MARK} " + json.dumps(contract())
    spec.ask(contracts=[raw_text])
    spec.ask(executor=f'{{"cause": "{MARK}"}}')
    with sqlite3.connect(database) as raw:
        stored = "\n".join(raw.iterdump())
    assert MARK not in stored and "tool_trace_summary" not in stored


def test_ob_20_the_kept_contract_is_at_most_the_verified_projection(spec: Spec) -> None:
    lost = claim("c2", claim_text=MARK, evidence_bindings=[binding(ids=["inv_999"])])
    half = claim("c1", evidence_bindings=[binding(), binding("no such", "$.logs[0]")])
    found = spec.judge(contract(half, lost, hypotheses=[MARK])).evaluation
    assert found["executor_structured_output"] == found["verified_executor_output"]
    assert [item["binding_ids"] for item in found["executor_structured_output"]["claims"]] == [["c1:b1"]]
    assert MARK not in json.dumps(found, ensure_ascii=False)
