"""The shipped incidents: rebuilt byte for byte, well formed, and their expected answers true of the telemetry."""

from __future__ import annotations

import json
import re
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from data.scenarios import generate

SCENARIOS = Path(generate.__file__).parent
EXPECTED = SCENARIOS.parent / "expected"
NAMES = ("broker-disk", "payment-pool", "recommend-oom", "search-false-alarm")
UNITS = {"percent", "bytes", "seconds", "ms", "count", "per_second"}
QUESTION_FIELDS = ["id", "lang", "question", "expected_verdict", "expected_facts", "forbidden_conclusions", "note"]
MIB = 1024**2


def read(file: str, name: str) -> Any:
    return json.loads((SCENARIOS / name / file).read_text(encoding="utf-8"))


scenario, metrics, alerts = (partial(read, file) for file in ("scenario.json", "metrics.json", "alerts.json"))


def expected(name: str) -> Any:
    return json.loads((EXPECTED / f"{name}.json").read_text(encoding="utf-8"))


def logs(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (SCENARIOS / name / "logs.jsonl").read_text(encoding="utf-8").splitlines()]


def moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    assert at.utcoffset() is not None, f"{text} has no zone"
    return at


def window(name: str) -> tuple[datetime, datetime]:
    span = scenario(name)["window"]
    return moment(span["start"]), moment(span["end"])


def test_files_are_what_the_generator_gives() -> None:
    assert generate.differing(SCENARIOS) == []


def test_check_names_a_file_that_was_edited_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    generate.write(tmp_path)
    edited = tmp_path / "payment-pool" / "logs.jsonl"
    edited.write_bytes(edited.read_bytes().replace(b"64 -> 8", b"64 -> 9", 1))
    (tmp_path / "broker-disk" / "alerts.json").unlink()
    monkeypatch.setattr(generate, "HERE", tmp_path)
    assert generate.differing(tmp_path) == ["payment-pool/logs.jsonl", "broker-disk/alerts.json"]
    assert generate.main(["--check"]) == 1
    assert "payment-pool/logs.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_scenario_is_small_and_pins_its_clock_at_the_end_of_its_window(name: str) -> None:
    about = scenario(name)
    start, end = window(name)
    assert about["name"] == name
    assert about["timezone"] == "Asia/Shanghai"
    assert moment(about["clock"]) == end
    assert (end - start).total_seconds() >= 75 * 60
    known = {one["name"] for one in about["services"]}
    assert all(set(one["depends_on"]) <= known for one in about["services"])
    assert sum(path.stat().st_size for path in (SCENARIOS / name).iterdir()) <= 1.5 * MIB
    assert all(re.search(r"[一-鿿]", "".join(one["aliases"])) for one in about["services"] if one["aliases"])


def test_one_scenario_is_the_default_and_aliases_are_not_shared() -> None:
    assert [name for name in NAMES if scenario(name)["default"]] == ["payment-pool"]
    owners: dict[str, str] = {}
    for name in NAMES:
        for service in scenario(name)["services"]:
            for alias in service["aliases"]:
                assert owners.setdefault(alias.lower(), name) == name, f"{alias} names services of two scenarios"


@pytest.mark.parametrize("name", NAMES)
def test_logs_are_long_mixed_sorted_and_inside_the_window(name: str) -> None:
    lines = logs(name)
    start, end = window(name)
    assert len(lines) >= 2000
    assert len({line["service"] for line in lines}) >= 5
    assert {line["service"] for line in lines} <= {one["name"] for one in scenario(name)["services"]}
    times = [moment(line["timestamp"]) for line in lines]
    assert start <= times[0]
    assert times[-1] <= end
    assert all(left <= right for left, right in pairwise(times))
    for line in lines:
        assert list(line) == ["timestamp", "level", "service", "host", "message"]
        assert line["level"] in {"DEBUG", "INFO", "WARN", "ERROR", "FATAL"}
        assert len(json.dumps(line, ensure_ascii=False)) <= 400
    quiet = sum(line["level"] in {"DEBUG", "INFO"} for line in lines)
    assert quiet > len(lines) / 2


@pytest.mark.parametrize("name", NAMES)
def test_metrics_have_prometheus_shape_and_units(name: str) -> None:
    answer = metrics(name)
    start, end = (at.timestamp() for at in window(name))
    assert answer["status"] == "success"
    assert answer["data"]["resultType"] == "matrix"
    series = answer["data"]["result"]
    assert len(series) >= 6
    assert len({json.dumps(one["metric"], sort_keys=True) for one in series}) == len(series)
    for one in series:
        about = answer["metadata"][one["metric"]["__name__"]]
        assert about["unit"] in UNITS
        assert about["help"]
        seconds = [second for second, _ in one["values"]]
        assert all(right - left in {30, 60} for left, right in pairwise(seconds))
        assert start <= seconds[0]
        assert seconds[-1] <= end
        assert all(isinstance(value, str) and float(value) >= 0 for _, value in one["values"])


@pytest.mark.parametrize("name", NAMES)
def test_alerts_have_alertmanager_shape(name: str) -> None:
    found = alerts(name)
    start, end = window(name)
    assert 1 <= len(found) <= 4
    assert len({one["fingerprint"] for one in found}) == len(found)
    for one in found:
        assert {"alertname", "service", "severity"} <= set(one["labels"])
        assert re.search(r"[一-鿿]", one["annotations"]["summary"])
        assert one["annotations"]["description"]
        assert start <= moment(one["startsAt"]) <= moment(one["updatedAt"]) <= end < moment(one["endsAt"])
        assert one["status"] == {"state": "active", "silencedBy": [], "inhibitedBy": []}
        assert one["receivers"][0]["name"]
        assert one["generatorURL"].startswith("http")


