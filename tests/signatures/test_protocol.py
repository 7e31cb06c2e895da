from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signatures.protocol import ProtocolError, parse_executor_output, parse_verifier_output, strict_json_object

CONTRACT: dict[str, Any] = {
    "answer_version": "executor_evidence_v2",
    "claims": [{"claim_id": "c1"}],
    "hypotheses": [],
    "recommended_actions": [],
    "missing_info": [],
}
TEXT = json.dumps(CONTRACT)
CHECK = {"claim_id": "c1", "classification": "direct_observation", "evidence_refs": []}
RESULT: dict[str, Any] = {"verdict": "PASS", "rationale": "r", "claim_checks": [CHECK]}


def code_of(parse: Any, text: str) -> str:
    with pytest.raises(ProtocolError) as error:
        parse(text)
    return error.value.code


# --- one object, nothing repaired -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_json"),
        ("正常的一句话", "not_json"),
        ("{“answer_version”:“executor_evidence_v2”,“claims”:[]}", "not_json"),
        ('{"claim_text":"Sent to the "dictator", waiting"}', "not_json"),
        ('{"a":1}{"a":2}', "not_json"),
        ('{"a":1} done', "not_json"),
        ('{"a":1,}', "not_json"),
        ('{"a":1', "not_json"),
        ("[1]", "not_an_object"),
        ('"{}"', "not_an_object"),
        ("null", "not_an_object"),
        ('{"a":1,"a":2}', "duplicate_key"),
        ('{"a":{"b":1,"b":1}}', "duplicate_key"),
        ('{"a":NaN}', "not_a_number"),
        ('{"a":-Infinity}', "not_a_number"),
        ('{"a":1e999}', "not_a_number"),
        ("[" * 100_000, "not_json"),
        ('{"a":' * 100_000, "not_json"),
        ("\ufeff{}", "not_json"),
    ],
)
def test_text_that_is_not_exactly_one_object_is_refused(text: str, code: str) -> None:
    assert code_of(strict_json_object, text) == code


# --- executor ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (TEXT, None),
        (f"\n {TEXT} \n", None),
        (f"```json\n{TEXT}\n```", "executor.fence_stripped"),
        (f"```\n{TEXT}\n```", "executor.fence_stripped"),
        (f'<think>maybe {{"verdict":"PASS"}}</think>{TEXT}', "executor.reasoning_stripped"),
        (f"some thoughts</think>\n{TEXT}", "executor.reasoning_stripped"),
        (json.dumps({"json_input": CONTRACT}), "executor.wrapper_removed"),
    ],
)
def test_legal_contract_is_read_and_what_was_stripped_is_named(text: str, warning: str | None) -> None:
    contract, warnings = parse_executor_output(text)
    assert contract == CONTRACT
    assert warnings == ((warning,) if warning else ())


@pytest.mark.parametrize(
    "text",
    [
        f"Here it is: {TEXT}",
        f"{TEXT}\nDone.",
        f"```json\n{TEXT}\n```\nDone.",
        f"```json\n{TEXT}",
        f"<think>unfinished {TEXT}",
        f"{TEXT}</think>",
        json.dumps(TEXT),
        json.dumps({"outer": {"inner": CONTRACT}}),
        f"{TEXT}{TEXT}",
        f"{TEXT}<end>",
    ],
)
def test_contract_with_anything_around_it_is_invalid(text: str) -> None:
    with pytest.raises(ProtocolError):
        parse_executor_output(text)


@pytest.mark.parametrize("version", [None, "executor_evidence_v1", "executor_evidence_v3", 2, ["executor_evidence_v2"]])
def test_only_version_two_is_legal(version: Any) -> None:
    assert code_of(parse_executor_output, json.dumps({**CONTRACT, "answer_version": version})) == "answer_version"


@pytest.mark.parametrize("key", ["claims", "hypotheses", "recommended_actions", "missing_info"])
def test_top_level_keys_must_be_there_and_be_arrays(key: str) -> None:
    without = {name: value for name, value in CONTRACT.items() if name != key}
    assert code_of(parse_executor_output, json.dumps(without)) == "missing_key"
    wrong: Any
    for wrong in (None, {}, "x", 1):
        assert code_of(parse_executor_output, json.dumps({**CONTRACT, key: wrong})) == "wrong_type"


