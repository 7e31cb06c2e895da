from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from programs.gatekeeper import audit_view, check
from signatures.contracts import GateOutcome, ToolInvocation

RUN = "run-1"
TOOLS = {"query_logs", "query_metrics", "lookup_knowledge", "trace_search"}
ERROR = "HikariPool-1 - Connection is not available, request timed out after 30000ms"
LOGS = {
    "logs": [
        {"timestamp": "2026-01-01T10:05:01+08:00", "level": "ERROR", "service": "payment-gateway", "message": ERROR},
        {
            "timestamp": "2026-01-01T10:05:02+08:00",
            "level": "INFO",
            "service": "order",
            "message": "订单 ＣＰＵ  使用率 95%",
        },
        {"timestamp": "2026-01-01T10:05:03+08:00", "level": "INFO", "service": "order", "message": 'said "no" twice'},
    ],
    "matched": 7,
}


def invocation(invocation_id: str = "inv_1", **fields: Any) -> ToolInvocation:
    base: dict[str, Any] = {
        "run_id": RUN,
        "tool_name": "query_logs",
        "success": True,
        "evidence_level": "strong",
        "output": LOGS,
    }
    return ToolInvocation(invocation_id=invocation_id, **{**base, **fields})


def binding(excerpt: Any = ERROR, raw_path: Any = "$.logs[0].message", **fields: Any) -> dict[str, Any]:
    base = {
        "source_type": "log",
        "tool_name": "query_logs",
        "source_invocation_ids": ["inv_1"],
        "evidence_excerpt": excerpt,
        "raw_path": raw_path,
    }
    return {**base, **fields}


def claim(*bindings: dict[str, Any], **fields: Any) -> dict[str, Any]:
    base = {
        "claim_id": "c1",
        "claim_type": "error_event",
        "claim_text": "payment-gateway 拿不到数据库连接",
        "support_level": "direct",
        "evidence_bindings": list(bindings) or [binding()],
    }
    return {**base, **fields}


def contract(*claims: dict[str, Any], **fields: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "answer_version": "executor_evidence_v2",
        "claims": list(claims),
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
    }
    return {**base, **fields}


def run(value: dict[str, Any], *invocations: ToolInvocation, **options: Any) -> GateOutcome:
    rows = invocations or (invocation(),)
    return check(value, rows, **{"run_id": RUN, "evidence_tools": TOOLS, **options})


def failure(outcome: GateOutcome) -> tuple[str | None, str | None]:
    row = outcome.result.checked_bindings[0]
    return row.failed_rule, row.failure_code


def refused(outcome: GateOutcome) -> bool:
    result = outcome.result
    return (result.status, result.severity, outcome.ceiling) == (
        "fail",
        "reject",
        "REJECT",
    ) and not outcome.projection.claims


# --- ceiling ----------------------------------------------------------------------------------------------------------


def test_legal_contract_with_matching_bindings_passes() -> None:
    outcome = run(contract(claim()))
    assert (outcome.result.status, outcome.result.severity, outcome.ceiling) == ("pass", "none", "PASS")
    assert outcome.result.failed_rules == ()
    (evidence,) = outcome.projection.evidence
    assert evidence.matched_text == ERROR
    assert (evidence.binding_id, evidence.run_id) == (outcome.result.checked_bindings[0].binding_id, RUN)
    assert outcome.projection.claims[0].binding_ids == (evidence.binding_id,)


def test_one_failed_binding_keeps_the_claim_with_the_other_and_caps_the_verdict() -> None:
    outcome = run(contract(claim(binding(), binding("never logged", "$.logs[1].message"))))
    assert (outcome.result.status, outcome.result.severity, outcome.ceiling) == ("fail", "low_confid", "LOW_CONFID")
    assert len(outcome.projection.claims[0].binding_ids) == len(outcome.projection.evidence) == 1


def test_claim_without_passed_binding_vanishes() -> None:
    outcome = run(contract(claim(), claim(binding("never logged"), claim_id="c2")))
    assert [item.claim_id for item in outcome.projection.claims] == ["c1"]
    assert outcome.ceiling == "LOW_CONFID"


