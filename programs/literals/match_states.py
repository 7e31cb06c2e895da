"""State words of a claim looked up in its excerpts: this side, or only the opposite one, of the named thing."""

from __future__ import annotations

import re

from programs.literals.cells import Cell
from programs.literals.claims import ClaimText
from programs.literals.excerpts import Excerpts
from programs.literals.identifiers import near_miss
from programs.literals.outcome import UNSEEN, Outcome, Scope, belongs
from programs.literals.states import COPULA, State, sides_seen

# Denied, these words speak of one event and not of a lasting state: 没有失败 beside one failed record is no conflict.
_EVENTS = frozenset(["success", "accepted", "acquired", "committed"])
_TOKEN = re.compile(r"[a-z0-9][\w.-]+", re.A)
_ALERT = re.compile(r"告警|报警|\balert|\balarm", re.I)


def look_up_state(claim: ClaimText, state: State, excerpts: Excerpts, scope: Scope) -> Outcome:
    """Found when an excerpt shows that side; conflicting when the records of the named thing show only the other."""
    mine: list[Cell] = []
    against: list[Cell] = []
    opposite = frozenset((pair, 1 - side) for pair, side in state.sides)
    for cell in excerpts.cells:
        said = sides_seen(cell.text, cell.field)
        if not said:
            continue
        if not said.isdisjoint(state.sides):
            mine.append(cell)
        elif said & opposite and _counts(claim, state, said & opposite, cell, excerpts):
            against.append(cell)
    told = [cell for cell in against if not scope.missing and cell.record in scope.records]
    if mine and not (told and _all_of_others(claim, mine, scope, excerpts)):
        return Outcome("found", mine[0])
    if told:
        return Outcome("conflicting", told[0], detail="the excerpts show the opposite state")
    return UNSEEN


def _counts(
    claim: ClaimText, state: State, opposite: frozenset[tuple[str, int]], cell: Cell, excerpts: Excerpts
) -> bool:
    """Whether the opposite side in this cell may speak against the claim."""
    pairs = {pair for pair, _ in opposite}
    if state.negated and pairs <= _EVENTS:
        return False
    if pairs == {"primary"}:
        return bool(COPULA.search(state.before))  # 从库 db-2a names a thing by what it was before the switch
    if pairs == {"firing"} and not _ALERT.search(
        claim.text
    ):  # a service may have recovered while an alert still stands
        named = {item.low for item in excerpts.records[cell.record] if item.field == "alertname"}
        return any(name.needle in named for name in claim.names)
    return True


def _all_of_others(claim: ClaimText, mine: list[Cell], scope: Scope, excerpts: Excerpts) -> bool:
    """Whether every record that shows the claimed side names a sibling (node-b) and not the claim's own thing."""
    needles = [name.needle for name in claim.names]
    for cell in mine:
        if belongs(cell, scope.records):
            return False
        words = {word for item in excerpts.records[cell.record] for word in _TOKEN.findall(item.low)}
        if not any(near_miss(needle, word) for needle in needles for word in words):
            return False
    return True
