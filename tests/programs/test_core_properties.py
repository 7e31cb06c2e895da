"""Gate and scoring: pure, idempotent, independent of order where the rules let them be; never above the ceiling."""

from __future__ import annotations

import copy
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from programs.gatekeeper import check
from programs.raw_path import canonical_json, resolve
from programs.scoring import effective_verdict, evaluate, groundedness, verdict_matrix
from programs.tools.registry import EVIDENCE_TOOLS
from signatures.contracts import (
    CLASSIFICATIONS,
    SUPPORTED,
    ClaimCheck,
    EvidenceRef,
    ToolInvocation,
    Verdict,
    VerifiedClaim,
    VerifiedEvidence,
    VerifiedProjection,
)
from tests.spec.harness import EXCERPT, LOGS, METRICS, binding, claim, contract

RUN = "run-1"
ORDER: tuple[Verdict, ...] = ("REJECT", "LOW_CONFID", "PASS")
ROWS = tuple(
    ToolInvocation(
        run_id=RUN, success=True, evidence_level="strong", **{k: v for k, v in call.items() if k != "params"}
    )
    for call in (LOGS, METRICS)
)

BINDINGS = st.builds(
    binding,
    st.sampled_from([EXCERPT, "old=64", "38.84", "nothing such", "x"]),
    st.sampled_from(["$.logs[0]", "$.logs[1]", "$.series[0]", "$.logs[9]", "$", None]),
    st.lists(st.sampled_from(["inv_1", "inv_2", "inv_9"]), min_size=1, max_size=2),
    tool_name=st.sampled_from(["query_logs", "query_metrics", "format_time"]),
)
KINDS = st.sampled_from(["error_event", "root_cause", "context", "negative_observation"])


@st.composite
def contracts(draw: st.DrawFn) -> dict[str, Any]:
    """Legal contracts of one to four claims over two calls."""
    count = draw(st.integers(1, 4))
    claims = [
        claim(f"c{n}", draw(KINDS), evidence_bindings=draw(st.lists(BINDINGS, min_size=1, max_size=3)))
        for n in range(count)
    ]
    return contract(*claims)


def gate(given_contract: dict[str, Any], rows: tuple[ToolInvocation, ...] = ROWS) -> Any:
    return check(given_contract, rows, run_id=RUN, evidence_tools=EVIDENCE_TOOLS)


@given(contracts())
def test_the_gate_is_pure_and_gives_the_same_twice(stated: dict[str, Any]) -> None:
    before = copy.deepcopy(stated)
    assert gate(stated) == gate(stated)
    assert stated == before


@given(contracts(), st.randoms(use_true_random=False))
def test_the_gate_does_not_depend_on_the_order_of_claims_or_calls(stated: dict[str, Any], random: Any) -> None:
    shuffled = {**stated, "claims": random.sample(stated["claims"], len(stated["claims"]))}
    one, other = gate(stated), gate(shuffled, ROWS[::-1])
    assert (one.ceiling, one.result.severity, one.result.failed_rules) == (
        other.ceiling,
        other.result.severity,
        other.result.failed_rules,
    )
    assert {item.binding_id: item for item in one.projection.evidence} == {
        item.binding_id: item for item in other.projection.evidence
    }
    assert {row.binding_id: row for row in one.result.checked_bindings} == {
        row.binding_id: row for row in other.result.checked_bindings
    }


@given(contracts())
def test_what_passed_once_passes_again_alone(stated: dict[str, Any]) -> None:
    """The projection of a contract is a contract whose every binding holds."""
    first = gate(stated)
    if not first.projection.claims:
        return
    by_claim = {item.claim_id: first.projection.evidence_of(item.claim_id) for item in first.projection.claims}
    again = contract(
        *(
            {
                **next(c for c in stated["claims"] if c["claim_id"] == claim_id),
                "evidence_bindings": [
                    binding(e.matched_text, e.raw_path, [e.source_invocation_id], tool_name=e.tool_name)
                    for e in evidence
                ],
            }
            for claim_id, evidence in by_claim.items()
        )
    )
    second = gate(again)
    assert second.result.failed_rules == ()
    assert [e.matched_text for e in second.projection.evidence] == [e.matched_text for e in first.projection.evidence]


@given(contracts())
def test_every_passed_excerpt_stands_in_the_stored_output(stated: dict[str, Any]) -> None:
    outputs = {row.invocation_id: row.output for row in ROWS}
    for item in gate(stated).projection.evidence:
        value = resolve(outputs[item.source_invocation_id], item.raw_path)
        assert item.matched_text in (value if isinstance(value, str) else canonical_json(value))


