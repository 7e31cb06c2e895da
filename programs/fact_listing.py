"""Facts as the model reads them: the same sentences, shorter. Every token costs reading time; the full sentence is what
is claimed and shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from programs.facts import Fact
from programs.literals.setting import direction_of

MAX_SIGNS = 4
QUOTE_HEAD, QUOTE_TAIL = 30, 72
_TAIL = re.compile(r"(?:，峰值|，最低|，末值|，末次|，范围).*$")
_PLACE = re.compile(r"(?<=[A-Za-z0-9])（[^（）「」]*）(?= ?的 )")
_SAME_KIND = re.compile(r"，同类共 \d+ 条，首次 (?=\d\d:)")
_STATE = re.compile(r"，状态 active|自 (?=\d\d:)")
# Identifiers that never say what happened.
_NOISE = re.compile(
    r"\b(?:change|release|dataId|operator|commit|repo|group|groupId|clientId|pod|container|orderNo|bizNo|traceId|trace_id|"
    r"requestId|cost|duration|pods|partitions|replicas|leader)=\S+ ?"
)
# How a change was published says nothing; what was changed does.
_CHANGE_HEAD = re.compile(
    r"^(?:topic |config |rule )?(?:config )?(?:published|changed|updated|rollout started|rollout finished|started)\s+",
    re.IGNORECASE,
)
_KEYS = re.compile(r"\bkeys=\[([^\]]+)\]")
_OLD_NEW = re.compile(r"\bold=(\S+) new=(\S+)")
_LABEL = re.compile(r"\b(?:action|app|version|rule|key|name)=")
_VERSION = re.compile(r"\bv?\d+\.\d+\.\d+\b")
_BRACKETS = re.compile(r"^(?:\[[^\]]{0,80}\]\s*)+")
_QUOTE = re.compile(r"「([^「」]*)」")


def listing(facts: Sequence[Fact], changes: int = 2) -> tuple[Fact, ...]:
    """The chain a story needs, in time order: the likeliest changes, where the trouble first showed, and the strongest
    sign of each service and kind. A small model loses the thread in more than a handful of facts."""
    telling = [fact for fact in _once(facts) if fact.claim_type != "negative_observation"]
    ranked = sorted(telling, key=lambda fact: -fact.score)
    chosen = [fact for fact in ranked if fact.claim_type == "change_event"][:changes]
    signs: dict[tuple[str, str], Fact] = {}
    for fact in ranked:
        if fact.abnormal:
            signs.setdefault((fact.entity, fact.claim_type), fact)
    dated = sorted((fact for fact in telling if fact.abnormal and fact.time), key=lambda fact: str(fact.time))
    chosen += [*dated[:1], *list(signs.values())[:MAX_SIGNS]]
    handles = {fact.handle for fact in chosen or ranked[:MAX_SIGNS]}
    return tuple(fact for fact in telling if fact.handle in handles)


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
    plain = _CHANGE_HEAD.sub("", _NOISE.sub("", _BRACKETS.sub("", message)), count=1)
    words = _LABEL.sub("", _OLD_NEW.sub(r"\1 -> \2", _KEYS.sub(r"\1", plain))).split()
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
