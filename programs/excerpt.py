"""What an excerpt must be to count as found in a text, and which part of the text is kept around it (G3, G22)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import islice

from programs.raw_path import storable
from programs.text_index import TextIndex

MATCHED_TEXT_LIMIT = 400

_BLOCK = 1024
_RUN = re.compile("  +")
_ASCII_BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f"
# The blanks beyond ASCII that NFKC leaves as they are.
_OTHER_BLANKS = "\x85\u1680\u2028\u2029"
# Chinese punctuation is the one thing in most Chinese text that NFKC changes, each sign to one sign.
_WIDE_SIGNS = [
    (chr(wide), unicodedata.normalize("NFKC", chr(wide)))
    for wide in (0x3000, *range(0xFF01, 0xFF10), *range(0xFF1A, 0xFF21), *range(0xFF3B, 0xFF41), *range(0xFF5B, 0xFF5F))
]
# Letters that fuse with the one before them although they are no combining marks.
_FUSING = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
)


def shows(text: str, count: int = 1) -> bool:
    """Whether a reader can see at least ``count`` characters; a lone surrogate is shown by its escape."""
    seen = (char for char in text if unicodedata.category(char)[0] not in "ZC" or "\ud800" <= char <= "\udfff")
    return sum(1 for _ in islice(seen, count)) == count


def fold(text: str) -> str:
    """The form in which excerpts are compared: NFKC, whitespace runs as one blank, case kept."""
    return " ".join(_normal(text).split())


def _normal(text: str) -> str:
    if text.isascii():
        return text if "\x00" not in text else storable(text)
    return storable(text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text))


def even(text: str, keep: str = "") -> str | None:
    """The text with each character folded at its own place, for megabytes; None when folding moves any.

    Runs of blanks stay as long as they are, and so does ``keep``, a character that folding would write as an escape.
    """
    if not text.isascii():
        for wide, plain in _WIDE_SIGNS:
            text = text.replace(wide, plain)
        if not unicodedata.is_normalized("NFKC", text) or not _encodable(text):
            return None
    for blank in _ASCII_BLANKS if text.isascii() else _ASCII_BLANKS + _OTHER_BLANKS:
        text = text.replace(blank, " ")
    return None if "\x00" in text and keep != "\x00" else text


class Narrowed:
    """A text with one blank for each run of them, and the way back to the places in it."""

    def __init__(self, text: str) -> None:
        self._places: list[int] = []  # of each run in the narrowed text
        self._left_out: list[int] = [0]  # blanks left out before and in each run
        parts = list[str]()
        end = 0
        for run in _RUN.finditer(text) if "  " in text else ():
            self._places.append(run.start() - self._left_out[-1])
            self._left_out.append(self._left_out[-1] + run.end() - run.start() - 1)
            parts.append(text[end : run.start() + 1])
            end = run.end()
        self.text = "".join((*parts, text[end:])) if parts else text

    def place(self, at: int) -> int:
        """The place in the full text of the character at a place of the narrowed one."""
        return at + self._left_out[bisect_left(self._places, at)]


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fold_keeping_end(text: str) -> str:
    # No block begins with a blank, but for the first one, whose blanks no excerpt needs.
    normal = _normal(text)
    folded = " ".join(normal.split())
    return f"{folded} " if folded and normal[-1].isspace() else folded


def _joins_before(char: str) -> bool:
    # Under NFKC these may fuse with the character before them: combining marks, Hangul vowels and finals, blanks.
    first = unicodedata.normalize("NFKD", char)[0]
    return unicodedata.combining(first) != 0 or "\u1160" <= first <= "\u11ff" or first.isspace() or first in _FUSING


class FoldedText:
    """A text in which excerpts are found as they are, or in folded form with their place in the original.

    Folding happens on the first search that needs it. Where it moves characters, it is done block by block, and only
    the block of a hit is read closer: five megabytes are folded once and never indexed one by one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = TextIndex(text)

    def locate(self, excerpt: str) -> tuple[int, int] | None:
        """Start and end of the excerpt in the original text, or None. An exact hit needs no folding."""
        bare = excerpt.strip()
        at = self._plain.find(bare) if bare else -1
        return (at, at + len(bare)) if at >= 0 else self._locate_folded(bare, fold(excerpt))

    def is_folded(self, folded_excerpt: str) -> bool:
        """Whether the folded excerpt is the whole text, folded."""
        return self._body.text.strip() == folded_excerpt

    def _locate_folded(self, bare: str, folded: str) -> tuple[int, int] | None:
        known = not folded or (self._body is self._plain and folded == bare)
        at = -1 if known else self._body.find(folded)
        if at < 0:
            return None
        last = at + len(folded) - 1
        if self._narrowed is not None:
            return self._narrowed.place(at), self._narrowed.place(last) + 1
        return self._character(at)[0], self._character(last)[1]

    @cached_property
    def _narrowed(self) -> Narrowed | None:
        """The folded form where folding moves nothing but blanks; None where it moves more."""
        text = even(self._text)
        return None if text is None else Narrowed(text)

    @cached_property
    def _body(self) -> TextIndex:
        """The folded form."""
        if self._narrowed is None:
            return TextIndex("".join(self._blocks[2]))
        return self._plain if self._narrowed.text == self._text else TextIndex(self._narrowed.text)

    @cached_property
    def _blocks(self) -> tuple[list[int], list[int], list[str]]:
        """Where each block starts in the text, where in the folded form, and its folded form."""
        starts, offsets, parts = list[int](), list[int](), list[str]()
        position = offset = 0
        while position < len(self._text):
            end = self._segment_end(min(position + _BLOCK, len(self._text)))
            part = _fold_keeping_end(self._text[position:end])
            starts.append(position)
            offsets.append(offset)
            parts.append(part)
            position, offset = end, offset + len(part)
        return starts, offsets, parts

    def _segment_end(self, end: int) -> int:
        while end < len(self._text) and _joins_before(self._text[end]):
            end += 1
        return end

    def _character(self, offset: int) -> tuple[int, int]:
        """The span of the original character behind one folded character, without the blanks after it."""
        starts, offsets, _ = self._blocks
        block = bisect_right(offsets, offset) - 1
        first, wanted = starts[block], offset - offsets[block]

        def reached(end: int) -> bool:
            return len(_fold_keeping_end(self._text[first : self._segment_end(end)])) > wanted

        last = starts[block + 1] if block + 1 < len(starts) else len(self._text)
        end = self._segment_end(first + 1 + bisect_right(range(first + 1, last), False, key=reached))
        start = end - 1
        while start > first and _joins_before(self._text[start]):
            start -= 1
        return start, start + max(1, len(self._text[start:end].rstrip()))


def locate(text: str, excerpt: str) -> tuple[int, int] | None:
    """Where the excerpt lies in the text (start, end), or None."""
    return FoldedText(text).locate(excerpt)


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
