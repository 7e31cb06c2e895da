"""VJ: the Verifier's one JSON object, strict when read and complete when handed on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.spec.harness import Spec, check, claim, contract, output

FIELDS = ["verdict", "groundedness_score", "facts_checked", "rationale"]


def _refused(spec: Spec, raw: Any) -> None:
    judged = spec.judge(verifier_outputs=[raw])
    assert judged.evaluation["verifier_status"] == "INVALID_OUTPUT"
    assert (judged.route, judged.verdict) == ("fallback", None)


def test_vj_01_the_normalised_result_has_verdict_score_facts_and_rationale(spec: Spec) -> None:
    for judged in (spec.judge(), spec.judge(verifier_outputs=[output()])):
        found = judged.evaluation
        assert found["verdict"] in ("PASS", "LOW_CONFID", "REJECT")
        assert isinstance(found["groundedness_score"], float)
        assert isinstance(found["facts_checked"], list) and found["facts_checked"]
        assert isinstance(found["rationale"], str) and found["rationale"]


@pytest.mark.parametrize("field", ["verdict", "rationale", "claim_checks"])
def test_vj_02_a_missing_field_is_invalid_output(spec: Spec, field: str) -> None:
    _refused(spec, {name: value for name, value in output().items() if name != field})


@pytest.mark.parametrize("field", ["facts_checked", "groundedness_score"])
def test_vj_02_what_can_be_derived_is_derived(spec: Spec, field: str) -> None:
    found = spec.judge(verifier_outputs=[output()]).evaluation
    assert field not in output() and found[field]


@pytest.mark.parametrize("score", [-0.1, 1.1, True, "0.5", None, []])
def test_vj_03_a_score_outside_0_to_1_or_of_another_type_is_invalid(spec: Spec, score: Any) -> None:
    _refused(spec, output(groundedness_score=score))


@pytest.mark.parametrize("score", ["NaN", "Infinity", "1e999"])
def test_vj_03_a_score_that_is_no_number_is_invalid(spec: Spec, score: str) -> None:
    _refused(spec, json.dumps(output(groundedness_score=0.5)).replace("0.5", score))


@pytest.mark.parametrize("verdict", ["pass", "OK", None, "PASS ", 1, ["PASS"]])
def test_vj_04_the_verdict_is_one_of_three_words(spec: Spec, verdict: Any) -> None:
    _refused(spec, output(verdict=verdict))


@pytest.mark.parametrize("verdict", ["PASS", "LOW_CONFID", "REJECT"])
def test_vj_04_each_of_the_three_is_taken(spec: Spec, verdict: str) -> None:
    assert spec.judge(verifier_outputs=[output(verdict=verdict)]).evaluation["model_verdict"] == verdict


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(output()) * 2,
        json.dumps(output()) + json.dumps(output(verdict="REJECT")),
        json.dumps([output()]),
        json.dumps(json.dumps(output())),
        '{"verdict":"REJECT","verdict":"PASS","rationale":"","claim_checks":[]}',
        "",
    ],
)
def test_vj_05_exactly_one_object(spec: Spec, text: str) -> None:
    _refused(spec, text)


@pytest.mark.parametrize("around", ["```json\n{}\n```", "```\n{}\n```", "The verdict is:\n{}", "{}\nDone.", "**{}**"])
def test_vj_06_nothing_stands_around_it(spec: Spec, around: str) -> None:
    _refused(spec, around.replace("{}", json.dumps(output())))


def test_vj_06_a_second_clean_output_is_read_as_the_technical_retry(spec: Spec) -> None:
    judged = spec.judge(verifier_outputs=[f"```json\n{json.dumps(output())}\n```", output()])
    assert [item["status"] for item in judged.evaluation["attempts"]] == ["INVALID_OUTPUT", "COMPLETED"]
    assert judged.verdict == "PASS"


def test_vj_07_critical_fact_count_is_recomputed(spec: Spec) -> None:
    given = contract(claim("c1"), claim("c2", "context"), claim("c3"))
    checks = [check("c1"), check("c2", is_critical=False), check("c3")]
    found = spec.judge(given, verifier_outputs=[output(*checks, critical_fact_count=99)]).evaluation
    assert found["critical_fact_count"] == sum(fact["is_critical"] for fact in found["facts_checked"]) == 2


def test_vj_08_each_fact_says_what_it_is_and_how_it_was_verified(spec: Spec) -> None:
    (fact,) = spec.judge(verifier_outputs=[output(check(detail="seen in the log"))]).evaluation["facts_checked"]
    assert fact == {
        "fact": claim()["claim_text"],
        "is_critical": True,
        "verification": "direct_evidence",
        "detail": "seen in the log",
    }
