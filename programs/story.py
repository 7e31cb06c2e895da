"""Binding a model's sentence to the facts it is about, and scoring it by what code can check.

A small model tells the right story most of the time and then swaps a direction or repeats the symptom as its cause.
All of that shows in the sentence's own literals and in the order of the facts they belong to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from programs.facts import Fact

# A word of a name, or a number with what belongs to it. Names are compared part by part too, since a model shortens.
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*|\d+(?:[.:]\d+)*")
_ENDS = "。！？"
# Times belong to the facts; in a causal sentence a small model pairs them with the wrong event.
_TIME = re.compile(r"(?:在|于|自|从)?\s?\d{1,2}:\d{2}(?::\d{2})?\s?(?:左右|时|起|开始)?(?:，(?=[A-Za-z]))?")
_CAUSAL = re.compile(r"导致|造成|引起|引发|使得?|因为|由于|触发|进而|从而|写满|撑满|耗尽")
# What the question itself suggests as the cause: 是不是流量高峰导致的, is it caused by a traffic peak.
_GUESS = re.compile(
    r"(?:是不是|是否|会不会是|难道是)(?:因为|由于)?([\u4e00-\u9fffA-Za-z0-9 ._-]{2,20}?)"
    r"(?:导致|造成|引起|引发|的问题|的原因|$)"
    r"|\b(?:is it|was it|is this)\b.{0,12}?(?:due to|because of|caused by)\s+(?:an?\s|the\s)?"
    r"([\w .-]{3,30}?)(?=[?,.]|$)",
    re.IGNORECASE,
)
# Half a name translated, as in 推荐-service.
_MANGLED = re.compile(r"[\u4e00-\u9fff]-[A-Za-z]")
LONG_CHARS = 140
MAX_BOUND = 5
ECHO_RATIO = 0.72
# A sentence in which code sees this much wrong is not claimed at all.
LEAST_REWARD = 0.3
MISSES_SYMPTOM = "misses_symptom"
TOP_SYMPTOMS = 3
# What each problem takes off a reward of 1; literals count one by one. Set by hand on the shipped incidents.
_COST = {
    "literal_conflict": 1.0,
    "literal_unseen": 0.4,
    "cut_off": 0.15,
    "mangled_name": 0.4,
    "long": 0.15,
    "vague_change": 0.2,
    "one_fact_only": 0.5,
    "echoes_question": 1.0,
    "question_guess": 1.0,
    "no_cause_told": 0.8,
    MISSES_SYMPTOM: 0.35,
    "tautology": 1.0,
    "effect_before_cause": 0.6,
    "late_cause": 0.3,
    "alert_as_cause": 0.5,
}


@dataclass(frozen=True)
class Story:
    """A candidate: its sentence, the facts it is bound to in the order it mentions them, and its reward (higher is
    better; ``problems`` says what was found)."""

    text: str
    facts: tuple[Fact, ...]
    reward: float
    problems: tuple[str, ...]


def tokens(text: str) -> list[tuple[str, int]]:
    """Name and number tokens of a text with their positions, lower-cased."""
    return [(match[0].lower(), match.start()) for match in _TOKEN.finditer(text)]


def finished(sentence: str) -> tuple[str, bool]:
    """(the sentence without times and without a part that the length limit cut off, whether anything was cut)."""
    text = " ".join(_TIME.sub("", sentence).split())
    cut = bool(text) and text[-1] not in _ENDS
    if text.count("「") > text.count("」"):
        text, cut = text[: text.rfind("「")], True
    if cut:
        head = max(text.rfind("，"), text.rfind("；"))
        if head > 20 and len(text) - head < 60:
            text = text[:head]
        text = text.rstrip("，；、 ") + "。"
    return text, cut


def bound_facts(sentence: str, facts: Sequence[Fact], named: Sequence[str]) -> tuple[Fact, ...]:
    """The facts a sentence is about, in the order of their first mention, earlier facts first on a tie.

    A fact is meant by its rare tokens; by its service's name alone only when nothing else of that service is meant,
    and then the strongest one; last by the handles that the model named.
    """
    rarity: Counter[str] = Counter()
    own = {fact.handle: {word for word, _ in tokens(fact.text)} for fact in facts}
    for words in own.values():
        rarity.update(words)
    said = dict(reversed(tokens(sentence)))
    first: dict[str, int] = {}
    for fact in facts:
        telling = own[fact.handle] - {fact.entity.lower()}
        places = [said[word] for word in telling if word in said and (rarity[word] <= 2 or len(facts) <= 2)]
        if places:
            first[fact.handle] = min(places)
    meant = {fact.entity for fact in facts if fact.handle in first}
    for fact in sorted(facts, key=lambda fact: -fact.score):
        if fact.entity.lower() in said and fact.entity not in meant:
            first[fact.handle] = said[fact.entity.lower()]
            meant.add(fact.entity)
    for handle in named:
        first.setdefault(handle, len(sentence))
    ordered = sorted((first[fact.handle], place) for place, fact in enumerate(facts) if fact.handle in first)
    return tuple(facts[place] for _, place in ordered[:MAX_BOUND])


def assess(
    sentence: str,
    question: str,
    facts: Sequence[Fact],
    named: Sequence[str],
    conflicts: int,
    unseen: int,
    asked: Collection[str] = (),
) -> Story:
    """Score one candidate. ``conflicts`` and ``unseen`` count its literals against the bound facts' excerpts; ``asked``
    are the services that the question names."""
    text, cut = finished(sentence)
    bound = bound_facts(text, facts, named)
    asked_plainly = _TIME.sub("", question)
    found: dict[str, int] = {
        "literal_conflict": conflicts,
        "literal_unseen": unseen,
        "cut_off": cut,
        "mangled_name": _MANGLED.search(text) is not None,
        "long": len(text) > LONG_CHARS,
        "vague_change": _is_vague(text, bound),
        "one_fact_only": len(bound) < 2,
        "echoes_question": SequenceMatcher(None, text, asked_plainly, autojunk=False).ratio() > ECHO_RATIO,
        "question_guess": repeats_guess(text, question, facts),
        "no_cause_told": _CAUSAL.search(text) is None,
        MISSES_SYMPTOM: _misses_symptom(bound, facts, asked),
        "tautology": _tautology(text),
        "effect_before_cause": _goes_back(bound),
        "late_cause": bool(bound) and not _starts_early(bound[0], facts),
        "alert_as_cause": bool(bound) and bound[0].claim_type in ("alert_state", "negative_observation"),
    }
    reward = 1.0 - sum(_COST[name] * count for name, count in found.items())
    return Story(text, bound, round(reward, 2), tuple(name for name, count in found.items() if count))


def _goes_back(bound: Sequence[Fact]) -> bool:
    """Whether what the sentence names first began after something that it names later."""
    times = [fact.time for fact in bound if fact.time is not None]
    return any(later < times[0] for later in times[1:])


def _starts_early(first: Fact, facts: Sequence[Fact]) -> bool:
    """Whether the story starts with the best-ranked of the facts that could start one."""
    candidates = [
        fact for fact in facts if fact.claim_type in ("change_event", "error_event", "metric_value") and fact.time
    ]
    if not candidates:
        return True
    best = max(candidates, key=lambda fact: fact.score)
    return first.handle == best.handle or bool(first.time and best.time and first.time <= best.time)


def guess_of(question: str) -> str:
    """The cause that a question suggests, "" when it suggests none."""
    match = _GUESS.search(question)
    return " ".join((match[1] or match[2] or "").split()) if match else ""


def repeats_guess(text: str, question: str, facts: Sequence[Fact]) -> bool:
    """Whether a sentence takes over the question's own guess although no fact speaks of it."""
    guess = guess_of(question)
    return bool(guess) and guess in text and not any(guess in fact.text for fact in facts)


