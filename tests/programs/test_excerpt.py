"""An excerpt is found wherever its folded form is, whichever way the search takes, and its place is shown (G3)."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from programs import excerpt, text_index
from programs.excerpt import FoldedText, Narrowed, even, fold, locate
from programs.raw_path import storable
from programs.text_index import TextIndex


def plain_fold(text: str) -> str:
    """The definition: NFKC, storable, whitespace runs as one blank."""
    return " ".join(storable(unicodedata.normalize("NFKC", text)).split())


ASCII = st.text("ab1 \n\t", max_size=30)
MARKS = "e\u0301\u0323ｅｶﾞﾟ가ᄀ\u1161ᆨ각´¨ﬁ①㎏…：，　\xa0\u2028\u2009️\u200b㍿\u0bc6\u0bbe"
ODD = st.text("ab \n\x00\ud800\r" + MARKS, max_size=40)
CHINESE = st.text("连接池：，（ 超时）\n\u3000ab1", max_size=30)
TEXT = ASCII | ODD | CHINESE | st.text(max_size=20)


@contextmanager
def small_limits() -> Iterator[None]:
    """Blocks and tables as megabytes would meet them."""
    with (
        patch.object(excerpt, "_BLOCK", 4),
        patch.multiple(text_index, _LONG_TEXT=0, _KEY=2, _HEAD=4, _SPARSE=1, _CROWD=3, _TABLES=2),
    ):
        yield


@given(TEXT)
@example("\x00")
@example("\ud800：")
def test_folding_is_the_definition(text: str) -> None:
    assert fold(text) == plain_fold(text)


@given(TEXT, TEXT | st.none(), st.integers(0, 40), st.integers(1, 20), st.sampled_from(["", "\n", "  ", "\u3000"]))
@example("ｶﾞa", "ガa", 0, 1, "")
@example("xxxa´b", "a \u0301b", 0, 1, "")
@example("\u0bc6\u0bbe ok", "\u0bca ok", 0, 1, "")
@example("ab   \r\n  cd", "b c", 0, 1, "")
def test_an_excerpt_is_found_when_and_only_when_its_folded_form_is(
    text: str, other: str | None, start: int, size: int, blank: str
) -> None:
    wanted = other if other is not None else text[start : start + size].replace(" ", blank or " ")
    with small_limits():
        span = FoldedText(text).locate(wanted)
    exact = bool(wanted.strip()) and wanted.strip() in text
    assert (span is not None) == (exact or (bool(fold(wanted)) and fold(wanted) in fold(text)))
    if span is not None:
        assert fold(wanted) in fold(text[span[0] : span[1]])
        assert text[span[0] : span[1]] == text[span[0] : span[1]].strip() or not text[span[0] : span[1]].strip()


@given(TEXT, TEXT)
def test_the_place_is_the_first_one(text: str, wanted: str) -> None:
    doubled = f"{text}\n|\n{text}"
    with small_limits():
        first, again = FoldedText(text).locate(wanted), FoldedText(doubled).locate(wanted)
    if first is not None:
        assert again == first


@given(ASCII | CHINESE)
def test_narrowing_leaves_one_blank_of_each_run_and_knows_the_places(text: str) -> None:
    full = even(text)
    if full is None:
        return
    narrowed = Narrowed(full)
    assert narrowed.text.strip() == plain_fold(text)
    shown = [(at, char) for at, char in enumerate(narrowed.text) if char != " "]
    assert [(narrowed.place(at), char) for at, char in shown] == [(i, c) for i, c in enumerate(full) if c != " "]


@given(st.text("ab\n", max_size=60), st.lists(st.text("ab\n", min_size=1, max_size=8), max_size=12), st.integers(0, 9))
def test_the_index_finds_what_a_plain_search_finds(text: str, needles: list[str], start: int) -> None:
    with small_limits():
        index = TextIndex(text)
        for needle in [*needles, *needles]:
            assert index.find(needle, start) == text.find(needle, start)


def test_the_index_is_right_in_a_long_text() -> None:
    lines = [f"request {number} handled within budget" for number in range(4000)]
    text = "\n".join([*lines, "aaaaaaaa" * 5, "a" * 12 + "b" * 20, "tail"])
    index = TextIndex(text)
    overlapping = "aaaaaaaa" + "b" * 20
    for needle in (
        overlapping,
        *lines[::40],
        *lines[3999:],
        "request 4000 handled within",
        "a" * 30,
        "a" * 41,
        "absent " * 5,
    ):
        assert [index.find(needle) for _ in range(3)] == [text.find(needle)] * 3
        assert index.find(needle, 50_000) == text.find(needle, 50_000)


@pytest.mark.parametrize("junk", ["", "…", "\x00", "\ud800", "é", "：", "\r"])
def test_every_way_through_a_big_text_gives_the_same_answer(junk: str) -> None:
    lines = [f"10:05 request {number}  failed{junk} after 3 s" for number in range(3000)]
    text = "\n".join(lines)
    folded = FoldedText(text)
    for number in (0, 1, 1500, 2999):
        wanted = f"request {number}\tfailed{junk}\n after"
        start, end = folded.locate(wanted) or (0, 0)
        assert text[start:end] == f"request {number}  failed{junk} after"
    assert folded.locate("request 3000\tfailed") is None
    assert folded.locate("Request 1\tfailed") is None


def test_no_blank_and_no_fusing_letter_of_unicode_is_forgotten() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    kept = [char for char in letters if char.isspace() and unicodedata.is_normalized("NFKC", char)]
    assert even("".join(kept)) == " " * len(kept)
    for char in letters:
        text = unicodedata.normalize("NFD", char)
        if len(text) == 2 and unicodedata.normalize("NFC", text) == char:
            with patch.object(excerpt, "_BLOCK", 1):
                assert FoldedText(f"{text}\x00").locate(f"{char}\x00") == (0, 3), hex(ord(char))


@pytest.mark.parametrize(
    ("text", "wanted", "span"),
    [
        ("ｶﾞ!\x00", "ガ!", (0, 3)),
        ("oﾊﾟ\x00", "パ", (1, 3)),
        ("ab´c\x00", "b \u0301c", (1, 4)),
        ("aᄒￂ\x00", "하", (1, 3)),
    ],
)
def test_letters_that_only_fuse_once_folded_stay_together(text: str, wanted: str, span: tuple[int, int]) -> None:
    for block in (1, 2, 1024):
        with patch.object(excerpt, "_BLOCK", block):
            assert FoldedText(text).locate(wanted) == span


def test_a_place_in_a_small_text_needs_no_object() -> None:
    assert locate("a  b\nc", "b c") == (3, 6)
    assert locate("a", " ") is None
