"""What the Composer asks of the model: one conclusion sentence over material that is already allowed."""

from __future__ import annotations

from typing import Annotated, Any

import dspy
from pydantic import Field

CONCLUSION_CHARS = 160


class WriteConclusion(dspy.Signature):
    """你替值班工程师写一句结论：先说原因，再说影响。只能用材料里的词和数字，不增加别的原因。口语、简短、准确。"""

    question: str = dspy.InputField(desc="问题")
    material: str = dspy.InputField(desc="允许使用的材料")
    conclusion: str = dspy.OutputField(desc="一句中文结论，不超过 60 字")


def conclusion_signature() -> Any:
    """WriteConclusion with its length bounded."""
    return WriteConclusion.with_updated_fields(
        "conclusion", type_=Annotated[str, Field(min_length=8, max_length=CONCLUSION_CHARS)]
    )
