"""ES: summaries keep the concrete facts, so that a cut never turns evidence into nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from programs.tools.base import BoundCall, ToolOutput
from programs.tools.query_logs import QueryLogs
from programs.tools.query_metrics import QueryMetrics
from tests.spec.harness import LOGS, METRICS, Spec, binding, claim, contract

HIT = {
    "timestamp": "2026-03-11T10:04:07.120+08:00",
    "level": "ERROR",
    "service": "payment-gateway",
    "message": "zebra-41 pool exhausted after 3000ms",
}
BANNER = {"timestamp": "2026-03-11T10:00:00.000+08:00", "level": "INFO", "service": "payment-gateway"}


def _logs(count: int, at: int, size: int = 0) -> dict[str, Any]:
    lines: list[dict[str, Any]] = [{**BANNER, "message": f"started worker {n} " + "=" * size} for n in range(count)]
    lines[at] = HIT
    return {"logs": lines}


def _stored(spec: Spec, monkeypatch: pytest.MonkeyPatch, tool: type, output: Any) -> dict[str, Any]:
    """The stored row of a tool that returned ``output``."""

    def bind(self: Any, params: Mapping[str, Any]) -> BoundCall:
        return BoundCall(dict(params), dict(params), lambda: ToolOutput(output, 1))

    monkeypatch.setattr(tool, "bind", bind)
    asked = spec.ask()
    name = {"QueryLogs": "query_logs", "QueryMetrics": "query_metrics"}[tool.__name__]
    found: dict[str, Any] = next(
        row for row in asked.stored["invocations"] if row["tool_name"] == name and row["output_summary"]
    )
    return found


def test_es_01_a_hit_deep_in_a_long_log_can_still_be_cited_as_direct_evidence(spec: Spec) -> None:
    stated = claim(claim_text="zebra-41 连接池耗尽", evidence_bindings=[binding(HIT["message"], "$.logs[180]")])
    judged = spec.judge(contract(stated), invocations=[{**LOGS, "output": _logs(200, 180)}])
    assert judged.classes == {"c1": "direct_observation"}
    assert HIT["message"] in judged.evaluation["verified_evidence"][0]["matched_text"]


def test_es_02_the_matching_message_is_in_the_summary(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    assert HIT["message"] in _stored(spec, monkeypatch, QueryLogs, _logs(200, 180))["output_summary"]


def test_es_03_the_verifier_may_cite_the_call_directly(spec: Spec) -> None:
    found = spec.judge().evaluation["claim_checks"][0]
    assert found["classification"] == "direct_observation"
    assert found["evidence_refs"][0]["source_invocation_id"] == "inv_1"


def test_es_04_alert_names_services_and_values_are_in_the_summary(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = _stored(spec, monkeypatch, QueryMetrics, METRICS["output"])["output_summary"]
    for word in ("PaymentGateway5xxHigh", "payment-gateway", "http_5xx_percent", "38.84"):
        assert word in summary


@pytest.mark.parametrize("output", [_logs(200, 180), METRICS["output"], {"rows": [{"a": 1, "b": "x y"}]}, "a\nb error"])
def test_es_05_every_word_of_a_summary_is_in_the_output(
    spec: Spec, monkeypatch: pytest.MonkeyPatch, output: Any
) -> None:
    summary = _stored(spec, monkeypatch, QueryLogs, output)["output_summary"]
    text = json.dumps(output, ensure_ascii=False)
    assert summary and [word for word in re.findall(r"[\w.:+-]+", summary) if word not in text] == []


def test_es_06_the_summary_of_megabytes_is_bounded(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    row = _stored(spec, monkeypatch, QueryLogs, _logs(3000, 2900, size=1000))
    assert 0 < len(row["output_summary"]) <= 600
    assert HIT["message"] in row["output_summary"]


def test_es_07_the_error_line_comes_before_the_banner(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = _stored(spec, monkeypatch, QueryLogs, _logs(200, 199))["output_summary"]
    assert summary.index("zebra-41") < summary.index("started worker")
