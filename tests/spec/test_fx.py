"""FX: facts_checked, the compatibility view of the checks."""

from __future__ import annotations

from typing import Any

import pytest

from signatures.contracts import CLASSIFICATIONS
from tests.spec.harness import Spec, check, claim, contract, output

ALLOWED = {"direct_evidence", "indirect_support", "no_evidence", "contradicted"}


def _facts(spec: Spec, *labels: str) -> list[dict[str, Any]]:
    ids = [f"c{number}" for number in range(len(labels))]
    given = contract(*[claim(claim_id) for claim_id in ids])
    checks = [check(claim_id, label) for claim_id, label in zip(ids, labels, strict=True)]
    found: list[dict[str, Any]] = spec.judge(given, verifier_outputs=[output(*checks)]).evaluation["facts_checked"]
    return found


def test_fx_01_every_value_is_of_the_fixed_set(spec: Spec) -> None:
    assert {fact["verification"] for fact in _facts(spec, *CLASSIFICATIONS)} == ALLOWED


@pytest.mark.parametrize("label", CLASSIFICATIONS)
def test_fx_02_live_and_recorded_results_are_derived_alike(spec: Spec, label: str) -> None:
    live = spec.judge(label=label).evaluation["facts_checked"]
    (recorded,) = _facts(spec, label)
    assert [fact["verification"] for fact in live] == [recorded["verification"]]


def test_fx_02_a_stated_list_that_disagrees_is_overruled_and_noted(spec: Spec) -> None:
    lie = [{"fact": "x", "is_critical": True, "verification": "direct_evidence", "detail": ""}]
    stated = output(check(classification="unsupported"), facts_checked=lie)
    found = spec.judge(verifier_outputs=[stated]).evaluation
    assert [fact["verification"] for fact in found["facts_checked"]] == ["no_evidence"]
    assert "facts_checked.recomputed" in [note["code"] for note in found["warnings"]]


def test_fx_03_direct_observation_is_direct_evidence(spec: Spec) -> None:
    assert _facts(spec, "direct_observation")[0]["verification"] == "direct_evidence"


@pytest.mark.parametrize("label", ["reasonable_inference", "overstated"])
def test_fx_04_inferred_and_overstated_are_indirect_support(spec: Spec, label: str) -> None:
    fact = _facts(spec, label)[0]
    assert fact["verification"] == "indirect_support"
    assert ("overstated" in fact["detail"]) is (label == "overstated")


@pytest.mark.parametrize("label", ["unsupported", "external_unknown"])
def test_fx_05_unsupported_and_external_are_no_evidence(spec: Spec, label: str) -> None:
    assert _facts(spec, label)[0]["verification"] == "no_evidence"


def test_fx_06_contradicted_stays_contradicted(spec: Spec) -> None:
    assert _facts(spec, "contradicted")[0]["verification"] == "contradicted"
