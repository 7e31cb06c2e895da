"""Signs that tool text tries to give orders. Flags are recorded and change no verdict: tool text is data (G32)."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote_plus

# Underscores too: a metric or label name has no other way to write an order.
_GAP = r"(?:[^\w.=\n]|_)+"
_ALL = r"(?:all|any|every|the|this|these|previous|prior|above|earlier|your|system)"
_TARGETS = r"(?:instruction|prompt|rule|analysis|evidence|verdict|guideline|message|conclusion)s?"
_ALL_ZH = r"(?:之前|以上|上面|前面|先前|上述|所有|一切|全部|任何|其他|系统|原有|你的)"
_TARGETS_ZH = r"(?:指令|指示|提示|要求|规则|分析|结论|约束|消息|证据)"
_PASSED = r"[\"'\\\s]*[=:][\"'\\\s]*(?:pass|low_confid|reject|direct_observation)\b"

# Each sign: its name, the words it may start with, and what must follow such a word. Searching for plain words first
# keeps megabytes of log text cheap: a case-insensitive alternation alone takes seconds on them. Texts are lower case.
_SIGNS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "override_instruction",
        ("ignore", "disregard", "forget", "override", "bypass"),
        re.compile(
            rf"(?<![^\W_])(?:ignore|disregard|forget|override|bypass){_GAP}"
            rf"(?:{_ALL}{_GAP}(?:[^\W_]+{_GAP}){{0,3}}?)+{_TARGETS}(?![^\W_])"
        ),
    ),
    (
        "override_instruction",
        ("忽略", "无视", "忘记", "忘掉", "覆盖", "推翻", "绕过", "不要理会", "不用管"),
        re.compile(rf"[^。\n]{{2,6}}?(?:{_ALL_ZH}[^。\n]{{0,8}}?{_TARGETS_ZH}|指令|指示|提示词)"),
    ),
    # "Unexpected end of input" is what parsers say.
    (
        "end_of_input",
        ("end of ", "end_of_"),
        re.compile(
            r"(?<!unexpected[ _])(?<!premature[ _])(?<![^\W_])"
            r"end[ _]of[ _](?:the[ _])?(?:input|prompt|context|evidence|instructions?)(?![^\W_])"
            r"(?![ _]+(?:stream|reached|file|buffer|data|at|on|in|while|for|from|during)\b)"
        ),
    ),
    ("end_of_input", ("输入", "证据", "上下文"), re.compile(r"(?:输入|证据|上下文)(?:到此)?(?:结束|完毕)")),
    ("new_task", ("new task", "new instruction"), re.compile(r"\bnew (?:task|instructions?)\s*:")),
    ("new_task", ("新任务", "新的任务", "新指令", "新的指令"), re.compile(r"新的?(?:任务|指令)\s*:")),
    ("verdict_assignment", ("verdict", "classification"), re.compile(rf"(?:verdict|classification){_PASSED}")),
    (
        "verdict_assignment",
        ("结论", "裁决", "判定", "评定"),
        re.compile(r"(?:结论|裁决|判定|评定)(?:结果)?\s*(?:[=:]|为|是|设为|改为)\s*[\"'“]?(?:pass\b|通过(?![率性度]))"),
    ),
    (
        "role_marker",
        ("<|", "[inst]", "[/inst]", "<system>", "</system>", "<think>", "</think>"),
        re.compile(r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?inst\]|</?(?:system|think)>"),
    ),
    ("role_marker", ("you are now ",), re.compile(r"\byou are now (?:a|an|the)\b")),
    ("role_marker", ("你现在是",), re.compile(r"你现在是(?:一个|一名)?[^。\n]{0,10}(?:助手|模型|专家|系统)")),
)
# What a reader does not see between two letters: zero-width and direction marks, fillers, shown control characters.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u2400-\u2421\u3164\ufe00-\ufe0f\ufeff]"
)
# Encodings of text inside text: escapes of JSON and C, of URLs, of HTML, and letters of Unicode's invisible tag block.
_RUN = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}[^\s%]{0,60})+")
_ESCAPED_LETTER = re.compile(r"(?<!\\)\\++u([0-9A-Fa-f]{4})")
_ESCAPED_BYTES = re.compile(r"(?<!\\)(?:\\++(?:x[0-9A-Fa-f]{2}|[0-3][0-7]{2}))+")
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
_TAG_LETTERS = {code: code - 0xE0000 for code in range(0xE0020, 0xE007F)}
_AROUND = 60
_LAYERS = 3


def injection_flags(text: str) -> tuple[str, ...]:
    """Stable names of the signs found in a text, in fixed order; empty when there are none (hostile input 14).

    ``override_instruction``, ``end_of_input``, ``new_task``, ``verdict_assignment``, ``role_marker``, and
    ``base64_payload`` or ``encoded_payload`` when one of them is hidden in base64, or in an escape of URLs, JSON or
    HTML, in hexadecimal or in invisible letters; up to three layers of those are taken off.
    """
    plain = _readable(text)
    layer: list[tuple[str, frozenset[str]]] = [(plain, frozenset())]
    hidden: set[str] = set()
    for _ in range(_LAYERS):
        layer = [
            (_readable(said), names | {name})
            for part, names in layer
            for said, name in _decoded(part)
            if said not in ("", part)
        ]
        for part, names in layer:
            hidden |= names if not names <= hidden and _signs(part) else set()
    return (*_signs(plain), *(name for name in ("base64_payload", "encoded_payload") if name in hidden))


def _readable(text: str) -> str:
    """As a reader sees it, with line breaks that JSON wrote as escapes: an order often begins its own line."""
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    for escape in ("\\n", "\\r", "\\t"):
        text = text.replace(escape, "\n")
    return text


def _signs(text: str) -> tuple[str, ...]:
    lower = text.lower()
    found = {name for name, words, pattern in _SIGNS if any(_follows(lower, word, pattern) for word in words)}
    return tuple(dict.fromkeys(name for name, _, _ in _SIGNS if name in found))


def _follows(text: str, word: str, pattern: re.Pattern[str]) -> bool:
    at = text.find(word)
    while at >= 0:
        if pattern.match(text, at):
            return True
        at = text.find(word, at + len(word))
    return False


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    """What the encoded parts of a text say, as far as they say text at all, and the flag of their encoding.

    All parts of one encoding are one text: a million of them cost one search for signs.
    """
    runs = [match.group() for match in _RUN.finditer(text)]
    yield "\n".join(_said(runs, _from_base64)), "base64_payload"
    yield "\n".join(_said(runs, _from_hex)), "encoded_payload"
    if "%" in text:
        yield unquote_plus("\n".join(_percent_runs(text))), "encoded_payload"
    if "\\" in text or "&#" in text:
        yield html.unescape(_unescaped(text)), "encoded_payload"
    if not text.isascii():
        yield "\n".join(match.group().translate(_TAG_LETTERS) for match in _TAGS.finditer(text)), "encoded_payload"


def _said(runs: list[str], read: Callable[[str], str | None]) -> Iterator[str]:
    return (said for run in runs if (said := read(run)) is not None)


def _percent_runs(text: str) -> Iterator[str]:
    """Each run with the text around it: an order may be written half in plain letters."""
    start = end = 0
    for match in _PERCENT.finditer(text):
        if match.start() - _AROUND > end:
            yield text[start:end]
            start = match.start() - _AROUND
        end = match.end() + _AROUND
    yield text[start:end]


def _from_base64(run: str) -> str | None:
    run = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    if not re.search("[a-z]", run) or not re.search("[A-Z]", run):
        return None  # hexadecimal ids and constants
    try:
        return base64.b64decode(run + "=" * (-len(run) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _from_hex(run: str) -> str | None:
    try:
        return bytes.fromhex(run.removeprefix("0x")).decode()
    except ValueError:
        return None


def _unescaped(text: str) -> str:
    """Escaped bytes that stand together are read together, as UTF-8."""
    return _ESCAPED_LETTER.sub(lambda match: chr(int(match[1], 16)), _ESCAPED_BYTES.sub(_decoded_bytes, text))


def _decoded_bytes(match: re.Match[str]) -> str:
    parts = re.findall(r"x(..)|([0-7]{3})", match[0])
    read = bytes(int(digits, 16) if digits else int(octal, 8) for digits, octal in parts)
    try:
        return read.decode()
    except UnicodeDecodeError:
        return read.decode("latin-1")
