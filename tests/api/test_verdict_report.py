"""How a judged case is printed."""

from typing import Any

from api.verdict_report import result_lines

CLAIM: dict[str, Any] = {
    "claim_id": "c1",
    "classification": "unsupported",
    "probabilities": {"unsupported": 0.8},
    "literal_findings": [
        {"text": "redis-9", "status": "unseen", "critical": True},
        {"text": "3 条", "status": "unseen", "critical": False},
        {"text": "503", "status": "found", "critical": True},
    ],
}


def test_a_claim_line_names_the_literals_that_matter_and_are_missing() -> None:
    head, line = result_lines({"case_id": "a", "effective_verdict": "LOW_CONFID", "claims": [CLAIM]})
    assert head.startswith("a  LOW_CONFID")
    assert line == "  c1  unsupported 0.80  not in the evidence: redis-9"


def test_a_contract_shows_its_route_its_failure_and_its_answer() -> None:
    diagnosis = {"route": "fallback", "failure_code": "not_json", "answer": "## 结论\n不给结论。\n\x1b[31m"}
    lines = result_lines({"case_id": "a", "effective_verdict": None, "claims": [], "diagnosis": diagnosis})
    assert lines[1:] == ["  route fallback  failed: not_json", "  | ## 结论", "  | 不给结论。", "  | \ufffd[31m"]
