"""Decision readout: bool and Literal outputs answered with probabilities, no token generated.

DSPy hands a decision client ``(state, questions)`` (the calling shape of ``dspy.experimental.TypeSafe``). The prompt
keeps everything that repeats in front: instructions, class definitions, demos; then the inputs; the question only
opens the assistant's turn, so the second question about the same claim costs a handful of tokens.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from dspy.dsp.utils.settings import settings

from programs.lms.engine import EmbeddedEngine

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_YES, _NO = frozenset({"yes", "true"}), frozenset({"no", "false", "not"})

_COLLECTOR: ContextVar[list[dict[str, Any]] | None] = ContextVar("superbiz_answers", default=None)


@contextmanager
def collect_answers() -> Iterator[list[dict[str, Any]]]:
    """Collect the raw answers given inside the block. DSPy's own ``record_evidence`` would hide them from ReAnchor."""
    answers: list[dict[str, Any]] = []
    token = _COLLECTOR.set(answers)
    try:
        yield answers
    finally:
        _COLLECTOR.reset(token)


class EmbeddedDecider:
    """Answers decision questions on the embedded model, one forward pass each.

    Args:
        engine: the process's engine.
        model: model string with file hash; part of the cache key, which does not know the engine otherwise.
        cache: use DSPy's response cache (compiling needs it, answering an engineer does not).
    """

    supports_decision_requests = True

    def __init__(self, engine: EmbeddedEngine, model: str, *, cache: bool = False) -> None:
        self.engine = engine
        self.model = model
        self.cache = cache
        self.history: list[Any] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> EmbeddedDecider:
        return self

    def copy(self, **changes: Any) -> EmbeddedDecider:
        return EmbeddedDecider(self.engine, self.model, cache=changes.get("cache", self.cache))

    def __call__(self, state: dict[str, Any], questions: dict[str, dict[str, Any]]) -> dict[str, Any]:
        import dspy

        request = {"provider": "superbiz", "model": self.model, "state": state, "questions": questions}
        cached = dspy.cache.get(request) if self.cache else None
        answers: dict[str, Any] = cached if cached is not None else self._answer(state, questions)
        if self.cache and cached is None:
            dspy.cache.put(request, answers)
        collector = _COLLECTOR.get()
        if collector is not None:
            collector.append(copy.deepcopy(answers))
        return copy.deepcopy(answers)

    async def acall(self, state: dict[str, Any], questions: dict[str, dict[str, Any]]) -> dict[str, Any]:
        import asyncio

        return await asyncio.to_thread(self, state, questions)

    def _answer(self, state: dict[str, Any], questions: dict[str, dict[str, Any]]) -> dict[str, Any]:
        system, user = render_state(state, questions)
        answers: dict[str, Any] = {}
        tokens_in = 0
        for name, question in questions.items():
            reading = self.engine.read(system, user, f"{_question_text(question)} Answer:")
            tokens_in += reading.tokens_in
            answers[name] = _decode(question, dict(_merge(reading.top)))
        if settings.usage_tracker:
            settings.usage_tracker.add_usage(self.model, {"prompt_tokens": tokens_in, "completion_tokens": 0})
        return answers


def render_state(state: dict[str, Any], questions: dict[str, dict[str, Any]]) -> tuple[str, str]:
    """System and user text of a decision prompt: what repeats first, the inputs last."""
    parts = [str(state["instructions"]).strip()]
    for question in questions.values():
        if question["type"] == "choice":
            options = [
                f"{letter}) {label}" + (f": {text}" if text else "")
                for letter, (label, text) in zip(LETTERS, question["criteria"].items(), strict=False)
            ]
            parts.append(f"{_question_text(question)}\n" + "\n".join(options))
    for demo in state.get("demos", []):
        shown = [f"{key}: {_text(value)}" for key, value in demo.items() if key not in questions and value]
        answered = [
            f"{_question_text(question)} Answer: {_demo_answer(question, demo[name])}"
            for name, question in questions.items()
            if name in demo
        ]
        parts.append("Example\n" + "\n".join(shown + answered))
    user = "\n".join(f"{key}: {_text(value)}" for key, value in state["inputs"].items() if value not in ("", None))
    return "\n\n".join(parts), user


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _question_text(question: dict[str, Any]) -> str:
    text = question["instructions"]
    return text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)


def _demo_answer(question: dict[str, Any], value: Any) -> str:
    if question["type"] == "noul":
        return "Yes" if str(value).lower() == "true" else "No"
    return LETTERS[list(question["criteria"]).index(str(value))]


def _merge(top: tuple[tuple[str, float], ...]) -> Iterator[tuple[str, float]]:
    """Probability mass per word, whatever its case and leading blank."""
    mass: dict[str, float] = {}
    for token, logprob in top:
        word = token.strip().strip('*"').strip()
        if word:
            mass[word] = mass.get(word, 0.0) + math.exp(logprob)
    yield from mass.items()


def _decode(question: dict[str, Any], mass: dict[str, float]) -> dict[str, Any]:
    if question["type"] == "noul":
        yes = sum(p for word, p in mass.items() if word.lower() in _YES)
        no = sum(p for word, p in mass.items() if word.lower() in _NO)
        return {"noul": yes / (yes + no) if yes + no > 0 else 0.5}
    if question["type"] != "choice":
        raise ValueError(f"the embedded readout answers bool and Literal outputs, not {question['type']!r}")
    labels = list(question["criteria"])
    raw = [mass.get(letter, 0.0) + 1e-6 for letter in LETTERS[: len(labels)]]
    total = sum(raw)
    probabilities = {label: value / total for label, value in zip(labels, raw, strict=True)}
    return {"probabilities": probabilities, "confidence": max(probabilities.values())}
