"""Whatever a tool returns, as a JSON value of bounded size that every store and every client can read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from programs.raw_path import shown_text
from programs.tools.clean_text import clean, decode_line, shorten

MAX_DEPTH = 40
# Stores and JSON readers change or refuse a longer integer.
_LONGEST_INT_BITS = 64


class OutputTooLarge(Exception):
    """The output is larger or deeper than what a run keeps."""


def json_value(value: Any, limit: int) -> Any:
    """A copy of ``value`` in JSON types.

    Numbers that are not finite or need more than 64 bits, and unknown types, become text; bytes are read as UTF-8,
    else as GB18030.

    Raises:
        OutputTooLarge: ``limit`` characters or forty levels are passed; the rest is not looked at.
        TypeError: a generator or other iterator: reading it might never end.
    """
    return _Copy(limit).of(value, 0)


class _Copy:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit

    def of(self, value: Any, depth: int) -> Any:
        if type(value) is str:
            self._spend(max(4, len(value)))
            return clean(value)
        self._spend(max(4, len(value)) if isinstance(value, str | bytes | bytearray) else 8)
        if depth > MAX_DEPTH:
            raise OutputTooLarge(f"the output is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, str):
            return clean(str.__str__(value))
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return value if value.bit_length() <= _LONGEST_INT_BITS else shorten(shown_text(value), 1000)
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, dict):
            return {
                self.of(key if type(key) is str else shown_text(key), depth): self.of(item, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple | set | frozenset):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, bytes | bytearray):
            return clean(decode_line(bytes(value)))
        if isinstance(value, Iterator):
            raise TypeError(f"the output holds a {type(value).__name__}: a list is needed")
        return clean(shorten(shown_text(value), 1000))

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise OutputTooLarge(f"the output is larger than {self._limit:,} characters")
