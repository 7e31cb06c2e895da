"""Signs that tool text tries to give orders. Flags are recorded and change no verdict: tool text is data (G32)."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata

_GAP = r"[^\w.\n]+"
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
            rf"\b(?:ignore|disregard|forget|override|bypass){_GAP}(?:{_ALL}{_GAP}(?:\w+{_GAP}){{0,3}}?)+{_TARGETS}\b"
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
        ("end of ",),
        re.compile(
            r"(?<!unexpected )(?<!premature )\bend of (?:the )?(?:input|prompt|context|evidence|instructions?)\b"
        ),
    ),
    ("end_of_input", ("输入", "证据", "上下文"), re.compile(r"(?:输入|证据|上下文)(?:到此)?(?:结束|完毕)")),
    ("new_task", ("new task", "new instruction"), re.compile(r"\bnew (?:task|instructions?)\s*:")),
    ("new_task", ("新任务", "新的任务", "新指令", "新的指令"), re.compile(r"新的?(?:任务|指令)\s*:")),
    ("verdict_assignment", ("verdict", "classification"), re.compile(rf"(?:verdict|classification){_PASSED}")),
    (
        "verdict_assignment",
        ("结论", "裁决", "判定", "评定"),
        re.compile(r"(?:结论|裁决|判定|评定)(?:结果)?\s*(?:[=:]|为|是|设为|改为)\s*[\"'“]?(?:pass\b|通过)"),
    ),
    (
        "role_marker",
        ("<|", "[inst]", "[/inst]", "<system>", "</system>", "<think>", "</think>"),
        re.compile(r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?inst\]|</?(?:system|think)>"),
    ),
    ("role_marker", ("you are now ",), re.compile(r"\byou are now (?:a|an|the)\b")),
    ("role_marker", ("你现在是",), re.compile(r"你现在是(?:一个|一名)?[^。\n]{0,10}(?:助手|模型|专家|系统)")),
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")


def injection_flags(text: str) -> tuple[str, ...]:
    """Stable names of the signs found in a text, in fixed order; empty when there are none (hostile input 14).

    ``override_instruction``, ``end_of_input``, ``new_task``, ``verdict_assignment``, ``role_marker``, and
    ``base64_payload`` when one of them is hidden in base64.
    """
    plain = text if text.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    found = _signs(plain)
    if any(_signs(decoded) for decoded in _decoded(plain)):
        found = (*found, "base64_payload")
    return found


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


def _decoded(text: str) -> list[str]:
    """What the base64 runs of a text say, as far as they say text at all."""
    texts = []
    for match in _BASE64.finditer(text):
        run = match.group().rstrip("=").translate(str.maketrans("-_", "+/"))
        if not re.search("[a-z]", run) or not re.search("[A-Z]", run):
            continue  # hexadecimal ids and constants
        try:
            raw = base64.b64decode(run + "=" * (-len(run) % 4))
            texts.append(unicodedata.normalize("NFKC", raw.decode("utf-8")))
        except (binascii.Error, UnicodeDecodeError):
            continue
    return texts