def test_nothing_passed_is_a_reject() -> None:
    outcome = run(contract(claim(binding("never logged"))))
    assert refused(outcome)
    assert outcome.result.failed_rules == ("evidence.excerpt_match",)


def test_no_claims_is_no_failure_but_ends_before_the_verifier() -> None:
    outcome = run(contract())
    assert (outcome.result.status, outcome.result.severity, outcome.ceiling) == ("pass", "reject", "REJECT")
    assert [note.code for note in outcome.result.warnings] == ["claims.empty"]
    assert outcome.result.failed_rules == ()


def test_same_input_gives_the_same_result() -> None:
    value = contract(claim(), claim(binding("x y"), claim_id="c2"))
    before = copy.deepcopy(value)
    assert run(value) == run(value)
    assert value == before


# --- schema.executor_v2 -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        contract(claim(), diagnosis_summary="s"),
        contract(claim(), user_facing_answer=None),
        contract(diagnosis_summary=None),
        contract(claim(), claim()),
        contract(claim(), hypotheses={}),
        contract(claim(), answer_version="executor_evidence_v1"),
        contract(claim(claim_id="")),
        contract(claim(claim_id=7)),
        contract(claim(claim_id="x" * 129)),
        contract(claim(claim_id="\ud800")),
        contract(claim(claim_text="   ")),
        contract(claim(claim_text="\u200b")),
        contract(claim(claim_type=None)),
        contract(claim(support_level="strong")),
        contract(claim(support_level=None)),
        contract(claim(evidence_bindings=[])),
        contract(claim(evidence_bindings=None)),
        contract(claim(evidence_bindings={})),
        contract(claim(evidence_bindings=["inv_1"])),
        contract(claim(binding(source_invocation_ids=[]))),
        contract(claim(binding(source_invocation_ids="inv_1"))),
        contract(claim(binding(source_invocation_ids=[1]))),
        contract(claim(binding(excerpt=""))),
        contract(claim(binding(excerpt=" \n\t\u200b"))),
        contract(claim(binding(excerpt=7))),
        contract(claim(binding(raw_path=3))),
        contract(claim(binding(source_id=3))),
        contract(claim(binding(tool_name=None))),
        contract(claim(binding(source_type=""))),
        contract("not an object"),  # type: ignore[arg-type]
    ],
)
def test_broken_contract_is_refused_whole(value: dict[str, Any]) -> None:
    outcome = run(value)
    assert refused(outcome)
    assert outcome.result.failed_rules == ("schema.executor_v2",)
    assert outcome.result.errors


@pytest.mark.parametrize("field", ["claim_id", "claim_type", "claim_text", "support_level", "evidence_bindings"])
def test_claim_without_a_field_is_refused(field: str) -> None:
    broken = claim()
    del broken[field]
    outcome = run(contract(broken))
    assert refused(outcome)
    assert field in outcome.result.errors[0].message


@pytest.mark.parametrize("field", ["source_type", "tool_name", "source_invocation_ids", "evidence_excerpt"])
def test_binding_without_a_field_is_refused_even_with_a_source_id(field: str) -> None:
    broken = binding(source_id="chunk-3")
    del broken[field]
    assert refused(run(contract(claim(broken))))


def test_unknown_top_level_key_is_only_a_warning() -> None:
    outcome = run(contract(claim(), confidence=0.98))
    assert outcome.ceiling == "PASS"
    assert [note.code for note in outcome.result.warnings] == ["schema.unknown_key"]


def test_optional_fields_may_be_absent_or_null() -> None:
    with_null = binding(source_id=None)
    assert run(contract(claim(with_null))).ceiling == "PASS"


# --- evidence.invocation_ref ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("invocation_id", ["inv-999", "id:inv_1", "INV_1", "Summary of inv_1", " inv_1", "inv_other"])
def test_only_an_exact_id_of_this_run_counts(invocation_id: str) -> None:
    other_run = invocation("inv_other", run_id="run-0")
    outcome = run(contract(claim(binding(source_invocation_ids=[invocation_id]))), invocation(), other_run)
    assert failure(outcome) == ("evidence.invocation_ref", "UNKNOWN_INVOCATION")
    assert refused(outcome)


