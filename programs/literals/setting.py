"""Up or down: a sentence that says a value was raised, against records that show it lowered, and the other way round.

A small model that reads ``maximum-pool-size 64 -> 8`` writes 增加 as easily as 减少; no number in such a sentence is
wrong, so only the direction word gives it away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from programs.literals.text import mentions
from signatures.contracts import LiteralFinding, VerifiedEvidence

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_ARROWS = ("->", "→", "=>", "⇒")
_ARROW = re.compile(rf"{_NUMBER}\s?(?:[a-zA-Z%]{{1,5}}\s?)?(?:->|→|=>|⇒)\s?{_NUMBER}(?![\w.])")
_OLD_NEW = re.compile(rf"\b(?:old|from|before)[=:]\s?{_NUMBER}\D{{1,12}}\b(?:new|to|after)[=:]\s?{_NUMBER}(?![\w.])")
_UP = re.compile(
    r"增加|增大|提高|提升|调大|调高|上调|扩大|扩容|加大|升高|\b(?:increas\w+|rais\w+|enlarg\w+)\b", re.IGNORECASE
)
_DOWN = re.compile(
    r"减少|减小|降低|调小|调低|下调|缩小|缩减|缩容|降为|\b(?:decreas\w+|lower\w*|reduc\w+|shr[iau]nk\w*)\b",
    re.IGNORECASE,
)
_CUES = (
    *("增", "提", "调", "扩", "加", "升", "减", "降", "缩", "下", "increas", "rais", "enlarg", "decreas", "lower"),
    *("reduc", "shr"),
)
_CHANGE = re.compile(
    r"配置|变更|参数|设置|上限|阈值|大小|最大|限制|池|改|\b(?:config\w*|setting|limit|size|threshold)\b", re.IGNORECASE
)
# How far before the numbers the word may stand that makes them a setting.
REACH = 80
_CLAUSE = re.compile(r"[，,。；;！？]|导致|造成|引起|进而|使得|从而")
# A metric may rise or fall as it likes after a change: its own record says so.
_METRIC = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")


def steps_of(text: str) -> list[tuple[float, float, str]]:
    """(old, new, as written) of every setting that a text shows changed, e.g. ``pool-size 64 -> 8``.

    An arrow alone is no setting: a garbage collector prints ``1545M->1531M`` as well.
    """
    arrows = _ARROW.finditer(text) if any(arrow in text for arrow in _ARROWS) else ()
    found = [*arrows, *_OLD_NEW.finditer(text)]
    return [
        (float(match[1]), float(match[2]), match[0])
        for match in found
        if match[1] != match[2] and _CHANGE.search(text[max(0, match.start() - REACH) : match.start()])
    ]


def direction_of(text: str) -> int:
    """+1 when every numeric change in the text goes up, -1 when every one goes down, else 0."""
    signs = {1 if new > old else -1 for old, new, _ in steps_of(text)}
    return signs.pop() if len(signs) == 1 else 0


def wrong_directions(claim_text: str, evidence: Sequence[VerifiedEvidence]) -> tuple[LiteralFinding, ...]:
    """Direction words of clauses about a changed setting that go against every numeric change in the excerpts."""
    if not mentions(claim_text.lower(), _CUES) or not (_UP.search(claim_text) or _DOWN.search(claim_text)):
        return ()
    shown = [(item, step) for item in evidence for step in steps_of(item.matched_text)]
    signs = {1 if new > old else -1 for _, (old, new, _) in shown}
    if len(signs) != 1:
        return ()
    sign = signs.pop()
    item, (_, _, written) = shown[0]
    findings = []
    for clause in _CLAUSE.split(claim_text):
        word = (_UP if sign < 0 else _DOWN).search(clause)
        same = (_DOWN if sign < 0 else _UP).search(clause)
        if word and not same and _CHANGE.search(clause) and not _METRIC.search(clause):
            findings.append(
                LiteralFinding(
                    text=word[0],
                    kind="state",
                    status="conflicting",
                    place=f"{item.source_invocation_id} {item.raw_path}",
                    evidence_text=written,
                    detail="the excerpts show the opposite direction",
                )
            )
    return tuple(findings)


_FROM_TO = re.compile(
    rf"(?:从|由|\bfrom)\s?{_NUMBER}(?![\w.])\s?[^\d，,。；;]{{0,12}}?(?:到|至|为|成|\bto)了?\s?{_NUMBER}(?![\w.:])",
    re.IGNORECASE,
)


def swapped_changes(claim_text: str, evidence: Sequence[VerifiedEvidence]) -> tuple[LiteralFinding, ...]:
    """从 3 改成 7 against a record that says old=7 new=3: both numbers stand there, the other way round."""
    told = list(_FROM_TO.finditer(claim_text)) if mentions(claim_text.lower(), ("从", "由", "from")) else []
    if not told:
        return ()
    shown = [
        (item, (float(old), float(new)), written)
        for item in evidence
        for old, new, written in (
            *((m[1], m[2], m[0]) for m in _OLD_NEW.finditer(item.matched_text)),
            *steps_of(item.matched_text),
        )
    ]
    out = []
    for match in told:
        change = float(match[1]), float(match[2])
        against = [row for row in shown if row[1] == change[::-1] and change[0] != change[1]]
        if against and not any(row[1] == change for row in shown):
            item, _, written = against[0]
            out.append(
                LiteralFinding(
                    text=match[0],
                    kind="order",
                    status="conflicting",
                    place=f"{item.source_invocation_id} {item.raw_path}",
                    evidence_text=written,
                    detail="the excerpts show that change the other way round",
                )
            )
    return tuple(out)
