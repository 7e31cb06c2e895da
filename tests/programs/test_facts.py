"""Facts: exact sentences bound to records, the onset, health: over the shipped incidents."""

import json
import re
from functools import cache

import pytest

from programs import facts
from programs.gatekeeper import check
from programs.raw_path import canonical_json, resolve
from programs.tools.default_plan import default_plan
from programs.tools.registry import scenario_tools
from programs.tools.runner import ToolRunner
from programs.tools.scenario import Scenario, load_scenario, scenario_names
from signatures.contracts import ToolInvocation

QUESTIONS = {
    "payment-pool": "支付网关从 10:05 开始大量 5xx，为什么？",
    "broker-disk": "订单消费者从 14:40 左右开始消费延迟一直在涨，是什么原因？",
    "recommend-oom": "Why has recommend-service been restarting again and again since 14:37?",
    "search-false-alarm": "搜索服务报警 SearchErrorRateHigh，搜索出了什么故障？",
}


@cache
def shipped(name: str) -> tuple[Scenario, tuple[ToolInvocation, ...], tuple[facts.Fact, ...]]:
    scenario = load_scenario(name)
    rows = ToolRunner("run-000001", scenario_tools(scenario)).run(default_plan(QUESTIONS[name], scenario))
    return scenario, rows, facts.extract(rows, QUESTIONS[name], scenario)


def told(name: str) -> str:
    return "\n".join(fact.text for fact in shipped(name)[2])


# --- every fact is proven by its record -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_rendering_the_matched_text_again_gives_the_same_sentence(name: str) -> None:
    _, rows, found = shipped(name)
    outputs = {row.invocation_id: row.output for row in rows}
    assert found
    for fact in found:
        (binding,) = fact.bindings
        record = resolve(outputs[binding.source_invocation_ids[0]], str(binding.raw_path))
        matched_text = canonical_json(record)
        assert len(matched_text) <= 400
        assert binding.evidence_excerpt in matched_text
        again = facts.rerender([(binding.tool_name, str(binding.raw_path), json.loads(matched_text))])
        assert fact.text in again


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_every_fact_passes_the_gate_as_a_claim(name: str) -> None:
    _, rows, found = shipped(name)
    claims = [
        {
            "claim_id": fact.handle,
            "claim_type": fact.claim_type,
            "claim_text": fact.text,
            "support_level": "direct",
            "evidence_bindings": [binding.model_dump(mode="json") for binding in fact.bindings],
        }
        for fact in found
    ]
    contract = {
        "answer_version": "executor_evidence_v2",
        "claims": claims,
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
    }
    tools = {"query_logs", "query_metrics", "lookup_knowledge"}
    outcome = check(contract, rows, run_id="run-000001", evidence_tools=tools)
    assert [claim.claim_id for claim in outcome.projection.claims] == [fact.handle for fact in found]
    assert outcome.ceiling == "PASS"


def test_another_record_another_tool_or_another_path_proves_nothing() -> None:
    record = {"timestamp": "2026-05-12T09:00:00+08:00", "level": "INFO", "service": "deploy", "message": "deployed v2"}
    text = "09:00:00 deploy 发布：「deployed v2」"
    assert text in facts.rerender([("query_logs", "$.changes[0]", record)])
    assert text not in facts.rerender([("query_logs", "$.changes[0]", {**record, "message": "deployed v3"})])
    assert not facts.rerender([("query_metrics", "$.changes[0]", record)])
    assert not facts.rerender([("query_logs", "$.changes", [record])])
    assert not facts.rerender(
        [("query_logs", "$.changes[0]", "deployed v2"), ("query_logs", "$.summary", {"start": 1})]
    )
    assert text not in facts.rerender([("query_logs", "$.logs[0]", record)])


