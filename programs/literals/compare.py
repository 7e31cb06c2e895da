"""Two numbers in one dimension: equal within the stated tolerance, certainly apart, or neither.

Tolerance: half of the claim's last shown digit after unit conversion (93% for 93.4, 351 MB for 335Mi), 5% under a near
word (约, about). Whole numbers of one unit must be equal. A value that only truncation or the excerpt's own rounding
separates is neither equal nor apart.
"""

from __future__ import annotations

from programs.literals.excerpts import SeenNumber
from programs.literals.quantity import Quantity

NEAR = 0.05
_EXACT = 1e-9  # what converting a unit may add
# Units of more than one reading.
_EITHER = frozenset("KMGTkmg")
_STRICT_BYTES = frozenset(["KB", "kB", "MB", "GB", "TB", "KiB", "Ki", "MiB", "Mi", "GiB", "Gi", "TiB", "Ti"])


def pairs(mine: Quantity, seen: SeenNumber) -> list[tuple[float, float, float, float]]:
    """(claim value, half, seen value, half) for every dimension both can be read in."""
    if mine.values and seen.values:
        if len(mine.values) == 1 and len(seen.values) == 1:
            dim, v, h = mine.values[0]
            other, w, g = seen.values[0]
            return [(v, h, w, g)] if dim == other else []
        return [(v, h, w, g) for dim, v, h in mine.values for other, w, g in seen.values if dim == other]
    if mine.values and (seen.quantity.unit or mine.unit in ("core", "cores", "核")):
        return []
    if mine.values and mine.values[0][0] == "bytes" and seen.quantity.raw >= 4096:  # heap used=6442450944
        return [(v, h, seen.quantity.raw, seen.quantity.half) for dim, v, h in mine.values if dim == "bytes"]
    return [(mine.raw, mine.half, seen.quantity.raw, seen.quantity.half)]


def equal(mine: Quantity, seen: SeenNumber, approx: bool) -> bool:
    """The same quantity within the stated tolerance, in any reading of the two units."""
    near = NEAR if approx else 0.0
    return any(abs(v - w) <= max(half * 1.000001, near * abs(v)) for v, half, w, _ in pairs(mine, seen))


def apart(mine: Quantity, seen: SeenNumber, approx: bool) -> bool:
    """Certainly another value: no rounding, truncation or ambiguous unit explains the difference."""
    both = pairs(mine, seen)
    if not both:
        return False
    if _EITHER & {mine.unit, seen.quantity.unit} and mine.unit != seen.quantity.unit:
        return all(abs(v - w) > 0.15 * max(abs(v), abs(w)) for v, _, w, _ in both)
    unconverted = all(v == mine.raw and w == seen.quantity.raw for v, _, w, _ in both)
    alike = (unconverted or mine.unit == seen.quantity.unit) and mine.half == seen.quantity.half and not approx
    if alike:
        return all(abs(v - w) > half for v, half, w, _ in both)
    binary = mine.unit in _STRICT_BYTES and seen.quantity.unit not in _STRICT_BYTES
    near = 0.11 if binary else 2 * NEAR if approx else 0.0
    return all(abs(v - w) > max(2 * half + other_half, near * abs(v)) for v, half, w, other_half in both)


def satisfies(mine: Quantity, seen: SeenNumber, bound: str) -> bool:
    """Whether an excerpt's number keeps to a bound (``>`` at least, ``<`` at most), which no rounding moves."""
    sign = 1 if bound == ">" else -1
    return any((w - v) * sign >= -_EXACT * abs(v) for v, _, w, _ in pairs(mine, seen))


def gap(mine: Quantity, seen: SeenNumber) -> float:
    """Distance in the base unit of two numbers that can be compared."""
    return min(abs(v - w) for v, _, w, _ in pairs(mine, seen))


def outside_range(mine: Quantity, pool: list[SeenNumber]) -> bool:
    """Outside the range that the visible values span: between two points a value may have been passed."""
    both = [pair for seen in pool for pair in pairs(mine, seen)]
    return all(v < w for v, _, w, _ in both) or all(v > w for v, _, w, _ in both)


def shares_dimension(one: Quantity, two: Quantity) -> bool:
    """Whether two numbers of the claim measure the same kind of thing."""
    return bool({v[0] for v in one.values} & {v[0] for v in two.values})


def series_of(seen: SeenNumber) -> str:
    """The series that a point belongs to; empty for any other number."""
    return seen.cell.series if ".points[" in seen.cell.record else ""
