"""One pass over a text: its numbers with units, its times, its word tokens."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from programs.literals import times
from programs.literals.numerals import chinese_quantities, english_quantities
from programs.literals.quantity import EXACT_DIGITS, Quantity, read_as
from programs.literals.times import Moment
from programs.literals.units import MAGNITUDES, UNIT_PATTERN, UNITS

_NUM = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!,?\d)|\d++(?:\.\d++(?:[eE][+-]?\d++)?)?+)"
_MAG = r"(?:百(?!分)|[千万亿]|(?:thousand|million|billion)(?![A-Za-z]))"
# A number ends where no letter, no joined word and no further dotted part follows.
_NUM_END = r"(?![A-Za-z0-9_])(?!\.\d)(?!-[A-Za-z_])"
_PATH = r"(?<![A-Za-z0-9_.:/])/[A-Za-z_][\w.+-]*(?:/[\w.+@*-]+)+"
_WORD = r"(?:blk_-)?[A-Za-z0-9_$](?:[\w$]|[-.@](?=[A-Za-z0-9_$]))*(?::\d{2,5}(?![\w:.]))?"
_IP6 = (
    r"(?=[\da-fA-F]{0,4}:)(?P<ip6>(?<!:)(?:(?=[\da-fA-F:]*\d)[\da-fA-F:]*::[\da-fA-F:]*[\da-fA-F]"
    r"|(?:[\da-fA-F]{1,4}:){7}[\da-fA-F]{1,4}|(?:[\da-fA-F]{2}:){5}[\da-fA-F]{2})(?![\w:]|\.\d))"
)
_DIGIT_LED = (
    r"(?=[\d-])(?:"
    r"(?P<uuid>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
    rf"|(?P<stamp>{times.STAMP})"
    r"|(?P<ip>\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2}(?![/.]))?(?!\w|\.\d))"
    rf"|(?P<clock>{times.CLOCK}|{times.AM_PM})"
    rf"|(?P<shortdate>{times.SHORT_DATE})"
    rf"|(?P<cndate>{times.CN_DATE})"
    rf"|(?P<daymonth>{times.DAY_MONTH})"
    rf"|(?P<cnclock>{times.CN_CLOCK})"
    r"|(?P<span>\d+h\d{1,2}m(?:\d{1,2}s)?(?!\w)|\d+m\d{1,2}(?:\.\d+)?s(?!\w))"
    rf"|(?P<number>(?P<sign>(?<![\w)\]])-)?(?P<digits>{_NUM})(?:(?P<mag>\s?{_MAG})?\s?+(?P<unit>{UNIT_PATTERN})|"
    rf"(?P<only>\s?{_MAG})|{_NUM_END}))"
    r")"
)
_MASTER = re.compile(
    rf"(?P<path>{_PATH})|(?<![A-Za-z0-9_])(?:{_IP6}|{_DIGIT_LED}"
    r"|(?P<uuid2>[a-fA-F][0-9a-fA-F]{7}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
    rf"|(?=[JFMASOND])(?P<monthday>{times.MONTH_DAY})|(?P<word>{_WORD}))",
    re.A,
)
# Excerpts are long and mostly words: all but their figures and times is skipped without leaving the regex engine.
_NO_MONTH = r"(?:[ABCEGHIK-LP-RT-Za-z_$]|(?=[JFMASOND])(?!" + times.MONTH_DAY + r")[A-Z])"
_SKIPPED = (
    rf"(?![\da-fA-F]{{1,4}}:[\da-fA-F:]*:){_NO_MONTH}(?:[\w$]|[-.@](?=[A-Za-z0-9_$]))*+(?::\d{{2,5}}(?![\w:.]))?"
    rf"|[^A-Za-z0-9_$/:-]++|:(?!:[\da-fA-F])|{_PATH}|/|-(?!\d)"
)
_FIGURES = re.compile(
    rf"(?:{_SKIPPED})*+(?:(?<![A-Za-z0-9_])(?:{_IP6}|{_DIGIT_LED}|(?P<monthday>{times.MONTH_DAY})|(?P<word>{_WORD})))?",
    re.A,
)
_WORDS = re.compile(rf"{_PATH}|{_WORD}", re.A)
_COMPOSITE_GAP = re.compile(r"\s?[零又]?\s?$")


def _quantity(match: re.Match[str]) -> Quantity:
    sign, digits, magnitude, unit, only = match.group("sign", "digits", "mag", "unit", "only")
    if digits.isdecimal():
        raw, half = float(digits), 0.5
    else:
        raw, half = _decimal(digits.replace(",", ""))
    if magnitude or only:
        factor = MAGNITUDES[(magnitude or only).strip()]
        raw, half = raw * factor, half * factor
    if sign:
        raw = -raw
    start, end = match.span("number")
    values = read_as(raw, half, UNITS[unit]) if unit else ()
    return Quantity(start, end, match.string[start:end], raw, half, unit or "", values)


def _decimal(plain: str) -> tuple[float, float]:
    """(value, half of the last shown digit) of 1234, 0.95, 1.5e9."""
    if "." not in plain:
        return float(plain), 0.5
    mantissa, _, exponent = plain.lower().partition("e")
    places = len(mantissa) - mantissa.index(".") - 1
    return float(plain), 0.5 * 10.0 ** (max(-300, min(300, int(exponent or 0))) - places)


def _span(match: re.Match[str]) -> Quantity:
    """1h30m, 5m30s as one duration."""
    parts = re.findall(r"([\d.]+)([hms])", match.group("span"))
    seconds = sum(float(number) * {"h": 3600, "m": 60, "s": 1}[unit] for number, unit in parts)
    half = 30.0 if parts[-1][1] == "m" else 0.5
    return Quantity(*match.span("span"), match.group("span"), seconds, half, "s", (("time", seconds, half),))


def _merge_durations(text: str, found: list[Quantity]) -> tuple[Quantity, ...]:
    """1h30m, 1 小时 30 分, 2 min 10 s: one duration."""
    out: list[Quantity] = []
    for item in found:
        last = out[-1] if out else None
        if last and last.values and item.values and _COMPOSITE_GAP.fullmatch(text, last.end, item.start):
            a = next((v for v in last.values if v[0] == "time"), None)
            b = next((v for v in item.values if v[0] == "time"), None)
            if a and b and b[2] < a[2] and last.end < item.start + 1 and abs(b[1]) < 2 * a[2]:
                total = a[1] + b[1]
                out[-1] = Quantity(
                    last.start, item.end, text[last.start : item.end], total, b[2], "s", (("time", total, b[2]),)
                )
                continue
        out.append(item)
    return tuple(out)


def _is_identifier(digits: str) -> bool:
    """Too many digits for a quantity: as a float the last ones would be lost."""
    return sum(char.isdigit() for char in digits) > EXACT_DIGITS


def _with_words(numbers: list[Quantity], in_words: list[Quantity], moments: list[Moment]) -> list[Quantity]:
    """Numbers in digits and in words; the longer writing wins (1 分半 over 1 分), and a time is no number."""
    kept = [q for q in in_words if not any(m.start <= q.start < m.end for m in moments)]
    plain = [n for n in numbers if not any(q.start <= n.start < q.end for q in kept)]
    return sorted(plain + kept, key=lambda q: q.start)


class Scan(NamedTuple):
    """What one text holds, each in order of appearance."""

    numbers: tuple[Quantity, ...]
    moments: tuple[Moment, ...]
    words: tuple[tuple[int, int, str], ...]


_ONLY_NUMBER = re.compile(r"-?(\d{1,15})(?:\.(\d{1,15}))?$", re.A)


def only_number(text: str) -> Quantity | None:
    """The number that is the whole text, without sending a cell such as ``412`` through the whole reading."""
    found = _ONLY_NUMBER.match(text)
    if found is None or len(found[1]) + len(found[2] or "") > EXACT_DIGITS:
        return None
    return Quantity(0, len(text), text, float(text), 0.5 * 10.0 ** -len(found[2] or ""))


def words_in(text: str) -> list[str]:
    """The word tokens of an excerpt that may be names: a digit or a joining mark is in them."""
    return [word for word in _WORDS.findall(text) if not word.isalpha()]


@lru_cache(maxsize=256)
def scan(text: str, with_words: bool = False) -> Scan:
    """Numbers and times of a narrowed text (see ``text.narrow``), and its word tokens when asked for."""
    numbers: list[Quantity] = []
    moments: list[Moment] = []
    words: list[tuple[int, int, str]] = []
    for match in (_MASTER if with_words else _FIGURES).finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        start, end = match.span(kind)
        moment: Moment | None = None
        if kind == "word":
            words.append((start, end, text[start:end]))
            continue
        if kind == "number":
            if match.end("digits") - match.start("digits") > EXACT_DIGITS and _is_identifier(match["digits"]):
                words.append((*match.span("digits"), match["digits"]))
                continue
            numbers.append(_quantity(match))
            continue
        if kind == "span":
            numbers.append(_span(match))
            continue
        if kind == "stamp":
            moment = times.stamp(text, start, end)
        elif kind == "clock":
            moment = times.clock(text, start, end)
        elif kind == "cnclock":
            moment = times.chinese_clock(text, start, end)
        elif kind in ("cndate", "monthday", "daymonth", "shortdate"):
            moment = times.month_day(text, start, end)
        if moment:
            moments.append(moment)
        else:
            words.append((start, end, text[start:end]))
    in_words = english_quantities(text) if with_words else []
    if not text.isascii():
        moments.extend(times.chinese_word_clocks(text))
        in_words += chinese_quantities(text)
    if in_words:
        numbers = _with_words(numbers, in_words, moments)
    return Scan(
        _merge_durations(text, numbers) if len(numbers) > 1 else tuple(numbers),
        times.joined(text, moments) if len(moments) > 1 else tuple(moments),
        tuple(words),
    )
