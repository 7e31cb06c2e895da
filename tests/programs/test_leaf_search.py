"""A missing path is inferred when exactly one scalar holds the excerpt, however big the output is (G3)."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from programs.excerpt import fold
from programs.leaf_search import Leaves
from programs.raw_path import leaves, resolve, text_of

SCALARS = (
    st.text("ab \n：\x00\ud800é", max_size=6)
    | st.integers(-20, 20)
    | st.booleans()
    | st.none()
    | st.floats(allow_nan=True)
)
NAMES = st.sampled_from(["a", "b c", "服务", "", 'q"'])
VALUES = st.recursive(SCALARS, lambda x: st.lists(x, max_size=4) | st.dictionaries(NAMES, x, max_size=4), max_leaves=12)
EXCERPTS = st.text("ab1 ：é", min_size=1, max_size=3) | st.sampled_from(["true", "null", "NaN", "1.5", "-2", "\\u0000"])


def plain(output: Any, folded: str) -> set[str]:
    return {path for path, leaf in leaves(output) if folded in fold(text_of(leaf))}


@given(VALUES, EXCERPTS)
def test_it_says_which_one_leaf_holds_the_excerpt(output: Any, excerpt: str) -> None:
    folded = fold(excerpt)
    if not folded:
        return
    found, held = Leaves(output).holding(folded), plain(output, folded)
    assert len(found) == min(2, len(held))
    assert len(set(found)) == len(found)
    assert set(found) <= held


def test_each_of_a_hundred_thousand_keys_is_found_by_its_value() -> None:
    output = {f"key {number}": f"value-{number}-end" for number in range(100_000)}
    found = Leaves(output)
    for number in (0, 50_000, 99_999):
        assert found.holding(f"value-{number}-end") == [f'$["key {number}"]']
    assert len(found.holding("value-1")) == 2


@pytest.mark.parametrize(
    ("output", "excerpt", "paths"),
    [
        ({"active": 8, "waiting": 57}, "57", ["$.waiting"]),
        ({"state": "down", "slot": "x"}, "x", ["$.slot"]),
        ({"state": "x", "slot": "down"}, "x", ["$.state"]),
        ({"a": {"b": [1, 2]}, "c": "x"}, "2", ["$.a.b[1]"]),
        ({"empty": {}, "c": "x"}, "y", []),
        ("x", "x", ["$"]),
    ],
)
def test_the_last_leaf_counts_once_and_whole(output: Any, excerpt: str, paths: list[str]) -> None:
    assert Leaves(output).holding(excerpt) == paths


def test_an_excerpt_never_spans_two_leaves() -> None:
    assert Leaves(["pool", "empty"]).holding("pool empty") == []
    assert Leaves(["pool\x00empty", "x"]).holding("pool\\u0000empty") == ["$[0]"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(10**5000, "0x"), (math.inf, "Infinity"), (math.nan, "NaN"), (1e22, "1e+22"), (-0.0, "-0.0")],
    ids=["5000 digits", "infinity", "no number", "exponent", "negative zero"],
)
def test_odd_numbers_are_found_by_their_text(value: float, text: str) -> None:
    assert Leaves({"a": "x", "b": [value, 7]}).holding(text) == ["$.b[0]"]


def test_nesting_deeper_than_python_recurses_is_searched() -> None:
    output: Any = "disk error 41"
    for _ in range(10_000):
        output = [output]
    (path,) = Leaves(output).holding("error 41")
    assert path == "$" + "[0]" * 10_000


@pytest.mark.parametrize("output", ["one text", 7, None, [], {}, {"a": {}}])
def test_an_output_that_is_one_scalar_or_none(output: Any) -> None:
    found = Leaves(output).holding("one text")
    assert found == (["$"] if output == "one text" else [])
    assert all(resolve(output, path) == "one text" for path in found)
