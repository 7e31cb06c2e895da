"""Text as the literal extractors see it: same length as the original, so that offsets stay valid."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

# The full-width comma, semicolon, full stop and marks keep their form: they end clauses and never sit inside a number.
_KEEP_WIDE = {0xFF0C, 0xFF1B, 0xFF01, 0xFF1F}
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if code not in _KEEP_WIDE}
_NARROW |= {0x3000: 0x20, 0x00A0: 0x20, 0x2212: 0x2D, 0x2013: 0x2D, 0x2011: 0x2D, 0x00B5: 0x75, 0x03BC: 0x75}
_WIDE_THOUSANDS = re.compile(r"(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")

CJK = "\u4e00-\u9fff"
_CLAUSE_END = re.compile(
    r"[，。；！？;!?\n]|,(?!\d{3}(?!\d))|\.(?=\s|$)|(?<=\s)(?:and|but|while|then)(?=\s)|而(?!且|是)|(?<=\s)-(?=\s)"
)


def narrow(text: str) -> str:
    """Full-width digits, letters and signs as their ASCII forms, character for character."""
    if text.isascii():
        return text
    if "，" in text:
        text = _WIDE_THOUSANDS.sub(",", text)
    return text.translate(_NARROW)


# Zero-width and direction marks: they hide a literal from a search, and hide nothing from a reader.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text without zero-width and direction marks."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def visible_positions(text: str) -> tuple[int, ...]:
    """Where each visible character of ``text`` stands; empty when all are visible."""
    if text.isascii() or not _INVISIBLE.search(text):
        return ()
    return tuple(at for at, char in enumerate(text) if not _INVISIBLE.match(char))


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of the words, longest first, that leaves at once where none of their first letters stands."""
    ordered = sorted(words, key=len, reverse=True)
    firsts = "".join(sorted({re.escape(word[0]) for word in ordered}))
    return rf"(?=[{firsts}])(?:{'|'.join(map(re.escape, ordered))})"


def mentions(low: str, cues: tuple[str, ...]) -> bool:
    """Whether a lower-case text holds one of a pattern's cues: far cheaper than trying the pattern at every letter."""
    return any(map(low.__contains__, cues))


def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """The (start, end) spans between clause marks, in order."""
    spans: list[tuple[int, int]] = []
    at = 0
    for mark in _CLAUSE_END.finditer(text):
        if mark.start() > at:
            spans.append((at, mark.start()))
        at = mark.end()
    if at < len(text):
        spans.append((at, len(text)))
    return tuple(spans)


_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_PLACES = {"十": 10, "百": 100, "千": 1000}


def chinese_number(text: str) -> int | None:
    """The value of a simple numeral such as 十二, 三百零五, 三百五, 两千; None when it is not one."""
    total = digit = last = 0
    seen_digit = zero = False
    for char in text:
        if char in _DIGITS:
            if seen_digit and digit:
                return None
            digit, seen_digit = _DIGITS[char], True
            zero = zero or digit == 0
        elif char in _PLACES:
            last = _PLACES[char]
            total += (digit if seen_digit else 1) * last
            digit, seen_digit, zero = 0, False, False
        else:
            return None
    if digit and last >= 100 and not zero:  # 三百五 is 350, 三百零五 is 305
        return total + digit * last // 10
    return total + digit


class Cue(NamedTuple):
    """What the words right beside a literal make of it.

    ``bound`` is ``>`` (at least, over) or ``<`` (at most, under). ``derived``: a difference, mean or span that
    need not stand in any excerpt. ``vague``: an ordinal, a step or a section number. ``every``: a bound that was never
    crossed (从未超过, never exceeded), so that one value beyond it speaks against the claim.
    """

    approx: bool = False
    bound: str = ""
    derived: bool = False
    negated: bool = False
    vague: bool = False
    every: bool = False


