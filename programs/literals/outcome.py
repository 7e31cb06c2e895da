"""What a lookup says about one literal, and where a claim's names were found."""

from __future__ import annotations

from typing import Literal, NamedTuple

from programs.literals.cells import Cell
from programs.literals.excerpts import SeenNumber
from programs.literals.quantity import Quantity

Status = Literal["found", "conflicting", "unseen"]


class Outcome(NamedTuple):
    """``cell`` decided; ``shown`` is the number that stands there; ``records`` are all that hold the literal."""

    status: Status
    cell: Cell | None = None
    shown: str = ""
    detail: str = ""
    records: frozenset[str] = frozenset()


UNSEEN = Outcome("unseen")


def belongs(cell: Cell, records: frozenset[str]) -> bool:
    """Whether a cell is part of one of ``records``, itself or through its series."""
    return cell.record in records or cell.series in records


class Scope(NamedTuple):
    """Records that hold the names the claim mentions. ``missing``: it names an entity that no excerpt holds."""

    records: frozenset[str] = frozenset()
    named: bool = False
    missing: bool = False

    def admits(self, cell: Cell) -> bool:
        """Whether a differing value in this cell may speak against the claim."""
        return not self.missing and (not self.named or belongs(cell, self.records))


def found_in(hits: list[SeenNumber], mine: Quantity, detail: str = "") -> Outcome:
    """Found at the first hit, in the records of all of them."""
    first = hits[0]
    shown = first.quantity.text
    note = detail or ("" if shown == mine.text else f"written {shown}")
    return Outcome("found", first.cell, shown, note, frozenset(hit.cell.record for hit in hits))
