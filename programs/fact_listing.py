"""Facts as the model reads them: the same sentences, shorter. Every token costs reading time; the full sentence is what
is claimed and shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from programs.facts import Fact
from programs.literals.setting import direction_of

MAX_LISTED = 8
QUOTE_HEAD, QUOTE_TAIL = 30, 72
_TAIL = re.compile(r"(?:，峰值|，最低|，末值|，末次|，范围).*$")
_PLACE = re.compile(r"(?<=[A-Za-z0-9])（[^（）「」]*）(?= ?的 )")
_SAME_KIND = re.compile(r"，同类共 \d+ 条，首次 (?=\d\d:)")
_STATE = re.compile(r"，状态 active|自 (?=\d\d:)")
# Identifiers that never say what happened.
_NOISE = re.compile(
    r"\b(?:change|release|operator|commit|repo|group|groupId|clientId|pod|container|orderNo|bizNo|traceId|trace_id|"
    r"requestId|cost|duration|pods|partitions|replicas|leader)=\S+ ?"
)
_VERSION = re.compile(r"\bv?\d+\.\d+\.\d+\b")
_BRACKETS = re.compile(r"^(?:\[[^\]]{0,80}\]\s*)+")
_QUOTE = re.compile(r"「([^「」]*)」")


def listing(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts worth the model's reading, best first cut, in time order; plain absences are left out."""
    telling = [fact for fact in _once(facts) if fact.claim_type != "negative_observation"]
    best = {fact.handle for fact in sorted(telling, key=lambda fact: -fact.score)[:MAX_LISTED]}
    causes = sorted((f for f in telling if f.claim_type == "change_event"), key=lambda fact: -fact.score)[:2]
    best |= {fact.handle for fact in causes}
    return tuple(fact for fact in telling if fact.handle in best)


def _once(facts: Sequence[Fact]) -> list[Fact]:
    """A release tells its start and its end; the model would count two of them."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    kept = []
    for fact in facts:
        versions = tuple(_VERSION.findall(fact.text)) if fact.claim_type == "change_event" else ()
        if not versions or (fact.entity, versions) not in seen:
            kept.append(fact)
        if versions:
            seen.add((fact.entity, versions))
    return kept


def short(text: str) -> str:
    """A fact's sentence without what a story never needs."""
    text = _TAIL.sub("", _PLACE.sub("", text))
    text = _STATE.sub("", _SAME_KIND.sub("，", text))
    text = _QUOTE.sub(lambda match: f"「{_short_quote(match[1])}」", text)
    sign = direction_of(text)
    return f"{text}（调{'大' if sign > 0 else '小'}了）" if sign else text


def _short_quote(message: str) -> str:
    """Head and tail of a long message, cut between words: what happened stands first, the values last."""
    words = _NOISE.sub("", _BRACKETS.sub("", message)).split()
    if len(" ".join(words)) <= QUOTE_HEAD + QUOTE_TAIL:
        return " ".join(words)
    head: list[str] = []
    while words and len(" ".join(head)) + len(words[0]) < QUOTE_HEAD:
        head.append(words.pop(0))
    tail: list[str] = []
    while words and len(" ".join(tail)) + len(words[-1]) < QUOTE_TAIL:
        tail.insert(0, words.pop())
    if not tail and words:
        tail = [words[-1][-QUOTE_TAIL:]]
    return " ".join([*head, "…", *tail])
