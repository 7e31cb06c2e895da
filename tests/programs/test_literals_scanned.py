"""What one pass reads in a text: numbers with their units and exactness, words that may be names, and times."""

from __future__ import annotations

import pytest

from programs.literals.scan import scan, words_in
from programs.literals.text import narrow

# (text, [(as written, value in its own unit, half of the last shown digit, unit)])
NUMBERS: list[tuple[str, list[tuple[str, float, float, str]]]] = [
    ("took 1,234,567 ms", [("1,234,567 ms", 1234567.0, 0.5, "ms")]),
    ("1.5万 条", [("1.5万 条", 15000.0, 500.0, "条")]),
    ("3百 台", [("3百 台", 300.0, 50.0, "台")]),
    ("2 千次", [("2 千次", 2000.0, 500.0, "次")]),
    ("1.2亿", [("1.2亿", 120000000.0, 5000000.0, "")]),
    ("3 thousand requests", [("3 thousand", 3000.0, 500.0, "")]),
    ("2 million rows", [("2 million", 2000000.0, 500000.0, "")]),
    ("4 billion", [("4 billion", 4000000000.0, 500000000.0, "")]),
    ("1.2e3 ms", [("1.2e3 ms", 1200.0, 50.0, "ms")]),
    ("1.5e-3 s", [("1.5e-3 s", 0.0015, 5e-05, "s")]),
    ("-5 ms", [("-5 ms", -5.0, 0.5, "ms")]),
    ("a-5 ms", []),
    ("(5)-3", [("5", 5.0, 0.5, ""), ("3", 3.0, 0.5, "")]),
    ("1h30m", [("1h30m", 5400.0, 30.0, "s")]),
    ("1h30m20s", [("1h30m20s", 5420.0, 0.5, "s")]),
    ("5m30s", [("5m30s", 330.0, 0.5, "s")]),
    ("5m30.5s", [("5m30.5s", 330.5, 0.5, "s")]),
    ("1 小时 30 分", [("1 小时 30 分", 5400.0, 30.0, "s")]),
    ("1 小时零 5 分", [("1 小时零 5 分", 3900.0, 30.0, "s")]),
    ("2 min 10 s", [("2 min 10 s", 130.0, 0.5, "s")]),
    ("1 h 90 min", [("1 h", 1.0, 0.5, "h"), ("90 min", 90.0, 0.5, "min")]),
    ("5 s 10 s", [("5 s", 5.0, 0.5, "s"), ("10 s", 10.0, 0.5, "s")]),
    ("12345678901234567", []),
    ("1234567890123456 ms", []),
    ("123456789012345", [("123456789012345", 123456789012345.0, 0.5, "")]),
    ("95%", [("95%", 95.0, 0.5, "%")]),
    ("0.5核", [("0.5核", 0.5, 0.05, "核")]),
    ("500m", [("500m", 500.0, 0.5, "m")]),
    ("１２３", [("123", 123.0, 0.5, "")]),
    ("1，234", [("1", 1.0, 0.5, ""), ("234", 234.0, 0.5, "")]),
    ("１，２３４", [("1,234", 1234.0, 0.5, "")]),
    ("3x", [("3x", 3.0, 0.5, "x")]),
    ("12 cores", [("12 cores", 12.0, 0.5, "cores")]),
    ("7 天", [("7 天", 7.0, 0.5, "天")]),
    ("0.95", [("0.95", 0.95, 0.005, "")]),
    ("1,23", [("1", 1.0, 0.5, ""), ("23", 23.0, 0.5, "")]),
    ("1,234,56", [("1", 1.0, 0.5, ""), ("234", 234.0, 0.5, ""), ("56", 56.0, 0.5, "")]),
    ("30 百分点", [("30 百分点", 30.0, 0.5, "百分点")]),
    ("耗时 5 分", [("5 分", 5.0, 0.5, "分")]),
    ("2026 5", [("2026", 2026.0, 0.5, ""), ("5", 5.0, 0.5, "")]),
]
WORDS: list[tuple[str, list[str]]] = [
    ("v1.2.3", ["v1.2.3"]),
    ("10.0.0.1:8080", ["10.0.0.1:8080"]),
    ("10.0.0.0/24", ["10.0.0.0/24"]),
    ("10.0.0.1.5", ["10.0.0.1.5"]),
    ("::1", ["::1"]),
    ("fe80::1", ["fe80::1"]),
    ("2001:db8::1", ["2001:db8::1"]),
    ("1:2:3:4:5:6:7:8", ["1:2:3:4:5:6:7:8"]),
    ("00:1a:2b:3c:4d:5e", ["00:1a:2b:3c:4d:5e"]),
    ("123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]),
    ("abcdef12-e89b-12d3-a456-426614174000", ["abcdef12-e89b-12d3-a456-426614174000"]),
    ("/var/log/app.log", ["/var/log/app.log"]),
    ("/a/b-1/c.d@e", ["/a/b-1/c.d@e"]),
    ("blk_-123", ["blk_-123"]),
    ("node-1:9090", ["node-1:9090"]),
    ("node-1:123456", ["node-1"]),
    ("x86", ["x86"]),
    ("5th", ["5th"]),
    ("12_345", ["12_345"]),
    ("user@10.0.0.1", ["user@10.0.0.1"]),
    ("5-node", ["5-node"]),
    ("3.5.1", ["3.5.1"]),
    ("a.b.c-d", ["a.b.c-d"]),
    ("order_svc$1", ["order_svc$1"]),
]
TIMES = [
    *("10:05", "10:05:06.123Z", "2026-03-10T10:05:06+08:00", "Mar 10", "10 Mar", "3月10日", "10点05分", "4pm"),
    *("4:30 pm", "3-10 10:05", "2026-03-10", "10:05:06,123", "9时5分", "凌晨两点", "十二月三日"),
]


@pytest.mark.parametrize(("text", "numbers"), NUMBERS)
def test_a_number_with_its_unit_and_exactness(text: str, numbers: list[tuple[str, float, float, str]]) -> None:
    found = scan(narrow(text), with_words=True).numbers
    assert [(q.text, q.raw, q.half, q.unit) for q in found] == numbers
    assert all(narrow(text)[q.start : q.end] == q.text for q in found)


@pytest.mark.parametrize("text", [text for text, _ in NUMBERS + WORDS] + TIMES)
def test_an_excerpt_is_read_like_a_claim_but_for_its_words(text: str) -> None:
    for around in ("{}", "pool {} left", "耗时{}，之后", "({})", "a={}"):
        whole = narrow(around.format(text))
        claim, excerpt = scan(whole, with_words=True), scan(whole)
        assert claim.numbers == excerpt.numbers
        assert claim.moments == excerpt.moments


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_an_identifier_is_no_number(text: str, words: list[str]) -> None:
    found = scan(text, with_words=True)
    assert [word for _, _, word in found.words] == words
    assert all(text[start:end] == word for start, end, word in found.words)
    assert not found.moments
    assert [q.text for q in found.numbers] == (["123456"] if text == "node-1:123456" else [])


@pytest.mark.parametrize("text", TIMES)
def test_a_time_is_read_as_one(text: str) -> None:
    found = scan(text, with_words=True)
    assert [m.text for m in found.moments] == [text]
    assert not found.numbers


def test_words_that_may_be_names_have_a_digit_or_a_joining_mark() -> None:
    text = "pool node-1 got 503 from order_svc at /var/log/app-2.log by user@host, plain words left out: x86"
    assert words_in(text) == ["node-1", "503", "order_svc", "/var/log/app-2.log", "user@host", "x86"]
