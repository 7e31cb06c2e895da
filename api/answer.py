"""The answer as one JSON object, the same from the command line and over HTTP."""

from __future__ import annotations

from typing import Any

from signatures.contracts import DiagnosisResult


def answer_object(result: DiagnosisResult) -> dict[str, Any]:
    """Everything a caller may see; the evaluation container stays in the store (``GET /api/runs/{id}``)."""
    return result.model_dump(exclude={"self_evaluation", "question"})
