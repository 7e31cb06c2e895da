"""Numbers written in words: 三成, 百分之九十五, 三分之一, 一个半小时, 一百二十万, half an hour, doubled."""

from __future__ import annotations

import re

from programs.literals.quantity import Quantity, read_as
from programs.literals.text import chinese_number, mentions
from programs.literals.units import MAGNITUDES, UNITS

_N = "[一二两三四五六七八九十百千零]"
_CN_UNITS = "|".join(sorted((u for u in UNITS if not u[0].isascii()), key=len, reverse=True))
_TIME = "小时|钟头|分钟|分|秒|天"
_CHINESE = re.compile(
    rf"(?P<scale>[百千万])分之\s?(?P<parts>(?:{_N}|[〇点])+|\d+(?:\.\d+)?)"
    rf"|(?P<denominator>[二两三四五六七八九十]{{1,2}})分之(?P<numerator>[一二两三四五六七八九])"
    r"|(?<![一二两三四五六七八九十百千万])(?P<tenths>[一二两三四五六七八九])成(?P<more>[一二三四五六七八九半])?"
    r"(?![功为员本立分果交熟])"
    rf"|(?P<whole>{_N}{{1,3}}|(?<![\d.])\d{{1,3}})\s?(?:个半(?P<of>小时|钟头)|(?P<unit_half>小时|分|天)半钟?)"
    rf"|(?P<quarters>[一二两三123])\s?刻钟"
    rf"|(?<!第)(?P<weeks>{_N}{{1,2}}|(?<![\d.])\d{{1,3}})\s?个?(?:星期(?![一二三四五六日天])|周(?![一二三四五六日末期]))"
    r"|(?P<double>翻了?一?倍|翻了?一?番)"
    r"|(?P<half>一半)|(?<![个点\d])(?<![\d一二两三四五六七八九十]时)半个?(?P<halfunit>小时|钟头|分钟)"
    rf"|(?<![第星周一二两三四五六七八九十百千万几数好])(?P<n>{_N}{{1,8}})"
    rf"(?:(?P<mag>[万亿])(?:[多余]?(?P<unit2>{_CN_UNITS}))?|(?P<over>[多余])?(?P<unit>{_CN_UNITS}))"
)
_HAS_NUMERAL = re.compile("[一二两三四五六七八九十百半番倍周]|分之")
# 两位数, 三类, 两路: prose
_PROSE_UNITS = frozenset(["位", "处", "类", "种", "家", "路", "组", "度", "分", "项", "套"])
# 一个, 一次, 一些 are articles; one whole unit of these is a statement.
_ONE_COUNTS = frozenset(["成", "小时", "个小时", "分钟"])

_WORDS = {
    word: value
    for value, words in (
        (1, "one a an"), (2, "two"), (3, "three"), (4, "four"), (5, "five"), (6, "six"), (7, "seven"), (8, "eight"),
        (9, "nine"), (10, "ten"), (11, "eleven"), (12, "twelve"), (15, "fifteen"), (20, "twenty"), (30, "thirty"),
        (40, "forty"), (45, "forty-five"), (50, "fifty"), (60, "sixty"), (90, "ninety"),
    )
    for word in words.split()
}  # fmt: skip
_PLAIN_WORDS = "|".join(word for word in _WORDS if word not in ("one", "a", "an", "forty-five"))
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_ENGLISH = re.compile(
    rf"\b(?:(?P<n>forty-five|{_PLAIN_WORDS})[\s-](?P<unit>milliseconds?|seconds?|minutes?|hours?|days?|percent)\b"
    r"|(?P<halves>half)\san?\s(?P<of>hour|minute|second|day)\b"
    r"|(?P<whole>one|an?|two|three|four)\s(?:(?P<mixed_of>hour|minute)s?\s)?and\sa\shalf(?:\s(?P<mixed>hour|minute|second|day)s?)?\b"
    r"|(?P<numerator>one|two|three|four|a)[\s-](?P<part>third|quarter|fifth|tenth)s?\b(?=\sof\b)"
    r"|(?P<half>half)(?=\s(?:of\b|the\b))"
    r"|(?P<times>doubled|tripled|quadrupled)\b"
    rf"|(?P<repeat>{_PLAIN_WORDS})\stimes\b(?!\s(?:as|more|higher|larger|longer|slower|faster|the|its)\b))",
    re.I,
)
_CUES = (
    *("half", "third", "quarter", "fifth", "tenth", "doubled", "tripled", "quadrupled", " times", "second", "minute"),
    *("hour", "day", "percent"),
)
_TIMES = {"doubled": 2.0, "tripled": 3.0, "quadrupled": 4.0}


def _quantity(span: tuple[int, int], text: str, raw: float, half: float, unit: str) -> Quantity:
    return Quantity(*span, text[span[0] : span[1]], raw, half, unit, read_as(raw, half, UNITS[unit]))