@pytest.mark.parametrize("claim", [None, "c1", ["c1"], 1])
def test_each_claim_must_be_an_object(claim: Any) -> None:
    assert code_of(parse_executor_output, json.dumps({**CONTRACT, "claims": [claim]})) == "wrong_type"


def test_what_is_inside_a_claim_is_left_to_the_gate() -> None:
    value = {**CONTRACT, "claims": [{}], "user_facing_answer": None}
    assert parse_executor_output(json.dumps(value))[0] == value


@given(st.text(max_size=80) | st.builds(lambda cut: TEXT[:cut] + TEXT[cut + 1 :], st.integers(0, len(TEXT) - 1)))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_contract_or_a_classified_failure(text: str) -> None:
    try:
        contract, _ = parse_executor_output(text)
    except ProtocolError:
        return
    assert contract["answer_version"] == "executor_evidence_v2"


def test_number_of_five_thousand_digits_is_a_classified_failure() -> None:
    with pytest.raises(ProtocolError):
        strict_json_object('{"a":' + "1" * 5000 + "}")


def test_close_tag_inside_a_quoted_log_line_is_data() -> None:
    value = {**CONTRACT, "hypotheses": ["日志里有一行 </think>"]}
    assert parse_executor_output(json.dumps(value))[0] == value


def test_failure_message_is_bounded() -> None:
    with pytest.raises(ProtocolError) as error:
        parse_executor_output(json.dumps({**CONTRACT, "answer_version": "raw text " * 10_000}))
    assert len(str(error.value)) < 500


# --- verifier ---------------------------------------------------------------------------------------------------------


def test_verifier_result_is_read() -> None:
    assert parse_verifier_output(json.dumps(RESULT)) == RESULT
    full = {**RESULT, "groundedness_score": 0.99, "facts_checked": [], "critical_fact_count": 1}
    assert parse_verifier_output(json.dumps(full)) == full


@pytest.mark.parametrize("verdict", ["pass", "OK", None, 1, ["PASS"], "COMPLETED"])
def test_verdict_has_three_values(verdict: Any) -> None:
    assert code_of(parse_verifier_output, json.dumps({**RESULT, "verdict": verdict})) == "verdict"


@pytest.mark.parametrize("score", [-0.1, 1.1, True, "0.5", None, [1]])
def test_score_out_of_range_or_of_wrong_type_is_invalid(score: Any) -> None:
    assert code_of(parse_verifier_output, json.dumps({**RESULT, "groundedness_score": score})) == "groundedness_score"


@pytest.mark.parametrize("key", ["verdict", "rationale", "claim_checks"])
def test_verifier_fields_must_be_there(key: str) -> None:
    assert code_of(parse_verifier_output, json.dumps({k: v for k, v in RESULT.items() if k != key})) == key


@pytest.mark.parametrize(
    "check",
    [
        "c1",
        {},
        {**CHECK, "claim_id": 1},
        {**CHECK, "classification": "direct"},
        {**CHECK, "classification": None},
        {**CHECK, "evidence_refs": None},
        {key: value for key, value in CHECK.items() if key != "evidence_refs"},
    ],
)
def test_malformed_check_is_invalid(check: Any) -> None:
    assert code_of(parse_verifier_output, json.dumps({**RESULT, "claim_checks": [check]})) == "claim_checks"


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{json.dumps(RESULT)}\n```",
        f"{json.dumps(RESULT)} ok",
        '{"verdict":"REJECT","verdict":"PASS","rationale":"","claim_checks":[]}',
        json.dumps(RESULT) + json.dumps({**RESULT, "verdict": "REJECT"}),
    ],
)
def test_verifier_protocol_tolerates_nothing(text: str) -> None:
    with pytest.raises(ProtocolError):
        parse_verifier_output(text)


@pytest.mark.parametrize("before", ['<think>I lean to {"verdict":"PASS"}</think>', "so it is REJECT</think>\n", ""])
def test_reasoning_before_the_verifier_result_is_left_behind(before: str) -> None:
    assert parse_verifier_output(before + json.dumps(RESULT)) == RESULT


def test_closing_tag_inside_a_string_is_text() -> None:
    quoted = {**RESULT, "rationale": 'the log says "</think>{}"'}
    assert parse_verifier_output(json.dumps(quoted)) == quoted


def test_opening_tag_alone_means_that_no_answer_came() -> None:
    with pytest.raises(ProtocolError):
        parse_verifier_output("<think>" + json.dumps(RESULT))