def test_id_of_another_tools_call_fails() -> None:
    outcome = run(contract(claim(binding(tool_name="query_metrics"))))
    assert failure(outcome) == ("evidence.invocation_ref", "TOOL_MISMATCH")


def test_each_named_invocation_is_checked_alone() -> None:
    both = binding(source_invocation_ids=["inv_1", "inv_2", "inv_1"])
    outcome = run(contract(claim(both)), invocation(), invocation("inv_2", output={"logs": []}))
    assert [row.status for row in outcome.result.checked_bindings] == ["passed", "failed"]
    assert len({row.binding_id for row in outcome.result.checked_bindings}) == 2
    assert outcome.ceiling == "LOW_CONFID"


def test_plugin_evidence_tool_may_be_cited_and_a_helper_may_not() -> None:
    row = invocation(tool_name="trace_search")
    value = contract(claim(binding(tool_name="trace_search")))
    assert run(value, row).ceiling == "PASS"
    assert failure(run(value, row, evidence_tools={"query_logs"})) == ("evidence.usable", "HELPER_TOOL")


# --- evidence.usable --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"success": False, "failure_code": "TIMEOUT"}, "TIMEOUT"),
        ({"success": False, "failure_code": "TOOL_ERROR"}, "TOOL_ERROR"),
        ({"success": False}, "TOOL_ERROR"),
        ({"success": True, "failure_code": "BUDGET_EXCEEDED"}, "BUDGET_EXCEEDED"),
        ({"failure_code": "NO_HIT"}, "NO_HIT"),
        ({"dedup_of": "inv_0", "new_evidence": False}, "DEDUPED_NO_NEW_EVIDENCE"),
        ({"failure_code": "DEDUPED"}, "DEDUPED_NO_NEW_EVIDENCE"),
    ],
)
def test_call_that_brought_nothing_is_no_evidence(fields: dict[str, Any], code: str) -> None:
    outcome = run(contract(claim()), invocation(**fields))
    assert failure(outcome) == ("evidence.usable", code)


def test_audit_names_the_call_that_a_repeat_repeats() -> None:
    outcome = run(contract(claim()), invocation(dedup_of="inv_0"))
    assert "inv_0" in outcome.result.errors[0].message


def no_hit(success: bool = True) -> ToolInvocation:
    output = {"window": {"start": "10:00", "end": "10:30"}, "query": {"min_level": "ERROR"}, "matched": 0, "logs": []}
    return invocation(success=success, failure_code="NO_HIT", evidence_level="none", output=output)


@pytest.mark.parametrize("success", [True, False])
def test_empty_result_supports_a_negative_claim(success: bool) -> None:
    negative = claim(
        binding("0", "$.matched"), claim_type="negative_observation", claim_text="10:00 到 10:30 没有 ERROR 日志"
    )
    outcome = run(contract(negative), no_hit(success))
    assert (outcome.ceiling, outcome.projection.evidence[0].matched_text) == ("PASS", "0")


def test_negative_claim_without_a_time_is_capped() -> None:
    negative = claim(binding("0", "$.matched"), claim_type="negative_observation", claim_text="没有 ERROR 日志")
    outcome = run(contract(negative), no_hit())
    assert (outcome.result.status, outcome.result.severity, outcome.ceiling) == ("pass", "low_confid", "LOW_CONFID")


def test_absence_in_partial_data_is_capped_but_presence_is_not() -> None:
    partial = invocation(failure_code="PARTIAL")
    negative = claim(claim_type="negative_observation", claim_text="10:00 到 10:30 没有别的错误")
    assert run(contract(claim()), partial).ceiling == "PASS"
    assert run(contract(negative), partial).ceiling == "LOW_CONFID"


# --- evidence.runbook_not_incident ------------------------------------------------------------------------------------

