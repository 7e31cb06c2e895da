"""What a refused text is told: which place, which value, what was expected, in a bounded sentence (X12)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from signatures.protocol import ProtocolError, parse_executor_output, parse_verifier_output, strict_json_object
from tests.signatures.test_protocol import CHECK, CONTRACT, RESULT, TEXT


def refusal(parse: Callable[[str], Any], value: Any) -> tuple[str, str]:
    with pytest.raises(ProtocolError) as error:
        parse(value if isinstance(value, str) else json.dumps(value))
    return error.value.code, str(error.value)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ('{"a":1,"a":2}', "duplicate_key", "key 'a' occurs twice in one object"),
        ('{"a":NaN}', "not_a_number", "NaN is not JSON"),
        ('{"a":1e999}', "not_a_number", "'1e999' is too large for a number"),
        ('{"a":-1e999}', "not_a_number", "'-1e999' is too large for a number"),
        ('{"a":1} done', "not_json", "not one JSON object: Extra data at character 8"),
        ('{"a":' * 100_000, "not_json", "nested too deeply"),
        ("[1]", "not_an_object", "expected a JSON object, got list"),
    ],
)
def test_text_that_is_not_one_object_is_told_why(text: str, code: str, message: str) -> None:
    assert refusal(strict_json_object, text) == (code, message)


def test_a_number_that_python_refuses_is_told_so_without_its_digits() -> None:
    code, message = refusal(strict_json_object, '{"a":' + "7" * 5000 + "}")
    assert code == "not_a_number"
    assert "limit" in message
    assert "77" not in message
    assert len(message) <= 80


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (
            {"answer_version": "v9"},
            "answer_version",
            "answer_version is 'v9', expected 'executor_evidence_v2'",
        ),
        ({"hypotheses": {}}, "wrong_type", "hypotheses must be an array, got dict"),
        ({"claims": [{}, "c2"]}, "wrong_type", "claims[1] must be an object, got str"),
    ],
)
def test_a_contract_is_told_the_place_and_the_value(change: dict[str, Any], code: str, message: str) -> None:
    assert refusal(parse_executor_output, {**CONTRACT, **change}) == (code, message)


def test_a_contract_is_told_the_first_missing_key() -> None:
    rest = {"answer_version": CONTRACT["answer_version"], "claims": []}
    assert refusal(parse_executor_output, rest) == ("missing_key", "top-level key 'hypotheses' is missing")


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_no_text_at_all_has_a_name_of_its_own(text: str) -> None:
    assert refusal(parse_executor_output, text) == ("empty", "the Executor returned no text")


def test_a_quoted_value_is_cut_at_eighty_characters() -> None:
    def shown(version: str) -> str:
        message = refusal(parse_executor_output, {**CONTRACT, "answer_version": version})[1]
        return message.removeprefix("answer_version is ").removesuffix(", expected 'executor_evidence_v2'")

    assert shown("v" * 78) == repr("v" * 78)
    assert shown("v" * 79) == "'" + "v" * 78 + "…"


@pytest.mark.parametrize("inner", ["answer_version", ["answer_version"], {"answer": "answer_version"}, 7, None])
def test_only_a_contract_is_taken_out_of_an_outer_object(inner: Any) -> None:
    assert refusal(parse_executor_output, {"result": inner})[0] == "answer_version"


def test_a_contract_that_is_nothing_but_its_version_is_no_wrapper() -> None:
    version = {"answer_version": {**CONTRACT}}
    assert refusal(parse_executor_output, version)[0] == "answer_version"


def test_the_answer_stands_behind_the_last_closing_tag() -> None:
    text = f"<think>first</think> wait <think>second</think>{TEXT}"
    assert parse_executor_output(text) == (CONTRACT, ("executor.reasoning_stripped",))


def test_a_fence_behind_the_reasoning_is_taken_off_too() -> None:
    contract, warnings = parse_executor_output(f"hm</think>\n```json\n{TEXT}\n```")
    assert contract == CONTRACT
    assert warnings == ("executor.reasoning_stripped", "executor.fence_stripped")


# --- verifier ---------------------------------------------------------------------------------------------------------

SECOND = {**CHECK, "claim_id": "c2"}


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"verdict": "pass"}, "verdict", "verdict is 'pass', expected one of PASS, LOW_CONFID, REJECT"),
        ({"rationale": 1}, "rationale", "rationale must be a string"),
        ({"groundedness_score": 1.5}, "groundedness_score", "groundedness_score is 1.5, expected 0..1"),
        ({"claim_checks": {}}, "claim_checks", "claim_checks must be an array"),
        ({"claim_checks": [CHECK, {}]}, "claim_checks", "claim_checks[1] has no claim_id"),
        (
            {"claim_checks": [CHECK, {**SECOND, "classification": "sure"}]},
            "claim_checks",
            "claim_checks[1].classification is 'sure'",
        ),
        (
            {"claim_checks": [{**CHECK, "evidence_refs": None}]},
            "claim_checks",
            "claim_checks[0].evidence_refs must be an array",
        ),
    ],
)
def test_a_verifier_result_is_told_the_place_and_the_value(change: dict[str, Any], code: str, message: str) -> None:
    assert refusal(parse_verifier_output, {**RESULT, **change}) == (code, message)


@pytest.mark.parametrize("score", [0, 0.0, 1, 1.0, 0.5])
def test_both_ends_of_the_score_are_in_its_range(score: float) -> None:
    assert parse_verifier_output(json.dumps({**RESULT, "groundedness_score": score}))["groundedness_score"] == score
