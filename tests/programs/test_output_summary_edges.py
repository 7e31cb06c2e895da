"""The line of each kind of record, the order of lines, and how a line is cut (ES rows)."""

from __future__ import annotations

from typing import Any

import pytest

from programs.evidence import summarize_output


def lines(output: Any, limit: int = 600) -> list[str]:
    return summarize_output(output, limit).splitlines()


def log(message: str, level: str = "INFO", **fields: Any) -> dict[str, Any]:
    return {"timestamp": "10:05", "level": level, "service": "pay", "message": message, **fields}


# --- one kind of record each ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "record", "line"),
    [
        ("logs", log("pool empty", "ERROR", host="pod-1"), "10:05 ERROR pay pool empty"),
        ("changes", log("publish pool=8"), "10:05 pay publish pool=8"),
        (
            "patterns",
            {**log("pool empty", "ERROR"), "count": 3, "first_seen": "10:04", "last_seen": "10:09"},
            "ERROR pay pool empty 3 10:04 10:09",
        ),
        (
            "alerts",
            {
                "alertname": "High5xx",
                "service": "pay",
                "state": "active",
                "severity": "critical",
                "startsAt": "10:05",
                "summary": "5xx 12%",
            },
            "High5xx pay active critical 10:05 5xx 12%",
        ),
        ("alerts", {"labels": {"alertname": "High5xx", "service": "pay"}, "state": "active"}, "High5xx pay active"),
        (
            "series",
            {
                "metric": "pool_active",
                "labels": {"service": "pay", "instance": "pod-1"},
                "stats": {
                    "before": 4,
                    "after": 8,
                    "change_at": "10:05",
                    "max": 9,
                    "max_at": "10:06",
                    "last": 7,
                    "unit": "count",
                    "min": 1,
                },
                "points": [["10:00", 4]],
            },
            "pool_active pay pod-1 before=4 after=8 change_at=10:05 max=9 max_at=10:06 last=7 unit=count",
        ),
        (
            "series",
            {"metric": "cpu", "labels": {"service": "pay"}, "points": [["10:00", 4], ["10:01", 5], ["10:02", 6]]},
            'cpu pay ["10:02",6]',
        ),
        ("series", {"metric": "cpu", "labels": {"service": "pay"}, "points": []}, "cpu pay"),
        (
            "chunks",
            {"doc": "db.md", "relevance": "high", "title": "连接池", "section": "处置", "text": "先看连接数"},
            "high 连接池 处置 先看连接数",
        ),
    ],
)
def test_the_line_of_each_kind_of_record(section: str, record: dict[str, Any], line: str) -> None:
    assert lines({section: [record]}) == [line]


def test_a_record_says_more_than_its_labels_and_stats_more_than_the_record() -> None:
    assert lines({"alerts": [{"labels": {"alertname": "old"}, "alertname": "new"}]}) == ["new"]
    assert lines({"series": [{"metric": "old", "stats": {"metric": "new", "last": 0}}]}) == ["new last=0"]


def test_empty_and_missing_fields_leave_no_gap_and_a_zero_is_a_value() -> None:
    assert lines({"logs": [{"timestamp": "", "level": None, "service": "pay", "message": 0}]}) == ["pay 0"]


def test_things_that_are_no_records_are_left_out_of_their_section() -> None:
    assert lines({"logs": [1, None, "x", log("pool empty")]}) == ["10:05 INFO pay pool empty"]
    assert lines({"logs": "plain text"}) == ["logs=plain text"]


# --- order ------------------------------------------------------------------------------------------------------------


def test_log_lines_stand_by_severity_and_then_in_their_own_order() -> None:
    levels = ["INFO", "WARN", "severe", "WARNING", "Error", "CRITICAL", "EMERGENCY", "FATAL", "DEBUG"]
    records = [log(f"m{number}", level) for number, level in enumerate(levels)] + [log("call failed", "INFO")]
    assert [line.split()[-1] for line in lines({"logs": records})] == (
        ["m5", "m6", "m7", "m2", "m4", "m1", "m3", "failed", "m0", "m8"]
    )