def _misses_symptom(bound: Sequence[Fact], facts: Sequence[Fact], asked: Collection[str]) -> bool:
    """Whether the story never reaches what is broken: the asked service's own trouble, else the strongest signs."""
    symptoms = sorted((fact for fact in facts if fact.abnormal), key=lambda fact: -fact.score)
    own = [fact for fact in symptoms if fact.entity in asked]
    wanted = {fact.handle for fact in own or symptoms[:TOP_SYMPTOMS]}
    return bool(wanted) and not wanted & {fact.handle for fact in bound}


def _is_vague(text: str, bound: Sequence[Fact]) -> bool:
    """Whether the sentence blames a change without saying what was changed."""
    said = {word for word, _ in tokens(text)}
    for fact in bound:
        quoted = {word for word, _ in tokens(fact.text.partition("「")[2])} - {fact.entity.lower()}
        if fact.claim_type == "change_event" and quoted & said - {other.entity.lower() for other in bound}:
            return False
    return any(fact.claim_type == "change_event" for fact in bound)


def _tautology(text: str) -> bool:
    halves = re.split(r"导致|造成|引起|使得|因此|所以", text, maxsplit=1)
    if len(halves) < 2:
        return False
    left, right = (re.sub(r"\d{1,2}:\d{2}(:\d{2})?|[\s，。、]", "", half) for half in halves)
    return bool(left and right) and SequenceMatcher(None, left, right, autojunk=False).ratio() > 0.8
