"""Values found in the excerpts, but not where the claim puts them: at another time, or with another entity."""

from __future__ import annotations

import re

from programs.literals.claims import ClaimText, Figure, When
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.identifiers import Name
from programs.literals.match_times import RELATIVE
from programs.literals.outcome import Outcome
from programs.literals.same_time import distance

_OWNERS = frozenset({"host", "service", "ip"})


def _linked(one: str, two: str) -> bool:
    """The same record, or a series and one of its points."""
    return one == two or one.startswith(two + ".") or two.startswith(one + ".")


def _meet(some: frozenset[str], others: frozenset[str]) -> bool:
    return any(_linked(a, b) for a in some for b in others)


def mispaired_with_time(
    claim: ClaimText, figures: dict[Figure, Outcome], times: dict[When, Outcome], excerpts: Excerpts
) -> dict[Figure, Outcome]:
    """``10:05 CPU 93%`` while the point of 10:05 shows 41 and only that of 10:20 shows 93: the value is conflicting.

    Only for clauses with one time and one number, points of one series, and no word that shifts the time.
    """
    out = dict(figures)
    for figure, when in _alternating(claim, figures):
        if wrong := _at_another_point(figures[figure], times[when], excerpts):
            out[figure] = wrong
    for figure, outcome in figures.items():
        if outcome.status != "found" or not outcome.records or not all(".points[" in r for r in outcome.records):
            continue
        near = [when for when in claim.whens if when.clause == figure.clause]
        peers = [other for other in claim.figures if other.clause == figure.clause]
        if len(near) != 1 or len(peers) != 1 or figure.cue.bound or figure.cue.derived or figure.cue.negated:
            continue
        if near[0].moment.hour is None or RELATIVE.search(claim.clause_text(figure.clause)):
            continue
        if wrong := _at_another_point(outcome, times[near[0]], excerpts):
            out[figure] = wrong
    return out


_SHIFTING = re.compile(
    r"之前|之后|以前|以后|之间|期间|\b(?:before|after|between|until|since|respectively)\b|分别", re.I
)


def _alternating(claim: ClaimText, figures: dict[Figure, Outcome]) -> list[tuple[Figure, When]]:
    """从 10:00 的 41% 升到 10:05 的 93%: times and values that take turns belong together two by two."""
    valued = [f for f in figures if f.quantity.values and not f.quantity.is_count]
    items: list[tuple[int, Figure | When]] = [(f.quantity.start, f) for f in valued]
    items += [(w.moment.start, w) for w in claim.whens]
    items.sort(key=lambda item: item[0])
    turns = [item for _, item in items]
    if len(turns) < 4 or len(turns) % 2 or _SHIFTING.search(claim.text):
        return []
    out: list[tuple[Figure, When]] = []
    for one, two in zip(turns[::2], turns[1::2], strict=True):
        if isinstance(one, When) and isinstance(two, Figure):
            out.append((two, one))
        elif isinstance(one, Figure) and isinstance(two, When) and isinstance(turns[0], Figure):
            out.append((one, two))
        else:
            return []
    plain = all(not (f.cue.bound or f.cue.derived or f.cue.negated) for f, _ in out)
    return out if plain and len({isinstance(turns[i], When) for i in range(0, len(turns), 2)}) == 1 else []


def _at_another_point(value: Outcome, at: Outcome, excerpts: Excerpts) -> Outcome | None:
    """The value that the named point has, when the claimed one stands only at other points of that series."""
    points = frozenset(record for record in at.records if ".points[" in record)
    if value.status != "found" or at.status != "found" or not points or points & value.records:
        return None
    if not value.records or not all(".points[" in record for record in value.records):
        return None
    series = {record.rpartition(".points[")[0] for record in value.records}
    own = [s for s in excerpts.numbers if s.cell.record in points and s.cell.series in series]
    if not own:
        return None
    shown = own[0].quantity.text
    return Outcome("conflicting", own[0].cell, shown, f"at that time the excerpts show {shown}")


def _sole_owner(claim: ClaimText, clause: int, names: dict[Name, Outcome]) -> Outcome | None:
    """The one entity of a clause, when it is found."""
    owners = [
        (n, o) for n, o in names.items() if n.kind in _OWNERS and n.critical and claim.clause_of(n.start) == clause
    ]
    return owners[0][1] if len(owners) == 1 and owners[0][1].status == "found" and owners[0][1].records else None


def _same_figure(one: SeenNumber, two: SeenNumber) -> bool:
    if one.key or two.key:
        return one.key == two.key
    dims = {v[0] for v in one.values} & {v[0] for v in two.values}
    return bool(dims) and one.about == two.about


def mispaired_with_entity(
    claim: ClaimText,
    names: dict[Name, Outcome],
    figures: dict[Figure, Outcome],
    times: dict[When, Outcome],
    excerpts: Excerpts,
) -> tuple[dict[Figure, Outcome], dict[When, Outcome]]:
    """The value stands only in records of another entity, and the named entity's own records show another one."""
    new_figures, new_times = dict(figures), dict(times)
    for figure, outcome in figures.items():
        owner = _sole_owner(claim, figure.clause, names)
        if owner is None or outcome.status != "found" or not outcome.records or not figure.quantity.values:
            continue
        if figure.cue.bound or figure.cue.derived or figure.cue.negated or _meet(owner.records, outcome.records):
            continue
        theirs = [s for s in excerpts.numbers if s.cell.record in outcome.records and s.quantity.text == outcome.shown]
        own = [
            s
            for s in excerpts.numbers
            if theirs and _same_figure(s, theirs[0]) and _meet(owner.records, frozenset({s.cell.record}))
        ]
        if own:
            shown = own[0].quantity.text
            new_figures[figure] = Outcome("conflicting", own[0].cell, shown, f"for that name the excerpts show {shown}")
    for when, outcome in times.items():
        owner = _sole_owner(claim, when.clause, names)
        if owner is None or outcome.status != "found" or _meet(owner.records, outcome.records):
            continue
        if RELATIVE.search(claim.clause_text(when.clause)) or when.cue.negated or when.moment.hour is None:
            continue
        if sum(other.clause == when.clause for other in claim.whens) > 1:
            continue
        own_times = [(m, c) for m, c in excerpts.moments if c.is_time and c.record in owner.records]
        gaps = [distance(when.moment, m) for m, _ in own_times]
        timed = {c.record for _, c in own_times}
        if own_times and timed >= owner.records and all(g is not None and g > when.moment.unit_seconds for g in gaps):
            shown = own_times[0][0].text
            new_times[when] = Outcome("conflicting", own_times[0][1], shown, f"that record is of {shown}")
    return new_figures, new_times
