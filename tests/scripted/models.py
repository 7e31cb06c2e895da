"""Scripted model answers in the place of a language model, for unit tests only."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, Usage

from programs.lms.choice import RoleLMs
from signatures.contracts import CLASSIFICATIONS

Reply = dict[str, Any] | str | Exception


class ScriptedEngine:
    """Answers each kind of prompt from a script; ``calls`` counts what was asked."""

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supported_params = frozenset({"temperature", "max_tokens", "response_format", "seed"})

    def __init__(self, **replies: Reply | list[Reply]) -> None:
        self.replies = replies
        self.calls: dict[str, int] = {}
        self.prompts: list[str] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptedEngine:
        return self

    def complete(self, request: Request) -> Response:
        system = str(request.system or request.messages[0].text)
        self.prompts.append("\n".join([system, *(message.text for message in request.messages)]))
        role = next(role for role, word in ROLES.items() if word in system)
        count = self.calls[role] = self.calls.get(role, 0) + 1
        reply = self.replies[role]
        chosen = reply[min(count, len(reply)) - 1] if isinstance(reply, list) else reply
        if isinstance(chosen, Exception):
            raise chosen
        return Response(
            id=None,
            model=request.model,
            message=Message.assistant([TextPart(chosen if isinstance(chosen, str) else _json(chosen))]),
            finish_reason="stop",
            usage=Usage(input_tokens=10, output_tokens=5),
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


ROLES = {"planner": "决定先查什么证据", "executor": "找出最早的起因", "composer": "写一句结论", "gap": "还不能确认"}


class ScriptedDecider:
    """Every claim the model is asked about gets ``label``."""

    supports_decision_requests = True

    def __init__(self, label: str | Callable[[dict[str, Any]], str]) -> None:
        self.label = label
        self.states: list[dict[str, Any]] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptedDecider:
        return self

    def __call__(self, state: dict[str, Any], questions: dict[str, Any]) -> dict[str, Any]:
        from programs.lms import decision

        self.states.append(state)
        label = self.label if isinstance(self.label, str) else self.label(state)
        supported = label in ("direct_observation", "reasonable_inference")
        answers = {
            "supported": {"noul": 0.9 if supported else 0.1},
            "classification": {
                "probabilities": {name: 0.75 if name == label else 0.05 for name in CLASSIFICATIONS},
                "confidence": 0.75,
            },
        }
        collector = decision._COLLECTOR.get()
        if collector is not None:
            collector.append(answers)
        return answers


def scripted_lms(engine: ScriptedEngine, decider: ScriptedDecider) -> RoleLMs:
    """The models of a program that follows the script."""
    lm = dspy.LM("scripted/model", engine=engine, cache=False, num_retries=0)
    return RoleLMs("scripted/model", lm, decider)
