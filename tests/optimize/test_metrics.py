"""Prices of mistakes, the compile metric and the figures of a set."""

import dspy
import pytest

from optimize.metrics import UNSAFE, WORST, Outcome, figures, price, score, verdict_metric
from signatures.contracts import CLASSIFICATIONS, SUPPORTED, Classification


def test_every_unsafe_mistake_costs_more_than_any_other_mistake() -> None:
    unsafe = [price(label, said) for label in UNSAFE for said in SUPPORTED]
    others = [
        price(label, said)
        for label in CLASSIFICATIONS
        for said in CLASSIFICATIONS
        if not (label in UNSAFE and said in SUPPORTED)
    ]
    assert min(unsafe) > max(others)
    assert max(unsafe) == WORST == price("direct_observation", None)


def test_a_right_answer_costs_nothing_and_scores_one() -> None:
    assert [score(name, name) for name in CLASSIFICATIONS] == [1.0] * 6


def step(classification: str, supported: bool) -> tuple[None, dict[str, str], dspy.Prediction]:
    return (None, {}, dspy.Prediction(classification=classification, supported=supported))


def test_bootstrapping_asks_what_the_model_itself_said_not_what_a_guard_made_of_it() -> None:
    one = dspy.Example(classification="contradicted")
    guarded = dspy.Prediction(classification="contradicted", supported=False)
    assert verdict_metric(one, guarded, [step("direct_observation", True)]) == 0.0
    assert verdict_metric(one, guarded, [step("contradicted", False)]) == 1.0


def test_bootstrapping_refuses_a_demo_whose_two_answers_contradict_each_other() -> None:
    one = dspy.Example(classification="unsupported")
    said = dspy.Prediction(classification="unsupported", supported=True)
    assert verdict_metric(one, said, [step("unsupported", True)]) == 0.0


def row(label: Classification, judged: Classification | None, probability: float | None) -> Outcome:
    return Outcome("r", "k", "text", label, True, judged, judged, probability, error=None if judged else "boom")


def test_figures_by_hand() -> None:
    found = figures(
        [
            row("direct_observation", "direct_observation", 0.9),
            row("direct_observation", "unsupported", 0.4),
            row("contradicted", "direct_observation", 0.8),
            row("contradicted", "contradicted", 0.1),
            row("unsupported", None, None),
        ]
    )
    # direct: 1 right, 1 missed, 1 false: 1/2. contradicted: 2/3. unsupported: 0 (one false, one error).
    assert found["macro_f1"] == pytest.approx((0.5 + 2 / 3 + 0) / 3, abs=1e-6)
    # supported side 1 of 2; other side: one unsafe, one right, one error: 1 of 3.
    assert found["supported_balanced_accuracy"] == pytest.approx((1 / 2 + 1 / 3) / 2, abs=1e-6)
    assert found["contradicted_recall"] == 0.5
    assert (found["unsafe"], found["errors"], found["rows"]) == (1, 1, 5)
    assert found["brier"] == pytest.approx((0.01 + 0.36 + 0.64 + 0.01) / 4)
    assert found["brier_rows"] == 4
    assert found["confusion"]["unsupported"] == {"error": 1}
    assert found["mean_price"] == pytest.approx((0 + 1 + 4 + 0 + 4) / 5)


def test_figures_that_the_rows_cannot_give_are_absent() -> None:
    found = figures([row("direct_observation", "direct_observation", None)])
    assert found["contradicted_recall"] is None
    assert found["brier"] is None
