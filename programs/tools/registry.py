"""The evidence tools of a scenario by name."""

from __future__ import annotations

from programs.tools.base import Tool
from programs.tools.lookup_knowledge import LookupKnowledge
from programs.tools.query_logs import QueryLogs
from programs.tools.query_metrics import QueryMetrics
from programs.tools.scenario import Scenario

EVIDENCE_TOOLS = ("query_logs", "query_metrics", "lookup_knowledge")


def scenario_tools(scenario: Scenario) -> dict[str, Tool]:
    """Every tool that answers from ``scenario``."""
    tools: tuple[Tool, ...] = (QueryLogs(scenario), QueryMetrics(scenario), LookupKnowledge(scenario))
    return {tool.name: tool for tool in tools}