RUNBOOK = {"chunks": [{"doc": "db.md", "title": "连接池", "text": "连接池耗尽通常由慢查询引起"}]}


def runbook_case(claim_type: str, **options: Any) -> GateOutcome:
    cited = binding("通常由慢查询引起", "$.chunks[0].text", source_type="runbook", tool_name="lookup_knowledge")
    row = invocation(tool_name="lookup_knowledge", output=RUNBOOK)
    return run(contract(claim(cited, claim_type=claim_type)), row, **options)


@pytest.mark.parametrize("claim_type", ["root_cause", "error_event", "context", "anything"])
def test_runbook_is_no_fact_of_the_incident(claim_type: str) -> None:
    outcome = runbook_case(claim_type)
    assert failure(outcome) == ("evidence.runbook_not_incident", "RUNBOOK_NOT_INCIDENT")


def test_runbook_may_be_quoted_as_a_runbook_or_for_a_knowledge_question() -> None:
    assert runbook_case("knowledge_reference").ceiling == "PASS"
    assert runbook_case("root_cause", question_type="knowledge").ceiling == "PASS"


# --- evidence.raw_path ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["$.logs[9].message", "$.logs[-1]", "$.logs[*].message", "logs[0]", "", "$.nothing"])
def test_path_that_does_not_hold_fails(path: str) -> None:
    assert failure(run(contract(claim(binding(raw_path=path))))) == ("evidence.raw_path", "PATH_NOT_FOUND")


def test_missing_path_is_inferred_when_the_excerpt_is_at_one_place() -> None:
    outcome = run(contract(claim(binding("Connection is not available", None))))
    assert outcome.ceiling == "PASS"
    assert outcome.projection.evidence[0].raw_path == "$.logs[0].message"
    assert [note.code for note in outcome.result.warnings] == ["evidence.raw_path_inferred"]


def test_missing_path_fails_when_the_excerpt_is_nowhere_or_at_two_places() -> None:
    assert failure(run(contract(claim(binding("never logged", None))))) == ("evidence.raw_path", "PATH_MISSING")
    assert failure(run(contract(claim(binding("order", None))))) == ("evidence.raw_path", "PATH_AMBIGUOUS")


def test_a_whole_big_output_is_no_place() -> None:
    big = invocation(output={"logs": [{"message": ERROR}] * 100})
    assert failure(run(contract(claim(binding(raw_path="$"))), big)) == ("evidence.raw_path", "VALUE_TOO_LARGE")
    assert failure(run(contract(claim(binding(raw_path="$.logs"))), big)) == ("evidence.raw_path", "VALUE_TOO_LARGE")


# --- evidence.excerpt_match -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("excerpt", "path"),
    [
        (ERROR, "$.logs[0].message"),
        ("Connection is\n  not available", "$.logs[0].message"),
        ("CPU 使用率 95％", "$.logs[1].message"),
        ("7", "$.matched"),
        (ERROR, "$.logs[0]"),
        ('"level":"ERROR"', "$.logs[0]"),
        (json.dumps(LOGS["logs"][0], indent=1), "$.logs[0]"),  # type: ignore[index]
        ('said "no" twice', "$.logs[2]"),
    ],
)
def test_excerpt_is_found_after_normalisation(excerpt: str, path: str) -> None:
    assert run(contract(claim(binding(excerpt, path)))).ceiling == "PASS"


@pytest.mark.parametrize(
    ("excerpt", "code"),
    [
        ("hikaripool-1", "EXCERPT_NOT_FOUND"),
        ("Connectionis not", "EXCERPT_NOT_FOUND"),
        ("H", "EXCERPT_TOO_SHORT"),
        (" e ", "EXCERPT_TOO_SHORT"),
        ("3", "EXCERPT_TOO_SHORT"),
    ],
)
def test_excerpt_that_shows_nothing_fails(excerpt: str, code: str) -> None:
    assert failure(run(contract(claim(binding(excerpt))))) == ("evidence.excerpt_match", code)


