"""The literals of one claim, in order, each with the words that qualify it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from programs.literals import identifiers
from programs.literals.identifiers import Name
from programs.literals.scan import Quantity, scan
from programs.literals.text import Cue, clauses, cue, narrow
from programs.literals.times import Moment

# A claim is a sentence or two. What stands beyond this is not looked up, so that cost stays linear on hostile input.
MAX_CHARACTERS = 2_000
MAX_LITERALS = 64


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the claim with its cue and its clause."""

    quantity: Quantity
    cue: Cue
    clause: int


@dataclass(frozen=True, slots=True)
class When:
    """A time of the claim with its cue and its clause."""

    moment: Moment
    cue: Cue
    clause: int


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim read once: ``text`` is narrowed, offset for offset.

    ``unread``: where reading stopped in a claim that is far too long or too full of literals; -1 when all was read.
    """

    text: str
    original: str
    spans: tuple[tuple[int, int], ...]
    names: tuple[Name, ...]
    quotes: tuple[Name, ...]
    figures: tuple[Figure, ...]
    whens: tuple[When, ...]
    unread: int = -1

    def clause_of(self, at: int) -> int:
        """Index of the clause that holds offset ``at``."""
        for index, (start, end) in enumerate(self.spans):
            if start <= at < end:
                return index
        return -1

    def clause_text(self, index: int) -> str:
        """Text of a clause; the whole claim for an unknown one."""
        if 0 <= index < len(self.spans):
            start, end = self.spans[index]
            return self.text[start:end]
        return self.text


def _inside(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    return any(a <= start and end <= b for a, b in spans)


@lru_cache(maxsize=2048)
def read_claim(claim_text: str) -> ClaimText:
    """Every literal of the claim. A word inside a quotation, a name or a time is not read a second time as a number."""
    text = narrow(claim_text[:MAX_CHARACTERS])
    spans = clauses(text)
    found = scan(text, plain_words=True)
    names = identifiers.names_in(text, found)
    quotes = identifiers.quoted(text)
    single = [(quote.start, quote.end) for quote in quotes if any(name.needle == quote.needle for name in names)]
    quotes = [quote for quote in quotes if (quote.start, quote.end) not in single]
    taken = [(name.start, name.end) for name in names] + [(quote.start, quote.end) for quote in quotes]
    name_spans = [(name.start, name.end) for name in names]

    def clause(at: int) -> int:
        return next((i for i, (start, end) in enumerate(spans) if start <= at < end), -1)

    figures = tuple(
        Figure(q, cue(text, q.start, q.end), clause(q.start))
        for q in found.numbers
        if not _inside(q.start, q.end, name_spans) and not _inside(q.start, q.end, taken)
    )
    whens = tuple(
        When(m, cue(text, m.start, m.end), clause(m.start)) for m in found.moments if not _inside(m.start, m.end, taken)
    )
    kept = tuple(name for name in names if not _inside(name.start, name.end, [(q.start, q.end) for q in quotes]))
    unread = MAX_CHARACTERS if len(claim_text) > MAX_CHARACTERS else -1
    for starts in (
        [figure.quantity.start for figure in figures],
        [when.moment.start for when in whens],
        [name.start for name in kept],
        [quote.start for quote in quotes],
    ):
        if len(starts) > MAX_LITERALS:
            unread = min(starts[MAX_LITERALS], unread) if unread >= 0 else starts[MAX_LITERALS]
    bounded = (kept[:MAX_LITERALS], tuple(quotes[:MAX_LITERALS]), figures[:MAX_LITERALS], whens[:MAX_LITERALS])
    return ClaimText(text, claim_text, spans, *bounded, unread)
