"""Times of a claim looked up in its excerpts."""

from __future__ import annotations

import re

from programs.literals.cells import Cell
from programs.literals.claims import ClaimText, When
from programs.literals.excerpts import Excerpts
from programs.literals.outcome import UNSEEN, Outcome
from programs.literals.same_time import distance, tolerance
from programs.literals.times import Moment

# A clause with one of these places something relative to the time; the time itself need not be the record's.
RELATIVE = re.compile(
    r"之前|之后|以前|以后|以来|[前后起至到](?![达期台端])|直到|期间|之间|截至|自从|从|在此|比|早|晚|\b(?:before|after|since|until|till|between|from|to|by|during|prior|later|earlier|through|within)\b",
    re.I,
)


def look_up_time(when: When, excerpts: Excerpts) -> Outcome:
    """Found when some excerpt holds that time at the claim's precision; else unseen with the nearest time."""
    allowed = tolerance(when.moment, when.cue.approx)
    hits: list[tuple[Moment, Cell]] = []
    for moment, cell in excerpts.moments:
        away = distance(when.moment, moment)
        if away is not None and away <= allowed:
            hits.append((moment, cell))
    if not hits:
        return UNSEEN
    moment, cell = hits[0]
    detail = "" if moment.text == when.moment.text else f"written {moment.text}"
    return Outcome("found", cell, moment.text, detail, frozenset(cell.record for _, cell in hits))


def contradicted_time(claim: ClaimText, when: When, excerpts: Excerpts, anchored: frozenset[str]) -> Outcome:
    """Conflicting when the records of the clause's own literals carry another time.

    ``anchored``: records that hold the clause's other strong literals; few of them, so that they are what is meant.
    """
    cue = when.cue
    if cue.negated or cue.bound or when.moment.hour is None or not 1 <= len(anchored) <= 2:
        return UNSEEN
    if RELATIVE.search(claim.clause_text(when.clause)) or sum(w.clause == when.clause for w in claim.whens) > 1:
        return UNSEEN
    times = [(m, c) for m, c in excerpts.moments if c.record in anchored and c.is_time]
    if len({c.record for _, c in times}) < len(anchored):
        return UNSEEN
    margin = max(when.moment.unit_seconds, tolerance(when.moment, True) if cue.approx else 0.0)
    gaps = [distance(when.moment, m) for m, _ in times]
    if times and all(gap is not None and gap > margin for gap in gaps):
        moment, cell = times[0]
        return Outcome("conflicting", cell, moment.text, f"that record is of {moment.text}")
    return UNSEEN
