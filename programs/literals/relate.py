"""Whether a claim's number and an excerpt's number speak of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from programs.literals.claims import ClaimText, Figure
from programs.literals.concepts import RESOURCES, concepts, core, side
from programs.literals.excerpts import SeenNumber

_WORD = re.compile(r"[A-Za-z_][\w.\-]*", re.A)


def about_of(claim: ClaimText, figure: Figure) -> frozenset[str]:
    """Concepts of the words nearest to the number: before it in its clause, else after it, else the claim before it."""
    quantity = figure.quantity
    start, end = claim.spans[figure.clause] if figure.clause >= 0 else (0, len(claim.text))
    others = [f.quantity for f in claim.figures if f.clause == figure.clause and f is not figure]
    floor = max([q.end for q in others if q.end <= quantity.start], default=start)
    roof = min([q.start for q in others if q.start >= quantity.end], default=end)
    before = concepts(claim.text[floor : quantity.start])
    if core(before):
        return before
    after = concepts(claim.text[quantity.end : roof])
    if core(after):
        return before | after
    return before | after | concepts(claim.text[start : quantity.start])


def keys_of(claim: ClaimText, figure: Figure) -> frozenset[str]:
    """The last written words before the number, as keys an excerpt may have (max_connections)."""
    start = max(claim.spans[figure.clause][0] if figure.clause >= 0 else 0, figure.quantity.start - 40)
    words = _WORD.findall(claim.text[start : figure.quantity.start])
    return frozenset(word.lower() for word in words[-2:] if len(word) > 1)


def relation(about: frozenset[str], keys: frozenset[str], seen: SeenNumber) -> str:
    """key (named by the claim), same, open (one side says nothing), aside (other words) or other (another resource)."""
    return "key" if seen.key and seen.key.lower() in keys else _related(about, seen.about)


@lru_cache(maxsize=8192)
def _related(about: frozenset[str], seen_about: frozenset[str]) -> str:
    mine, its = core(about), core(seen_about)
    if mine & RESOURCES and its & RESOURCES and not mine & its:
        return "other"
    if side(about) != side(seen_about):
        return "aside" if mine or side(about) else "open"
    if side(about) and not (mine and its):
        return "same"
    if not mine or not its:
        return "open"
    return "same" if mine & its else "aside"
