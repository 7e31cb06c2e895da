"""What a judged claim is worth: the price of each mistake, the compile metric, and the figures of a whole set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from signatures.contracts import CLASSIFICATIONS, SUPPORTED, Classification

UNSAFE: frozenset[str] = frozenset({"contradicted", "unsupported", "external_unknown"})
WORST = 4.0


def price(label: str, predicted: str | None) -> float:
    """Price of one judgement, 0 (right) to ``WORST``. An unsafe mistake costs more than any caution.

    Taking an untrue claim as supported costs 4 (contradicted), 3 (unsupported, external unknown) or 2 (overstated).
    Doubting a true one costs 1, denying it 1.5. Confusing classes on the same side costs 0.25 (both supported), 0.5,
    or 0.75 for an overlooked contradiction. No answer costs ``WORST``.
    """
    if predicted is None:
        return WORST
    if label == predicted:
        return 0.0
    if predicted in SUPPORTED:
        return {"contradicted": 4.0, "unsupported": 3.0, "external_unknown": 3.0, "overstated": 2.0}.get(label, 0.25)
    if label in SUPPORTED:
        return 1.5 if predicted == "contradicted" else 1.0
    return 0.75 if label == "contradicted" else 0.5


def score(label: str, predicted: str | None) -> float:
    """The price turned round for optimisers that maximise: 1 is right, 0 the worst."""
    return 1.0 - price(label, predicted) / WORST


def verdict_metric(example: Any, prediction: Any, trace: Any = None) -> float:
    """DSPy metric of the ``verifier`` target over examples that carry ``classification`` (the label).

    While bootstrapping (``trace`` given) 1.0 only when the model's own words are right, else 0.0: a demo must not
    show an answer that a code guard had to correct, nor a ``supported`` that contradicts its class.
    Otherwise the priced score of ``prediction.classification``.
    """
    label = example.classification
    if trace is None:
        return score(label, prediction.classification)
    said = [outputs for _, _, outputs in trace if "classification" in outputs] or [prediction]
    right = all(
        outputs["classification"] == label and bool(outputs["supported"]) == (label in SUPPORTED) for outputs in said
    )
    return float(right)


@dataclass(frozen=True)
class Outcome:
    """One row after the program and the literal guards; ``error`` is set when there is no judgement.

    ``supported_probability`` 0..1 when the model gives one. ``seconds`` is the model's time for this row, also when
    the answer came from the store.
    """

    row_id: str
    case_id: str
    claim_text: str
    label: Classification
    is_critical: bool
    classification: Classification | None = None
    model_classification: Classification | None = None
    supported_probability: float | None = None
    reason: str = ""
    seconds: float = 0.0
    error: str | None = None
    probabilities: dict[str, float] = field(default_factory=dict)

    @property
    def truly_supported(self) -> bool:
        return self.label in SUPPORTED

    @property
    def supported_right(self) -> bool:
        """Supported-or-not judged right; a row without a judgement is wrong."""
        return self.classification is not None and (self.classification in SUPPORTED) == self.truly_supported

    @property
    def unsafe(self) -> bool:
        """An untrue claim taken as supported."""
        return self.label in UNSAFE and self.classification in SUPPORTED


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of one version over one set of rows. Rows with an error count as wrong everywhere.

    ``macro_f1`` is the mean over the classes that occur as labels; ``brier`` is over rows that have a probability.
    Figures that the rows cannot give (no contradicted claim, no probability) are None.
    """
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    labels = [o.label for o in outcomes]
    predicted = [o.classification or "error" for o in outcomes]
    names = list(CLASSIFICATIONS)
    precision, recall, f1, rows = precision_recall_fscore_support(labels, predicted, labels=names, zero_division=0.0)
    table = confusion_matrix(labels, predicted, labels=[*names, "error"])
    per_class = {
        name: {
            "precision": float(precision[i]),
            "recall": float(recall[i]),
            "f1": float(f1[i]),
            "rows": int(rows[i]),
        }
        for i, name in enumerate(names)
    }
    present = [entry for entry in per_class.values() if entry["rows"]]
    sides = [[o.supported_right for o in outcomes if o.truly_supported is side] for side in (True, False)]
    recalls = [sum(side) / len(side) for side in sides if side]
    briers = [
        (o.supported_probability - o.truly_supported) ** 2 for o in outcomes if o.supported_probability is not None
    ]
    return {
        "rows": len(outcomes),
        "errors": sum(o.error is not None for o in outcomes),
        "macro_f1": _mean([entry["f1"] for entry in present]),
        "accuracy": _mean([float(o.classification == o.label) for o in outcomes]),
        "supported_balanced_accuracy": _mean(recalls),
        "contradicted_recall": per_class["contradicted"]["recall"] if per_class["contradicted"]["rows"] else None,
        "unsafe": sum(o.unsafe for o in outcomes),
        "mean_price": _mean([price(o.label, o.classification) for o in outcomes]),
        "brier": _mean(briers),
        "brier_rows": len(briers),
        "seconds_a_row": _mean([o.seconds for o in outcomes if o.error is None]),
        "per_class": per_class,
        "confusion": {
            name: {other: int(n) for other, n in zip([*names, "error"], table[i], strict=True) if n}
            for i, name in enumerate(names)
            if table[i].any()
        },
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 6) if values else None
