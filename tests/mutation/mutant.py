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


def drawn(items: Sequence[T], count: int) -> list[T]:
    """At most ``count`` of the items, the same ones every time, in their order."""
    places = sorted(random.Random(0).sample(range(len(items)), min(count, len(items))))
    return [items[place] for place in places]
