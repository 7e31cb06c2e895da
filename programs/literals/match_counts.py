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
_COUNTED_WORD = re.compile(r"\s(?:[a-z]+\s)?[a-z]{3,}[^s]s(?![A-Za-z])", re.I)


def counts_something(seen: SeenNumber) -> bool:
    """A count by its key (retries=4, replicas=3) or by the word behind it (4 times, 4 failed attempts, 4 次).

    Only for a number that has no reading but that of a count.
    """
    return _tallies(seen) or bool(seen.key and seen.values)


def _tallies(seen: SeenNumber) -> bool:
    """A count of happenings: of a pool of things (replicas=3) a claim may count a part only."""
    quantity = seen.quantity
    if quantity.is_count or _COUNT_KEYS.search(seen.key):
        return True
    return bool(_COUNTED_WORD.match(seen.cell.text, quantity.end))


def look_up_count(claim: ClaimText, figure: Figure, excerpts: Excerpts) -> Outcome:
    """Found when the visible rows give that count in some reading; conflicting when more of it is visible."""
    mine, cue = figure.quantity, figure.cue
    if not mine.is_whole or not 1 <= mine.raw <= 1000:
        return UNSEEN
    clause, start = claim.clause_text(figure.clause), claim.spans[figure.clause][0]
    needles = [n.needle for n in claim.names if claim.clause_of(n.start) == figure.clause]
    visible = counts.visible_counts(excerpts, clause, needles)
    if int(mine.raw) in visible:
        reading, cell = visible[int(mine.raw)]
        return Outcome("found", cell, detail=f"counted: {reading}")
    timed = any(w.clause == figure.clause for w in claim.whens)
    hedged = bool(timed or cue.bound or cue.negated or cue.vague or cue.derived)
    level = counts.level_in(claim.text[max(start, mine.start - 8) : mine.end + 12])
    rows = counts.rows_of_level(excerpts, level) if level else []
    if len(rows) > mine.raw and mine.is_count and not hedged and not needles:
        return Outcome("conflicting", rows[0], detail=f"{len(rows)} visible {level} rows")
    repeated_word = bool(_TIMES.match(claim.text, mine.end))
    if not mine.is_count and not repeated_word:
        return UNSEEN
    kinds = counts.rows_by_event(excerpts, clause, needles)
    for rows in kinds:
        if len(rows) == mine.raw:
            return Outcome("found", rows[0], detail="counted: rows of that event")
    happened = mine.unit in ("次", "起", "笔", "例") or repeated_word
    repeated = [rows for rows in kinds if len(rows) > 1]
    if happened and not hedged and repeated and all(len(rows) > mine.raw for rows in repeated):
        most = max(repeated, key=len)  # whichever kind is meant, more of it is visible than the claim counts
        return Outcome("conflicting", most[0], detail=f"{len(most)} visible rows of that event")
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
        same = [s for s, r in bare if r == "open" and _COUNT_KEYS.search(s.key)]
    counting = mine.is_count or side(about) or _COUNTED_WORD.match(claim.text, mine.end)
    return same[0] if counting and len({s.quantity.raw for s in same}) == 1 else None
