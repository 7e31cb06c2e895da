"""Counts of a claim looked up in its excerpts: a counting key, or the rows that can be seen."""

from __future__ import annotations

import re

from programs.literals import counts
from programs.literals.claims import ClaimText, Figure
from programs.literals.compare import apart
from programs.literals.concepts import side
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.outcome import UNSEEN, Outcome
from programs.literals.relate import about_of

_TIMES = re.compile(r"\s(?:times|attempts|occurrences)\b")
_COUNT_KEYS = re.compile(r"count|total|matched|num|times|retries|restarts|errors|attempts|failures", re.I)
_COUNTED_WORD = re.compile(r"\s(?:[a-z]+\s)?(?:times|[a-z]{3,}[^s]s)(?![A-Za-z])", re.I)


def counts_something(seen: SeenNumber) -> bool:
    """A count by its key (retries=4, replicas=3) or by the word behind it (4 times, 4 failed attempts, 4 次)."""
    return _tallies(seen) or bool(seen.key and seen.values and seen.values[0][0] == "count")


def _tallies(seen: SeenNumber) -> bool:
    """A count of happenings: of a pool of things (replicas=3) a claim may count a part only."""
    quantity = seen.quantity
    if quantity.is_count or _COUNT_KEYS.search(seen.key):
        return True
    return bool(_COUNTED_WORD.match(seen.cell.text[quantity.end : quantity.end + 28]))


def look_up_count(claim: ClaimText, figure: Figure, excerpts: Excerpts) -> Outcome:
    """Found when the visible rows give that count in some reading; conflicting when more of it is visible."""
    mine = figure.quantity
    if not mine.is_whole or not 1 <= mine.raw <= 1000:
        return UNSEEN
    clause = claim.clause_text(figure.clause)
    start, end = claim.spans[figure.clause] if figure.clause >= 0 else (0, len(claim.text))
    needles = [n.needle for n in claim.names if start <= n.start < end]
    visible = counts.visible_counts(excerpts, clause, needles)
    if int(mine.raw) in visible:
        reading, cell = visible[int(mine.raw)]
        return Outcome("found", cell, str(int(mine.raw)), f"counted: {reading}")
    level = counts.level_in(claim.text[max(start, mine.start - 8) : mine.end + 12])
    rows = counts.rows_of_level(excerpts, level) if level else []
    plain = not figure.cue.bound and not figure.cue.negated and not figure.cue.vague and not needles
    if len(rows) > mine.raw and plain and mine.is_count and not any(w.clause == figure.clause for w in claim.whens):
        return Outcome("conflicting", rows[0], str(len(rows)), f"{len(rows)} visible {level} rows")
    named = [n.needle for n in claim.names if start <= n.start < end and n.kind != "quoted"]
    repeated_word = bool(_TIMES.match(claim.text[mine.end : mine.end + 13]))
    if not mine.is_count and not repeated_word:
        return UNSEEN
    kinds = counts.rows_by_event(excerpts, clause, named)
    for rows in kinds:
        if len(rows) == mine.raw:
            return Outcome("found", rows[0], str(len(rows)), "counted: rows of that event")
    happened = mine.unit in ("次", "起", "笔", "例") or repeated_word
    repeated = [rows for rows in kinds if len(rows) > 1]
    unhedged = not (figure.cue.bound or figure.cue.negated or figure.cue.vague or figure.cue.derived)
    timed = any(w.clause == figure.clause for w in claim.whens)
    if happened and unhedged and not timed and repeated and all(len(rows) > mine.raw for rows in repeated):
        most = max(repeated, key=len)  # whichever kind is meant, more of it is visible than the claim counts
        return Outcome("conflicting", most[0], str(len(most)), f"{len(most)} visible rows of that event")
    return UNSEEN


def count_against(claim: ClaimText, figure: Figure, usable: list[tuple[SeenNumber, str]]) -> SeenNumber | None:
    """Another count of the same thing: the one counting key of the records, or the one figure of that very name."""
    mine = figure.quantity
    about = about_of(claim, figure)
    counts_or_bare = [(s, r) for s, r in usable if not s.values or s.values[0][0] == "count"]
    named = [s for s, r in counts_or_bare if r == "same" and s.key and s.about == about]
    if not mine.is_count and mine.raw >= 10 and len(named) == 1 and apart(mine, named[0], figure.cue.approx):
        return named[0]
    if not mine.is_whole:
        return None
    bare = [(s, r) for s, r in counts_or_bare if s.quantity.is_whole]
    same = [s for s, r in bare if r == "same" and (_tallies(s) or (s.key and s.about <= about and side(about)))]
    if not same and mine.is_count and mine.raw >= 10:
        same = [s for s, r in bare if _COUNT_KEYS.search(s.key) and r == "open"]
    counting = mine.is_count or side(about) or _COUNTED_WORD.match(claim.text[mine.end : mine.end + 28])
    if len({s.quantity.raw for s in same}) != 1 or same[0].quantity.raw == mine.raw or not counting:
        return None
    return same[0]