def _fraction(span: tuple[int, int], text: str, numerator: int, denominator: int) -> Quantity:
    """A spoken fraction is coarse: within a tenth of its own part (三分之一: 33 +- 3)."""
    return _quantity(span, text, 100.0 * numerator / denominator, 10.0 / denominator, "%")


def _number(text: str) -> float | None:
    """12, 12.5, 十二, 十二点五."""
    if text[0].isascii():
        return float(text)
    whole, _, rest = text.partition("点")
    value = chinese_number(whole)
    if value is None or not rest:
        return value
    digits = [chinese_number(char) for char in rest]
    if any(digit is None or digit > 9 for digit in digits):
        return None
    return float(f"{value}.{''.join(map(str, digits))}")


def _chinese(found: re.Match[str], text: str) -> Quantity | None:
    span = found.span()
    if found["parts"]:
        value = _number(found["parts"])
        scale = {"百": 1.0, "千": 0.1, "万": 0.01}[found["scale"]]
        places = len(found["parts"].replace("点", ".").partition(".")[2])
        return None if value is None else _quantity(span, text, value * scale, 0.5 * scale * 10.0**-places, "%")
    if found["numerator"]:
        denominator = chinese_number(found["denominator"]) or 0
        numerator = chinese_number(found["numerator"]) or 0
        return _fraction(span, text, numerator, denominator) if numerator < denominator else None
    if tenths := found["tenths"]:
        more = found["more"]
        rest = 5 if more == "半" else chinese_number(more) or 0 if more else 0
        value = 10.0 * (chinese_number(tenths) or 0) + rest
        return _quantity(span, text, value, 0.5 if more else 5.0, "%") if more else _tenths(span, text, value)
    if found["whole"]:
        value = _number(found["whole"])
        unit = found["of"] or found["unit_half"]
        return None if value is None else _quantity(span, text, value + 0.5, 0.05, unit)
    if found["quarters"]:
        return _quantity(span, text, 15.0 * (_number(found["quarters"]) or 0), 0.5, "分钟")
    if found["weeks"]:
        value = _number(found["weeks"])
        return None if value is None else _quantity(span, text, 7.0 * value, 0.5, "天")
    if found["double"]:
        return _quantity(span, text, 2.0, 0.05, "倍")
    if found["half"]:
        return _fraction(span, text, 1, 2)
    if found["halfunit"]:
        return _quantity(span, text, 0.5, 0.05, found["halfunit"])
    return _counted(found, text)


def _tenths(span: tuple[int, int], text: str, value: float) -> Quantity:
    """三成: three tenths, read as 30 +- 5."""
    return Quantity(*span, text[span[0] : span[1]], value / 10, 0.5, "成", (("percent", value, 5.0),))


def _counted(found: re.Match[str], text: str) -> Quantity | None:
    value, unit, start = chinese_number(found["n"]), found["unit"] or found["unit2"] or "", found.start()
    magnitude = MAGNITUDES.get(found["mag"] or "", 1.0)
    if value is None or (value == 1 and magnitude == 1.0 and unit not in _ONE_COUNTS) or unit in _PROSE_UNITS:
        return None
    if text[start - 1 : start] == "上" and found["n"][0] in "十百千":  # 上百条: no figure
        return None
    end = found.start("over") if found["over"] else found.end()
    raw, half = value * magnitude, 0.5 if magnitude == 1.0 or value % 10 else 0.5 * magnitude
    values = read_as(raw, half, UNITS[unit]) if unit else ()
    return Quantity(start, end, text[start:end], raw, half, unit, values)


def chinese_quantities(text: str) -> list[Quantity]:
    """Every number that a narrowed text writes in Chinese words."""
    if not _HAS_NUMERAL.search(text):
        return []
    return [item for found in _CHINESE.finditer(text) if (item := _chinese(found, text)) is not None]


def english_quantities(text: str) -> list[Quantity]:
    """Every span, share or repetition that a narrowed text writes in English words."""
    if not mentions(text.lower(), _CUES):
        return []
    return [item for found in _ENGLISH.finditer(text) if (item := _english(found, text)) is not None]


def _english(found: re.Match[str], text: str) -> Quantity | None:
    span = found.span()
    if found["n"]:
        unit = found["unit"].lower()
        return _quantity(span, text, float(_WORDS[found["n"].lower()]), 0.5, unit)
    if found["halves"]:
        return _quantity(span, text, 0.5, 0.05, found["of"].lower())
    if found["whole"]:
        of = found["mixed_of"] or found["mixed"]
        return _quantity(span, text, _WORDS[found["whole"].lower()] + 0.5, 0.05, of.lower()) if of else None
    if found["part"]:
        return _fraction(span, text, _WORDS[found["numerator"].lower()], _PARTS[found["part"].lower()])
    if found["half"]:
        return _fraction(span, text, 1, 2)
    if found["times"]:
        return _quantity(span, text, _TIMES[found["times"].lower()], 0.05, "倍")
    return _quantity(span, text, float(_WORDS[found["repeat"].lower()]), 0.5, "次")
