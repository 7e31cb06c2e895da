"""What the Executor asks of the model: the causal story over facts that code has written."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import dspy
from pydantic import Field

CAUSE_CHARS = 180
MAX_HANDLES = 4


class TellStory(dspy.Signature):
    """你是值班排障助手。facts 是程序查到的事实，按时间排列。
    找出最早的起因（常是异常前的变更或故障），用一句话（不超过 80 字）说它怎样一步步导致问题里的现象。
    起因是变更时，写出改了什么、从什么改成什么。只用事实里有的服务和数值，不写时间，不照抄日志原文。
    与所问服务无关的告警不要用；不要把现象本身当原因。"""

    question: str = dspy.InputField(desc="值班工程师的问题，不是证据")
    facts: str = dspy.InputField(desc="事实")
    cause: str = dspy.OutputField(desc="一句话：起因，导致经过，进而现象")
    handles: list[str] = dspy.OutputField(desc="用到的事实编号")


def story_signature(handles: tuple[str, ...]) -> Any:
    """TellStory with the handles closed to the facts shown and the text bounded."""
    return TellStory.with_updated_fields(
        "cause", type_=Annotated[str, Field(min_length=10, max_length=CAUSE_CHARS)]
    ).with_updated_fields(
        "handles",
        type_=Annotated[list[Literal[handles]], Field(min_length=1, max_length=MAX_HANDLES)],  # type: ignore[valid-type]
    )
