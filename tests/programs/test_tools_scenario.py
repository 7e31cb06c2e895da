"""Scenarios: loading, broken files, choosing one by the question."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from programs.tools.default_plan import asked_services, default_plan, unknown_names
from programs.tools.scenario import ScenarioError, load_scenario, pick_scenario, scenario_names
from programs.tools.service_names import Service, behind, mentions


def test_every_shipped_scenario_loads_with_logs_series_alerts_and_runbooks() -> None:
    assert {"payment-pool", "broker-disk", "recommend-oom", "search-false-alarm"} <= set(scenario_names())
    for name in scenario_names():
        scenario = load_scenario(name)
        assert scenario.name == name
        assert len(scenario.logs) >= 2000
        assert scenario.series
        assert scenario.alerts
        assert len(scenario.runbooks) >= 8
        assert scenario.window.end == scenario.clock


def test_an_unknown_scenario_is_named_together_with_those_there_are() -> None:
    with pytest.raises(ScenarioError, match=r"'no-such'.*payment-pool"):
        load_scenario("no-such")


def test_a_folder_path_loads_with_its_own_runbooks_or_those_beside_it(scenario_folder: Callable[..., Path]) -> None:
    folder = scenario_folder()
    assert [book.name for book in load_scenario(str(folder)).runbooks] == ["pool"]
    (folder / "runbooks").rename(folder.parent / "runbooks")
    assert [book.name for book in load_scenario(str(folder)).runbooks] == ["pool"]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (b'{"level": "INFO", "service": "shop", "message": "x"}', r"logs.jsonl line 2: timestamp is missing"),
        (
            b'{"timestamp": "yesterday", "service": "shop", "message": "x"}',
            r"line 2: 'yesterday' is not an ISO 8601 time",
        ),
        (
            b'{"timestamp": "2026-05-12T09:00:00Z", "level": "LOUD", "service": "s", "message": "x"}',
            r"line 2: level 'LOUD'",
        ),
        (b'{"timestamp": ', r"logs.jsonl line 2: not valid JSON"),
        (b"[1]", r"line 2: not a JSON object"),
    ],
)
def test_a_broken_log_file_names_file_line_and_reason(
    broken: bytes, reason: str, scenario_folder: Callable[..., Path], line: Callable[..., dict[str, Any]]
) -> None:
    folder = scenario_folder([line("09:00:01", "INFO", "shop", "ok"), broken])
    with pytest.raises(ScenarioError, match=reason):
        load_scenario(str(folder))


def test_other_broken_files_are_named_too(scenario_folder: Callable[..., Path]) -> None:
    with pytest.raises(ScenarioError, match=r"scenario.json: timezone is missing"):
        load_scenario(str(scenario_folder(timezone="")))
    folder = scenario_folder(series=[{"metric": {"service": "shop"}, "values": []}])
    with pytest.raises(ScenarioError, match=r"metrics.json: data.result\[0\] is broken"):
        load_scenario(str(folder))
    folder = scenario_folder(alerts=[{"labels": {"alertname": "A"}}])
    with pytest.raises(ScenarioError, match=r"alerts.json: alert \[0\] is broken"):
        load_scenario(str(folder))


def test_times_of_any_zone_are_shown_in_the_scenarios_own(
    scenario_folder: Callable[..., Path], line: Callable[..., dict[str, Any]]
) -> None:
    utc = {**line("09:00:00", "INFO", "shop", "utc"), "timestamp": "2026-05-12T01:30:00Z"}
    bare = {**line("09:00:00", "INFO", "shop", "bare"), "timestamp": "2026-05-12T09:10:00"}
    scenario = load_scenario(str(scenario_folder([utc, bare])))
    assert [(entry.message, entry.timestamp) for entry in scenario.logs] == [
        ("bare", "2026-05-12T09:10:00+08:00"),
        ("utc", "2026-05-12T09:30:00+08:00"),
    ]


def test_bytes_that_no_store_takes_are_repaired_when_read(
    scenario_folder: Callable[..., Path], line: Callable[..., dict[str, Any]]
) -> None:
    stamp = b'{"timestamp": "2026-05-12T09:00:00+08:00", "service": "shop", "message": '
    rows = [
        stamp + rb'"nul \u0000 lone \ud83d end"}',
        stamp + '"磁盘已满"}'.encode("gb18030"),
        stamp + '"混合 '.encode() + b'\xb4\xc5\xff"}',
    ]
    messages = [entry.message for entry in load_scenario(str(scenario_folder(rows))).logs]
    assert messages[0] == "nul ␀ lone � end"
    assert messages[1] == "磁盘已满"
    for message in messages:
        message.encode("utf-8")
        assert "\x00" not in message


def test_five_thousand_lines_load_without_noticeable_wait(
    scenario_folder: Callable[..., Path], line: Callable[..., dict[str, Any]]
) -> None:
    folder = scenario_folder([line("09:30:00", "INFO", "shop", f"request {n} done") for n in range(5000)])
    started = time.process_time()
    load_scenario(str(folder))
    # A wide bound: a slow machine under load passes, a quadratic reader does not.
    assert time.process_time() - started < 2.0


def test_the_question_picks_the_scenario_by_service_or_alias() -> None:
    scenario, reason = pick_scenario("支付网关从 10:05 开始大量 5xx，为什么？")
    assert scenario.name == "payment-pool"
    assert "支付网关" in reason
    scenario, _ = pick_scenario("Why has recommend-service been restarting?")
    assert scenario.name == "recommend-oom"


def test_without_a_known_service_the_default_scenario_is_taken_and_said_so() -> None:
    scenario, reason = pick_scenario("今天天气怎么样？")
    assert scenario.default
    assert "没有提到" in reason


def test_names_match_as_whole_tokens_and_the_longest_alias_wins() -> None:
    services = [Service("redis"), Service("shop", ("商城",)), Service("shop-admin", ("商城后台",)), Service("pay-1")]
    assert [hit.service for hit in mentions("redis-sentinel 和 pay-10 报错", services)] == []
    assert [hit.service for hit in mentions("商城后台打不开", services)] == ["shop-admin"]
    assert [hit.service for hit in mentions("redis慢，Shop-Admin 和商城也慢", services)] == [
        "redis",
        "shop-admin",
        "shop",
    ]


def test_dependencies_come_nearest_first_and_cycles_end() -> None:
    services = [Service("a", depends_on=("b",)), Service("b", depends_on=("c", "a")), Service("c", depends_on=("b",))]
    assert behind(["a"], services) == ("b", "c")


def test_the_default_plan_asks_for_the_named_service_and_what_it_needs(scenario_folder: Callable[..., Path]) -> None:
    scenario = load_scenario(str(scenario_folder()))
    plan = default_plan("商城为什么打不开？", scenario)
    asked = [(step.tool, step.params.get("service")) for step in plan]
    assert asked[:3] == [("query_logs", ["shop"]), ("query_logs", ["db"]), ("query_logs", None)]
    assert ("query_metrics", ["shop", "db"]) in asked
    assert plan[-1].tool == "lookup_knowledge"
    assert all(step.origin == "default" and step.reason for step in plan)


def test_without_a_named_service_the_plan_covers_everything(scenario_folder: Callable[..., Path]) -> None:
    scenario = load_scenario(str(scenario_folder()))
    assert all(step.params.get("service") is None for step in default_plan("线上出什么问题了？", scenario))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("sms-service 为什么发送失败？", ("sms-service",)),
        ("短信服务为什么发送失败？", ("短信服务",)),
        ("商城为什么这么慢？", ()),
        ("我们的服务怎么了？", ()),
        ("why does the online shop run out-of-memory on batch-03?", ()),
    ],
)
def test_a_service_that_the_data_do_not_hold_is_noticed(
    question: str, names: tuple[str, ...], scenario_folder: Callable[..., Path]
) -> None:
    scenario = load_scenario(str(scenario_folder()))
    assert unknown_names(question, scenario) == names
    if names:
        assert asked_services(question, scenario) == ()
        assert default_plan(question, scenario)[0].params["service"] == list(names)
