"""The guards around the model's word, and the excerpts and findings it reads."""

from __future__ import annotations

import json

import pytest

from programs.record_lines import excerpt_text
from programs.verifier import ClaimVerifier, claim_inputs, findings_text, guard
from signatures.contracts import LiteralFinding, VerifiedEvidence


def finding(status: str, kind: str = "number", critical: bool = True) -> LiteralFinding:
    return LiteralFinding.model_validate(
        {"text": "504", "kind": kind, "status": status, "critical": critical, "evidence_text": "503"}
    )


def evidence(path: str, text: str, tool: str = "query_logs") -> VerifiedEvidence:
    return VerifiedEvidence(
        binding_id="b",
        run_id="r",
        claim_id="c",
        source_invocation_id="i",
        tool_name=tool,
        raw_path=path,
        matched_text=text,
    )


@pytest.mark.parametrize("said", ["direct_observation", "reasonable_inference", "unsupported"])
def test_a_conflicting_literal_makes_the_claim_contradicted_whatever_the_model_says(said: str) -> None:
    label, reason = guard(said, [finding("conflicting")])
    assert label == "contradicted" and "504" in reason and "503" in reason


@pytest.mark.parametrize("kind", ["host", "service", "ip", "code", "quoted"])
def test_an_entity_that_no_excerpt_names_takes_the_support_away(kind: str) -> None:
    assert guard("direct_observation", [finding("unseen", kind)])[0] == "unsupported"


def test_an_unseen_number_is_no_direct_observation_but_may_follow() -> None:
    assert guard("direct_observation", [finding("unseen")])[0] == "reasonable_inference"


@pytest.mark.parametrize("status", ["found", "unseen"])
def test_guards_never_lift_a_class(status: str) -> None:
    for said in ("overstated", "unsupported", "external_unknown", "contradicted"):
        assert guard(said, [finding(status, "host")])[0] == said


def test_uncritical_literals_change_nothing() -> None:
    assert guard("direct_observation", [finding("conflicting", critical=False)])[0] == "direct_observation"


def test_leaves_of_one_record_are_read_as_one_line_and_the_date_once() -> None:
    text = excerpt_text(
        [
            evidence("$.logs[0].timestamp", "2026-03-11T10:04:07.312+08:00"),
            evidence("$.logs[0].level", "ERROR"),
            evidence("$.logs[0].message", "pool exhausted"),
            evidence("$.logs[1].timestamp", "2026-03-11T10:05:00+08:00"),
            evidence("$.logs[1].message", "HTTP 503"),
        ]
    )
    assert text == "date 2026-03-11\n10:04:07+08:00 ERROR: pool exhausted\n10:05:00+08:00: HTTP 503"


def test_points_of_a_series_stand_beside_its_name() -> None:
    text = excerpt_text(
        [
            evidence("$.series[0].metric", "lag", "query_metrics"),
            evidence("$.series[0].points[0][0]", "2026-03-11T10:00:00Z", "query_metrics"),
            evidence("$.series[0].points[0][1]", "12", "query_metrics"),
        ]
    )
    assert text == "date 2026-03-11\nlag: 10:00:00Z = 12"


def test_a_whole_record_is_read_with_its_message_last_named() -> None:
    record = {"level": "WARN", "message": "replica lag 340s", "service": "replica-2", "count": 3}
    assert excerpt_text([evidence("$.rows[0]", json.dumps(record))]) == "WARN replica-2: replica lag 340s (count=3)"


def test_findings_are_told_in_one_line() -> None:
    told = findings_text([finding("conflicting"), finding("unseen", "host"), finding("found")])
    assert told == "differs: 504 (excerpts: 503). not in excerpts: 504"


def test_the_question_is_cut_and_nothing_else_enters_the_inputs() -> None:
    inputs = claim_inputs("问" * 500, "断言", [evidence("$.logs[0].message", "x y")], [])
    assert set(inputs) == {"context", "excerpts", "findings", "claim"} and len(inputs["context"]) == 80


def test_without_probabilities_the_cautious_of_two_answers_counts() -> None:
    verifier = ClaimVerifier()
    assert verifier._combine(True, "direct_observation", {}) == "direct_observation"
    assert verifier._combine(False, "direct_observation", {}) == "unsupported"
    assert verifier._combine(True, "overstated", {}) == "overstated"
    assert verifier._combine(True, "no such class", {}) == "unsupported"
