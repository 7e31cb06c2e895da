"""AU: everything the Verifier said can be followed back to verified evidence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signatures.contracts import TRACEABILITY_VERSION
from tests.spec.harness import LOGS, Spec, binding, check, claim, contract, output


def test_au_01_every_claim_and_fact_leads_to_the_verified_projection(spec: Spec) -> None:
    found = spec.ask().evaluation
    places = {(e["claim_id"], e["source_invocation_id"], e["raw_path"]) for e in found["verified_evidence"]}
    stated = {item["claim_id"]: item["claim_text"] for item in found["verified_executor_output"]["claims"]}
    assert [fact["fact"] for fact in found["facts_checked"]] == [stated[c["claim_id"]] for c in found["claim_checks"]]
    for item in found["claim_checks"]:
        assert item["evidence_refs"]
        for ref in item["evidence_refs"]:
            assert (item["claim_id"], ref["source_invocation_id"], ref["raw_path"]) in places


def test_au_01_and_every_ref_to_a_stored_tool_call(spec: Spec) -> None:
    asked = spec.ask()
    known = {row["invocation_id"]: row["tool_name"] for row in asked.stored["invocations"]}
    refs = [ref for item in asked.body["claims"] for ref in item["evidence_refs"]]
    assert refs and all(known[ref["source_invocation_id"]] == ref["tool_name"] for ref in refs)


@pytest.mark.parametrize("refs", [None, "absent", {}, "inv_1"])
def test_au_02_a_check_without_a_refs_array_is_invalid(spec: Spec, refs: Any) -> None:
    stated = check(evidence_refs=refs)
    if refs == "absent":
        del stated["evidence_refs"]
    assert spec.judge(verifier_outputs=[output(stated)]).evaluation["verifier_status"] == "INVALID_OUTPUT"


def test_au_02_every_live_check_has_one(spec: Spec) -> None:
    checks = spec.ask().evaluation["claim_checks"]
    assert checks and all(isinstance(item["evidence_refs"], list) for item in checks)


@pytest.mark.parametrize(
    "change", [{"raw_path": "$.logs[0]"}, {"tool_name": "query_metrics"}, {"source_invocation_id": "inv_2"}]
)
def test_au_03_a_ref_with_one_wrong_part_is_not_accepted(spec: Spec, change: dict[str, str]) -> None:
    wrong = {**check()["evidence_refs"][0], **change}
    found = spec.judge(verifier_outputs=[output(check(evidence_refs=[wrong]))]).evaluation
    assert found["claim_checks"][0]["evidence_refs"] == []


def test_au_03_a_ref_may_name_less(spec: Spec) -> None:
    found = spec.judge(verifier_outputs=[output(check(evidence_refs=[{"source_invocation_id": "inv_1"}]))]).evaluation
    assert len(found["claim_checks"][0]["evidence_refs"]) == 1


def test_au_04_no_ref_leads_to_a_failed_binding(spec: Spec) -> None:
    half = claim(evidence_bindings=[binding(), binding("no such text", "$.logs[0]")])
    to_failed = {"source_invocation_id": "inv_1", "raw_path": "$.logs[0]"}
    refs = [to_failed, *check()["evidence_refs"]]
    found = spec.judge(contract(half), verifier_outputs=[output(check(evidence_refs=refs))]).evaluation
    assert [ref["raw_path"] for ref in found["claim_checks"][0]["evidence_refs"]] == ["$.logs[1]"]


def test_au_05_the_traceability_version_is_kept_on_every_route(spec: Spec) -> None:
    for asked in (spec.ask(), spec.ask(label="contradicted"), spec.ask(contracts=["x"])):
        assert asked.evaluation["traceability_version"] == TRACEABILITY_VERSION


def test_au_06_the_bounded_evidence_is_kept_as_the_model_saw_it(spec: Spec) -> None:
    lines = [{**LOGS["output"]["logs"][1], "message": f"pool exhausted {number} " + "x" * 1500} for number in range(60)]
    bindings = [binding(f"pool exhausted {number} xxx", f"$.logs[{number}]") for number in range(60)]
    long = {**LOGS, "output": {"logs": lines}}
    judged = spec.judge(contract(claim(evidence_bindings=bindings)), invocations=[long])
    kept = judged.evaluation["verified_evidence"]
    assert 1 < len(kept) <= 40
    assert len(json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()) <= 16 * 1024
    for item in kept:
        assert len(item["matched_text"]) <= 400
        assert f"pool exhausted {item['raw_path'][7:-1]} xxx" in item["matched_text"]
    for number in (0, 1):
        assert f"pool exhausted {number} " in judged.judged[0]["excerpts"]


def test_au_07_no_complete_tool_trace_is_kept_as_verifier_input(spec: Spec) -> None:
    asked = spec.ask()
    assert not [key for key in asked.evaluation if "trace" in key and key != "traceability_version"]
    cited = {item["source_invocation_id"] for item in asked.evaluation["verified_evidence"]}
    uncited = [row for row in asked.stored["invocations"] if row["invocation_id"] not in cited]
    text = json.dumps(asked.evaluation, ensure_ascii=False)
    assert uncited and not [row for row in uncited if row["output_summary"] and row["output_summary"] in text]
