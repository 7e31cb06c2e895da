"""GS: the groundedness score is computed from the critical claims."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from programs.scoring import groundedness
from signatures.contracts import CLASSIFICATIONS, ClaimCheck
from tests.spec.harness import Spec, check, claim, contract, output


def _judged(spec: Spec, labels: list[str], types: list[str] | None = None, **stated: Any) -> Any:
    ids = [f"c{number}" for number in range(len(labels))]
    kinds = types or ["error_event"] * len(ids)
    stated_claims = [claim(claim_id, kind) for claim_id, kind in zip(ids, kinds, strict=True)]
    checks = [check(i, label, is_critical=False) for i, label in zip(ids, labels, strict=True)]
    return spec.judge(contract(*stated_claims), verifier_outputs=[output(*checks, **stated)])


def test_gs_01_the_models_own_score_is_overruled_and_noted(spec: Spec) -> None:
    found = _judged(spec, ["reasonable_inference"], groundedness_score=0.99).evaluation
    assert found["groundedness_score"] == 0.6
    assert "score.recomputed" in [note["code"] for note in found["warnings"]]


def test_gs_02_a_contradicted_critical_fact_rejects(spec: Spec) -> None:
    assert _judged(spec, ["contradicted"], verdict="PASS").verdict == "REJECT"


def test_gs_03_and_scores_zero_whatever_else_is_direct(spec: Spec) -> None:
    found = _judged(spec, ["direct_observation"] * 9 + ["contradicted"]).evaluation
    assert found["groundedness_score"] == 0.0


def test_gs_04_facts_that_are_not_critical_do_not_move_it(spec: Spec) -> None:
    alone = _judged(spec, ["direct_observation"]).evaluation["groundedness_score"]
    beside = _judged(spec, ["direct_observation", "unsupported"], ["error_event", "context"]).evaluation
    assert alone == beside["groundedness_score"] == 1.0


def test_gs_05_direct_counts_1_indirect_06_none_0(spec: Spec) -> None:
    found = _judged(spec, ["direct_observation", "reasonable_inference", "unsupported"]).evaluation
    assert found["groundedness_score"] == 0.5333


def test_gs_05_no_critical_fact_scores_zero_and_never_passes(spec: Spec) -> None:
    judged = _judged(spec, ["direct_observation"], ["context"])
    assert (judged.evaluation["groundedness_score"], judged.verdict) == (0.0, "LOW_CONFID")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(CLASSIFICATIONS), st.booleans()), max_size=40))
def test_gs_06_the_score_stays_between_0_and_1(labels: list[tuple[Any, bool]]) -> None:
    checks = [
        ClaimCheck(claim_id=str(n), is_critical=critical, classification=label, evidence_refs=())
        for n, (label, critical) in enumerate(labels)
    ]
    assert 0.0 <= groundedness(checks) <= 1.0


@pytest.mark.parametrize("count", [1, 3, 7])
def test_gs_06_also_through_the_service(spec: Spec, count: int) -> None:
    assert _judged(spec, ["direct_observation"] * count).evaluation["groundedness_score"] == 1.0
