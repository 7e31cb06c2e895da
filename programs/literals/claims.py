"""The literals of one claim, in order, each with the words that qualify it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from programs.literals import identifiers
from programs.literals.identifiers import Name
from programs.literals.quantity import Quantity
from programs.literals.scan import scan
from programs.literals.text import Cue, clauses, cue, narrow, visible, visible_positions
from programs.literals.times import Moment

# A claim is a sentence or two. What stands beyond this is not looked up, so that cost stays linear on hostile input.
MAX_CHARACTERS = 2_000
MAX_LITERALS = 64


class Figure(NamedTuple):
    """A number of the claim with its cue and its clause."""

    quantity: Quantity
    cue: Cue
    clause: int


class When(NamedTuple):
    """A time of the claim with its cue and its clause."""

    moment: Moment
    cue: Cue
    clause: int


class ClaimText(NamedTuple):
    """A claim read once: ``text`` is narrowed and without invisible marks.

    ``unread``: where reading stopped in a claim that is far too long or too full of literals; -1 when all was read.
    ``positions``: where each character of ``text`` stands in the original; empty when they stand at the same offset.
    """

    text: str
    original: str
    spans: tuple[tuple[int, int], ...]
    names: tuple[Name, ...]
    quotes: tuple[Name, ...]
    figures: tuple[Figure, ...]
    whens: tuple[When, ...]
    unread: int
    positions: tuple[int, ...]

    def span_as_written(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in the original claim of ``text[start:end]``."""
        if not self.positions or start >= end:
            return start, end
        last = min(end, len(self.positions)) - 1
        return self.positions[min(start, last)], self.positions[last] + 1

    def clause_of(self, at: int) -> int:
        """Index of the clause that holds offset ``at``."""
        return _clause_at(self.spans, at)

    def clause_text(self, index: int) -> str:
        """Text of a clause; the whole claim for an unknown one."""
        if 0 <= index < len(self.spans):
            start, end = self.spans[index]
            return self.text[start:end]
        return self.text


def _clause_at(spans: tuple[tuple[int, int], ...], at: int) -> int:
    return next((index for index, (start, end) in enumerate(spans) if start <= at < end), -1)


def _inside(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    return any(a <= start and end <= b for a, b in spans)


@lru_cache(maxsize=256)
def read_claim(claim_text: str) -> ClaimText:
    """Every literal of the claim. A word inside a quotation, a name or a time is not read a second time as a number."""
    head = claim_text[:MAX_CHARACTERS]
    text, positions = visible(narrow(head)), visible_positions(head)
    spans = clauses(text)
    found = scan(text, with_words=True)
    names = identifiers.names_in(text, found)
    quotes = identifiers.quoted(text)
    if quotes:
        needles = {name.needle for name in names}
        quotes = [quote for quote in quotes if quote.needle not in needles]
    quoted_spans = [(quote.start, quote.end) for quote in quotes]
    taken = [(name.start, name.end) for name in names] + quoted_spans
    figures = tuple(
        Figure(q, cue(text, q.start, q.end), _clause_at(spans, q.start))
        for q in found.numbers
        if not _inside(q.start, q.end, taken)
    )
    whens = tuple(
        When(m, cue(text, m.start, m.end), _clause_at(spans, m.start))
        for m in found.moments
        if not _inside(m.start, m.end, taken)
    )
    kept = tuple(name for name in names if not _inside(name.start, name.end, quoted_spans))
    unread = len(text) if len(claim_text) > MAX_CHARACTERS else -1
    beyond = [figure.quantity.start for figure in figures[MAX_LITERALS:]]
    beyond += [when.moment.start for when in whens[MAX_LITERALS:]]
    beyond += [name.start for name in (*kept[MAX_LITERALS:], *quotes[MAX_LITERALS:])]
    if beyond:
        unread = min(beyond)
    bounded = (kept[:MAX_LITERALS], tuple(quotes[:MAX_LITERALS]), figures[:MAX_LITERALS], whens[:MAX_LITERALS])
    return ClaimText(text, claim_text, spans, *bounded, unread, positions)
