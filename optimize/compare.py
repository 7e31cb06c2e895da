"""Compare program versions on the same rows: what changed, how sure, at what price; and the promotion gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from optimize.evaluate import Evaluation
from optimize.metrics import Outcome, figures, price
from signatures.contracts import CLASSIFICATIONS, SUPPORTED

RESAMPLES = 10_000
LEVEL = 0.95


class CompareError(ValueError):
    """Versions that cannot be compared; the message says why and what to do."""


@dataclass(frozen=True)
class Interval:
    """A difference (candidate minus reference) with its bootstrap interval; ``low`` and ``high`` at ``LEVEL``."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class McNemar:
    """Exact McNemar test on supported-or-not: rows only one of the two judged right. ``p_holm`` over all candidates."""

    only_reference_right: int
    only_candidate_right: int
    p: float
    p_holm: float


@dataclass(frozen=True)
class ChangedRow:
    row_id: str
    claim_text: str
    label: str
    before: str | None
    after: str | None
    price_change: float


@dataclass(frozen=True)
class Side:
    """One version's figures. ``unsafe_pass``: cases whose verdict is PASS although a critical claim is untrue."""

    version: str
    figures: dict[str, Any]
    unsafe_pass: tuple[str, ...]
    tokens: dict[str, int]
    seconds: float
    calls: int
    reused: int


@dataclass(frozen=True)
class Pair:
    """One candidate against the reference."""

    candidate: str
    macro_f1: Interval
    supported_balanced_accuracy: Interval
    mcnemar: McNemar
    better: tuple[ChangedRow, ...]
    worse: tuple[ChangedRow, ...]


