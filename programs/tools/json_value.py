"""Whatever a tool returns, as a JSON value of bounded size that every store and every client can read."""

from __future__ import annotations

import math
from typing import Any

from programs.tools.clean_text import clean, shorten

MAX_DEPTH = 40


class OutputTooLarge(Exception):
    """The output is larger or deeper than what a run keeps."""


def json_value(value: Any, limit: int) -> Any:
    """A copy of ``value`` in JSON types: numbers that are not finite and unknown types become text.

    Raises OutputTooLarge once ``limit`` characters, or forty levels, are passed; the rest is not looked at.
    """
    return _Copy(limit).of(value, 0)


class _Copy:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit

    def of(self, value: Any, depth: int) -> Any:
        self._spend(len(value) if isinstance(value, str | bytes) else 8)
        if depth > MAX_DEPTH:
            raise OutputTooLarge(f"the output is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, str):
            return clean(value)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, dict):
            return {self.of(str(key), depth): self.of(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, bytes):
            return clean(value.decode("utf-8", errors="replace"))
        return clean(shorten(str(value), 1000))

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise OutputTooLarge(f"the output is larger than {self._limit:,} characters")
