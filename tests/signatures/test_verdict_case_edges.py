"""What the writer of a case file is told, word for word, and what a case may leave out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from signatures.verdict_case import CaseFault, CaseFileError, parse_case, read_cases, scan_cases
from tests.signatures.test_verdict_case import case, write


def fault(value: Any, require_labels: bool = False) -> tuple[str, str]:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(CaseFault) as caught:
        parse_case(raw, require_labels)
    assert str(caught.value) == f"{caught.value.field} {caught.value.reason}".strip()
    return caught.value.field, caught.value.reason


def changed(*place: Any, to: Any) -> dict[str, Any]:
    value: Any = case()
    parent = value
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = to
    return value  # type: ignore[no-any-return]


SURROGATE = "holds a lone surrogate, which is not Unicode text"
LABELS = "direct_observation, reasonable_inference, overstated, unsupported, external_unknown, contradicted"


@pytest.mark.parametrize(
    ("value", "field", "reason"),
    [
        (changed("claims", 1, "claim_text", to=5), "claims[1].claim_text", "is 5: input should be a valid string"),
        (changed("claims", 1, "claim_text", to=" "), "claims[1].claim_text", "is blank"),
        (changed("claims", 1, "claim_text", to="pool \ud800"), "claims[1].claim_text", SURROGATE),
        (changed("query", to="\udfff why"), "query", SURROGATE),
        (changed("case_id", to="a\udc00b"), "case_id", SURROGATE),
        (
            changed("invocations", 0, "failure_code", to="BROKEN"),
            "invocations[0].failure_code",
            "is 'BROKEN', expected one of TOOL_ERROR, TIMEOUT, NO_HIT, DEDUPED, BUDGET_EXCEEDED, PARTIAL",
        ),
        (changed("question_type", to="x"), "question_type", "is 'x', expected one of incident, knowledge, greeting"),
        (changed("claims", 2, "claim_id", to="c1"), "claims[2].claim_id", "'c1' is already the claim_id of claims[0]"),
        (
            changed("executor_output", to={}),
            "executor_output",
            "stands beside claims; a case has the one or the other",
        ),
        ({key: item for key, item in case().items() if key != "claims"}, "claims", "is missing"),
        (b'{"a":1} x', "", "not one JSON object: Extra data at character 8"),
        (b'{"a":"\xff"}', "", "is not UTF-8: byte 0xff at position 6; save the file as UTF-8"),
        (b'{"a":"\x0b' + "磁".encode("gbk"), "", "is not UTF-8: byte 0xb4 at position 7; save the file as UTF-8"),
    ],
)
def test_a_fault_is_told_its_field_and_its_reason(value: Any, field: str, reason: str) -> None:
    assert fault(value) == (field, reason)


@pytest.mark.parametrize(
    ("value", "field", "reason"),
    [
        (changed("claims", 1, "label", to=None), "claims[1].label", f"is missing, expected one of {LABELS}"),
        (changed("claims", 1, "label", to="sure"), "claims[1].label", f"is 'sure', expected one of {LABELS}"),
        (changed("claims", to=[]), "claims", "is empty; a labelled case needs at least one claim"),
        (changed("executor_output", to=None), "executor_output", "has no labels; a labelled case needs claims"),
        (
            changed("claims", 0, to=7),
            "claims[0]",
            "is 7: input should be a valid dictionary or instance of VerdictClaim",
        ),
        (changed("claims", to=7), "claims", "is 7: input should be a valid tuple"),
        (
            changed("expected_verdict", to="MAYBE"),
            "expected_verdict",
            "is 'MAYBE', expected one of PASS, LOW_CONFID, REJECT",
        ),
    ],
)
def test_a_labelled_file_is_held_to_its_labels(value: Any, field: str, reason: str) -> None:
    assert fault(value, require_labels=True) == (field, reason)


def test_an_unlabelled_file_keeps_the_labels_and_the_verdict_that_are_right() -> None:
    read = parse_case(json.dumps(changed("expected_verdict", to="PASS")).encode())
    assert read.expected_verdict == "PASS"
    assert [claim.label for claim in read.claims] == ["direct_observation"] * 3
    assert fault(changed("claims", 1, to="c2"))[0] == "claims[1]"


def test_a_long_value_is_shown_cut() -> None:
    def shown(value: str) -> str:
        return fault(changed("question_type", to=value))[1].removeprefix("is ").partition(", expected")[0]

    assert shown("q" * 78) == repr("q" * 78)
    assert shown("q" * 79) == "'" + "q" * 78 + "…"


def test_a_case_may_be_small() -> None:
    small = {"case_id": "a", "query": "", "invocations": [], "executor_output": "text of a model"}
    read = parse_case(json.dumps(small).encode())
    assert (read.source, read.question_type, read.claims, read.executor_output) == (
        "",
        "incident",
        (),
        "text of a model",
    )
    assert (read.verifier_outputs, read.evidence_tools, read.expected_verdict) == (None, (), None)


def test_what_an_invocation_or_a_claim_leaves_out_has_a_default() -> None:
    value = case()
    for field in ("lang", "difficulty", "why", "label"):
        del value["claims"][0][field]
    del value["claims"][0]["evidence"][0]["raw_path"]
    read = parse_case(json.dumps(value).encode())
    first, call = read.claims[0], read.invocations[0]
    assert (first.lang, first.difficulty, first.why, first.label, first.evidence[0].raw_path) == (
        "",
        "",
        "",
        None,
        None,
    )
    assert (call.params, call.success, call.failure_code, call.dedup_of, call.run_id) == ({}, True, None, None, None)
    assert read.claims[1].why == "It says so."


def test_a_value_of_another_type_is_not_taken_for_true() -> None:
    assert fault(changed("invocations", 0, "success", to=1))[0] == "invocations[0].success"
    assert fault(changed("claims", 0, "is_critical", to=1))[0] == "claims[0].is_critical"


# --- files ------------------------------------------------------------------------------------------------------------


def test_every_fault_of_a_file_is_found_and_the_good_cases_are_kept(tmp_path: Path) -> None:
    bad = changed("claims", 0, "claim_text", to="")
    path = write(tmp_path / "cases.jsonl", case("a"), "", bad, case("a"), case("b"))
    found = [(number, item if isinstance(item, CaseFileError) else item.case_id) for number, item in scan_cases(path)]
    assert [number for number, _ in found] == [1, 3, 4, 5]
    assert (found[0][1], found[3][1]) == ("a", "b")
    assert [str(item) for _, item in found[1:3]] == [
        "cases.jsonl line 3: claims[0].claim_text is blank",
        "cases.jsonl line 4: case_id 'a' was already used in line 1",
    ]


def test_the_first_fault_of_a_file_ends_reading_it(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", "{", "[")
    with pytest.raises(CaseFileError) as caught:
        read_cases(path)
    error = caught.value
    assert (error.path, error.line, error.field) == (path, 1, "")
    assert str(error).startswith("cases.jsonl line 1: not one JSON object")


def test_labels_are_required_only_when_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", changed("claims", 0, "label", to=None))
    assert len(read_cases(path)) == 1
    assert isinstance(next(scan_cases(path))[1], type(read_cases(path)[0]))
    assert isinstance(next(scan_cases(path, require_labels=True))[1], CaseFileError)


def test_a_byte_order_mark_is_taken_off_the_first_line_only(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    mark = b"\xef\xbb\xbf"
    path.write_bytes(mark + json.dumps(case("a")).encode() + b"\n" + mark + json.dumps(case("b")).encode())
    (_, first), (number, second) = scan_cases(path)
    assert not isinstance(first, CaseFileError)
    assert isinstance(second, CaseFileError) and number == second.line == 2


def test_an_empty_file_is_told_what_was_expected(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", "")
    with pytest.raises(CaseFileError) as caught:
        list(scan_cases(path))
    assert str(caught.value) == "cases.jsonl: holds no case; expected one JSON object a line"
    assert (caught.value.line, caught.value.field) == (None, "")


def test_a_folder_is_no_case_file(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match="cannot be read: Is a directory") as caught:
        read_cases(tmp_path)
    assert (caught.value.line, caught.value.field) == (None, "")


def test_a_case_cannot_be_changed() -> None:
    read = parse_case(json.dumps(case()).encode())
    with pytest.raises(ValidationError):
        read.case_id = "other"
    assert read.executor_output is None