@dataclass(frozen=True)
class Comparison:
    """Versions on one split: the first is the reference, the others are paired with it."""

    split: str
    rows: int
    cases: int
    sides: tuple[Side, ...]
    pairs: tuple[Pair, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(
    evaluations: Mapping[str, Evaluation],
    *,
    split: str,
    case_verdict: Callable[[Sequence[Outcome]], str],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Pair every later version with the first one.

    ``case_verdict`` gives the verdict of one case from its claims' outcomes (``programs.scoring``).

    Raises:
        CompareError: fewer than two versions, no rows, or versions scored on different rows.
    """
    names = list(evaluations)
    if len(names) < 2:
        raise CompareError(f"nothing to compare: {len(names)} version given, name at least two")
    reference = evaluations[names[0]].outcomes
    ids = [o.row_id for o in reference]
    if not ids:
        raise CompareError(f"split {split!r} has no rows")
    for name in names[1:]:
        other = [o.row_id for o in evaluations[name].outcomes]
        if other != ids:
            odd = sorted(set(ids) ^ set(other))[:3]
            raise CompareError(f"{name} was scored on other rows than {names[0]} ({', '.join(odd)}): score both again")
    sides = tuple(_side(name, evaluations[name], case_verdict) for name in names)
    counts = [_discordant(reference, evaluations[name].outcomes) for name in names[1:]]
    raw = [mcnemar_exact(*pair) for pair in counts]
    adjusted = holm(raw)
    pairs = []
    for index, name in enumerate(names[1:]):
        outcomes = evaluations[name].outcomes
        f1, balanced = _intervals(reference, outcomes, resamples, seed)
        better, worse = _changed(reference, outcomes)
        test = McNemar(*counts[index], raw[index], adjusted[index])
        pairs.append(Pair(name, f1, balanced, test, better, worse))
    return Comparison(split, len(ids), len({o.case_id for o in reference}), sides, tuple(pairs))


def _side(name: str, evaluation: Evaluation, case_verdict: Callable[[Sequence[Outcome]], str]) -> Side:
    return Side(
        version=name,
        figures=figures(evaluation.outcomes),
        unsafe_pass=unsafe_passes(evaluation.outcomes, case_verdict),
        tokens=evaluation.tokens,
        seconds=round(sum(o.seconds for o in evaluation.outcomes), 3),
        calls=evaluation.calls,
        reused=evaluation.reused,
    )


def unsafe_passes(outcomes: Sequence[Outcome], case_verdict: Callable[[Sequence[Outcome]], str]) -> tuple[str, ...]:
    """Cases that pass although a critical claim's label is not supported."""
    cases: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        cases.setdefault(outcome.case_id, []).append(outcome)
    return tuple(
        case_id
        for case_id, claims in cases.items()
        if any(o.is_critical and not o.truly_supported for o in claims) and case_verdict(claims) == "PASS"
    )


# --- statistics -----------------------------------------------------------------------------------------------------


def mcnemar_exact(only_reference: int, only_candidate: int) -> float:
    """Two-sided exact p of McNemar's test from the two discordant counts (McNemar 1947, binomial form)."""
    from scipy.stats import binomtest

    discordant = only_reference + only_candidate
    return 1.0 if discordant == 0 else float(binomtest(only_candidate, discordant, 0.5).pvalue)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjusted p values, in the order given (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


def _discordant(reference: Sequence[Outcome], candidate: Sequence[Outcome]) -> tuple[int, int]:
    pairs = [(a.supported_right, b.supported_right) for a, b in zip(reference, candidate, strict=True)]
    return sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)


def _intervals(
    reference: Sequence[Outcome], candidate: Sequence[Outcome], resamples: int, seed: int
) -> tuple[Interval, Interval]:
    import numpy as np

    codes: dict[str, int] = {name: code for code, name in enumerate(CLASSIFICATIONS)}
    supported = np.array([name in SUPPORTED for name in CLASSIFICATIONS] + [False])
    truth = np.array([codes[o.label] for o in reference])
    first, second = (
        np.array([codes.get(o.classification or "", len(codes)) for o in outcomes])
        for outcomes in (reference, candidate)
    )

    def macro_f1(predicted: Any, rows: Any) -> Any:
        t, p = truth[rows], predicted[rows]
        scores = []
        for code in np.unique(truth):
            right = ((t == code) & (p == code)).sum(-1)
            total = (t == code).sum(-1) + (p == code).sum(-1)
            # A class that a resample neither holds nor predicts has no F1 there.
            scores.append(np.where(total > 0, 2 * right / np.maximum(total, 1), np.nan))
        return np.nanmean(np.stack(scores), axis=0)

    def balanced(predicted: Any, rows: Any) -> Any:
        t, p = truth[rows], predicted[rows]
        right = (supported[t] == supported[p]) & (p < len(codes))
        recalls = []
        for side in np.unique(supported[truth]):
            there = supported[t] == side
            recalls.append(np.where(there.any(-1), (right & there).sum(-1) / np.maximum(there.sum(-1), 1), np.nan))
        return np.nanmean(np.stack(recalls), axis=0)

    def interval(statistic: Callable[[Any, Any], Any]) -> Interval:
        return _bootstrap(lambda rows: statistic(second, rows) - statistic(first, rows), len(truth), resamples, seed)

    return interval(macro_f1), interval(balanced)


def _bootstrap(difference: Callable[[Any], Any], rows: int, resamples: int, seed: int) -> Interval:
    """Percentile interval over rows drawn with replacement; both versions see the same draws."""
    import numpy as np

    observed = float(difference(np.arange(rows)[None, :])[0])
    draws = np.random.default_rng(seed).integers(0, rows, size=(resamples, rows))
    spread = difference(draws)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(spread, [tail, 1 - tail])
    return Interval(round(observed, 6), round(float(low), 6), round(float(high), 6))


def _changed(
    reference: Sequence[Outcome], candidate: Sequence[Outcome]
) -> tuple[tuple[ChangedRow, ...], tuple[ChangedRow, ...]]:
    changed = [
        ChangedRow(
            a.row_id,
            a.claim_text,
            a.label,
            a.classification,
            b.classification,
            price(b.label, b.classification) - price(a.label, a.classification),
        )
        for a, b in zip(reference, candidate, strict=True)
    ]
    better = sorted((row for row in changed if row.price_change < 0), key=lambda row: row.price_change)
    worse = sorted((row for row in changed if row.price_change > 0), key=lambda row: -row.price_change)
    return tuple(better), tuple(worse)


# --- promotion gate -------------------------------------------------------------------------------------------------


def gate(comparison: Comparison, *, status: str = "complete") -> tuple[str, ...]:
    """Why the last version of the comparison must not replace the first one; empty when it may.

    Better means: the interval of one of the two differences lies above 0 and the other difference is not below 0.
    """
    pair, reference, side = comparison.pairs[-1], comparison.sides[0], comparison.sides[-1]
    refusals = []
    if status != "complete":
        refusals.append(f"its compile is {status}")
    found = {"macro-F1": pair.macro_f1, "supported balanced accuracy": pair.supported_balanced_accuracy}
    if not any(i.low > 0 for i in found.values()) or any(i.difference < 0 for i in found.values()):
        shown = ", ".join(f"{name} {i.difference:+.3f} [{i.low:+.3f}, {i.high:+.3f}]" for name, i in found.items())
        refusals.append(f"it is not better than {reference.version} on {comparison.split}: {shown}")
    more = len(side.unsafe_pass) - len(reference.unsafe_pass)
    if more > 0:
        fresh = sorted(set(side.unsafe_pass) - set(reference.unsafe_pass))
        refusals.append(f"it passes {more} more unsafe case(s): {', '.join(fresh)}")
    if side.figures["errors"] > reference.figures["errors"]:
        refusals.append(f"{side.figures['errors']} of {comparison.rows} rows failed")
    return tuple(refusals)
