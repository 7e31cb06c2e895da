"""A claim's excerpts grouped by record: leaves of one log line, one point, one alert belong together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from programs.literals.cells import NAME_FIELDS, Cell, cells_of
from programs.literals.concepts import concepts
from programs.literals.quantity import Quantity, read_as
from programs.literals.scan import only_number, scan, words_in
from programs.literals.times import Moment
from programs.literals.units import UNITS, Reading, readings_of_name
from signatures.contracts import VerifiedEvidence

_KEY = re.compile(r"([A-Za-z_][\w.\- ]{0,40}?)[\"']?\s*(?:=|:|\bis\b|\bof\b)\s*[\"'(\[]?$", re.A)
_UNNAMED = "\0"
_ROW = re.compile(r" \$\.(?:logs|changes|alerts|patterns|chunks)\[\d+\]$")
# Words behind a number say what it is only up to the next mark.
_BREAK = re.compile(r"[,;，；。]")
# cpu requests: 0.25 is cores, not a count of requests
_RESERVED = re.compile(r"cpu[\s._-](?:requests?|limits?|cores?)$", re.I)
# The figures of a series: they measure what its metric measures.
_STATED = frozenset(["first", "last", "min", "max", "before", "after", "value"])


class SeenNumber(NamedTuple):
    """A number of an excerpt with its key, what it measures, and the words around it."""

    quantity: Quantity
    cell: Cell
    key: str
    values: tuple[tuple[str, float, float], ...]
    context: str

    @property
    def about(self) -> frozenset[str]:
        """The concepts of its key and of the words beside it."""
        return concepts(self.context)


def _values(quantity: Quantity, readings: tuple[Reading, ...]) -> tuple[tuple[str, float, float], ...]:
    if quantity.values or not readings:
        return quantity.values
    if not quantity.is_whole:
        readings = tuple(reading for reading in readings if reading != ("count", 1))  # nobody counts 0.25 of a thing
    return read_as(quantity.raw, quantity.half, readings)


def _in_text(text: str) -> tuple[tuple[Quantity, str, tuple[tuple[str, float, float], ...], str], ...]:
    """(number, key, values, context) of each number in a sentence or a line of key=value pairs."""
    out: list[tuple[Quantity, str, tuple[tuple[str, float, float], ...], str]] = []
    floor = 0
    for quantity in scan(text).numbers:
        before = text[max(floor, quantity.start - 48) : quantity.start]
        stem = before.rstrip(" \"'([")
        named = _KEY.search(before) if stem.endswith(("=", ":", " is", " of")) else None
        if before.strip(" ") == "," and out:  # isr=[2,3]: one key for the whole list
            out.append((quantity, out[-1][1], out[-1][2] and quantity.values, out[-1][3]))
            floor = quantity.end
            continue
        key = named[1].split()[-1] if named else ""
        word = stem.rpartition(" ")[2]
        if not named and not quantity.unit and word[-1:].isalnum() and readings_of_name(word):
            key = word  # of size 67108864
        context = named[1] if named else before[-32:] + " " + _BREAK.split(text[quantity.end : quantity.end + 14])[0]
        readings = (("cpu", 1.0),) if _RESERVED.search(context) else readings_of_name(key)
        out.append((quantity, key, _values(quantity, readings), context))
        floor = quantity.end
    return tuple(out)


# Claims of one run share excerpts, so what one excerpt holds is read once. The stores are small: what they keep alive
# makes every collection of garbage longer.


@lru_cache(maxsize=512)
def _moments_in(source: str, raw_path: str, text: str) -> tuple[tuple[Moment, Cell], ...]:
    cells = cells_of(source, raw_path, text)
    return tuple((m, cell) for cell in cells if cell.field not in NAME_FIELDS for m in scan(cell.text).moments)


@lru_cache(maxsize=512)
def _words_in(source: str, raw_path: str, text: str) -> tuple[tuple[str, Cell], ...]:
    cells = cells_of(source, raw_path, text)
    return tuple((word, cell) for cell in cells if not cell.is_time for word in words_in(cell.low))


@lru_cache(maxsize=512)
def _numbers_in(source: str, raw_path: str, text: str) -> tuple[SeenNumber, ...]:
    """Numbers of one excerpt; one that is a whole cell is left unnamed, since other excerpts may name it."""
    out: list[SeenNumber] = []
    for cell in cells_of(source, raw_path, text):
        if cell.field in NAME_FIELDS or (cell.is_time and cell.field != "0"):
            continue
        number = only_number(cell.text)
        found = (number,) if number else scan(cell.text).numbers
        if len(found) == 1 and found[0].end - found[0].start >= len(cell.text.strip()):
            out.append(SeenNumber(found[0], cell, _UNNAMED, (), ""))
        else:
            out.extend(SeenNumber(q, cell, key, values, about) for q, key, values, about in _in_text(cell.text))
    return tuple(out)


_INDEX = re.compile(r"[0-9]+")


@lru_cache(maxsize=4096)
def _path_order(raw_path: str) -> str:
    """``$.logs[2]`` before ``$.logs[10]``."""
    return _INDEX.sub(lambda found: found[0].zfill(9), raw_path)


def in_path_order(evidence: Sequence[VerifiedEvidence]) -> list[VerifiedEvidence]:
    """The items by invocation and path, so that no finding depends on the order in which they were bound."""
    return sorted(evidence, key=lambda i: (i.source_invocation_id, _path_order(i.raw_path), i.matched_text))


def excerpts_of(evidence: Sequence[VerifiedEvidence]) -> Excerpts:
    """The excerpts of these items; the claims of a run, and the candidates of a story, share them."""
    return _excerpts(tuple({(item.source_invocation_id, item.raw_path, item.matched_text): 0 for item in evidence}))


@lru_cache(maxsize=256)
def _excerpts(items: tuple[tuple[str, str, str], ...]) -> Excerpts:
    return Excerpts(items)


class Excerpts:
    """Everything a claim may rest on. Views are computed when the first literal asks for them."""

    def __init__(self, items: tuple[tuple[str, str, str], ...]) -> None:
        self.items = items
        self._comparable: dict[tuple[str, ...], tuple[SeenNumber, ...]] = {}
        self.cells: tuple[Cell, ...] = tuple(cell for item in self.items for cell in cells_of(*item))

    @cached_property
    def records(self) -> dict[str, list[Cell]]:
        """Cells by record."""
        out: dict[str, list[Cell]] = {}
        for cell in self.cells:
            out.setdefault(cell.record, []).append(cell)
        return out

    @cached_property
    def series_cells(self) -> dict[str, list[Cell]]:
        """Name, unit and label cells by series."""
        out: dict[str, list[Cell]] = {}
        for cell in self.cells:
            if cell.series and ".points[" not in cell.record:
                out.setdefault(cell.series, []).append(cell)
        return out

    def _naming(self, cell: Cell) -> tuple[str, tuple[Reading, ...]]:
        """(key, readings) of a cell whose whole text is one number."""
        field = cell.field
        point = ".points[" in cell.record
        cells = self.series_cells.get(cell.series, []) if point else self.records[cell.record]
        metric = next((c.text for c in cells if c.field in ("metric", "__name__")), "")
        unit = next((c.text for c in cells if c.field == "unit"), "")
        readings = UNITS.get(unit) or readings_of_name(unit) or readings_of_name(metric)
        if metric and field == "threshold":
            return f"{metric}_{field}", readings
        if point or (metric and field in _STATED):
            return metric, readings
        return field, readings_of_name(field)

    @cached_property
    def numbers(self) -> tuple[SeenNumber, ...]:
        """Every number of the excerpts, in order."""
        out: list[SeenNumber] = []
        for item in self.items:
            for slot in _numbers_in(*item):
                if slot.key == _UNNAMED:
                    key, readings = self._naming(slot.cell)
                    slot = SeenNumber(slot.quantity, slot.cell, key, _values(slot.quantity, readings), key)
                out.append(slot)
        return tuple(out)

    def comparable(self, mine: Quantity) -> tuple[SeenNumber, ...]:
        """The numbers that measure what ``mine`` measures, or do not say what they measure; all for a bare number."""
        dims = tuple(dim for dim, _, _ in mine.values)
        if not dims:
            return self.numbers
        if dims not in self._comparable:
            self._comparable[dims] = tuple(
                s for s in self.numbers if not s.values or any(dim in dims for dim, _, _ in s.values)
            )
        return self._comparable[dims]

    @cached_property
    def rows(self) -> dict[str, list[Cell]]:
        """The cells of each log line, change, alert, pattern and chunk by its record."""
        return {record: cells for record, cells in self.records.items() if _ROW.search(record)}

    @cached_property
    def moments(self) -> tuple[tuple[Moment, Cell], ...]:
        """Every time of the excerpts, in order."""
        return tuple(pair for item in self.items for pair in _moments_in(*item))

    @cached_property
    def _words(self) -> dict[str, dict[str, Cell]]:
        """The word tokens (lower case) of the excerpts by first character, each with the first cell that holds it."""
        out: dict[str, dict[str, Cell]] = {}
        for item in self.items:
            for word, cell in _words_in(*item):
                out.setdefault(word[0], {}).setdefault(word, cell)
        return out

    def words_like(self, needle: str) -> list[tuple[str, Cell]]:
        """Every other word that begins like ``needle`` and is as long, give or take two characters, in order."""
        size = len(needle)
        same_head = self._words.get(needle[0], {})
        return [(w, cell) for w, cell in same_head.items() if -2 <= len(w) - size <= 2 and w != needle]
