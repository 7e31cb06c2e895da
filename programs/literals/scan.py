"""One pass over a text: its numbers with units, its times, its word tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from programs.literals import times
from programs.literals.text import chinese_number
from programs.literals.times import Moment
from programs.literals.units import COUNT_UNITS, MAGNITUDES, UNIT_PATTERN, UNITS, Reading

_NUM = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!,?\d)|\d+\.\d+[eE][+-]?\d+|\d+(?:\.\d+)?)"
_MAG = r"(?:[百千万亿]|(?:thousand|million|billion)(?![A-Za-z]))"
# A number ends where no letter, no joined word and no further dotted part follows.
_NUM_END = r"(?![A-Za-z0-9_])(?!\.\d)(?!-[A-Za-z_])"
_TOKENS = (
    r"(?P<path>(?<![A-Za-z0-9_.:/])/[A-Za-z_][\w.+-]*(?:/[\w.+@*-]+)+)"
    r"|(?<![A-Za-z0-9_])(?:(?=[\d-])(?:"
    r"(?P<uuid>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
    rf"|(?P<stamp>{times.STAMP})"
    r"|(?P<ip>\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?!\w|\.\d))"
    rf"|(?P<clock>{times.CLOCK}|{times.AM_PM})"
    rf"|(?P<cndate>{times.CN_DATE})"
    rf"|(?P<daymonth>{times.DAY_MONTH})"
    rf"|(?P<cnclock>{times.CN_CLOCK})"
    r"|(?P<span>\d+h\d{1,2}m(?:\d{1,2}s)?(?!\w)|\d+m\d{1,2}(?:\.\d+)?s(?!\w))"
    rf"|"
    rf"(?P<number>(?P<sign>(?<![\w)\]])-)?(?P<digits>{_NUM})(?:(?P<mag>\s?{_MAG})?\s?(?P<unit>{UNIT_PATTERN})|"
    rf"(?P<only>\s?{_MAG})|{_NUM_END})))"
    r"|(?P<uuid2>[a-fA-F][0-9a-fA-F]{7}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
    rf"|(?=[JFMASOND])(?P<monthday>{times.MONTH_DAY})"
    r"|(?P<word>(?:blk_-)?[A-Za-z0-9_$](?:[\w$]|[-.@](?=[A-Za-z0-9_$]))*(?::\d{2,5}(?![\w:.]))?))"
)
_MASTER = re.compile(_TOKENS, re.A)
# Excerpts are long and mostly plain words: skip those without leaving the regex engine.
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_QUICK = re.compile(
    rf"(?:(?!{_MONTH}[a-z]*\.?\s)[A-Za-z]+(?![\w$])(?![.@-][A-Za-z0-9_$])(?!:\d)|[^A-Za-z0-9_/$-]+)*+(?:{_TOKENS})?",
    re.A,
)
_HAS_CJK_NUMERAL = re.compile("[一二两三四五六七八九十百半]")
_CN_UNITS = "|".join(sorted((u for u in UNITS if not u[0].isascii()), key=len, reverse=True))
_CN_NUMBER = re.compile(
    rf"(?<![第星周一二两三四五六七八九十百千万])(?:(?P<n>[一二两三四五六七八九十百千零]{{1,6}})(?P<mag>[万亿])?(?P<unit>{_CN_UNITS})|(?P<half>一半)"
    r"|(?<![个点时\d])半个?(?P<halfunit>小时|分钟))"
)
_COMPOSITE_GAP = re.compile(r"\s?[零又]?\s?$")


class Quantity(NamedTuple):
    """A written number. ``values``: one (dimension, value, half of the last shown digit) per reading of its unit.

    ``raw`` is the number as written; ``half`` half of its last shown digit. No reading: a bare number.
    """

    start: int
    end: int
    text: str
    raw: float
    half: float
    unit: str = ""
    values: tuple[tuple[str, float, float], ...] = ()

    @property
    def is_count(self) -> bool:
        return self.unit in COUNT_UNITS

    @property
    def is_whole(self) -> bool:
        return self.half == 0.5


def _readings(raw: float, half: float, readings: tuple[Reading, ...]) -> tuple[tuple[str, float, float], ...]:
    return tuple((dim, raw * factor, half * factor) for dim, factor in readings)


def _quantity(match: re.Match[str]) -> Quantity:
    sign, digits, magnitude, unit, only = match.group("sign", "digits", "mag", "unit", "only")
    plain = digits.replace(",", "") if "," in digits else digits
    raw, half = float(plain), 0.5
    if "." in plain:
        mantissa, _, exponent = plain.lower().partition("e")
        half = 0.5 * 10.0 ** (max(-300, min(300, int(exponent or 0))) - len(mantissa.partition(".")[2]))
    magnitude = magnitude or only
    if magnitude:
        factor = MAGNITUDES[magnitude.strip()]
        raw, half = raw * factor, half * factor
    if sign:
        raw = -raw
    values = _readings(raw, half, UNITS[unit]) if unit else ()
    return Quantity(*match.span("number"), match.group("number"), raw, half, unit or "", values)


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


def _chinese_quantities(text: str) -> list[Quantity]:
    out: list[Quantity] = []
    for found in _CN_NUMBER.finditer(text):
        if found["half"]:
            out.append(Quantity(found.start(), found.end(), found[0], 50.0, 5.0, "%", (("percent", 50.0, 5.0),)))
            continue
        if half_of := found["halfunit"]:
            values = _readings(0.5, 0.05, UNITS[half_of])
            out.append(Quantity(found.start(), found.end(), found[0], 0.5, 0.05, half_of, values))
            continue
        value = chinese_number(found["n"])
        unit = found["unit"]
        if value is None or (value == 1 and unit != "成"):  # 一个, 一次, 一些 are articles
            continue
        if unit in ("位", "处", "类", "种", "家", "路", "组", "度", "分", "项", "套"):  # 两位数, 三类: prose
            continue
        raw = float(value) * MAGNITUDES.get(found["mag"] or "", 1.0)
        out.append(Quantity(found.start(), found.end(), found[0], raw, 0.5, unit, _readings(raw, 0.5, UNITS[unit])))
    return out


@dataclass(frozen=True, slots=True)
class Scan:
    """What one text holds, each in order of appearance."""

    numbers: tuple[Quantity, ...]
    moments: tuple[Moment, ...]
    words: tuple[tuple[int, int, str], ...]


@lru_cache(maxsize=4096)
def scan(text: str, plain_words: bool = False) -> Scan:
    """Numbers, times and word tokens of a narrowed text (see ``text.narrow``); plain words only when asked for."""
    numbers: list[Quantity] = []
    moments: list[Moment] = []
    words: list[tuple[int, int, str]] = []
    for match in (_MASTER if plain_words else _QUICK).finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        start, end = match.span(kind)
        moment: Moment | None = None
        if kind == "word":
            words.append((start, end, text[start:end]))
            continue
        if kind == "number":
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
        elif kind in ("cndate", "monthday", "daymonth"):
            moment = times.month_day(text, start, end)
        if moment:
            moments.append(moment)
        else:
            words.append((start, end, text[start:end]))
    if not text.isascii() and _HAS_CJK_NUMERAL.search(text):
        moments.extend(times.chinese_word_clocks(text))
        taken = [(m.start, m.end) for m in moments]
        numbers.extend(q for q in _chinese_quantities(text) if not any(start <= q.start < end for start, end in taken))
        numbers.sort(key=lambda q: q.start)
    return Scan(
        _merge_durations(text, numbers) if len(numbers) > 1 else tuple(numbers),
        times.joined(text, moments) if len(moments) > 1 else tuple(moments),
        tuple(words),
    )
