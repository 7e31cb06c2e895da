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


@pytest.mark.parametrize("block", [1, 2, 1024])
def test_words_stay_apart_where_a_block_ends(block: int) -> None:
    with patch.object(excerpt, "_BLOCK", block):
        assert FoldedText("①a  ②b\n③c").locate("1a 2b 3c") == (0, 9)
        assert FoldedText("①a②b").locate("a 2") is None


def test_blanks_at_the_start_hide_nothing() -> None:
    text = " " * 1100 + "① ok"
    assert FoldedText(text).locate("1 ok") == (1100, 1104)
    assert FoldedText(" " * 1100 + "①").is_folded("1")
    assert not FoldedText(text).is_folded("1")


@pytest.mark.parametrize("letter", ["X", "n", "池"])
@pytest.mark.parametrize("blank", ["  ", "\t", "\u2028", "\x85", "\u1680\u2029"])
def test_letters_stay_letters_where_blanks_differ(letter: str, blank: str) -> None:
    text = f"{letter}mx{blank}空 {letter}{letter}"
    assert locate(text, f"{letter}mx 空 {letter}{letter}") == (0, len(text))
    assert locate(f"a{letter}{blank}b", f"a{letter} b") == (0, 3 + len(blank))


def test_an_exact_place_goes_before_one_with_other_blanks() -> None:
    assert locate("pool  empty; then pool empty", "pool empty") == (18, 28)


@pytest.mark.parametrize("text", ["\ud800", "a", "池", "\u3000x"])
def test_a_reader_sees_a_letter_or_the_escape_of_a_lone_surrogate(text: str) -> None:
    assert excerpt.shows(text) and not excerpt.shows(text, 2)
    assert excerpt.shows("\udfff")


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\x00", "\u3000\u2028"])
def test_a_reader_sees_no_blank_and_no_control_character(text: str) -> None:
    assert not excerpt.shows(text)


LETTERS = "".join(chr(0x4E00 + number) for number in range(1000))


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [
        (500, 520, 310, 710),  # as much before as after
        (3, 13, 0, 400),
        (990, 995, 600, 1000),
        (500, 900, 500, 900),  # no room for more
        (500, 899, 499, 899),
        (500, 898, 499, 899),
    ],
)
def test_what_stands_around_an_excerpt_is_kept(start: int, end: int, first: int, last: int) -> None:
    assert excerpt.cut(LETTERS, (start, end)) == LETTERS[first:last]


def test_an_excerpt_longer_than_the_limit_is_not_kept() -> None:
    assert excerpt.cut(LETTERS, (500, 901)) is None
    assert excerpt.cut(LETTERS[:400], (0, 400)) == LETTERS[:400]
    assert excerpt.cut("\x00" + LETTERS[:400], (1, 4)) == "\\u0000" + LETTERS[:394]