def test_matched_text_is_the_stored_text_and_not_the_executors() -> None:
    outcome = run(contract(claim(binding("CPU 使用率 95％", "$.logs[1].message"))))
    assert outcome.projection.evidence[0].matched_text == "订单 ＣＰＵ  使用率 95%"


def test_record_is_kept_whole_so_that_time_and_level_stay_with_the_message() -> None:
    text = run(contract(claim(binding(ERROR, "$.logs[0]")))).projection.evidence[0].matched_text
    assert json.loads(text) == LOGS["logs"][0]  # type: ignore[index]


@pytest.mark.parametrize("filler", ["x" * 90 + " ", "中文 填充 ", "ｆｕｌｌ\u00a0 e\u0301 "])
@pytest.mark.parametrize("wanted", [ERROR, "Connection is \n\n not available"])
def test_long_text_is_cut_to_a_window_around_the_excerpt(filler: str, wanted: str) -> None:
    message = filler * 3000 + ERROR + filler * 3000
    outcome = run(contract(claim(binding(wanted))), invocation(output={"logs": [{"message": message}]}))
    text = outcome.projection.evidence[0].matched_text
    assert " ".join(wanted.split()) in text
    assert text in message
    assert 300 < len(text) <= 400


def test_excerpt_near_the_end_keeps_the_text_before_it() -> None:
    message = "y" * 5000 + " the end"
    outcome = run(contract(claim(binding("the end"))), invocation(output={"logs": [{"message": message}]}))
    assert outcome.projection.evidence[0].matched_text == message[-400:]


def test_excerpt_longer_than_the_kept_text_fails() -> None:
    outcome = run(contract(claim(binding("z" * 401))), invocation(output={"logs": [{"message": "z" * 900}]}))
    assert failure(outcome) == ("evidence.excerpt_match", "EXCERPT_TOO_LONG")


@pytest.mark.parametrize(
    "message",
    ["bad \udc80 byte \x00 and more", "\ud800" * 900 + " byte", "x" * 1_000_000 + " bad byte", "乱码锟斤拷 byte"],
)
def test_hostile_log_line_can_be_cited_and_stored(message: str) -> None:
    outcome = run(contract(claim(binding("byte"))), invocation(output={"logs": [{"message": message}]}))
    assert outcome.ceiling == "PASS"
    assert "byte" in outcome.model_dump_json()


def test_excerpt_with_the_same_hostile_characters_matches() -> None:
    row = invocation(output={"logs": [{"message": "a \udc80  b " + "p" * 900}]})
    assert run(contract(claim(binding("a \udc80 b"))), row).ceiling == "PASS"
    assert run(contract(claim(binding("a \\udc80 b"))), row).ceiling == "PASS"


def test_metric_value_that_is_no_number_is_cited_as_text() -> None:
    row = invocation(output={"points": [["10:00", float("nan")]]})
    outcome = run(contract(claim(binding("NaN", "$.points[0][1]"))), row)
    assert outcome.projection.evidence[0].matched_text == "NaN"


def test_one_error_deep_in_five_megabytes_can_be_cited() -> None:
    text = "ok line\n" * 612_000 + "ERROR disk full on broker-2\n" + "ok line\n" * 12_000
    outcome = run(contract(claim(binding("ERROR disk full on broker-2", "$"))), invocation(output=text))
    assert "broker-2" in outcome.projection.evidence[0].matched_text


# --- projection limits ------------------------------------------------------------------------------------------------


def many_logs(count: int, width: int) -> ToolInvocation:
    return invocation(output={"logs": [{"message": f"line {index:03d} " + "m" * width} for index in range(count)]})


def test_evidence_is_bounded_and_what_is_left_out_is_named() -> None:
    cited = [binding(f"line {index:03d}", f"$.logs[{index}].message") for index in range(60)]
    outcome = run(
        contract(claim(*cited), claim(binding("line 059", "$.logs[59].message"), claim_id="c2")), many_logs(60, 5)
    )
    assert len(outcome.projection.evidence) == 40
    assert {item.claim_id for item in outcome.projection.evidence} == {"c1", "c2"}
    assert sum(note.code == "evidence.dropped" for note in outcome.result.warnings) == 21
    kept = {item.binding_id for item in outcome.projection.evidence}
    assert {name for item in outcome.projection.claims for name in item.binding_ids} == kept
    assert outcome.ceiling == "PASS"


