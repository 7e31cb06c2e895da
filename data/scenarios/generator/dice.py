"""Seeded draws.

Only ``Random.random()`` is used: it is the one call whose sequence Python promises to keep between versions. Each
stream has its own key, so adding a log line to one service does not move the numbers of another.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_SLOT = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


class Dice:
    """A stream of draws named by ``key``; equal keys give equal draws."""

    def __init__(self, *key: object) -> None:
        self._random = random.Random("/".join(str(part) for part in key))

    def unit(self) -> float:
        """A float in [0, 1)."""
        return self._random.random()

    def whole(self, low: int, high: int) -> int:
        """An integer in [low, high]."""
        return low + int(self.unit() * (high - low + 1))

    def around(self, centre: float, spread: float) -> float:
        """A float in (centre - spread, centre + spread), most often near the centre."""
        return centre + spread * (self.unit() + self.unit() - 1.0)

    def pick(self, options: Sequence[str]) -> str:
        return options[self.whole(0, len(options) - 1)]

    def hexes(self, length: int) -> str:
        return "".join("0123456789abcdef"[self.whole(0, 15)] for _ in range(length))

    def count(self, mean: float) -> int:
        """A whole number near ``mean`` whose average is ``mean``."""
        varied = max(0.0, self.around(mean, mean * 0.35))
        return int(varied) + (1 if self.unit() < varied - int(varied) else 0)


def fill(template: str, dice: Dice) -> str:
    """Fill ``{int:LOW~HIGH}``, ``{dec:LOW~HIGH~DIGITS}``, ``{hex:LENGTH}`` and ``{pick:A|B}`` in ``template``."""

    def slot(match: re.Match[str]) -> str:
        kind, spec = match.group(1), match.group(2) or ""
        if kind == "int":
            low, high = spec.split("~")
            return str(dice.whole(int(low), int(high)))
        if kind == "dec":
            low, high, digits = spec.split("~")
            return f"{float(low) + dice.unit() * (float(high) - float(low)):.{int(digits)}f}"
        if kind == "hex":
            return dice.hexes(int(spec))
        if kind == "pick":
            return dice.pick(spec.split("|"))
        raise ValueError(f"unknown slot {match.group(0)!r} in log template {template!r}")

    return _SLOT.sub(slot, template)
