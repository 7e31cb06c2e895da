"""Reading verdict cases: every fault names its line and field."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from signatures.verdict_case import CaseFileError, read_cases

CASE: dict[str, Any] = {
    "case_id": "disk-1",
    "source": "test",
    "query": "磁盘满了吗？",
    "invocations": [
        {
            "invocation_id": "inv-1",
            "tool_name": "query_logs",
            "output": {"logs": [{"timestamp": "2026-01-01T00:00:00Z", "message": "disk full"}]},
        }
    ],
    "claims": [
        {
            "claim_id": f"c{number}",
            "claim_type": "state",
            "claim_text": f"第 {number} 条：磁盘满了。",
            "is_critical": True,
            "lang": "zh",
            "difficulty": "easy",
            "evidence": [
                {
                    "source_invocation_id": "inv-1",
                    "tool_name": "query_logs",
                    "raw_path": "$.logs[0].message",
                    "matched_text": "disk full",
                }
            ],
            "label": "direct_observation",
            "why": "It says so.",
        }
        for number in (1, 2, 3)
    ],
}


def case(case_id: str = "disk-1") -> dict[str, Any]:
    return copy.deepcopy(CASE) | {"case_id": case_id}


def write(path: Path, *lines: Any) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def fault(path: Path, require_labels: bool = True) -> CaseFileError:
    with pytest.raises(CaseFileError) as caught:
        read_cases(path, require_labels=require_labels)
    return caught.value


def test_reads_cases_skips_blank_lines_and_ignores_unknown_keys(tmp_path: Path) -> None:
    extra = case("disk-2")
    extra["reviewed_by"] = "someone"
    extra["claims"][0]["score"] = 0.5
    extra["invocations"][0] |= {"params": {"service": ["a"]}, "success": False, "failure_code": "PARTIAL"}
    cases = read_cases(write(tmp_path / "ok.jsonl", case(), "", "   ", extra), require_labels=True)
    assert [item.case_id for item in cases] == ["disk-1", "disk-2"]
    assert cases[0].claims[2].label == "direct_observation"
    assert cases[0].invocations[0].output["logs"][0]["message"] == "disk full"
    assert cases[0].invocations[0].success
    assert cases[1].invocations[0].failure_code == "PARTIAL"


def test_a_byte_order_mark_and_crlf_are_read(tmp_path: Path) -> None:
    path = tmp_path / "bom.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(case()).encode() + b"\r\n\r\n")
    assert read_cases(path)[0].case_id == "disk-1"


def test_a_wrong_label_is_named_with_line_and_expected_words(tmp_path: Path) -> None:
    wrong = case("disk-7")
    wrong["claims"][2]["label"] = "suported"
    path = write(tmp_path / "dev.jsonl", *(case(f"disk-{number}") for number in range(1, 7)), wrong)
    error = fault(path)
    assert (error.path, error.line, error.field) == (path, 7, "claims[2].label")
    assert str(error) == (
        "dev.jsonl line 7: claims[2].label is 'suported', expected one of direct_observation, reasonable_inference, "
        "overstated, unsupported, external_unknown, contradicted"
    )


def test_a_missing_label_is_a_fault_only_when_labels_are_required(tmp_path: Path) -> None:
    unlabelled = case()
    del unlabelled["claims"][1]["label"]
    path = write(tmp_path / "cases.jsonl", unlabelled)
    error = fault(path)
    assert (error.line, error.field) == (1, "claims[1].label")
    assert "is missing" in error.reason
    assert read_cases(path)[0].claims[1].label is None


@pytest.mark.parametrize("label", ["suported", 7, ["overstated"], {}, "", None])
def test_labels_are_not_looked_at_when_not_required(tmp_path: Path, label: object) -> None:
    odd = case() | {"expected_verdict": "MAYBE"}
    odd["claims"][0]["label"] = label
    read = read_cases(write(tmp_path / "cases.jsonl", odd))[0]
    assert read.claims[0].label is None
    assert read.claims[1].label == "direct_observation"
    assert read.expected_verdict is None


@pytest.mark.parametrize(
    ("place", "field"),
    [
        (("case_id",), "case_id"),
        (("query",), "query"),
        (("claims",), "claims"),
        (("claims", 1, "claim_text"), "claims[1].claim_text"),
        (("claims", 2, "is_critical"), "claims[2].is_critical"),
        (("claims", 0, "evidence"), "claims[0].evidence"),
        (("claims", 0, "evidence", 0, "matched_text"), "claims[0].evidence[0].matched_text"),
        (("invocations", 0, "output"), "invocations[0].output"),
    ],
)
def test_a_missing_field_is_named(tmp_path: Path, place: tuple[Any, ...], field: str) -> None:
    broken = case("disk-2")
    parent: Any = broken
    for step in place[:-1]:
        parent = parent[step]
    del parent[place[-1]]
    error = fault(write(tmp_path / "cases.jsonl", case(), broken), require_labels=False)
    assert (error.line, error.field, error.reason) == (2, field, "is missing")


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [("claim_text", "  ", "is blank"), ("claim_text", 5, "is 5"), ("is_critical", "yes", "is 'yes'")],
)
def test_a_value_of_the_wrong_kind_is_named(tmp_path: Path, key: str, value: object, shown: str) -> None:
    broken = case()
    broken["claims"][1][key] = value
    error = fault(write(tmp_path / "cases.jsonl", broken))
    assert (error.line, error.field) == (1, f"claims[1].{key}")
    assert error.reason.startswith(shown)


def test_repeated_identities_are_refused(tmp_path: Path) -> None:
    error = fault(write(tmp_path / "a.jsonl", case(), "", case()))
    assert (error.line, error.field) == (3, "case_id")
    assert "line 1" in error.reason

    twice = case()
    twice["claims"][2]["claim_id"] = "c1"
    error = fault(write(tmp_path / "b.jsonl", twice))
    assert (error.line, error.field) == (1, "claims[2].claim_id")
    assert "'c1'" in error.reason

    twice = case()
    twice["invocations"] *= 2
    error = fault(write(tmp_path / "c.jsonl", twice))
    assert (error.line, error.field) == (1, "invocations[1].invocation_id")


def test_a_repeated_key_is_refused_and_never_last_one_wins(tmp_path: Path) -> None:
    text = json.dumps(case("disk-2")).replace('"label": "direct', '"label": "overstated", "label": "direct', 1)
    error = fault(write(tmp_path / "cases.jsonl", case(), text))
    assert error.line == 2
    assert "'label' occurs twice" in error.reason


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", "not json", '{"case_id": NaN}', '{"a":1}{"b":2}', f'{{"n": {"9" * 5000}}}']
)
def test_a_line_that_is_not_one_json_object_is_named(tmp_path: Path, text: str) -> None:
    error = fault(write(tmp_path / "cases.jsonl", case(), text))
    assert error.line == 2
    assert error.reason


def test_bytes_that_are_not_utf8_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / "gbk.jsonl"
    path.write_bytes(json.dumps(case()).encode() + b"\n" + '{"case_id":"磁盘"}'.encode("gbk") + b"\n")
    error = fault(path)
    assert error.line == 2
    assert "not UTF-8" in error.reason


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_a_file_without_a_case_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    error = fault(path)
    assert (error.line, error.field) == (None, "")
    assert "holds no case" in str(error)


def test_a_labelled_case_without_claims_is_refused(tmp_path: Path) -> None:
    error = fault(write(tmp_path / "cases.jsonl", case() | {"claims": []}))
    assert (error.line, error.field) == (1, "claims")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    error = fault(tmp_path / "none.jsonl")
    assert error.line is None
    assert str(error).startswith("none.jsonl: cannot be read: No such file")
