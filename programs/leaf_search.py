"""Which scalar of an output holds an excerpt whose path is missing: one search of all of them instead of one each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from programs.excerpt import Narrowed, even, fold
from programs.raw_path import canonical_json, step_text, text_of
from programs.text_index import TextIndex

_NESTED = (dict, list)
_BETWEEN = "\x00"  # folding writes it as an escape, so it stands in no leaf and no excerpt


class Leaves:
    """The scalars of an output, folded and joined. Paths are written for hits alone."""

    def __init__(self, output: Any) -> None:
        self._containers: list[tuple[Any, int, str | int]] = [([output], -1, "")]
        self._first_leaf: list[int] = []
        self._names: dict[int, list[str | int]] = {}
        texts = _texts(self._scalars())
        joined = _BETWEEN.join(texts)
        same = even(joined, keep=_BETWEEN) if joined.count(_BETWEEN) == len(texts) - 1 else None
        if same is None:
            texts = [fold(text) for text in texts]
            same = _BETWEEN.join(texts)
        self._narrowed = Narrowed(same + _BETWEEN)  # every leaf has an end
        self._lengths = list(accumulate(map(len, texts)))
        self._index = TextIndex(self._narrowed.text)

    def holding(self, folded_excerpt: str) -> list[str]:
        """The paths of two leaves with the excerpt, which is not empty; fewer when fewer have it."""
        found: list[str] = []
        at = self._index.find(folded_excerpt)
        while at >= 0 and len(found) < 2:
            found.append(self._path(self._leaf(self._narrowed.place(at))))
            at = self._index.find(folded_excerpt, self._index.text.find(_BETWEEN, at))
        return found

    def _leaf(self, place: int) -> int:
        # Each leaf is one separator longer than its text.
        return bisect_right(range(len(self._lengths)), place, key=lambda leaf: self._lengths[leaf] + leaf)

    def _scalars(self) -> list[Any]:
        found: list[Any] = []
        # The list grows while it is read: tool output may be nested deeper than Python recurses.
        for number, (container, _, _) in enumerate(self._containers):
            self._first_leaf.append(len(found))
            values = container.values() if isinstance(container, dict) else container
            scalars = [value for value in values if not isinstance(value, _NESTED)]
            found += scalars
            if len(scalars) < len(container):
                self._containers += [
                    (value, number, step) for step, value in _items(container) if isinstance(value, _NESTED)
                ]
        return found

    def _path(self, leaf: int) -> str:
        number = bisect_right(self._first_leaf, leaf) - 1
        container, parent, step = self._containers[number]
        if number not in self._names:
            self._names[number] = [name for name, value in _items(container) if not isinstance(value, _NESTED)]
        steps = [self._names[number][leaf - self._first_leaf[number]]]
        while parent >= 0:
            steps.append(step)
            _, parent, step = self._containers[parent]
        # The outermost list only holds the output itself.
        return "$" + "".join(step_text(step) for step in reversed(steps[:-1]))


def _items(container: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(container, dict):
        return ((str(key), value) for key, value in container.items())
    return enumerate(container)


def _texts(scalars: list[Any]) -> list[str]:
    """What an excerpt is compared with, numbers in one go: a call for each of half a million takes a second."""
    numbers = [value for value in scalars if type(value) in (int, float)]
    written = iter(canonical_json(numbers)[1:-1].split(","))
    return [next(written) if type(value) in (int, float) else text_of(value) for value in scalars]
