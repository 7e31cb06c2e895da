"""Pieces of a run in the form that a step needs: a fact's excerpts, parsed records, gaps, suggestions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from programs.facts import Fact
from programs.raw_path import RawPathError, canonical_json, resolve
from programs.templates import TOOL_NAMES
from programs.tools.scenario import Scenario
from signatures.contracts import ToolInvocation, VerifiedEvidence

_FAILURES = {
    "TOOL_ERROR": "出错",
    "TIMEOUT": "超时",
    "BUDGET_EXCEEDED": "超出本次查询次数上限",
    "PARTIAL": "只返回了一部分",
}
MAX_RUNBOOKS = 1


def evidence_of(fact: Fact, invocations: Sequence[ToolInvocation], run_id: str) -> tuple[VerifiedEvidence, ...]:
    """A fact's records as the gate will cut them, to check a sentence before it is claimed."""
    rows = {row.invocation_id: row for row in invocations}
    found = []
    for number, binding in enumerate(fact.bindings):
        row = rows.get(binding.source_invocation_ids[0])
        if row is None or binding.raw_path is None:
            continue
        try:
            text = canonical_json(resolve(row.output, binding.raw_path))
        except RawPathError:
            continue
        found.append(
            VerifiedEvidence(
                binding_id=f"{fact.handle}-{number}",
                run_id=run_id,
                claim_id=fact.handle,
                source_invocation_id=row.invocation_id,
                tool_name=row.tool_name,
                raw_path=binding.raw_path,
                matched_text=text,
            )
        )
    return tuple(found)


def parsed_records(evidence: Sequence[VerifiedEvidence]) -> list[tuple[str, str, Any]]:
    """(tool, raw path, value) of the excerpts that are whole JSON records."""
    records = []
    for item in evidence:
        try:
            records.append((item.tool_name, item.raw_path, json.loads(item.matched_text)))
        except ValueError:
            continue
    return records


def unavailable(invocations: Sequence[ToolInvocation]) -> tuple[str, ...]:
    """Evidence that could not be had: every failed call stays a visible gap (NE-02)."""
    gaps = []
    for row in invocations:
        failure = _FAILURES.get(row.failure_code or "")
        if failure:
            about = "、".join(str(value) for value in row.params.get("service") or ())
            name = TOOL_NAMES.get(row.tool_name, row.tool_name)
            gaps.append(f"{about + ' 的' if about else ''}{name}没有查到：{failure}（{row.failure_code}）")
    return tuple(dict.fromkeys(gaps))


def suggestions_for(invocations: Sequence[ToolInvocation], facts: Sequence[Fact], healthy: bool) -> tuple[str, ...]:
    """What to do next, from the changes before the trouble and the runbooks' titles; never verified, never a cause."""
    found: list[str] = []
    if not healthy:
        changes = sorted((fact for fact in facts if fact.claim_type == "change_event"), key=lambda fact: -fact.score)
        found += [f"先确认这次变更能不能回退：{fact.text}" for fact in changes[:1]]
    for row in invocations:
        if row.tool_name == "lookup_knowledge" and isinstance(row.output, dict):
            titles = [str(c.get("title", "")) for c in row.output.get("chunks", []) if c.get("relevance") == "high"]
            found += [f"处置步骤可参考手册《{title}》" for title in list(dict.fromkeys(titles))[:MAX_RUNBOOKS] if title]
    return tuple(dict.fromkeys(found))


def known_services(scenario: Scenario) -> tuple[str, ...]:
    """What can be asked instead, when the question was about something that no source knows."""
    names = "、".join(service.name for service in scenario.services)
    return (f"当前数据源里有这些服务：{names}。请换服务名再问，或者先接入缺少的日志和指标",)
