"""What an excerpt must be to count as found in a text, and which part of the text is kept around it (G3, G22)."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cached_property
from itertools import islice

from programs.raw_path import storable

MATCHED_TEXT_LIMIT = 400

_BLOCK = 512


def shows(text: str, count: int = 1) -> bool:
    """Whether a reader can see at least ``count`` characters; a lone surrogate is shown by its escape."""
    seen = (char for char in text if unicodedata.category(char)[0] not in "ZC" or "\ud800" <= char <= "\udfff")
    return sum(1 for _ in islice(seen, count)) == count


def fold(text: str) -> str:
    """The form in which excerpts are compared: NFKC, whitespace runs as one blank, case kept."""
    if text.isascii() and "\x00" not in text:
        return " ".join(text.split())
    return " ".join(storable(unicodedata.normalize("NFKC", text)).split())


def _fold_keeping_ends(text: str) -> str:
    folded = fold(text)
    if not folded:
        return " "
    return (" " if text[0].isspace() else "") + folded + (" " if text[-1].isspace() else "")


def _joins_before(char: str) -> bool:
    # Under NFKC these may fuse with the character before them: combining marks, Hangul vowels and finals.
    return unicodedata.combining(char) != 0 or "\u1160" <= char <= "\u11ff" or char.isspace()


class FoldedText:
    """A text in folded form that can say where a folded excerpt lies in the original.

    Folding happens on the first search, block by block, and only the block of a hit is mapped character by character:
    five megabytes are folded once and never indexed one by one.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def find(self, folded_excerpt: str) -> tuple[int, int] | None:
        """Start and end of the excerpt in the original text, or None."""
        _, _, body = self._blocks
        at = body.find(folded_excerpt) if folded_excerpt else -1
        if at < 0:
            return None
        start, _ = self._character(at)
        _, end = self._character(at + len(folded_excerpt) - 1)
        return start, end

    @cached_property
    def _blocks(self) -> tuple[list[int], list[int], str]:
        """Where each block starts in the text, where in the folded form, and the folded form."""
        starts, offsets, parts = list[int](), list[int](), list[str]()
        position = offset = 0
        while position < len(self._text):
            end = self._segment_end(min(position + _BLOCK, len(self._text)))
            part = _fold_keeping_ends(self._text[position:end])
            starts.append(position)
            offsets.append(offset)
            parts.append(part)
            position, offset = end, offset + len(part)
        return starts, offsets, "".join(parts)

    def _segment_end(self, end: int) -> int:
        while end < len(self._text) and _joins_before(self._text[end]):
            end += 1
        return end

    def _character(self, offset: int) -> tuple[int, int]:
        """The span of the original character behind one folded character, without the blanks after it."""
        starts, offsets, _ = self._blocks
        block = bisect_right(offsets, offset) - 1
        position, reached = starts[block], offsets[block]
        while position < len(self._text):
            end = self._segment_end(position + 1)
            segment = self._text[position:end]
            reached += len(_fold_keeping_ends(segment))
            if reached > offset:
                return position, position + max(1, len(segment.rstrip()))
            position = end
        return position, position


def locate(text: str, excerpt: str, folded: FoldedText | None = None) -> tuple[int, int] | None:
    """Where the excerpt lies in the text (start, end), or None. An exact hit needs no folding."""
    bare = excerpt.strip()
    at = text.find(bare) if bare else -1
    if at >= 0:
        return at, at + len(bare)
    return (folded or FoldedText(text)).find(fold(excerpt))


def cut(text: str, span: tuple[int, int], limit: int = MATCHED_TEXT_LIMIT) -> str | None:
    """The kept part of the text: all of it when it fits, else a window with the span whole inside.

    None when the span itself is longer than the limit (characters).
    """
    start, end = span
    if len(text) <= limit and len(whole := storable(text)) <= limit:
        return whole
    found = storable(text[start:end])
    room = limit - len(found)
    if room < 0:
        return None
    before = storable(text[max(0, start - room) : start])
    after = storable(text[end : end + room])
    right = min(len(after), max(room // 2, room - len(before)))
    left = min(len(before), room - right)
    return before[len(before) - left :] + found + after[:right]
