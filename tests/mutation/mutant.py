"""One mutant and its fate."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal, TypeVar

T = TypeVar("T")

Status = Literal["killed", "timeout", "survived", "no tests"]


@dataclass(frozen=True)
class Mutant:
    """A change to one place. It is known by its lines, not by a number: numbers move with every edit.

    ``function`` is empty for a change outside functions; ``before`` and ``after`` are the changed lines, joined.
    ``seconds``: how long its tests took.
    """

    module: str
    function: str
    before: str
    after: str
    status: Status
    seconds: float = 0.0


def changed(diff: Iterable[str]) -> tuple[str, str]:
    """The removed and the added text of a unified diff, each on one line."""
    lines = [line for line in diff if line[:3] not in ("---", "+++")]
    before, after = (" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return before, after


def difference(before: str, after: str) -> tuple[str, str]:
    """The same for two texts."""
    return changed(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))


@dataclass(frozen=True)
class Sample:
    """How many mutants of a module are drawn, and by which seed; the same seed draws the same ones.

    Tests written for one draw say nothing by passing on it: a figure needs a seed that was not looked at.
    """

    count: int
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.count}:{self.seed}"

    @classmethod
    def parsed(cls, text: str) -> Sample | None:
        """The sample that ``str`` wrote; None for an empty text."""
        return cls(*map(int, text.split(":"))) if text else None

    def of(self, items: Sequence[T]) -> list[T]:
        """The drawn items, in their order."""
        places = random.Random(self.seed).sample(range(len(items)), min(self.count, len(items)))
        return [items[place] for place in sorted(places)]