def test_evidence_keeps_to_its_bytes() -> None:
    cited = [binding(f"line {index:03d}", f"$.logs[{index}].message") for index in range(40)]
    outcome = run(contract(claim(*cited)), many_logs(40, 600))
    stored = json.dumps([item.model_dump() for item in outcome.projection.evidence], ensure_ascii=False)
    assert len(stored.encode()) <= 16 * 1024 + 40 * 20  # the blanks that json.dumps adds
    assert all(f"line {int(item.raw_path[7:-9]):03d}" in item.matched_text for item in outcome.projection.evidence)


def test_claim_that_lost_its_evidence_to_the_limit_caps_the_verdict() -> None:
    claims = [claim(binding(f"line {i:03d}", f"$.logs[{i}].message"), claim_id=f"c{i}") for i in range(41)]
    outcome = run(contract(*claims), many_logs(41, 5))
    assert len(outcome.projection.claims) == 40
    assert outcome.ceiling == "LOW_CONFID"


# --- criticality and audit --------------------------------------------------------------------------------------------


def test_criticality_comes_from_the_type_unless_the_case_says_otherwise() -> None:
    value = contract(claim(), claim(claim_id="c2", claim_type="context"))
    assert [item.is_critical for item in run(value).projection.claims] == [True, False]
    flags = {"c1": False, "c2": True}
    assert [item.is_critical for item in run(value, critical=flags).projection.claims] == [False, True]


def test_verifiers_audit_holds_nothing_of_a_failed_binding_but_ids_and_codes() -> None:
    secret = "SECRET-EXCERPT"
    bad = binding(secret, f'$["{secret}"]', source_invocation_ids=["inv_1", f"inv_{secret}"])
    outcome = run(contract(claim(), claim(bad, claim_id="c2", claim_text=f"claim {secret}")))
    view = audit_view(outcome.result)
    assert secret not in json.dumps(view)
    failed = [row for row in view["checked_bindings"] if row["status"] == "failed"]
    assert [row["failure_code"] for row in failed] == ["PATH_NOT_FOUND", "UNKNOWN_INVOCATION"]
    assert {row["claim_id"] for row in failed} == {"c2"}
    assert view["failed_rules"] == ["evidence.invocation_ref", "evidence.raw_path"]
    assert view["severity"] == "low_confid"


def test_stored_audit_holds_no_excerpt_and_no_claim_text() -> None:
    outcome = run(contract(claim(), claim(binding("MARK-E"), claim_id="c2", claim_text="MARK-T")))
    stored = outcome.result.model_dump_json()
    assert "MARK-E" not in stored
    assert "MARK-T" not in stored
    assert outcome.result.checked_bindings[0].matched_text_sha256


DEV = Path(__file__).parents[2].parent / "shared" / "data" / "claims-dev.jsonl"


@pytest.mark.skipif(not DEV.exists(), reason="needs the shared labelled claims beside the repository")
def test_labelled_pointers_into_real_telemetry_hold() -> None:
    for line in DEV.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        rows = [
            invocation(item["invocation_id"], tool_name=item["tool_name"], output=item["output"])
            for item in case["invocations"]
        ]
        for item in case["claims"]:
            cited = [
                binding(
                    part["matched_text"],
                    part["raw_path"],
                    tool_name=part["tool_name"],
                    source_invocation_ids=[part["source_invocation_id"]],
                )
                for part in item["evidence"]
            ]
            value = contract(claim(*cited, claim_id=item["claim_id"], claim_text=item["claim_text"]))
            outcome = run(value, *rows, question_type="knowledge")
            assert outcome.ceiling == "PASS", (case["case_id"], item["claim_id"], outcome.result.errors)
            for part, kept in zip(item["evidence"], outcome.projection.evidence, strict=True):
                assert part["matched_text"] in kept.matched_text
