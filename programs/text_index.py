"""Many short texts looked up in one long text: those that begin alike share one pass over it."""

from __future__ import annotations

import re
from itertools import islice

# Shorter texts are searched as fast as any table could be asked.
_LONG_TEXT = 50_000
_KEY = 8
_HEAD = 24
# Tables are kept for beginnings that are rare enough, and for a few of them: a contract of strangers costs no memory.
_SPARSE = 100
_TABLES = 16
_CROWD = 1000

_Table = dict[str, list[int]]


class TextIndex:
    """``find`` as of ``str``, at a fraction of its time once needles begin alike, as the lines of one log do."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tables: dict[str, _Table | None] = {}
        self._seen: set[str] = set()

    def find(self, needle: str, start: int = 0) -> int:
        """The first place of ``needle`` at or after ``start``, or -1."""
        table = self._table(needle)
        if table is None:
            return self.text.find(needle, start)
        places = table.get(needle[:_HEAD], ())
        if len(places) > _CROWD:
            return self.text.find(needle, start)
        return next((at for at in places if at >= start and self.text.startswith(needle, at)), -1)

    def _table(self, needle: str) -> _Table | None:
        if len(self.text) < _LONG_TEXT or len(needle) < _HEAD:
            return None
        key = needle[:_KEY]
        if key not in self._tables:
            if key not in self._seen or len(self._tables) == _TABLES:
                self._seen.add(key)
                return None
            self._tables[key] = _places_by_head(self.text, key)
        return self._tables[key]


def _places_by_head(text: str, key: str) -> _Table | None:
    """Every place of ``key``, by the characters that stand there; None when there are too many."""
    if any(key.endswith(key[:size]) for size in range(1, len(key))):
        return None  # its places may overlap, and the pass below sees only those that do not
    if key not in text:
        return {}
    most = len(text) // _SPARSE
    table: _Table = {}
    found = re.finditer(re.escape(key), text)
    for match in islice(found, most):
        at = match.start()
        table.setdefault(text[at : at + _HEAD], []).append(at)
    return table if next(found, None) is None else None
