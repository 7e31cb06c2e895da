"""Numbers of a claim looked up in its excerpts: the same quantity, by unit and by what it is about."""

from __future__ import annotations

import re

from programs.literals.claims import ClaimText, Figure
from programs.literals.compare import NEAR, apart, equal, gap, outside_range, pairs, series_of, shares_dimension
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.match_bounds import beyond_extreme, extreme_field, look_up_bound
from programs.literals.match_counts import count_against, counts_something, look_up_count
from programs.literals.outcome import UNSEEN, Outcome, Scope, found_in
from programs.literals.relate import about_of, keys_of, relation
from programs.literals.scan import Quantity

# Words that say a number is a span or a step, so that two visible values may give it.
_SPANS = re.compile(
    r"耗时|用时|历时|花了|用了|持续|之间|跨度|间隔|相差|差|升|降|涨|跌|增|减|\b(?:took|lasted|lasting|span|between|apart|rose|fell|grew|dropped)",
    re.I,
)


def look_up_number(claim: ClaimText, figure: Figure, excerpts: Excerpts, scope: Scope) -> Outcome:
    """Found, conflicting (the same quantity has another value and none is equal) or unseen."""
    mine, cue = figure.quantity, figure.cue
    about, keys = about_of(claim, figure), keys_of(claim, figure)
    seen = excerpts.numbers
    small_count = (mine.is_count or not mine.values) and mine.is_whole and abs(mine.raw) < 10
    if cue.bound and not small_count:
        related = [(s, relation(about, keys, s)) for s in seen if pairs(mine, s)]
        return look_up_bound(claim, figure, related, scope, excerpts)
    hits = [(s, relation(about, keys, s)) for s in seen if equal(mine, s, cue.approx)]
    equals = frozenset(s.cell.record for s, _ in hits)
    hits.sort(key=lambda pair: gap(mine, pair[0]))
    if small_count:
        counted = look_up_count(claim, figure, excerpts)
        if counted.status != "unseen":
            return counted
        hits = [
            (s, r) for s, r in hits if all(v[0] == "count" for v in s.values) and (r == "key" or counts_something(s))
        ]
    close = [s for s, r in hits if r in ("key", "same")] or [s for s, r in hits if r == "open"]
    if close:
        beyond = beyond_extreme(claim, figure, close, excerpts)
        if beyond:
            return Outcome(
                "conflicting", beyond.cell, beyond.quantity.text, f"a visible point is {beyond.quantity.text}"
            )
        return found_in(close, mine)
    if not small_count and (mine.is_count or not mine.values):
        counted = look_up_count(claim, figure, excerpts)
        if counted.status != "unseen":
            return counted
    if cue.derived or (not hits and _SPANS.search(claim.clause_text(figure.clause))):
        step = _difference(mine, cue.approx, excerpts)
        if step.status == "found":
            return step
    related = [(s, relation(about, keys, s)) for s in seen if pairs(mine, s)]
    against = _against(claim, figure, related, scope)
    if against and against.cell.record not in equals:  # else the contradicting record shows this very value too
        return Outcome("conflicting", against.cell, against.quantity.text, f"the excerpts show {against.quantity.text}")
    # An equal value of another resource (disk 95% for CPU 95%) grounds nothing.
    rest = [s for s, r in hits if r == "aside" or not mine.values]
    return found_in(rest, mine) if rest else UNSEEN


def _against(
    claim: ClaimText, figure: Figure, related: list[tuple[SeenNumber, str]], scope: Scope
) -> SeenNumber | None:
    """The figure that contradicts this one, or None."""
    mine, cue = figure.quantity, figure.cue
    if cue.derived or cue.negated or cue.vague:
        return None
    usable = [(s, r) for s, r in related if scope.admits(s.cell) and not s.cell.is_time]
    keyed = [s for s, r in usable if r == "key" and pairs(mine, s)]
    if keyed and all(apart(mine, s, cue.approx) for s in keyed) and len({series_of(s) for s in keyed}) == 1:
        if not series_of(keyed[0]) or outside_range(mine, keyed):
            return keyed[0]
        return None
    if not mine.values or mine.is_count:
        return count_against(claim, figure, usable)
    same_dim = [(s, r) for s, r in usable if s.values and pairs(mine, s)]
    strong = [s for s, r in same_dim if r == "same"]
    pool = strong
    if not pool:
        # Nothing says what either number is about: only the sole value of that dimension can be the one meant.
        pool = [s for s, r in same_dim if r == "open"]
        alone = sum(bool(shares_dimension(f.quantity, mine)) for f in claim.figures) == 1
        if not alone or len({s.quantity.text for s in pool}) != 1 or any(r in ("aside", "other") for _, r in same_dim):
            return None
    extreme = extreme_field(claim, figure)
    if extreme and (named := [s for s in pool if s.cell.field == extreme]):
        pool = named
    if not pool or not all(apart(mine, s, cue.approx) for s in pool):
        return None
    if len({(s.key, series_of(s)) for s in pool}) > 1 or (len(pool) > 1 and not outside_range(mine, pool)):
        return None
    return min(pool, key=lambda s: gap(mine, s))


def _difference(mine: Quantity, approx: bool, excerpts: Excerpts) -> Outcome:
    """A span between two visible times, or a step between two visible points of one series."""
    half = max([h for _, _, h in mine.values] or [mine.half])
    if any(dim == "time" for dim, _, _ in mine.values):
        value = next(v for dim, v, _ in mine.values if dim == "time")
        instants = list({at: cell for m, cell in excerpts.moments[:40] if (at := m.at())}.items())
        for index, (first, cell) in enumerate(instants):
            for second, _ in instants[index + 1 :]:
                step = abs((second - first).total_seconds())
                if abs(step - value) <= max(half, NEAR * value if approx else 0.0) + 1e-6:
                    return Outcome("found", cell, str(first), "span between two visible times")
    points = [s for s in excerpts.numbers if series_of(s)][:40]
    for index, one in enumerate(points):
        for two in points[index + 1 :]:
            if series_of(one) == series_of(two):
                step = abs(one.quantity.raw - two.quantity.raw)
                if step and abs(step - abs(mine.raw)) <= max(mine.half, NEAR * abs(mine.raw) if approx else 0.0):
                    return Outcome("found", one.cell, one.quantity.text, "difference of two visible points")
    return UNSEEN