_PLAIN, _DENIED_CUE = Cue(), Cue(negated=True)
_APPROX_BEFORE = re.compile(
    r"(?:约|大约|大概|约为|大致|差不多|接近|将近|近|~|≈|几乎|\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|"
    r"circa|close to|some))"
    r"\s*(?:为|是|at\s|to\s)?\s*$",
    re.I,
)
_APPROX_AFTER = re.compile(r"^\s*(?:左右|上下|前后|附近|or so\b|ish\b)")
_OVER_BEFORE = re.compile(
    r"(?:超过|超出|大于|高于|多于|突破|超|逾|至少|不止|不只|不低于|不少于|不小于|>=?|≥"
    r"|\b(?:over|above|more than|exceed(?:s|ed|ing)?|"
    r"greater than|higher than|at least|beyond))"
    r"\s*了?\s*$",
    re.I,
)
_OVER_AFTER = re.compile(r"^\s*(?:以上|多|\+|or more\b|or higher\b|余)")
_UNDER_BEFORE = re.compile(
    r"(?:(?<!不)低于|(?<!不)小于|(?<!不)少于|不到|不足|没到|没有到|未到|没有?达到|未达到?|至多|最多|不超过|不高于|不大于|<=?|≤"
    r"|\b(?:below|under|less than|fewer than|"
    r"lower than|at most|up to|no more than|within))"
    r"\s*$",
    re.I,
)
_UNDER_AFTER = re.compile(r"^\s*(?:以下|以内|之内|or less\b|or lower\b|or fewer\b)")
_NEVER = re.compile(
    r"(?:从未|从来没有|从没|没有|没|未|未曾|不曾|并未|\b(?:never|not|hardly)|n't)\s*(?:再|went|gone|been|have|rise|rose|go)?\s*$",
    re.I,
)
_DERIVED_BEFORE = re.compile(
    r"(?:(?:增加|上涨|上升|下降|减少|降低|提高|缩短|延长|下跌|增长|涨|降|升|高出|低了|高了|多|少|快|慢|晚|早|差|相差|间隔|相隔|持续|历时|跨度|总共用|平均|均值|每隔?|"
    r"过去|最近|近|未来|之后|连续)(?:了|为|值|约|大约|近|超过|时间|的|在|约为|时长|大约为)*"
    r"|\b(?:by|every|per|each|average|avg|mean|past|previous|difference of|gap of|apart|lasted|lasting|"
    r"for|within|after|increase of|drop of|another|next|in)\s*(?:the|of|is|was|about|around|over|under|"
    r"last)?)\s*$",
    re.I,
)
_DERIVED_AFTER = re.compile(
    r"^\s*(?:之后|后|之前|前|内|之内|以内|里|期间|的?(?:差值?|差距|间隔|增幅|降幅|跨度|增长|下降|窗口)|later\b|earlier\b|apart\b|after\b|"
    r"before\b|ago\b|window\b|higher\b|lower\b|longer\b|more\b|increase\b|drop\b|faster\b|slower\b)",
    re.I,
)
# A limit that was hit is a quantity of its own, not a distance between two events.
_LIMIT_AFTER = re.compile(r"^\s*(?:之后|后)\s*(?:才|就|即|便)?\s*(?:超时|过期|失效)")
_LIMIT_BEFORE = re.compile(r"\b(?:tim(?:e[sd]?|ing)[- ]?out|expire[sd]?)\s+(?:after|in)\s*$", re.I)
_NEGATED = re.compile(
    r"(?:不是|并非|而非|并不是|而不是|不等于|没有|未见"
    r"|\b(?:not|never|rather than|instead of|isn't|"
    r"wasn't|without|no))\s*(?:在|于|为|at|on|from|a|the|an|to|reach|reached|in)?\s*$",
    re.I,
)
# 没有耗时 480 ms, never took 480 ms: denied some words before, in the same clause.
_DENIED = re.compile(
    r"(?:没|未(?![来知])|并非|而非|不是|不等于|n't\b|\b(?:not|never|without|no|neither|rather than|instead of)\b)"
    r"(?![^\d]*(?:而是|\bbut\b))[^，。；！？,;!?\d]*$",
    re.I,
)
_DENIALS = ("没", "未", "非", "不是", "不等", "not", "n't", "never", "no ", "without", "neither", "rather", "instead")
_VAGUE_BEFORE = re.compile(
    r"(?:第|步骤|阶段|§|章节|\b(?:step|section|chapter|phase|item|figure|table|rule|level|priority))\s*$", re.I
)
# What the patterns above need: most literals stand beside none of it. An English word is matched by its last or first.
_ENDS = frozenset(
    "约概致多近乎为是过出于破超逾少低了到足高大小止只加涨升降减提缩短延长跌增慢快晚早差隔续时度均值每去最来的在后非等有没达未见第骤段节章之间跨用~≈>=≥<≤§-"
)
_STARTS = frozenset("左上前后附多+余以之内里期的差间增降下跨窗")
# Per pattern: the signs it can end with before the literal, and signs of which every match holds one.
_APPROX_SIGNS = frozenset("约概致多近乎为是~≈"), frozenset("约概致差接将近~≈几")
_OVER_SIGNS = frozenset("过出于破超逾少低小止只了>=≥"), frozenset("超大高多突逾至不>≥")
_UNDER_SIGNS = frozenset("于到足多过达<=≤"), frozenset("低小少不没未至最<≤")
_DERIVED_SIGNS = (
    frozenset("加涨升降少低高短长跌多快慢晚早差隔续时度用均值每去近来后了为约过间的在出"),
    frozenset("增涨升降少提缩延跌高低多快慢晚早差隔续时度用均每过最近未之连"),
)
_LAST_WORDS = frozenset(
    re.findall(
        r"\S+",
        """about around roughly approximately approx approx. nearly almost circa close to some at over above than exceed
        exceeds exceeded exceeding least beyond below under most within by every per each average avg mean past previous
        of apart lasted lasting for after another next in the is was last not never no on from a an reach reached isn't
        wasn't without step section chapter phase item figure table rule level priority been""",
    )
)
_FIRST_WORDS = (
    *("or", "ish", "later", "earlier", "apart", "after", "before", "ago", "window", "higher", "lower", "longer"),
    *("more", "increase", "drop", "faster", "slower"),
)


