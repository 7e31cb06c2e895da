"""The Planner: which evidence to fetch. The model names what it would look at, code adds what it forgot.

In the evidence-gap cycle the steps come from the gaps themselves: they are typed calls already, and every step must
name its gap (G8), so asking the model again would buy nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy

from programs.tools.scenario import Scenario
from signatures.contracts import EvidenceGap, PlanStep
from signatures.planner import PlanEvidence, plan_signature

MAX_GAP_STEPS = 3
_TOOL = {"logs": "query_logs", "metrics": "query_metrics"}


class Planner(dspy.Module):
    def __init__(self) -> None:
        super().__init__()
        self.plan = dspy.Predict(PlanEvidence)

    def forward(self, question: str, scenario: Scenario) -> dspy.Prediction:
        """``steps``: typed tool calls, at most four."""
        names = [service.name for service in scenario.services]
        choices = tuple(f"{kind} {name}" for name in names for kind in _TOOL)
        listing = "、".join(
            f"{service.name}（{service.aliases[0]}）" if service.aliases else service.name
            for service in scenario.services
        )
        answer = self.plan(
            question=question,
            services=listing,
            signature=plan_signature((*choices, "runbook")),
            config={"max_tokens": 100},
        )
        return dspy.Prediction(steps=_steps(answer.fetch, answer.words, question))


def _steps(fetch: Sequence[str], words: Sequence[str], question: str) -> tuple[PlanStep, ...]:
    steps: dict[str, PlanStep] = {}
    contains = " ".join(word.strip() for word in words if word.strip() and word.isascii())
    for choice in fetch:
        kind, _, service = choice.partition(" ")
        params: dict[str, Any]
        if kind == "runbook":
            steps[choice] = PlanStep(tool="lookup_knowledge", params={"query": question}, origin="model")
            continue
        params = {"service": [service]}
        if kind == "logs" and contains:
            params["contains"] = contains
        steps[choice] = PlanStep(tool=_TOOL[kind], params=params, origin="model")
    return tuple(steps.values())


def gap_steps(gaps: Sequence[EvidenceGap]) -> tuple[PlanStep, ...]:
    """EVIDENCE_GAP_ONLY: one step a valid gap, at most three (G8)."""
    return tuple(
        PlanStep(
            tool=gap.suggested_tool or "",
            params=dict(gap.suggested_params),
            reason=gap.missing,
            gap_id=gap.gap_id,
            origin="gap",
        )
        for gap in gaps
        if gap.valid
    )[:MAX_GAP_STEPS]