def test_patterns_stand_by_severity_too() -> None:
    records = [{"level": level, "message": level.lower()} for level in ("INFO", "ERROR", "WARN")]
    assert lines({"patterns": records}) == ["ERROR error", "WARN warn", "INFO info"]


def test_of_records_that_differ_only_in_time_the_first_is_shown() -> None:
    records = [log("pool empty", timestamp=f"10:0{minute}") for minute in range(5)]
    assert lines({"logs": [*records, log("pool empty", service="order")]}) == [
        "10:00 INFO pay pool empty",
        "10:05 INFO order pool empty",
    ]


def test_kinds_take_turns_and_everything_else_comes_last() -> None:
    output = {
        "scanned": 9,
        "logs": [log("one"), log("two")],
        "alerts": [{"alertname": "A"}, {"alertname": "B"}, {"alertname": "C"}],
    }
    assert lines(output) == ["A", "10:05 INFO pay one", "B", "10:05 INFO pay two", "C", "scanned=9"]


@pytest.mark.parametrize(
    "word",
    [
        *("fatal", "panic", "error", "exception", "fail", "timeout", "timed out", "refused", "oom", "killed", "denied"),
        *("exhausted", "异常", "错误", "失败", "超时", "拒绝", "REFUSED"),
    ],
)
def test_a_line_that_speaks_of_trouble_comes_first(word: str) -> None:
    assert lines(f"all fine\nit says {word} here\n\n  \nfine again") == [
        f"it says {word} here",
        "all fine",
        "fine again",
    ]


# --- any other JSON ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ({"rows": [{"a": 1, "b": "x"}, {"a": 2}]}, ["a=1 b=x", "a=2"]),
        ({"window": {"start": "10:00", "end": "10:30"}}, ["start=10:00 end=10:30"]),
        ([1, 2, "x"], ["1", "2", "x"]),
        ({"tags": ["a", "b"]}, ["a", "b"]),
        ({"a": "", "b": None, "c": 0}, ["c=0"]),
        (7, ["7"]),
        (None, []),
        ({}, []),
        ([{"state": "ok"}, {"state": "error"}], ["state=error", "state=ok"]),
    ],
)
def test_other_json_is_shown_object_by_object(output: Any, shown: list[str]) -> None:
    assert lines(output) == shown


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_a_long_line_is_cut_to_two_hundred_characters_around_its_trouble() -> None:
    (line,) = lines("a" * 1000 + " timeout " + "b" * 1000)
    assert len(line) == 200
    assert 90 <= line.index("timeout") <= 110
    assert lines("timeout " + "b" * 1000) == ["timeout " + "b" * 192]
    assert lines("a" * 1000 + " timeout") == ["a" * 192 + " timeout"]
    assert lines("c" * 1000) == ["c" * 200]
    assert lines("c" * 200) == ["c" * 200]


def test_lines_are_shown_once_and_blanks_are_folded() -> None:
    assert lines("a  b\t c\na b c\nd") == ["a b c", "d"]


def test_the_limit_counts_every_character_and_break() -> None:
    assert summarize_output("a" * 30 + "\n" + "b" * 29, 60) == "a" * 30 + "\n" + "b" * 29
    assert summarize_output("a" * 30 + "\n" + "b" * 30, 60) == "a" * 30
    assert summarize_output("a" * 90, 50) == "a" * 50
    assert summarize_output("anything", 0) == ""


def test_a_line_that_does_not_fit_makes_way_for_a_shorter_one() -> None:
    text = "a" * 30 + "\n" + "b" * 40 + "\n" + "c" * 25
    assert summarize_output(text, 60).splitlines() == ["a" * 30, "c" * 25]


def test_the_default_limit_is_six_hundred_characters() -> None:
    text = "\n".join(f"line {number:05}" for number in range(1000))
    assert 580 < len(summarize_output(text)) <= 600


def test_an_escaped_character_counts_with_its_escape() -> None:
    assert summarize_output("\x00" * 50, 60) == ("\\u0000" * 50)[:60]