@pytest.mark.parametrize(
    ("name", "onset"), [("payment-pool", "10:02"), ("broker-disk", "13:36"), ("recommend-oom", "14:10")]
)
def test_noise_errors_occur_before_the_onset_too(name: str, onset: str) -> None:
    start, _ = window(name)
    began = start.replace(hour=int(onset[:2]), minute=int(onset[3:]))
    assert (began - start).total_seconds() >= 45 * 60
    before = [line for line in logs(name) if moment(line["timestamp"]) < began]
    assert sum(line["level"] == "ERROR" for line in before) >= 3
    assert sum(line["level"] == "WARN" for line in before) >= 10


def test_the_false_alarm_shows_no_error_and_flat_metrics() -> None:
    name = "search-false-alarm"
    assert not [line for line in logs(name) if line["level"] in {"ERROR", "FATAL"}]
    fired = moment(alerts(name)[0]["startsAt"]).timestamp()
    for one in metrics(name)["data"]["result"]:
        before = [float(value) for second, value in one["values"] if second < fired]
        after = [float(value) for second, value in one["values"] if second >= fired]
        mean = sum(before) / len(before)
        assert sum(after) / len(after) == pytest.approx(mean, rel=0.12), one["metric"]


def test_gateway_counts_agree_between_log_and_metric() -> None:
    name = "payment-pool"
    rate = next(
        {second: float(value) for second, value in one["values"]}
        for one in metrics(name)["data"]["result"]
        if one["metric"] == {"__name__": "http_5xx_rate1m", "service": "payment-gateway"}
    )
    compared = 0
    for line in logs(name):
        if match := re.search(r"gateway\.stats .* 5xx=(\d+) ", line["message"]):
            minute = int(moment(line["timestamp"]).replace(second=0, microsecond=0).timestamp())
            assert int(match[1]) / 60 == pytest.approx(rate[minute], abs=0.006)
            compared += 1
    assert compared >= 70


def _records(name: str) -> list[str]:
    """One text per log line, alert and metric series: a fact's literals must meet in one of them."""
    series = [
        json.dumps(one["metric"]) + " " + " ".join(value for _, value in one["values"])
        for one in metrics(name)["data"]["result"]
    ]
    told = [json.dumps(one, ensure_ascii=False) for one in alerts(name)]
    return (
        [f"{line['timestamp']} {line['service']} {line['host']} {line['message']}" for line in logs(name)]
        + told
        + series
    )


@pytest.mark.parametrize("name", NAMES)
def test_expected_facts_are_true_of_the_telemetry(name: str) -> None:
    records = _records(name)
    everything = "\n".join(records)
    for question in expected(name)["questions"]:
        for fact in question["expected_facts"]:
            for literals in fact["any_of"]:
                missing = [literal for literal in literals if literal not in everything]
                assert not missing, f"{question['id']} {fact['id']}: {missing} not in the telemetry"
            assert any(
                all(literal in record for literal in literals) for literals in fact["any_of"] for record in records
            )


@pytest.mark.parametrize("name", NAMES)
def test_expected_answers_are_well_formed(name: str) -> None:
    answer = expected(name)
    assert answer["scenario"] == name
    assert len(answer["questions"]) == 2
    for question in answer["questions"]:
        assert list(question) == QUESTION_FIELDS
        assert set(question["expected_verdict"]) <= {"PASS", "LOW_CONFID", "REJECT"}
        for forbidden in question["forbidden_conclusions"]:
            assert any(re.search(pattern, forbidden["text"]) for pattern in forbidden["patterns"]), forbidden["text"]
            told = [fact["text"] for fact in question["expected_facts"]]
            assert not any(re.search(pattern, text) for pattern in forbidden["patterns"] for text in told)


def test_questions_cover_english_the_flagship_and_one_about_absent_data() -> None:
    questions = [(name, one) for name in NAMES for one in expected(name)["questions"]]
    assert len(questions) == 8
    assert len({one["id"] for _, one in questions}) == 8
    assert sum(one["lang"] == "en" for _, one in questions) == 1
    assert any(one["question"] == "支付网关从 10:05 开始大量 5xx，为什么？" for _, one in questions)
    absent = [(name, one) for name, one in questions if not one["expected_facts"]]
    assert [one["expected_verdict"] for _, one in absent] == [["LOW_CONFID", "REJECT"]]
    for name in NAMES:
        everything = "\n".join(_records(name)) + json.dumps(scenario(name), ensure_ascii=False)
        assert "sms" not in everything
        assert "短信" not in everything


def test_runbooks_have_a_title_and_their_sections() -> None:
    books = sorted((SCENARIOS / "runbooks").glob("*.md"))
    assert len(books) >= 10
    for book in books:
        text = book.read_text(encoding="utf-8")
        assert re.match(r"# \S", text), book.name
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["现象", "常见原因", "排查步骤", "处置"], book.name
        assert 150 <= len(re.findall(r"[一-鿿]", text)) <= 600, book.name
    oom = (SCENARIOS / "runbooks" / "pod-oomkilled.md").read_text(encoding="utf-8")
    assert "最常见的原因是流量高峰" in oom
