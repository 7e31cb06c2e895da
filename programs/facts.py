"""Facts out of tool results, by code: one exact Chinese sentence each, bound to the record that proves it.

The model never reads raw records; it reads these sentences, and what it writes is bound to them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from programs.facts_rank import chosen, healthy, onset_of
from programs.facts_records import Found, Kind, Severity, read
from programs.facts_render import rerender
from programs.facts_scope import Scope
from programs.raw_path import canonical_json
from programs.tools.scenario import Scenario
from signatures.contracts import EvidenceBinding, ToolInvocation

__all__ = ["Fact", "extract", "health_summary", "onset", "rerender"]

_EXCERPT = 60
_SHORTEST = 4
_CLAIM_TYPES: dict[Kind, str] = {"log_event": "timeline_note"}


@dataclass(frozen=True)
class Fact:
    """One fact of the run.

    ``handle``: ``e1`` ... ``e12`` in time order. ``time``: when it began, None for what holds over the whole window.
    ``entity``: the service, empty when it concerns all. ``abnormal``: speaks for a fault (a burst of new errors, a
    metric that got worse). ``new``: was not so before ``time``. ``score``: higher matters more.
    """

    handle: str
    kind: Kind
    text: str
    claim_type: str
    time: datetime | None
    entity: str
    severity: Severity
    score: float
    bindings: tuple[EvidenceBinding, ...]
    abnormal: bool = False
    new: bool = False


def extract(invocations: Sequence[ToolInvocation], question: str, scenario: Scenario) -> tuple[Fact, ...]:
    """The facts that matter for ``question``, at most twelve, in time order; what has no time stands last."""
    window = scenario.window
    dated = window.start.date() != window.end.date()
    records = tuple(read(invocations))
    ranked = chosen(records, Scope(question, scenario, records))
    ranked.sort(key=lambda pair: (pair[0].time.timestamp() if pair[0].time else math.inf, -pair[1]))
    return tuple(
        Fact(
            handle=f"e{place}",
            kind=found.kind,
            text=found.text(dated),
            claim_type=_CLAIM_TYPES.get(found.kind, found.kind),
            time=found.time,
            entity=found.entity,
            severity=found.severity,
            score=round(score, 3),
            bindings=(_binding(found),),
            abnormal=found.bad,
            new=found.new,
        )
        for place, (found, score) in enumerate(ranked, start=1)
    )


def onset(invocations: Sequence[ToolInvocation], question: str, scenario: Scenario) -> datetime | None:
    """When the trouble began, None when no call shows any.

    The start of an alert counts even where nothing else is wrong: ask ``health_summary`` whether there is a fault.
    """
    records = tuple(read(invocations))
    return onset_of(records, Scope(question, scenario, records))


def health_summary(invocations: Sequence[ToolInvocation], question: str, scenario: Scenario) -> bool:
    """Whether logs and metrics were read and show nothing abnormal near what was asked, alerts aside."""
    records = tuple(read(invocations))
    return healthy(records, Scope(question, scenario, records))


def _binding(found: Found) -> EvidenceBinding:
    return EvidenceBinding(
        source_type="tool",
        tool_name=found.tool_name,
        source_invocation_ids=(found.invocation_id,),
        evidence_excerpt=excerpt(found),
        raw_path=found.raw_path,
    )


def excerpt(found: Found) -> str:
    """A short literal of the record's canonical JSON: the head of its message, or its most telling field."""
    whole = canonical_json(found.record)
    for name in ("message", "alertname", "metric", "scanned", "series", "alerts", "start"):
        value = found.record.get(name)
        if isinstance(value, str):
            # JSON escapes quotes and backslashes, so the literal ends before the first of them.
            runs = re.findall(r'[^"\\\x00-\x1f]+', value)
            text = max((run.strip()[:_EXCERPT].strip() for run in runs), key=len, default="")
        else:
            text = f'"{name}":{canonical_json(value)}' if name in found.record else ""
        if len(text) >= _SHORTEST and text in whole:
            return text
    return whole[:_EXCERPT]
