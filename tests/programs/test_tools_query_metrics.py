"""query_metrics: change points, values that are not finite, alerts; and the detector behind them."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from programs.raw_path import canonical_json
from programs.tools.base import ToolOutput
from programs.tools.change_point import find_change, find_surge, is_new
from programs.tools.metric_meaning import got_worse, is_symptom
from programs.tools.query_metrics import QueryMetrics
from programs.tools.scenario import load_scenario

Make = Callable[..., Any]


def ask(folder: Path, **params: Any) -> ToolOutput:
    return QueryMetrics(load_scenario(str(folder))).bind(params).run()


def noisy(level: float, spread: float, count: int, seed: int) -> list[float]:
    dice = random.Random(seed)
    return [level + dice.uniform(-spread, spread) for _ in range(count)]


def test_a_step_is_dated_and_measured(scenario_folder: Make, series: Make) -> None:
    values = [*noisy(0.1, 0.05, 80, 1), *noisy(41, 3, 40, 2)]
    answer = ask(
        scenario_folder(
            series=[series("http_5xx_per_second", "shop", values)], units={"http_5xx_per_second": "per_second"}
        ),
        service=["商城"],
    )
    stats = answer.output["series"][0]["stats"]
    assert stats["change_at"] == "2026-05-12T09:40:00+08:00"
    assert stats["before"] == pytest.approx(0.1, abs=0.05)
    assert stats["after"] == pytest.approx(41, abs=2)
    assert (stats["unit"], stats["service"]) == ("per_second", "shop")
    assert len(answer.output["series"][0]["points"]) <= 40
    assert [stats["max_at"], stats["max"]] in answer.output["series"][0]["points"]


@pytest.mark.parametrize("seed", range(12))
def test_noise_is_no_change(seed: int) -> None:
    dice = random.Random(seed)
    assert find_change([dice.gauss(50, 4) for _ in range(120)], least=3.0) is None
    assert find_change([float(dice.random() < 0.2) for _ in range(120)]) is None


def test_other_shapes_of_change_are_dated_at_their_beginning() -> None:
    ramp = [*noisy(30, 0.2, 60, 3), *(30 + step for step in range(60))]
    found = find_change(ramp)
    assert found is not None
    assert 58 <= found.index <= 68
    saw = [*noisy(0, 0.1, 50, 4), *(float(step % 20) * 10 for step in range(1, 81))]
    found = find_change(saw)
    assert found is not None
    assert 50 <= found.index <= 53
    spike = [*noisy(5, 0.3, 60, 5), *noisy(90, 1, 8, 6), *noisy(5, 0.3, 60, 7)]
    found = find_change(spike)
    assert found is not None
    assert (found.index, round(found.before), round(found.after)) == (60, 5, 90)


def test_a_regular_rhythm_is_no_change() -> None:
    assert find_change([90.0 if at % 20 < 3 else 5.0 for at in range(160)]) is None


def test_too_few_or_equal_values_have_no_change() -> None:
    assert find_change([]) is None
    assert find_change([1, 2, 3, 40, 50]) is None
    assert find_change([7.0] * 100) is None


def test_rates_of_events_are_compared_against_chance() -> None:
    calm = [600.0 * at for at in range(1, 6)]
    assert find_surge(calm, 0.0) is None
    assert find_surge([*calm, *(3300.0 + 2 * at for at in range(60))], 0.0) == 5
    assert is_new(400, 3600.0, 5000.0, 0.0)
    assert not is_new(4, 1200.0, 3500.0, 0.0)
    assert not is_new(1, 3000.0, 3000.0, 0.0)


def test_values_that_are_not_finite_are_text_and_not_counted(scenario_folder: Make, series: Make) -> None:
    values = ["1", "NaN", "+Inf", "2", "-Inf", "3"]
    folder = scenario_folder(series=[series("queue_ratio", "shop", values), series("dead", "shop", ["NaN"] * 9)])
    output = ask(folder).output
    by_name = {one["metric"]: one for one in output["series"]}
    assert [value for _, value in by_name["queue_ratio"]["points"]] == [1, "NaN", "+Inf", 2, "-Inf", 3]
    assert (by_name["queue_ratio"]["stats"]["min"], by_name["queue_ratio"]["stats"]["max"]) == (1, 3)
    assert by_name["dead"]["stats"]["max"] is None
    json.loads(json.dumps(output, allow_nan=False))


def test_a_growing_counter_is_read_as_its_rate(scenario_folder: Make, series: Make) -> None:
    folder = scenario_folder(
        series=[
            series("http_requests_total", "shop", [300 * at for at in range(120)]),
            series("restarts_total", "shop", [0] * 60 + [1] * 30 + [2] * 30),
        ]
    )
    by_name = {one["stats"]["metric"]: one["stats"] for one in ask(folder).output["series"]}
    steady = by_name["rate(http_requests_total)"]
    assert (steady["change_at"], steady["last"], steady["unit"]) == (None, 10, "per_second")
    assert by_name["restarts_total"]["change_at"] == "2026-05-12T09:30:00+08:00"


def test_alerts_carry_their_state_as_of_the_pinned_clock(scenario_folder: Make, alert: Make) -> None:
    folder = scenario_folder(
        alerts=[
            alert("ShopDown", "shop", "09:40:00"),
            alert("DbSlow", "db", "09:10:00", severity="warning", ends="09:20:00"),
            alert("Yesterday", "db", "08:00:00", ends="08:30:00"),
        ]
    )
    alerts = {row["alertname"]: row for row in ask(folder, metric="ALERTS").output["alerts"]}
    assert set(alerts) == {"ShopDown", "DbSlow"}
    assert (alerts["ShopDown"]["state"], "endsAt" in alerts["ShopDown"]) == ("active", False)
    assert (alerts["DbSlow"]["state"], alerts["DbSlow"]["endsAt"]) == ("resolved", "2026-05-12T09:20:00+08:00")
    assert [row["alertname"] for row in ask(folder, service=["shop"]).output["alerts"]] == ["ShopDown"]


def test_no_series_and_no_alerts_is_no_hit(scenario_folder: Make, series: Make) -> None:
    folder = scenario_folder(series=[series("cpu_percent", "shop", [1, 2])])
    assert ask(folder, metric="no_such").failure_code == "NO_HIT"
    assert ask(folder, service=["db"]).output["summary"]["series"] == 0
    outside = ask(folder, start="2026-05-13T00:00:00+08:00", end="2026-05-13T01:00:00+08:00")
    assert (outside.failure_code, outside.output["series"]) == ("NO_HIT", [])


def test_missing_files_are_an_error_and_never_no_alert(scenario_folder: Make, series: Make) -> None:
    folder = scenario_folder(series=[series("cpu_percent", "shop", [1, 2])])
    (folder / "alerts.json").unlink()
    assert "alerts" not in ask(folder).output["summary"]
    with pytest.raises(Exception, match=r"no alerts\.json"):
        ask(folder, metric="ALERTS")


def test_records_stay_small_with_endless_labels(scenario_folder: Make, series: Make) -> None:
    labels = {"instance": "i" * 300, "topic": "t" * 300, "pod": "p" * 300}
    (one,) = ask(scenario_folder(series=[series("m" * 200, "shop", range(20), **labels)])).output["series"]
    assert len(canonical_json(one["stats"])) <= 400


@pytest.mark.parametrize(
    ("metric", "unit", "before", "after", "worse"),
    [
        ("http_5xx_percent", "percent", 0.1, 40, True),
        ("http_request_p99_ms", "ms", 52, 63, False),
        ("kafka_consumergroup_lag", "count", 120, 60_000, True),
        ("process_cpu_percent", "percent", 30, 42, False),
        ("node_filesystem_used_percent", "percent", 70, 97, True),
        ("node_filesystem_free_bytes", "bytes", 9e9, 0, True),
        ("process_cpu_percent", "percent", 42, 30, False),
        ("http_requests_per_second", "per_second", 120, 20, True),
        ("http_requests_per_second", "per_second", 120, 130, False),
        ("ready_replicas", "count", 3, 1, True),
    ],
)
def test_a_metrics_name_says_which_direction_is_bad(
    metric: str, unit: str, before: float, after: float, worse: bool
) -> None:
    assert got_worse(metric, unit, before, after, max(before, after)) is worse


def test_a_limit_is_no_symptom() -> None:
    assert is_symptom("hikaricp_connections_pending")
    assert not is_symptom("request_queue_wait_timeout_seconds_max")
