"""What a claim means: units, zones, languages and names are compared as a person would."""

from __future__ import annotations

import json

import pytest

from tests.spec.harness import (
    Spec,
    binding,
    claim,
    contract,
)
from tests.spec.hostile.material import about, logs
from tests.spec.test_zh import readable


@pytest.mark.parametrize(
    ("record", "told", "same"),
    [
        ({"metric": "cpu_usage", "value": "0.95 core"}, "cpu_usage 为 950m", True),
        ({"metric": "cpu_usage", "value": "0.95 core"}, "cpu_usage 为 95%", False),
        ({"metric": "memory_working_set", "value": "335Mi"}, "memory_working_set 约 351 MB", True),
        ({"metric": "memory_working_set", "value": "335Mi"}, "memory_working_set 为 335 MB", False),
        ({"metric": "request_latency", "value": "1500 ms"}, "request_latency 为 1.5 秒", True),
        ({"metric": "request_latency", "value": "1500 ms"}, "request_latency 为 15 秒", False),
    ],
)
def test_hostile_16_units_are_compared_after_conversion(
    spec: Spec, record: dict[str, str], told: str, same: bool
) -> None:
    call = {"invocation_id": "inv_1", "tool_name": "query_metrics", "output": {"series": [record]}}
    stated = binding(record["value"], "$.series[0]", tool_name="query_metrics")
    judged = spec.judge(
        contract(claim("c1", "metric_value", claim_text=told, evidence_bindings=[stated])), invocations=[call]
    )
    assert (judged.classes["c1"] == "direct_observation") is same


@pytest.mark.parametrize("told", ["02:10（+08:00）", "3 月 11 日 02:10", "凌晨2点10分"])
def test_hostile_17_one_instant_in_two_zones(spec: Spec, told: str) -> None:
    call = logs("disk full", timestamp="2026-03-10T18:10:00Z")
    alert = {"alertname": "DiskFull", "service": "payment-gateway", "startsAt": "2026-03-11T02:10:00+08:00"}
    metrics = {"invocation_id": "inv_2", "tool_name": "query_metrics", "output": {"alerts": [alert]}}
    both = [binding("disk full", "$.logs[0]"), binding("DiskFull", "$.alerts[0]", ["inv_2"], tool_name="query_metrics")]
    stated = claim(claim_text=f"payment-gateway 在 {told} 出现 disk full", evidence_bindings=both)
    judged = spec.judge(contract(stated), invocations=[call, metrics])
    assert judged.classes["c1"] == "direct_observation"


def test_hostile_17_the_model_does_not_set_the_window(spec: Spec) -> None:
    asked = spec.ask(planner={"fetch": ["logs payment-gateway"], "words": [], "start": "1999-01-01T00:00:00Z"})
    params = [row["params"] for row in asked.stored["invocations"]]
    assert params and not any("1999" in json.dumps(item) for item in params)


def test_hostile_24_chinese_prose_and_original_quotes(spec: Spec) -> None:
    asked = spec.ask("Why does the payment gateway return so many 5xx since 10:05?")
    assert readable(asked.answer)
    assert "HTTP 503 POST /pay/v2/create" in asked.answer
    quotes = " ".join(item["quote"] for item in asked.body["evidence"])
    assert "Connection is not available, request timed out after 3000ms" in quotes


@pytest.mark.parametrize(
    ("named", "real"),
    [
        ("redis", "redis-sentinel"),
        ("pay-1", "pay-10"),
        ("cpu_saturation", "cpu_saturation_bad_query"),
        ("10.0.0.1", "10.0.0.12"),
        ("redis-sentinel", "redis"),
    ],
)
def test_hostile_25_names_match_whole(spec: Spec, named: str, real: str) -> None:
    call = logs(f"connection to {real} refused", service=real, host=real)
    wrong = spec.judge(about(f"连接 {named} 被拒绝", "refused"), invocations=[call])
    right = spec.judge(about(f"连接 {real} 被拒绝", "refused"), invocations=[call])
    assert wrong.classes["c1"] != "direct_observation" and wrong.verdict != "PASS"
    assert right.classes["c1"] == "direct_observation"
