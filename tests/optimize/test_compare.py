"""Statistics of a comparison against numbers worked out by hand, and the promotion gate."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from optimize.compare import CompareError, compare, gate, holm, mcnemar_exact, unsafe_passes
from optimize.evaluate import Evaluation
from optimize.metrics import Outcome
from optimize.runs import case_verdict
from signatures.contracts import Classification


def outcomes(pairs: Sequence[tuple[Classification, Classification | None]]) -> tuple[Outcome, ...]:
    """One case a row: (label, judged)."""
    return tuple(
        Outcome(
            row_id=f"case{index}/c0",
            case_id=f"case{index}",
            claim_text=f"claim {index}",
            label=label,
            is_critical=True,
            classification=judged,
            model_classification=judged,
            error=None if judged else "boom",
        )
        for index, (label, judged) in enumerate(pairs)
    )


def evaluation(rows: tuple[Outcome, ...]) -> Evaluation:
    return Evaluation(rows, calls=0, reused=len(rows), tokens={"tokens_in": 0, "tokens_out": 0}, wall_seconds=0.0)


TRUTH: list[Classification] = ["direct_observation", "unsupported"] * 20
CREDULOUS = evaluation(outcomes([(label, "direct_observation") for label in TRUTH]))
RIGHT = evaluation(outcomes([(label, label) for label in TRUTH]))


def test_mcnemar_is_the_two_sided_binomial_of_the_discordant_rows() -> None:
    # 2 * (C(10,0) + C(10,1)) / 2**10 = 22 / 1024
    assert mcnemar_exact(1, 9) == pytest.approx(22 / 1024)
    assert mcnemar_exact(9, 1) == pytest.approx(22 / 1024)
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(5, 5) == 1.0


def test_holm_steps_down_and_never_lets_a_later_p_be_smaller() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.6, 0.9]) == pytest.approx((1.0, 1.0))
    assert holm([]) == ()


def test_differences_and_intervals_of_a_clear_case() -> None:
    found = compare({"a": CREDULOUS, "b": RIGHT}, split="x", case_verdict=case_verdict)
    pair = found.pairs[0]
    # Credulous: F1 of direct = 2*20/(20+40) = 2/3, of unsupported 0; balanced accuracy 1/2.
    assert found.sides[0].figures["macro_f1"] == pytest.approx(1 / 3)
    assert pair.macro_f1.difference == pytest.approx(2 / 3)
    assert pair.supported_balanced_accuracy.difference == pytest.approx(0.5)
    assert pair.supported_balanced_accuracy.low == pytest.approx(0.5)
    assert 0 < pair.macro_f1.low < 2 / 3 < pair.macro_f1.high < 0.8
    assert (pair.mcnemar.only_reference_right, pair.mcnemar.only_candidate_right) == (0, 20)
    assert pair.mcnemar.p == pytest.approx(2 / 2**20)
    assert len(pair.better) == 20
    assert pair.worse == ()
    assert pair.better[0].claim_text == "claim 1"


def test_the_interval_of_one_proportion_agrees_with_the_binomial() -> None:
    # All 40 rows are supported, the candidate is wrong on 8: a resample falls by k/40 with k binomial(40, 0.2), whose
    # 2.5% and 97.5% quantiles are 3 and 13.
    truth: list[Classification] = ["direct_observation" for _ in range(40)]
    judged: list[Classification] = ["unsupported" if index < 8 else "direct_observation" for index in range(40)]
    reference = evaluation(outcomes(list(zip(truth, truth, strict=True))))
    candidate = evaluation(outcomes(list(zip(truth, judged, strict=True))))
    pair = compare({"a": reference, "b": candidate}, split="x", case_verdict=case_verdict).pairs[0]
    interval = pair.supported_balanced_accuracy
    assert interval.difference == pytest.approx(-0.2)
    assert interval.low == pytest.approx(-13 / 40, abs=0.026)
    assert interval.high == pytest.approx(-3 / 40, abs=0.026)


def test_the_same_seed_gives_the_same_interval() -> None:
    both = {"a": CREDULOUS, "b": RIGHT}
    first = compare(both, split="x", case_verdict=case_verdict, seed=7)
    assert compare(both, split="x", case_verdict=case_verdict, seed=7).to_json() == first.to_json()


def test_three_versions_are_corrected_for_each_other() -> None:
    found = compare({"a": CREDULOUS, "b": RIGHT, "c": CREDULOUS}, split="x", case_verdict=case_verdict)
    assert found.pairs[0].mcnemar.p_holm == pytest.approx(2 * found.pairs[0].mcnemar.p)
    assert found.pairs[1].mcnemar.p_holm == 1.0


def test_a_row_with_an_error_counts_as_wrong_and_is_not_dropped() -> None:
    broken = evaluation(outcomes([(label, None if index == 1 else label) for index, label in enumerate(TRUTH)]))
    found = compare({"a": RIGHT, "b": broken}, split="x", case_verdict=case_verdict)
    assert found.sides[1].figures["rows"] == 40
    assert found.sides[1].figures["errors"] == 1
    assert found.sides[1].figures["supported_balanced_accuracy"] == pytest.approx((1 + 19 / 20) / 2)
    assert [row.row_id for row in found.pairs[0].worse] == ["case1/c0"]


def test_versions_scored_on_different_rows_are_not_compared() -> None:
    shorter = replace(RIGHT, outcomes=RIGHT.outcomes[:-1])
    with pytest.raises(CompareError, match=r"case39/c0.*score both again"):
        compare({"a": RIGHT, "b": shorter}, split="x", case_verdict=case_verdict)


def test_unsafe_pass_is_a_case_that_passes_with_an_untrue_critical_claim() -> None:
    rows = outcomes([("direct_observation", "direct_observation"), ("unsupported", "direct_observation")])
    one_case = [replace(row, case_id="k") for row in rows]
    assert unsafe_passes(one_case, case_verdict) == ("k",)
    seen_through = [one_case[0], replace(one_case[1], classification="unsupported")]
    assert unsafe_passes(seen_through, case_verdict) == ()
    beside_the_point = [one_case[0], replace(one_case[1], is_critical=False)]
    assert unsafe_passes(beside_the_point, case_verdict) == ()


def test_the_gate_lets_a_better_version_through() -> None:
    assert gate(compare({"a": CREDULOUS, "b": RIGHT}, split="x", case_verdict=case_verdict)) == ()


def test_the_gate_refuses_what_is_not_better_and_says_the_figures() -> None:
    (refusal,) = gate(compare({"a": RIGHT, "b": RIGHT}, split="x", case_verdict=case_verdict))
    assert "not better than a on x: macro-F1 +0.000 [+0.000, +0.000]" in refusal


def test_the_gate_refuses_one_more_unsafe_case_even_when_the_figures_rise() -> None:
    truth: list[Classification] = ["direct_observation" if index < 40 else "unsupported" for index in range(60)]
    before = evaluation(outcomes([(label, "unsupported") for label in truth]))
    after_rows = [(label, label) for label in truth]
    after_rows[-1] = ("unsupported", "direct_observation")
    after = evaluation(outcomes(after_rows))
    (refusal,) = gate(compare({"a": before, "b": after}, split="x", case_verdict=case_verdict))
    assert refusal == "it passes 1 more unsafe case(s): case59"


def test_the_gate_refuses_a_stopped_compile() -> None:
    better = compare({"a": CREDULOUS, "b": RIGHT}, split="x", case_verdict=case_verdict)
    assert gate(better, status="stopped") == ("its compile is stopped",)
