"""Numbers of a claim looked up in its excerpts: the same quantity, by unit and by what it is about."""

from __future__ import annotations

import re

from programs.literals.claims import ClaimText, Figure
from programs.literals.compare import apart, equal, gap, outside_range, pairs, series_of, shares_dimension
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.match_bounds import look_up_bound
from programs.literals.match_counts import count_against, counts_something, look_up_count
from programs.literals.outcome import UNSEEN, Outcome, Scope, found_in
from programs.literals.relate import about_of, keys_of, relation
from programs.literals.series import LIMIT_WORDS, another_figure, figure_of_series, of_series
from programs.literals.steps import derived
from programs.literals.text import any_of

# Words that say a number is a span or a step, so that two visible values may give it.
_SPAN_WORDS = (
    *("耗时", "用时", "历时", "花了", "用了", "持续", "之间", "跨度", "间隔", "差", "升", "降", "涨", "跌", "增", "减"),
)
_SPANS = re.compile(any_of(_SPAN_WORDS) + r"|\b(?:took|lasted|lasting|span|between|apart|rose|fell|grew|dropped)")


def _spans(clause: str) -> bool:
    return bool(_SPANS.search(clause.lower()))


def look_up_number(claim: ClaimText, figure: Figure, excerpts: Excerpts, scope: Scope) -> Outcome:
    """Found, conflicting (the same quantity has another value and none is equal) or unseen."""
    mine, cue = figure.quantity, figure.cue
    about, keys = about_of(claim, figure), keys_of(claim, figure)
    seen = excerpts.comparable(mine)
    field = figure_of_series(claim, figure)
    plain = about - LIMIT_WORDS if field else about

    def related_to(it: SeenNumber) -> str:
        return relation(plain if field and of_series(it) else about, keys, it)

    small_count = (mine.is_count or not mine.values) and mine.is_whole and abs(mine.raw) < 10
    if cue.bound and not small_count:
        related = [(s, related_to(s)) for s in seen if pairs(mine, s)]
        return look_up_bound(claim, figure, related, scope, excerpts)
    hits = [(s, related_to(s)) for s in seen if equal(mine, s, cue.approx)]
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
        wrong = another_figure(claim, figure, field, close, excerpts) if field else None
        if wrong:
            return wrong
        return found_in(close, mine)
    if not small_count and (mine.is_count or not mine.values):
        counted = look_up_count(claim, figure, excerpts)
        if counted.status != "unseen":
            return counted
    if cue.derived or mine.is_factor or (not hits and _spans(claim.clause_text(figure.clause))):
        step = derived(figure, excerpts)
        if step.status == "found":
            return step
    related = [(s, related_to(s)) for s in seen if pairs(mine, s)]
    against = _against(claim, figure, field, related, scope)
    if against and against.cell.record not in equals:  # else the contradicting record shows this very value too
        return Outcome("conflicting", against.cell, against.quantity.text, f"the excerpts show {against.quantity.text}")
    # An equal value of another resource (disk 95% for CPU 95%) grounds nothing.
    rest = [s for s, r in hits if r == "aside" or not mine.values]
    return found_in(rest, mine) if rest else UNSEEN


# "offset > 30s" names the line that was crossed, not a value that was seen.
_CROSSED = re.compile(r"(?:[<>≥≤]=?|超过|低于|\b(?:above|over|below|under|exceeds|exceeded))\s*$", re.I)


def _is_threshold(seen: SeenNumber) -> bool:
    start = seen.quantity.start
    return bool(_CROSSED.search(seen.cell.text[max(0, start - 10) : start]))


def _against(
    claim: ClaimText, figure: Figure, field: str, related: list[tuple[SeenNumber, str]], scope: Scope
) -> SeenNumber | None:
    """The figure that contradicts this one, or None."""
    mine, cue = figure.quantity, figure.cue
    if cue.derived or cue.negated or cue.vague:
        return None
    usable = [(s, r) for s, r in related if scope.admits(s.cell) and not s.cell.is_time and not _is_threshold(s)]
    keyed = [s for s, r in usable if r == "key"]
    if keyed and all(apart(mine, s, cue.approx) for s in keyed) and len({series_of(s) for s in keyed}) == 1:
        if not series_of(keyed[0]) or outside_range(mine, keyed):
            return keyed[0]
        return None
    if not mine.values or mine.is_count:
        return count_against(claim, figure, usable)
    same_dim = [(s, r) for s, r in usable if s.values]
    strong = [s for s, r in same_dim if r == "same"]
    pool = strong
    if not pool:
        # Nothing says what either number is about: only the sole value of that dimension can be the one meant.
        pool = [s for s, r in same_dim if r == "open"]
        alone = sum(bool(shares_dimension(f.quantity, mine)) for f in claim.figures) == 1
        if not alone or len({s.quantity.text for s in pool}) != 1 or any(r in ("aside", "other") for _, r in same_dim):
            return None
    if field and (named := [s for s in pool if s.cell.field == field]):
        pool = named
    if not pool or not all(apart(mine, s, cue.approx) for s in pool):
        return None
    if len({(s.key, series_of(s)) for s in pool}) > 1 or (len(pool) > 1 and not outside_range(mine, pool)):
        return None
    return min(pool, key=lambda s: gap(mine, s))
