"""What the Planner is asked: which evidence to fetch first."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import dspy
from pydantic import Field

MAX_FETCH = 4
MAX_WORDS = 2


class PlanEvidence(dspy.Signature):
    """你是值班排障助手，决定先查什么证据。logs 查日志，metrics 查指标和告警，runbook 查手册。
    先查问题里的服务，再查它依赖的服务。words 是日志里会出现的英文关键词。"""

    question: str = dspy.InputField(desc="值班工程师的问题")
    services: str = dspy.InputField(desc="系统里的服务")
    fetch: list[str] = dspy.OutputField(desc="要查的，最多四项")
    words: list[str] = dspy.OutputField(desc="关键词，最多两个")


def plan_signature(choices: tuple[str, ...]) -> Any:
    """PlanEvidence with its fetches closed to what this run offers, e.g. ``logs payment-gateway``."""
    fetch = Annotated[list[Literal[choices]], Field(min_length=1, max_length=MAX_FETCH)]  # type: ignore[valid-type]
    words = Annotated[list[Annotated[str, Field(max_length=16)]], Field(max_length=MAX_WORDS)]
    return PlanEvidence.with_updated_fields("fetch", type_=fetch).with_updated_fields("words", type_=words)
