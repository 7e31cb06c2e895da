"""What the Composer asks of the model: one conclusion sentence over material that is already allowed."""

from __future__ import annotations

from typing import Annotated, Any

import dspy
from pydantic import Field

CONCLUSION_CHARS = 120


class WriteConclusion(dspy.Signature):
    """你替值班工程师写结论。只能用给出的材料，不增加数字、服务名或原因。先说原因，再说影响，口语、简短、准确。"""

    question: str = dspy.InputField(desc="问题")
    material: str = dspy.InputField(desc="允许使用的材料")
    conclusion: str = dspy.OutputField(desc="一到两句中文结论")


def conclusion_signature() -> Any:
    """WriteConclusion with its length bounded."""
    return WriteConclusion.with_updated_fields(
        "conclusion", type_=Annotated[str, Field(min_length=8, max_length=CONCLUSION_CHARS)]
    )
