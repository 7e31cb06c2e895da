"""A written number with what it measures and how exactly it is written."""

from __future__ import annotations

from typing import NamedTuple

from programs.literals.units import COUNT_UNITS, Reading

# A whole number beyond this many digits is an identifier: as a float its last digits would be lost.
EXACT_DIGITS = 15


class Quantity(NamedTuple):
    """A written number. ``values``: one (dimension, value, half of the last shown digit) per reading of its unit.

    ``raw`` is the number as written; ``half`` half of its last shown digit. No reading: a bare number.
    """

    start: int
    end: int
    text: str
    raw: float
    half: float
    unit: str = ""
    values: tuple[tuple[str, float, float], ...] = ()

    @property
    def is_count(self) -> bool:
        return self.unit in COUNT_UNITS

    @property
    def is_whole(self) -> bool:
        return self.half == 0.5

    @property
    def is_factor(self) -> bool:
        """两倍, 3x, doubled: how many times another value."""
        return bool(self.values) and self.values[0][0] == "factor"


def read_as(raw: float, half: float, readings: tuple[Reading, ...]) -> tuple[tuple[str, float, float], ...]:
    """The values of a number under every reading of its unit."""
    if len(readings) == 1:
        dim, factor = readings[0]
        return ((dim, raw * factor, half * factor),)
    return tuple((dim, raw * factor, half * factor) for dim, factor in readings)