def negated(text: str, start: int) -> bool:
    """Whether the words right before ``text[start:]`` deny it (不是, rather than)."""
    before = text[max(0, start - 22) : start].rstrip()
    return bool(before) and (not before[-1].isascii() or before[-1].isalpha()) and bool(_NEGATED.search(before))


def cue(text: str, start: int, end: int) -> Cue:
    """What stands right before and after ``text[start:end]`` makes of that literal."""
    before, after = text[max(0, start - 22) : start].rstrip(), text[end : end + 12].lstrip()
    denied = bool(before) and mentions(before.lower(), _DENIALS) and bool(_DENIED.search(before))
    english = before[-1:].isascii() and before.rpartition(" ")[2].lower() in _LAST_WORDS
    if not english and before[-1:] not in _ENDS:
        before = ""
    if after[:1] not in _STARTS and not after.lower().startswith(_FIRST_WORDS):
        after = ""
    if not before and not after:
        return _DENIED_CUE if denied else _PLAIN

    def told(signs: tuple[frozenset[str], frozenset[str]], pattern: re.Pattern[str]) -> re.Match[str] | None:
        if not english and (before[-1:] not in signs[0] or signs[1].isdisjoint(before)):
            return None
        return pattern.search(before)

    approx = bool(told(_APPROX_SIGNS, _APPROX_BEFORE)) or bool(after and _APPROX_AFTER.search(after))
    under, over = told(_UNDER_SIGNS, _UNDER_BEFORE), told(_OVER_SIGNS, _OVER_BEFORE)
    bound, every = "", False
    if under or (after and _UNDER_AFTER.search(after)):
        bound = "<"
    elif over or (after and _OVER_AFTER.search(after)):
        bound = ">"
    marker = under or over
    if marker and _NEVER.search(before[: marker.start()]):
        bound, every = ("<" if bound == ">" else ">"), True
    derived = bool(told(_DERIVED_SIGNS, _DERIVED_BEFORE) or (after and _DERIVED_AFTER.search(after)))
    if derived and ((before and _LIMIT_BEFORE.search(before)) or (after and _LIMIT_AFTER.search(after))):
        derived = False
    return Cue(
        approx=approx,
        bound=bound,
        derived=derived,
        negated=denied and not bound,
        vague=bool(before and _VAGUE_BEFORE.search(before)),
        every=every,
    )
