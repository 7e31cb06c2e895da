"""An excerpt as numbers, times and words: which cell holds what, under which key, and what its unit is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from programs.grounding import ground
from programs.literals.excerpts import Excerpts, excerpts_of, in_path_order
from signatures.contracts import VerifiedEvidence
from tests.programs.test_literals_width import C, F, U, evidence, looked_up


def at_paths(*items: tuple[str, Any], source: str = "inv_1") -> list[VerifiedEvidence]:
    return [
        VerifiedEvidence(
            binding_id=f"b{at}",
            run_id="r",
            claim_id="c",
            source_invocation_id=source,
            tool_name="query_metrics",
            raw_path=path,
            matched_text=value if isinstance(value, str) else json.dumps(value, ensure_ascii=False),
        )
        for at, (path, value) in enumerate(items)
    ]


def keys(text: str) -> list[tuple[str, str, str]]:
    """(number, key, dimension) of each number of a message."""
    seen = excerpts_of(evidence(text)).numbers
    return [(s.quantity.text, s.key, s.values[0][0] if s.values else "") for s in seen]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("max_connections=151", [("151", "max_connections", "count")]),
        ("max_connections = 151", [("151", "max_connections", "count")]),
        ("retries: 3", [("3", "retries", "count")]),
        ("lag is 40", [("40", "lag", "")]),
        ("block of 40", [("40", "block", "")]),
        ("of size 67108864", [("67108864", "size", "count")]),
        ("the count 12", [("12", "count", "count")]),
        ("the count 12 ms", [("12 ms", "", "time")]),
        ("a count, 12", [("12", "", "")]),
        ("the level 12", [("12", "", "")]),
        ("Count is 12", [("12", "Count", "count")]),
        ('"retries": 3', [("3", "retries", "count")]),
        ("'retries'='3'", [("3", "retries", "count")]),
        ("isr=[2,3,4]", [("2", "isr", ""), ("3", "isr", ""), ("4", "isr", "")]),
        ("isr=[2, 3]", [("2", "isr", ""), ("3", "isr", "")]),
        ("retries=2,3", [("2", "retries", "count"), ("3", "retries", "")]),
        ("isr=(2), 3", [("2", "isr", ""), ("3", "", "")]),
        ("active=50 idle=0", [("50", "active", "count"), ("0", "idle", "count")]),
        ("size=5 of 9", [("5", "size", "count"), ("9", "", "")]),
        ("took=30ms", [("30ms", "took", "time")]),
        ("latency_ms=30", [("30", "latency_ms", "time")]),
        ("latency_ms=30 s", [("30 s", "latency_ms", "time")]),
        ("error_ratio=0.25", [("0.25", "error_ratio", "percent")]),
        ("requests=0.25", [("0.25", "requests", "")]),
        ("requests=25", [("25", "requests", "count")]),
        ("cpu requests: 0.25", [("0.25", "requests", "cpu")]),
        ("cpu request=2", [("2", "request", "cpu")]),
        ("CPU_limits=2", [("2", "CPU_limits", "cpu")]),
        ("cpu.limit: 2", [("2", "cpu.limit", "cpu")]),
        ("cpu-cores=2", [("2", "cpu-cores", "cpu")]),
        ("cpu core: 2", [("2", "core", "cpu")]),
        ("gpu requests: 25", [("25", "requests", "count")]),
        ("cpu limits hit: 2", [("2", "hit", "")]),
        ("cpu limit=500m", [("500m", "limit", "time")]),
        ("配置size=5", [("5", "size", "count")]),
        ("no number at all", []),
    ],
)
def test_a_number_of_a_message_has_its_key_and_unit(text: str, found: list[tuple[str, str, str]]) -> None:
    assert keys(text) == found


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("cpu usage 95%", {"cpu", "@used"}),
        ("95% cpu, memory fine", {"cpu"}),
        ("95%，memory fine", set()),
        ("95%；cpu", set()),
        ("95%。cpu", set()),
        ("95%;cpu", set()),
        ("cpu 95% memory 61%", {"cpu", "memory"}),
        ("memory 是在很久以前的那个时候被发现了的而在那以后很长一段时间里它都一直稳定地停在 95%", set()),
        ("cpu_usage=95 memory", {"cpu", "@used"}),
        ("95% of all that is memory", set()),
    ],
)
def test_a_number_is_about_its_key_or_the_words_beside_it(text: str, about: set[str]) -> None:
    assert excerpts_of(evidence(text)).numbers[0].about == about


POINTS = [
    ("$.series[0].metric", "cpu_percent"),
    ("$.series[0].unit", "percent"),
    ("$.series[0].labels.host", "web-1"),
    ("$.series[0].points[0][0]", "2026-03-10T10:00:00+08:00"),
    ("$.series[0].points[0][1]", "41"),
    ("$.series[0].points[1]", ["2026-03-10T10:05:00+08:00", 93]),
    ("$.series[0].stats.max", "97"),
    ("$.series[1].metric", "memory_bytes"),
    ("$.series[1].points[1]", ["2026-03-10T10:05:00+08:00", 4096]),
]


def test_a_point_belongs_to_its_series() -> None:
    shown: Excerpts = excerpts_of(at_paths(*POINTS))
    assert [(s.key, s.values) for s in shown.numbers] == [
        ("cpu_percent", (("percent", 41.0, 0.5),)),
        ("cpu_percent", (("percent", 93.0, 0.5),)),
        ("cpu_percent", (("percent", 97.0, 0.5),)),
        ("memory_bytes", (("bytes", 4096.0, 0.5),)),
    ]
    assert [cell.place for _, cell in shown.moments] == [f"inv_1 {POINTS[at][0]}" for at in (3, 5, 8)]
    assert shown.rows == {}


def test_a_figure_without_a_metric_has_the_key_of_its_field() -> None:
    shown = excerpts_of(at_paths(("$.series[0].points[0][1]", "41"), ("$.data", {"max": 95, "retries": 3})))
    assert [(s.key, bool(s.values)) for s in shown.numbers] == [("", False), ("max", False), ("retries", True)]


def test_rows_are_the_lines_and_records_of_a_list() -> None:
    lists = ("logs", "changes", "alerts", "patterns", "chunks")
    items = [(f"$.{name}[3].message", "x") for name in lists] + [("$.other[3].message", "x"), ("$.logs[3].a[1]", "x")]
    assert list(excerpts_of(at_paths(*items)).rows) == [f"inv_1 $.{name}[3]" for name in lists]


# (a record, the claim, its literal, status): what the fields of a record say of their numbers
RECORDS: list[tuple[Any, str, str, str]] = [
    ({"metric": "latency_ms", "value": 250}, "延迟 250 毫秒", "250 毫秒", F),
    ({"metric": "latency_ms", "value": 250}, "延迟 350 毫秒", "350 毫秒", C),
    *(({"metric": "latency_ms", name: 250}, "延迟 0.25 秒", "0.25 秒", F) for name in ("first", "last", "min", "max")),
    *(({"metric": "latency_ms", name: 250}, "延迟 0.25 秒", "0.25 秒", F) for name in ("before", "after", "value")),
    ({"metric": "latency_ms", "other": 250}, "延迟 0.25 秒", "0.25 秒", U),
    ({"__name__": "latency_ms", "value": 250}, "延迟 0.25 秒", "0.25 秒", F),
    ({"metric": "latency_ms", "threshold": 250}, "延迟阈值 0.25 秒", "0.25 秒", F),
    ({"metric": "latency_ms", "threshold": 250}, "延迟阈值 0.35 秒", "0.35 秒", C),
    ({"metric": "latency_ms", "threshold": 250}, "延迟 0.35 秒", "0.35 秒", U),
    ({"metric": "latency", "unit": "ms", "value": 250}, "延迟 0.25 秒", "0.25 秒", F),
    ({"metric": "latency", "unit": "milliseconds", "value": 250}, "延迟 0.25 秒", "0.25 秒", F),
    ({"metric": "latency_ms", "unit": "s", "value": 250}, "延迟 250 秒", "250 秒", F),
    ({"metric": "heap_bytes", "unit": "", "value": 4096}, "堆 4 KiB", "4 KiB", F),
    ({"value": 250}, "延迟 0.25 秒", "0.25 秒", U),
    ({"latency_ms": 250}, "延迟 0.25 秒", "0.25 秒", F),
    ({"latency_ms": "250"}, "延迟 0.35 秒", "0.35 秒", C),
    ({"latency_ms": " 250 ms "}, "延迟 0.25 秒", "0.25 秒", F),
    ({"error_ratio": 0.25}, "错误率 25%", "25%", F),
    ({"retries": 0.25}, "重试 0.25 次", "0.25 次", F),
    ({"labels": {"latency_ms": 250}}, "延迟 0.25 秒", "0.25 秒", F),
    ({"fields": [{"latency_ms": 250}]}, "延迟 0.25 秒", "0.25 秒", F),
    ({"latency_ms": [250, 350, 450]}, "延迟 0.35 秒", "0.35 秒", F),
    ({"latency_ms": [{"a": 1}, 250, {"b": 2}]}, "延迟 0.25 秒", "0.25 秒", F),
    ({"latency_ms": None}, "延迟 0.25 秒", "0.25 秒", U),
    ({"count": True}, "共 1 次", "1 次", F),
    # what only names a record has no number and no time
    *(({name: "42"}, "值为 42", "42", U) for name in ("level", "service", "host", "instance", "pod", "node", "metric")),
    *(({name: "42"}, "值为 42", "42", U) for name in ("severity", "alertname", "state", "unit", "doc", "title")),
    *(({name: "10:05"}, "10:05 报错", "10:05", U) for name in ("host", "title", "unit")),
    ({"message": "42"}, "值为 42", "42", F),
    # a field of time holds the time of its record and no number
    *(({name: "2026-03-10 10:05"}, "10:05 报错", "10:05", F) for name in ("timestamp", "time", "@timestamp", "ts")),
    *(({name: 42}, "值为 42", "42", U) for name in ("timestamp", "time", "@timestamp", "ts", "startsAt", "endsAt")),
    *(({name: 42}, "值为 42", "42", U) for name in ("updatedAt", "first_seen", "last_seen", "change_at", "max_at")),
    *(({name: 42}, "值为 42", "42", U) for name in ("min_at", "start", "end")),
    ({"note": "at 4pm"}, "下午 4 点报错", "下午 4 点", F),
    ({"note": "4pm"}, "下午 4 点报错", "下午 4 点", F),
    ({"level": "web-12"}, "web-12 报错", "web-12", F),
]


@pytest.mark.parametrize(("record", "claim", "literal", "status"), RECORDS)
def test_a_field_says_what_its_number_is(record: Any, claim: str, literal: str, status: str) -> None:
    looked_up(claim, literal, record, status)


# (path of the excerpt, its text, claim, literal, status)
PATHS = [
    ("$.series[0].points[3][1]", "250", "值为 250", "250", F),
    ("$.series[0].points[3][0]", "250", "值为 250", "250", F),
    ("$.summary.latency_ms", "250", "延迟 0.25 秒", "0.25 秒", F),
    ("$.latency_ms", "250", "延迟 0.35 秒", "0.35 秒", C),
    ("$.logs[3].latency_ms", "250", "延迟 0.25 秒", "0.25 秒", F),
    ("$.logs[3].fields.latency_ms", "250", "延迟 0.25 秒", "0.25 秒", F),
    ("$.logs[3].latency_ms", "[250, 350, 450]", "延迟 0.35 秒", "0.35 秒", F),
    ("$.logs[3].latency_ms", "[250, 350, 450", "延迟 0.35 秒", "0.35 秒", U),
    ("$.logs[3].latency_ms[1]", "250", "延迟 0.25 秒", "0.25 秒", U),
    ("$.logs[3].message", "{latency_ms=250}", "延迟 0.25 秒", "0.25 秒", F),
    ("$.logs[3].message", "ｃｐｕ　９５％", "CPU 95%", "95%", F),
    ("$.logs[3]", {"message": "ｃｐｕ\u200b ９５％"}, "CPU 95%", "95%", F),
    ("$.metric.latency_ms", {"points": [[1, 250], [2, 350]]}, "值为 350", "350", F),
    ("$.data", {"metric": "latency_ms", "points": [["10:00", 250], ["10:05", 350]]}, "延迟 0.35 秒", "0.35 秒", F),
    ("$.data", {"metric": "latency_ms", "points": [["10:00", 250]]}, "10:00 延迟 0.25 秒", "10:00", F),
    ("$.data", {"points": [["10:00", 250]], "metric": "latency_ms"}, "延迟 0.35 秒", "0.35 秒", C),
    ("$.data", {"metric": "latency_ms", "points": 250}, "延迟 0.25 秒", "0.25 秒", U),
]


@pytest.mark.parametrize(("path", "value", "claim", "literal", "status"), PATHS)
def test_an_excerpt_is_read_from_where_it_stands(path: str, value: Any, claim: str, literal: str, status: str) -> None:
    (found,) = (item for item in ground(claim, at_paths((path, value))) if item.text == literal)
    assert found.status == status, found
    assert found.place == (None if status == U else f"inv_1 {path}")


def test_excerpts_come_in_the_order_of_their_paths() -> None:
    items = at_paths(("$.logs[10].message", "b"), ("$.logs[2].message", "c"), ("$.logs[2].message", "a"))
    items += at_paths(("$.logs[1].message", "z"), source="inv_0")
    assert [item.matched_text for item in in_path_order(items)] == ["z", "a", "c", "b"]
    (found,) = ground("CPU 95%", at_paths(("$.logs[10].message", "cpu 95%"), ("$.logs[9].message", "cpu 95%")))
    assert found.place == "inv_1 $.logs[9].message"


def test_an_item_bound_twice_counts_once() -> None:
    assert len(excerpts_of(evidence("cpu 95%") * 3).numbers) == 1


def test_words_like_a_name_begin_and_are_as_long_as_it() -> None:
    shown = excerpts_of(evidence("web-1 web-12 web-123 web-1234 app-12 web", "WEB-12 w12"))
    assert [word for word, _ in shown.words_like("web-12")] == ["web-1", "web-123", "web-1234"]
    assert [word for word, _ in shown.words_like("web-123")] == ["web-1", "web-12", "web-1234"]
    assert shown.words_like("x-1") == []
    (near,) = excerpts_of(evidence("ok", "web-12", "web-12 again")).words_like("web-1")
    assert near[1].place == "inv_1 $.logs[1].message"
    assert excerpts_of(evidence({"timestamp": "web-12"})).words_like("web-1") == []


def test_numbers_are_compared_with_what_measures_the_same() -> None:
    shown = excerpts_of(evidence("cpu 95%, took 30ms, level 7"))
    (percent,) = (s.quantity for s in shown.numbers if s.quantity.text == "95%")
    assert [s.quantity.text for s in shown.comparable(percent)] == ["95%", "7"]
    assert [s.quantity.text for s in shown.comparable(shown.numbers[2].quantity)] == ["95%", "30ms", "7"]
    assert shown.comparable(percent) == shown.comparable(percent)