# --- shipped incidents ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_facts_are_at_most_twelve_in_time_order_with_handles(name: str) -> None:
    _, _, found = shipped(name)
    assert [fact.handle for fact in found] == [f"e{place}" for place in range(1, len(found) + 1)]
    assert 5 <= len(found) <= 12
    times = [fact.time for fact in found]
    dated = [time for time in times if time is not None]
    assert dated == sorted(dated)
    assert None not in times[: len(dated)]
    assert all("\n" not in fact.text for fact in found)


def test_payment_pool_shows_the_config_change_the_pool_and_the_5xx_and_not_the_red_herring() -> None:
    text = told("payment-pool")
    assert re.search(r"10:02:11 config-center 配置变更：.*maximum-pool-size 64 -> 8", text)
    assert "Connection is not available" in text
    assert "HTTP 503" in text
    assert re.search(r"payment-gateway 的 http_5xx\w* 在 10:0\d:\d\d 由约 0\.\d+", text)
    assert "batch-03" not in text
    scenario, rows, found = shipped("payment-pool")
    start = facts.onset(rows, QUESTIONS["payment-pool"], scenario)
    assert start is not None
    assert "10:03" <= start.strftime("%H:%M") <= "10:05"
    assert not facts.health_summary(rows, QUESTIONS["payment-pool"], scenario)
    change = next(fact for fact in found if fact.kind == "change_event")
    assert change.score >= sorted(fact.score for fact in found)[len(found) // 2]


def test_broker_disk_shows_the_full_disk_the_lag_and_what_filled_it() -> None:
    text = told("broker-disk")
    assert "No space left on device" in text
    assert "COORDINATOR_NOT_AVAILABLE" in text
    assert "lag" in text
    assert re.search(r"13:36:05 mq-admin .*trade-debug-trace", text)
    assert "InventoryLatencyHigh" not in text


def test_recommend_oom_shows_the_release_the_kill_and_the_memory() -> None:
    text = told("recommend-oom")
    assert re.search(r"14:10:02 deploy-pipeline 发布：.*v2\.13\.4 -> v2\.14\.0", text)
    assert "out of memory" in text
    assert "PodOOMKilled" in text
    assert re.search(r"recommend-service.*的 (local_cache_entries|container_memory_rss_bytes) 在 14:1\d", text)
    assert "FeatureStoreLatencyHigh" not in text


def test_what_the_question_names_is_shown_even_when_it_did_not_move() -> None:
    question = "推荐服务的 Pod 每隔二十多分钟就重启一次，是不是流量高峰导致的？"
    scenario = load_scenario("recommend-oom")
    rows = ToolRunner("r", scenario_tools(scenario)).run(default_plan(question, scenario))
    assert any(
        "http_requests" in fact.text and "基本不变" in fact.text for fact in facts.extract(rows, question, scenario)
    )


def test_the_false_alarm_is_told_as_healthy() -> None:
    scenario, rows, found = shipped("search-false-alarm")
    assert facts.health_summary(rows, QUESTIONS["search-false-alarm"], scenario)
    assert not any(fact.abnormal for fact in found)
    text = told("search-false-alarm")
    assert "没有 ERROR 或 FATAL" in text
    assert re.search(r"search_error_percent 基本不变", text)
    assert "SearchErrorRateHigh（critical，search-api）自 16:52:00 起触发" in text
    assert "threshold 2 -> 0.02" in text


def test_an_unknown_service_is_not_lent_the_facts_of_others() -> None:
    question = "短信验证码服务 sms-service 从 10:05 开始发送失败，是什么原因？"
    scenario = load_scenario("payment-pool")
    rows = ToolRunner("r", scenario_tools(scenario)).run(default_plan(question, scenario))
    found = facts.extract(rows, question, scenario)
    assert {fact.kind for fact in found} == {"negative_observation"}
    assert any("没有名为「sms-service」的服务" in fact.text for fact in found)
    assert facts.onset(rows, question, scenario) is None
    assert not facts.health_summary(rows, question, scenario)


def test_all_shipped_scenarios_have_a_question_here() -> None:
    assert set(scenario_names()) == set(QUESTIONS)