@given(contracts())
def test_the_ceiling_falls_with_every_failed_binding(stated: dict[str, Any]) -> None:
    found = gate(stated)
    statuses = {row.status for row in found.result.checked_bindings}
    if "failed" in statuses:
        assert found.ceiling != "PASS" and found.result.status == "fail" and found.result.errors
    if statuses == {"failed"}:
        assert found.ceiling == "REJECT" and found.projection.claims == ()
    assert found.result.severity == {"PASS": "none", "LOW_CONFID": "low_confid", "REJECT": "reject"}[found.ceiling]


# --- scoring ----------------------------------------------------------------------------------------------------------

LABELS = st.lists(st.tuples(st.sampled_from(CLASSIFICATIONS), st.booleans()), min_size=1, max_size=8)


def _pass(labels: list[tuple[Any, bool]]) -> tuple[VerifiedProjection, list[ClaimCheck]]:
    ids = [f"c{n}" for n in range(len(labels))]
    claims = tuple(
        VerifiedClaim(
            claim_id=i,
            claim_type="error_event",
            claim_text=f"text {i}",
            support_level="direct",
            is_critical=critical,
            binding_ids=(f"{i}:b1",),
        )
        for i, (_, critical) in zip(ids, labels, strict=True)
    )
    evidence = tuple(
        VerifiedEvidence(
            binding_id=f"{i}:b1",
            run_id=RUN,
            claim_id=i,
            source_invocation_id="inv_1",
            tool_name="query_logs",
            raw_path="$",
            matched_text="x",
        )
        for i in ids
    )
    ref = EvidenceRef(source_invocation_id="inv_1")
    checks = [
        ClaimCheck(claim_id=i, is_critical=critical, classification=label, evidence_refs=(ref,))
        for i, (label, critical) in zip(ids, labels, strict=True)
    ]
    return VerifiedProjection(claims=claims, evidence=evidence), checks


@given(LABELS, st.sampled_from(ORDER), st.randoms(use_true_random=False))
def test_scoring_does_not_depend_on_the_order_of_the_checks(
    labels: list[tuple[Any, bool]], ceiling: Verdict, random: Any
) -> None:
    projection, checks = _pass(labels)
    one = evaluate(projection, checks, ceiling)
    assert one == evaluate(projection, random.sample(checks, len(checks)), ceiling)
    assert one == evaluate(projection, one.claim_checks, ceiling)


@given(LABELS, st.sampled_from(ORDER), st.sampled_from([*ORDER, None]))
def test_the_effective_verdict_is_never_above_ceiling_matrix_or_model(
    labels: list[tuple[Any, bool]], ceiling: Verdict, stated: Verdict | None
) -> None:
    projection, checks = _pass(labels)
    result = evaluate(projection, checks, ceiling, stated_verdict=stated)
    matrix = verdict_matrix(label for label, critical in labels if critical)
    for bound in (ceiling, matrix, result.model_verdict):
        assert ORDER.index(result.effective_verdict) <= ORDER.index(bound)
    assert result.groundedness_score == groundedness(checks)
    if result.verdict_adjustments:
        assert result.verdict_adjustments[0].before == result.model_verdict
        assert result.verdict_adjustments[-1].after == result.effective_verdict
    else:
        assert result.effective_verdict == result.model_verdict


@given(LABELS, st.sampled_from(sorted(set(CLASSIFICATIONS) - SUPPORTED)))
def test_a_claim_without_support_never_lifts_the_verdict(labels: list[tuple[Any, bool]], worse: Any) -> None:
    critical = [label for label, is_critical in labels if is_critical]
    before = verdict_matrix(critical)
    assert ORDER.index(verdict_matrix([*critical, worse])) <= ORDER.index(before)
    for at, label in enumerate(critical):
        if label in SUPPORTED:
            changed = [*critical[:at], worse, *critical[at + 1 :]]
            assert ORDER.index(verdict_matrix(changed)) <= ORDER.index(before)


@pytest.mark.parametrize(("model", "matrix", "ceiling"), list(product(ORDER, ORDER, ORDER)))
def test_the_effective_verdict_is_the_lowest_of_the_three(model: Verdict, matrix: Verdict, ceiling: Verdict) -> None:
    wanted = ORDER[min(ORDER.index(model), ORDER.index(matrix), ORDER.index(ceiling))]
    assert effective_verdict(model, matrix, ceiling) == wanted
