"""What exactly the gate hands on: ids, origins, criticality, limits, and the text kept of a record (IN, OB, G22)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from programs.gatekeeper import audit_view
from programs.raw_path import canonical_json
from tests.programs.test_gate_edges import RULES, RUN_BOOK, RUN_BOOK_ROW, negative, warnings
from tests.programs.test_gatekeeper import (
    ERROR,
    LOGS,
    RUN,
    binding,
    claim,
    contract,
    invocation,
    many_logs,
    no_hit,
    run,
)

# --- what is handed on ------------------------------------------------------------------------------------------------


def test_each_binding_and_invocation_has_an_id_of_its_own() -> None:
    two = binding(source_invocation_ids=["inv_1", "inv_2"])
    outcome = run(contract(claim(binding(), two), claim(claim_id="c2")), invocation(), invocation("inv_2"))
    assert [(row.binding_id, row.claim_id, row.source_invocation_id) for row in outcome.result.checked_bindings] == [
        ("c1:b1", "c1", "inv_1"),
        ("c1:b2.1", "c1", "inv_1"),
        ("c1:b2.2", "c1", "inv_2"),
        ("c2:b1", "c2", "inv_1"),
    ]
    assert [item.binding_ids for item in outcome.projection.claims] == [("c1:b1", "c1:b2.1", "c1:b2.2"), ("c2:b1",)]


def test_passed_evidence_keeps_its_origin_and_the_audit_its_hash() -> None:
    outcome = run(contract(claim(binding(raw_path=None), support_level="indirect")))
    (row,) = outcome.result.checked_bindings
    (item,) = outcome.projection.evidence
    digest = hashlib.sha256(ERROR.encode()).hexdigest()
    assert row.model_dump(exclude_none=True) == {
        "binding_id": "c1:b1",
        "claim_id": "c1",
        "source_invocation_id": "inv_1",
        "tool_name": "query_logs",
        "raw_path": "$.logs[0].message",
        "status": "passed",
        "matched_text_sha256": digest,
    }
    assert item.model_dump() == {
        "binding_id": "c1:b1",
        "run_id": RUN,
        "claim_id": "c1",
        "source_invocation_id": "inv_1",
        "tool_name": "query_logs",
        "raw_path": "$.logs[0].message",
        "matched_text": ERROR,
        "no_hit": False,
    }
    (verified,) = outcome.projection.claims
    assert (verified.claim_text, verified.support_level) == ("payment-gateway 拿不到数据库连接", "indirect")


def test_a_passed_binding_keeps_long_names_whole_so_that_they_can_be_joined() -> None:
    name, tool = "i" * 100, "t" * 100
    cited_call = binding(source_invocation_ids=[name], tool_name=tool)
    outcome = run(contract(claim(cited_call)), invocation(name, tool_name=tool), evidence_tools={tool})
    (row,), (item,) = outcome.result.checked_bindings, outcome.projection.evidence
    assert (row.source_invocation_id, row.tool_name) == (item.source_invocation_id, item.tool_name) == (name, tool)


def test_a_runbook_passage_decides_only_when_knowledge_was_asked_for() -> None:
    value = contract(claim(RUN_BOOK, claim_type="knowledge_reference"))
    flags = [
        run(value, RUN_BOOK_ROW, question_type=kind).projection.claims[0].is_critical
        for kind in ("knowledge", "incident")
    ]
    assert flags == [True, False]
    assert run(value, RUN_BOOK_ROW).projection.claims[0].is_critical is False


def test_the_same_path_in_two_outputs_is_read_in_each() -> None:
    rows = (invocation(output={"a": "one  two  three"}), invocation("inv_2", output={"a": "four  five  six"}))
    first, second = (
        binding(excerpt, "$.a", source_invocation_ids=[name])
        for excerpt, name in (("one two", "inv_1"), ("four five", "inv_2"))
    )
    assert run(contract(claim(first, second)), *rows).ceiling == "PASS"


def test_evidence_of_an_empty_result_is_marked_as_absence() -> None:
    outcome = run(contract(negative("10:00 到 10:30 没有 ERROR 日志")), no_hit())
    assert [item.no_hit for item in outcome.projection.evidence] == [True]


def test_failed_rules_stand_in_the_order_of_the_rules() -> None:
    bad = [binding("never logged"), binding(raw_path="$.x"), binding(source_invocation_ids=["inv_9"])]
    assert run(contract(claim(*bad))).result.failed_rules == (
        "evidence.invocation_ref",
        "evidence.raw_path",
        "evidence.excerpt_match",
    )


def test_the_verifiers_view_of_the_audit() -> None:
    view = audit_view(run(contract(claim(binding(raw_path=None), binding("never logged")), confidence=1)).result)
    assert view == {
        "version": "gate_v1",
        "status": "fail",
        "severity": "low_confid",
        "rules": RULES,
        "failed_rules": ["evidence.excerpt_match"],
        "checked_bindings": [
            {
                "binding_id": "c1:b1",
                "claim_id": "c1",
                "source_invocation_id": "inv_1",
                "tool_name": "query_logs",
                "raw_path": "$.logs[0].message",
                "status": "passed",
                "matched_text_sha256": hashlib.sha256(ERROR.encode()).hexdigest(),
            },
            {
                "binding_id": "c1:b2",
                "claim_id": "c1",
                "status": "failed",
                "failed_rule": "evidence.excerpt_match",
                "failure_code": "EXCERPT_NOT_FOUND",
            },
        ],
        "warnings": [
            {"code": "schema.unknown_key"},
            {"code": "evidence.raw_path_inferred", "claim_id": "c1", "binding_id": "c1:b1"},
        ],
        "errors": [{"code": "evidence.excerpt_match", "claim_id": "c1", "binding_id": "c1:b2"}],
    }


# --- limits of what is handed on (G22) --------------------------------------------------------------------------------


def cited(count: int) -> list[dict[str, Any]]:
    return [binding(f"line {index:03d}", f"$.logs[{index}].message") for index in range(count)]


def test_what_the_limit_left_out_is_named_binding_by_binding_and_claim_by_claim() -> None:
    claims = [claim(binding("line 000", "$.logs[0].message"), claim_id=f"c{number}") for number in range(1, 43)]
    outcome = run(contract(*claims), many_logs(1, 5))
    limit = "the limit of 40 items or 16384 bytes"
    assert warnings(outcome) == [
        ("evidence.dropped", f"left out by {limit}", "c41", "c41:b1"),
        ("evidence.dropped", f"left out by {limit}", "c42", "c42:b1"),
        ("claim.evidence_dropped", f"no evidence left after {limit}: not judged", "c41", None),
        ("claim.evidence_dropped", f"no evidence left after {limit}: not judged", "c42", None),
    ]


def test_claims_take_turns_so_that_the_first_does_not_starve_the_others() -> None:
    outcome = run(contract(claim(*cited(50)), claim(*cited(3), claim_id="c2")), many_logs(50, 5))
    count = {item.claim_id: len(item.binding_ids) for item in outcome.projection.claims}
    assert count == {"c1": 37, "c2": 3}
    assert [item.binding_id for item in outcome.projection.evidence[:2]] == ["c1:b1", "c1:b2"]


def test_the_bytes_are_used_up_to_the_next_item_and_never_exceeded() -> None:
    for width in range(330, 390, 2):
        outcome = run(contract(claim(*cited(40))), many_logs(40, width))
        kept = [item.model_dump() for item in outcome.projection.evidence]
        size = len(canonical_json(kept).encode())
        assert size <= 16 * 1024 < size + len(canonical_json(kept[-1]).encode()) + 3


def test_chinese_text_counts_by_its_bytes() -> None:
    rows = invocation(output={"logs": [{"message": f"line {index:03d} " + "错" * 350} for index in range(40)]})
    kept = [item.model_dump() for item in run(contract(claim(*cited(40))), rows).projection.evidence]
    assert len(json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()) <= 16 * 1024
    assert len(kept) > 5


# --- excerpts of records ----------------------------------------------------------------------------------------------

RECORD = LOGS["logs"][2]  # type: ignore[index]


def matched(excerpt: str, path: str, output: Any = LOGS) -> str:
    (item,) = run(contract(claim(binding(excerpt, path))), invocation(output=output)).projection.evidence
    return item.matched_text


def test_a_string_out_of_a_record_keeps_the_record_whole() -> None:
    assert json.loads(matched('said "no" twice', "$.logs[2]")) == RECORD


def test_a_string_out_of_a_long_record_is_shown_by_itself() -> None:
    output = {"logs": [{"note": "n" * 500, "message": 'said "no" twice'}]}
    assert matched('said "no" twice', "$.logs[0]", output) == 'said "no" twice'


def test_a_record_in_another_spelling_is_found_in_its_stored_form() -> None:
    spelled = json.dumps(RECORD, indent=2)
    assert json.loads(matched(f"  {spelled}", "$.logs[2]")) == RECORD
    assert json.loads(matched('[ 7,\n "x" ]', "$.a", {"a": [7, "x"]})) == [7, "x"]


def test_a_number_is_cited_as_the_record_spells_it() -> None:
    for excerpt, code in (("1.5", None), ("1.50", "EXCERPT_NOT_FOUND")):
        outcome = run(contract(claim(binding(excerpt, "$.a"))), invocation(output={"a": [1.5, 2]}))
        assert outcome.result.checked_bindings[0].failure_code == code


@pytest.mark.parametrize("excerpt", ['{"timestamp": broken', "[" * 3000, "{" + " " * 5000 + "}"])
def test_an_excerpt_that_only_looks_like_json_is_not_found(excerpt: str) -> None:
    outcome = run(contract(claim(binding(excerpt, "$.logs[2]"))))
    assert outcome.result.checked_bindings[0].failure_code == "EXCERPT_NOT_FOUND"


def test_a_value_of_one_character_may_be_cited_whole() -> None:
    assert matched(" 7 ", "$.matched") == "7"


def test_a_subtree_of_2048_characters_is_a_place_and_a_longer_one_is_not() -> None:
    def code(length: int) -> str | None:
        output = {"a": ["x" * length]}
        row = run(contract(claim(binding("xx", "$.a"))), invocation(output=output)).result.checked_bindings[0]
        return row.failure_code

    assert code(2048 - len('[""]')) is None
    assert code(2048 - len('[""]') + 1) == "VALUE_TOO_LARGE"
