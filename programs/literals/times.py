"""Points in time as written in logs and in prose."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

from programs.literals.text import chinese_number

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_PERIOD = "凌晨|清晨|早上|早晨|早|上午|中午|下午|午后|傍晚|晚上|晚间|晚|夜里|深夜|今早|今晚|昨晚|半夜"
_ZONE = r"Z(?![A-Za-z])|UTC(?:\+0?8(?::?00)?)?|GMT|CST|[+-]\d{2}:?\d{2}(?!\d)"
_ZONE_TAIL = rf"\s?(?:{_ZONE}|\((?:{_ZONE})\))"
# 14:05-14:20 is a range: only a time with seconds, or a compact -0800, has a zone west of UTC.
_EAST = r"Z(?![A-Za-z])|UTC(?:\+0?8(?::?00)?)?|GMT|CST|\+\d{2}:?\d{2}(?!\d)|-\d{4}(?!\d)"
_EAST_TAIL = rf"\s?(?:{_EAST}|\((?:{_EAST})\))"
_TAIL = rf"(?:(?<=:\d\d:\d\d)(?:{_ZONE_TAIL})|(?<=[.,]\d{{3}})(?:{_ZONE_TAIL})|{_EAST_TAIL})?"
STAMP = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?![\d/.])(?:(?:T|\s|-)\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.,]\d{1,9})?)?)?"
    rf"{_TAIL}"
)
CLOCK = rf"\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?(?![\d:]|\.\d)(?:\s?[apAP]\.?[mM]\b\.?)?{_TAIL}"
# 03-10 14:05, 3/10 14:05: a bare pair of numbers is a date only before a time of day
SHORT_DATE = r"(?:0?[1-9]|1[0-2])[-/](?:0?[1-9]|[12]\d|3[01])(?=\s\d{1,2}:\d{2})"
AM_PM = r"\d{1,2}\s?[apAP]\.?[mM]\b\.?"
MONTH_DAY = rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?![\d:])"
DAY_MONTH = rf"\d{{1,2}}\s(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\b"
CN_DATE = r"(?:\d{4}\s?年\s?)?\d{1,2}\s?月\s?\d{1,2}\s?[日号]"
CN_CLOCK = (
    r"\d{1,2}\s?(?:点(?![建意要击位])|时(?![间长刻候段延区差]))(?:\s?"
    r"(?:半|整|钟|[一三]刻(?!钟)|\d{1,2}\s?分(?![之位])(?:\s?\d{1,2}\s?秒)?|\d{1,2}(?![\d.%个条次])))?"
)
CN_WORD_CLOCK = re.compile(
    rf"(?P<period>{_PERIOD})?(?P<hour>[零〇一二两三四五六七八九十]{{1,3}})点(?:(?P<minute>[零一二三四五六七八九十]{{1,4}})分|"
    rf"(?P<half>半)|(?P<quarter>[一三]刻(?!钟))|(?P<full>[整钟]))?"
)
_CN_WORD_DATE = re.compile(
    r"(?<![一二三四五六七八九十])(?P<month>十?[一二]|[三四五六七八九十])月(?P<day>[一二三四五六七八九十]{1,3})[日号]"
)
_HAS_WORD_TIME = re.compile("[零〇一二两三四五六七八九十](?:点|月)")

_PERIOD_BEFORE = re.compile(rf"({_PERIOD})的?\s?$")
_ZONE_BEFORE = re.compile(r"(北京时间|本地时间|UTC|GMT)\s?(?:时间)?\s?[(]?\s?$")
_ZONE_AFTER = re.compile(r"^\s?[(]?\s?(北京时间|Beijing|UTC(?:\+8)?|GMT|CST|China Standard)")
_STAMP_PARTS = re.compile(
    rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})(?:[T\s-](\d{{1,2}})[:.](\d{{2}})(?:[:.](\d{{2}})(?:[.,](\d{{1,9}}))?)?)?(?:\s?[(]?({_ZONE})[)]?)?"
)
_CLOCK_PARTS = re.compile(
    rf"(\d{{1,2}})(?::(\d{{2}}))?(?::(\d{{2}})(?:[.,](\d{{1,9}}))?)?(?:\s?([apAP])\.?[mM]\.?)?(?:\s?[(]?({_ZONE})[)]?)?$"
)
_CN_CLOCK_PARTS = re.compile(
    r"(\d{1,2})\s?[点时](?:\s?(?:(半|[一三]刻)|[整钟]|(\d{1,2})\s?分?(?:\s?(\d{1,2})\s?秒)?))?"
)
_NUMBER = re.compile(r"\d+")
_PART_MINUTES = {"半": 30, "一刻": 15, "三刻": 45}
_LATE = frozenset(["下午", "午后", "傍晚", "晚上", "晚间", "晚", "夜里", "深夜", "今晚", "昨晚"])


class Moment(NamedTuple):
    """One written time. Missing parts are None; ``offset`` is minutes east of UTC when the text says so."""

    start: int
    end: int
    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    fraction: str = ""
    offset: int | None = None
    either_half: bool = False

    @property
    def unit_seconds(self) -> float:
        """Length of the span this writing covers: a second, a minute, an hour or a day."""
        if self.second is not None:
            return 1.0
        if self.minute is not None:
            return 60.0
        return 3600.0 if self.hour is not None else 86400.0

    def in_utc(self) -> datetime | None:
        """``at`` marked as UTC, so that two of them can be told apart in seconds on any machine."""
        at = self.at()
        return at.replace(tzinfo=UTC) if at else None

    def at(self) -> datetime | None:
        """The instant as a naive datetime (year 2000 and 1 January stand in for what is not written)."""
        if self.hour is None or not 1900 <= (self.year or 2000) <= 9990:  # 0001-01-01 is a program's way to say never
            return None
        micro = int(self.fraction[:6].ljust(6, "0")) if self.fraction else 0
        try:
            return datetime(
                self.year or 2000, self.month or 1, self.day or 1, self.hour, self.minute or 0, self.second or 0, micro
            )
        except ValueError:
            return None


def _offset(zone: str | None) -> int | None:
    if not zone:
        return None
    if zone[0] in "+-":
        digits = zone[1:].replace(":", "")
        return (1 if zone[0] == "+" else -1) * (int(digits[:2]) * 60 + int(digits[2:4] or 0))
    return 480 if zone in ("CST", "北京时间", "Beijing", "China Standard") or "8" in zone else 0


def _hour(hour: int, period: str | None) -> int:
    if period is None:
        return hour
    if period in _LATE or period in ("p", "P"):
        return hour + 12 if hour < 12 else (0 if hour == 12 and period not in ("p", "P", "下午", "午后") else hour)
    if period == "中午":
        return hour + 12 if hour <= 2 else hour
    return 0 if hour == 12 and period not in ("上午",) else hour


def _int(text: str | None) -> int | None:
    return int(text) if text else None


def stamp(text: str, start: int, end: int) -> Moment | None:
    """A date with or without a time: ``2024-03-01T18:20:00Z``, ``2005-06-03-15.42.50``."""
    parts = _STAMP_PARTS.match(text, start, end)
    if parts is None or not (1 <= int(parts[2]) <= 12 and 1 <= int(parts[3]) <= 31):
        return None
    offset = _offset(parts[8]) if parts[4] else None
    if offset is None and parts[4]:
        offset = _zone_around(text, start, end)
    return Moment(
        start, end, text[start:end], int(parts[1]), int(parts[2]), int(parts[3]),
        _int(parts[4]), _int(parts[5]), _int(parts[6]), parts[7] or "", offset,
    )  # fmt: skip


def _zone_around(text: str, start: int, end: int) -> int | None:
    found = _ZONE_AFTER.search(text[end : end + 16]) or _ZONE_BEFORE.search(text[max(0, start - 8) : start])
    return _offset(found[1]) if found and found[1] != "本地时间" else None


def clock(text: str, start: int, end: int) -> Moment | None:
    """A time of day: ``10:05``, ``10:05:33,123``, ``2:05 pm``, ``4 pm``."""
    parts = _CLOCK_PARTS.match(text, start, end)
    if parts is None:
        return None
    before = text[max(0, start - 4) : start]
    period = _PERIOD_BEFORE.search(before)
    hour, minute, second = int(parts[1]), _int(parts[2]), _int(parts[3])
    hour = _hour(hour, parts[5] or (period[1] if period else None))
    if hour > 23 or (minute or 0) > 59 or (second or 0) > 59:
        return None
    offset = _offset(parts[6])
    if offset is None:
        offset = _zone_around(text, start - (len(period[0]) if period else 0), end)
    return Moment(start, end, text[start:end], None, None, None, hour, minute, second, parts[4] or "", offset)


def chinese_clock(text: str, start: int, end: int) -> Moment | None:
    """凌晨2点05分, 下午 4 点, 10 点半, 10 时 05 分 33 秒."""
    parts = _CN_CLOCK_PARTS.match(text, start, end)
    if parts is None:
        return None
    period = _PERIOD_BEFORE.search(text[max(0, start - 4) : start])
    hour = _hour(int(parts[1]), period[1] if period else None)
    minute = _PART_MINUTES[parts[2]] if parts[2] else _int(parts[3])
    if hour > 23 or (minute or 0) > 59:
        return None
    begin = start - (len(period[0]) if period else 0)
    return Moment(
        begin, end, text[begin:end], None, None, None, hour, minute, _int(parts[4]), "",
        _zone_around(text, begin, end), period is None and hour < 12,
    )  # fmt: skip


def chinese_word_clocks(text: str) -> list[Moment]:
    """两点零五分, 晚上十点, 三月十日: only with a period of day or minutes, since 一点 and 两点 are ordinary words."""
    out: list[Moment] = []
    if not _HAS_WORD_TIME.search(text):
        return out
    for found in _CN_WORD_DATE.finditer(text):
        month, day = chinese_number(found["month"]), chinese_number(found["day"])
        if month and day and month <= 12 and day <= 31:
            out.append(Moment(*found.span(), found[0], None, month, day))
    for found in CN_WORD_CLOCK.finditer(text):
        part = found["half"] or found["quarter"]
        if not (found["period"] or found["minute"] or part or found["full"]):
            continue
        hour = chinese_number(found["hour"])
        minute = _PART_MINUTES[part] if part else chinese_number(found["minute"]) if found["minute"] else None
        if hour is None or hour > 24 or (minute or 0) > 59:
            continue
        hour = _hour(hour, found["period"]) % 24
        out.append(
            Moment(
                found.start(), found.end(), found[0], None, None, None, hour, minute, None, "",
                _zone_around(text, found.start(), found.end()), found["period"] is None and hour < 12,
            )
        )  # fmt: skip
    return out


def month_day(text: str, start: int, end: int) -> Moment | None:
    """``Mar 2``, ``2 March``, 3 月 2 日, 2015年10月18日."""
    written = text[start:end]
    numbers = [int(n) for n in _NUMBER.findall(written)]
    year = None
    if "月" in written or (written[-1].isdigit() and written[0].isdigit()):
        if len(numbers) == 3:
            year = numbers.pop(0)
        month, day = numbers[0], numbers[1]
    else:
        name = next((i for i, month_name in enumerate(_MONTHS) if month_name in written), None)
        if name is None:
            return None
        month, day = name + 1, numbers[0]
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Moment(start, end, written, year, month, day)


_GAP = re.compile(rf"^(?:[\s,的T]|at|on|{_PERIOD}|UTC|北京时间|时间){{0,4}}$")


def joined(text: str, moments: list[Moment]) -> tuple[Moment, ...]:
    """A date directly followed by a time of day is one moment."""
    out: list[Moment] = []
    for item in sorted(moments, key=lambda m: m.start):
        last = out[-1] if out else None
        if last and item.start < last.end:
            continue
        if (
            last
            and last.hour is None
            and item.hour is not None
            and item.month is None
            and _GAP.match(text[last.end : item.start])
        ):
            out[-1] = Moment(
                last.start, item.end, text[last.start : item.end], last.year, last.month, last.day,
                item.hour, item.minute, item.second, item.fraction,
                item.offset if item.offset is not None else _zone_around(text, last.start, item.end), item.either_half,
            )  # fmt: skip
        else:
            out.append(item)
    return tuple(out)
