"""A summary is bounded, says nothing of its own, and shows trouble first, whatever the output is."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from programs.output_summary import SUMMARY_LIMIT, summarize_output
from programs.raw_path import storable

WORDS = st.sampled_from(["ok", "error 41", "连接超时", "panic", "started", "x" * 300, "a=b", "\ud800", "\x00", ""])
SCALARS = WORDS | st.text(max_size=12) | st.integers() | st.booleans() | st.none() | st.floats()
RECORD = st.dictionaries(st.sampled_from(["level", "service", "message", "timestamp", "metric", "value"]), SCALARS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
)
SECTIONS = st.dictionaries(
    st.sampled_from(["logs", "alerts", "series", "patterns", "chunks", "changes", "other"]),
    st.lists(RECORD | SCALARS, max_size=5),
)


def _texts(value: Any) -> str:
    """Every name and scalar of a value, as it may be told."""
    if isinstance(value, dict):
        return " ".join([*map(str, value), *map(_texts, value.values())])
    if isinstance(value, list):
        return " ".join(map(_texts, value)) + " " + json.dumps(value, default=str, ensure_ascii=False)
    return str(value)


@given(VALUES | SECTIONS | st.text(max_size=300))
def test_it_is_bounded_and_every_word_stands_in_the_output(output: Any) -> None:
    summary = summarize_output(output)
    assert len(summary) <= SUMMARY_LIMIT
    summary.encode()
    told = " ".join(storable(_texts(output)).split()).replace("=", " ").replace(" ", "")
    for word in summary.replace("=", " ").split():
        assert word.replace(" ", "") in told


@given(st.lists(st.sampled_from(["served", "started", "idle"]), max_size=30), st.integers(0, 30))
def test_trouble_stands_before_everything_else(calm: list[str], at: int) -> None:
    lines = [*calm[:at], "disk error 41", *calm[at:]]
    for output in ("\n".join(lines), lines, {"logs": [{"message": line} for line in lines]}, {"rows": lines}):
        assert summarize_output(output).splitlines()[0] == "disk error 41"


@pytest.mark.parametrize(
    "output",
    [
        {"a": math.nan, "b": [math.inf, -math.inf]},
        {str(n): n for n in range(100_000)},
        [[[[]]]],
        "x" * 5_000_000,
        {"logs": "not a list", "series": [1, None, "x"], "alerts": [{"labels": "no object"}]},
    ],
    ids=["no numbers", "100k keys", "nothing", "one line", "wrong shapes"],
)
def test_strange_outputs_are_summarised(output: Any) -> None:
    assert len(summarize_output(output)) <= SUMMARY_LIMIT


def test_nesting_deeper_than_python_recurses_is_read() -> None:
    value: Any = "disk error 41"
    for _ in range(10_000):
        value = {"inner": [value]}
    assert summarize_output(value) == "disk error 41"
