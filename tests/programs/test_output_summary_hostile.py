"""Five megabytes, one line, GBK bytes, odd numbers: the fact that tells is kept, and nothing is made up (ES)."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from programs.evidence import tool_trace_summary
from programs.output_summary import SUMMARY_LIMIT, summarize_output
from programs.raw_path import canonical_json, storable
from signatures.contracts import ToolInvocation

ERROR = "disk full on broker-2, offset 4711 lost"
NOISE = "heartbeat ok, nothing to report, 40 ms"
# A longer word may be shown in part.
LONGEST_WHOLE = 40


# --- the fact survives ------------------------------------------------------------------------------------------------


def _lines(count: int, at: int) -> list[str]:
    lines = [f"2026-01-01T10:00:00 INFO pay {NOISE} {number}" for number in range(count)]
    lines[at] = f"2026-01-01T10:05:00 ERROR pay {ERROR}"
    return lines


def _records(count: int, at: int, level: str = "level") -> list[dict[str, Any]]:
    records = [{level: "INFO", "service": "pay", "message": f"{NOISE} {number}"} for number in range(count)]
    records[at] = {level: "ERROR", "service": "pay", "message": ERROR}
    return records


BIG = 75_000


@pytest.mark.parametrize(
    "make",
    [
        lambda: "\n".join(_lines(BIG, BIG - 1500)),
        lambda: "\r\n".join(_lines(BIG, BIG - 1500)),
        lambda: "  ".join(_lines(BIG, BIG - 1500)),
        lambda: {"logs": _records(BIG, BIG - 1500)},
        lambda: {"patterns": _records(BIG, BIG - 1500)},
        lambda: {"rows": _records(BIG, BIG - 1500, "sev")},
        lambda: _records(BIG, BIG - 1500, "sev"),
        lambda: {"lines": _lines(BIG, BIG - 1500)},
        lambda: {f"key-{number}": line for number, line in enumerate(_lines(BIG, BIG - 1500))},
        lambda: {"text": "\n".join(_lines(BIG, BIG - 1500))},
    ],
    ids=["text", "CRLF", "one line", "logs", "patterns", "other JSON", "a list", "lines", "keys", "text in JSON"],
)
def test_the_one_error_near_the_end_of_five_megabytes_is_shown(make: Any) -> None:
    output = make()
    assert len(json.dumps(output)) > 4_900_000
    summary = summarize_output(output)
    assert ERROR in summary
    assert len(summary) <= SUMMARY_LIMIT


@pytest.mark.parametrize("at", [0, 500_000, 999_000])
def test_a_megabyte_without_a_line_break_is_shown_around_its_trouble(at: int) -> None:
    text = "x" * at + f" connection refused by db-7:5432 after 30 s {'y' * (1_000_000 - at)}"
    for output in (text, {"logs": [{"timestamp": "10:05", "level": "ERROR", "service": "pay", "message": text}]}):
        assert "connection refused by db-7:5432 after 30 s" in summarize_output(output)
    assert summarize_output({"logs": [{"timestamp": "10:05", "level": "ERROR", "message": text}]}).startswith(
        "10:05 ERROR "
    )


def test_text_read_with_the_wrong_alphabet_is_still_summarised() -> None:
    mojibake = "数据库连接超时".encode("gb18030").decode("latin-1")
    assert mojibake in summarize_output(f"{NOISE}\n{mojibake} error 41\n")
    assert "error 41" in summarize_output({"logs": [{"level": "ERROR", "message": "\ufffd\ufffd error 41\x00"}]})


@pytest.mark.parametrize(
    ("value", "shown"),
    [(math.nan, "nan"), (math.inf, "inf"), (json.loads("-1e999"), "-inf"), (10**5000, "0x"), (1e308, "1e+308")],
    ids=["NaN", "Infinity", "1e999", "5000 digits", "large"],
)
def test_numbers_that_no_one_counts_with_are_shown(value: Any, shown: str) -> None:
    series = {"metric": "cpu", "labels": {"service": "pay"}, "stats": {"max": value, "last": 1}}
    assert f"max={shown}" in summarize_output({"series": [series]})
    assert shown in summarize_output({"a": value})
    assert shown in summarize_output({"logs": [{"level": value, "message": value}]})


def test_an_object_without_a_text_is_named_by_its_type() -> None:
    class Mute:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    assert "<Mute>" in summarize_output({"logs": [{"message": Mute()}]})
    assert canonical_json({"a": Mute()}) == '{"a":"<Mute>"}'


# --- nothing is made up (ES-05) ---------------------------------------------------------------------------------------

WORD = st.sampled_from(
    ["ok", "12345.678", "10.0.0.7:5432", "连接超时", "ERROR", "payment-gateway", "p99=1200ms", "2026-01-01T10:05:00"]
) | st.text("abc0123456789", min_size=1, max_size=12)
SENTENCE = st.lists(WORD, min_size=1, max_size=80).map(" ".join)


@given(st.lists(SENTENCE, max_size=8), st.integers(30, SUMMARY_LIMIT))
def test_no_word_or_number_is_cut_in_two(lines: list[str], limit: int) -> None:
    told = set(" ".join(lines).split())
    for output in ("\n".join(lines), {"logs": [{"message": line} for line in lines]}, lines):
        summary = summarize_output(output, limit)
        assert len(summary) <= limit
        assert set(summary.split()) <= told


@given(st.lists(SENTENCE, max_size=8), st.integers(100, 3000))
def test_no_word_or_number_is_cut_in_two_in_the_trace(lines: list[str], limit: int) -> None:
    rows = [_row(number, output={"logs": [{"message": line}]}) for number, line in enumerate(lines)]
    told = set(" ".join(lines).split())
    facts = [line for line in tool_trace_summary(rows, limit).splitlines() if not line.startswith(("[inv", "…"))]
    assert set(" ".join(facts).split()) <= told


def test_only_a_word_longer_than_forty_characters_is_shown_in_part() -> None:
    words = "a" * LONGEST_WHOLE + " " + "b" * 300
    (line,) = summarize_output(f"{words} {'c' * LONGEST_WHOLE}", 100).splitlines()
    assert line == "a" * LONGEST_WHOLE + " " + "b" * (100 - LONGEST_WHOLE - 1)


# --- the trace of a whole run: 12 KB ----------------------------------------------------------------------------------


def _row(number: int, **fields: Any) -> ToolInvocation:
    base: dict[str, Any] = {"tool_name": "query_logs", "success": True, "evidence_level": "strong", "hit_count": 3}
    return ToolInvocation(invocation_id=f"inv_r_{number}", run_id="r", **{**base, **fields})


@pytest.mark.parametrize("count", [1, 8, 32])
def test_each_of_many_calls_keeps_its_telling_fact_in_twelve_kilobytes(count: int) -> None:
    rows = []
    for number in range(count):
        records = _records(150_000 // count // 4, 100)
        records[100]["message"] = f"{ERROR} in shard {number}-"
        output = {"logs": records, "changes": [{"timestamp": "10:00", "service": "db", "message": f"publish {number}"}]}
        summary = summarize_output(output)
        rows.append(_row(number, output=output, output_summary=summary, params={"service": ["pay"], "n": number}))
    trace = tool_trace_summary(rows)
    assert len(trace) <= 12_000
    for number in range(count):
        assert f"[inv_r_{number}]" in trace
        assert f"{ERROR} in shard {number}-" in trace


def test_what_a_short_call_leaves_over_goes_to_a_long_one() -> None:
    rows = [_row(1, output_summary="short"), _row(2, output_summary="l" * 3000), _row(3, output_summary="m" * 3000)]
    trace = tool_trace_summary(rows, 2000)
    assert "\nshort\n" in trace
    assert trace.count("l") - trace.count("m") in range(-9, 20)
    assert 1990 < len(trace) <= 2000


def test_a_partial_answer_keeps_its_facts() -> None:
    trace = tool_trace_summary([_row(1, output_summary=ERROR, failure_code="PARTIAL")])
    assert trace.endswith(f"partial hits=3 evidence=strong\n{ERROR}")


def test_a_trace_can_be_stored_whatever_it_holds() -> None:
    row = _row(1, output={"logs": [{"message": "\ud800 \x00 错误"}]}, params={"q": "\udfff", "n": 10**5000})
    trace = tool_trace_summary([row])
    trace.encode()
    assert storable("\ud800 \x00 错误") in trace
