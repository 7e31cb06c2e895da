"""How a refused path is explained, and the exact edge of every limit (G3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from programs.raw_path import RawPathError, canonical_json, fits, leaves, record_path, resolve, storable, text_of


def refusal(path: str, output: Any = None) -> str:
    with pytest.raises(RawPathError) as error:
        resolve({"a": [1, 2], "s": "text"} if output is None else output, path)
    return str(error.value)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "raw path '' does not start with $"),
        ("a[0]", "raw path 'a[0]' does not start with $"),
        ("$.a[*]", "raw path '$.a[*]': expected .name, [\"name\"] or [n] at character 3"),
        ("$a", "raw path '$a': expected .name, [\"name\"] or [n] at character 1"),
        ('$["\\x"]', 'raw path \'$["\\\\x"]\': "\\x" is not a JSON string'),
        ("$.a[2]", "raw path '$.a[2]': no element [2]"),
        ("$.s[0]", "raw path '$.s[0]': no element [0]"),
        ("$.b", "raw path '$.b': no key 'b'"),
        ("$.s.b", "raw path '$.s.b': no key 'b'"),
        ("$.a.b", "raw path '$.a.b': no key 'b'"),
        ("$" + "[0]" * 334, "raw path of 1003 characters, at most 1000"),
    ],
)
def test_a_refused_path_is_told_what_and_where(path: str, message: str) -> None:
    assert refusal(path) == message


def test_a_path_of_a_thousand_characters_is_read() -> None:
    name = "k" * (1000 - len('$[""]'))
    assert resolve({name: 7}, f'$["{name}"]') == 7
    assert "1001 characters" in refusal(f'$["{name}k"]')


def test_the_last_element_and_an_index_of_nine_digits() -> None:
    assert resolve([1, 2, 3], "$[2]") == 3
    assert refusal("$[999999999]", []) == "raw path '$[999999999]': no element [999999999]"
    assert "expected" in refusal("$[1000000000]", [])


@pytest.mark.parametrize(
    ("name", "path"), [("a b", '$["a b"]'), ("7up", '$["7up"]'), ('q"', '$["q\\""]'), ("_x9", "$._x9")]
)
def test_each_name_is_written_so_that_it_can_be_read_again(name: str, path: str) -> None:
    assert list(leaves({name: 1})) == [(path, 1)]
    assert resolve({name: 1}, path) == 1
    assert record_path(f"{path}.z.y") == f"{path}.z"


def test_a_name_that_needs_escapes_keeps_its_chinese() -> None:
    assert list(leaves({"支付 网关": 1})) == [('$["支付 网关"]', 1)]


def test_what_cannot_be_stored_is_written_as_four_hex_digits() -> None:
    assert storable("a\x00b\ud800c\udfffd\ue000") == "a\\u0000b\\ud800c\\udfffd\ue000"


def test_canonical_json_is_compact_and_shows_what_json_does_not_know() -> None:
    assert canonical_json({"b": [1, 2], "a": None}) == '{"a":null,"b":[1,2]}'
    assert canonical_json(datetime(2026, 1, 1, tzinfo=UTC)) == '"2026-01-01 00:00:00+00:00"'
    assert canonical_json("\x00") == '"\\u0000"'


def test_a_text_is_compared_as_it_is_and_a_value_as_its_json() -> None:
    assert (text_of('say "x"'), text_of(["支"]), text_of(True)) == ('say "x"', '["支"]', "true")


@pytest.mark.parametrize(
    "value", ["", "abc", 0, 12345, None, [], {}, [[]], [1, 2], {"a": 1}, {"key": ["v", {"k": None}]}, ["支", "\ud800"]]
)
def test_the_size_check_is_exact(value: Any) -> None:
    size = len(canonical_json(value))
    assert fits(value, size)
    assert not fits(value, size - 1)


class Counted(list[Any]):
    """A list that knows how many of its items were read."""

    read = 0

    def __iter__(self) -> Any:
        for item in super().__iter__():
            self.read += 1
            yield item


@pytest.mark.parametrize("item", ["x" * 10, 7, {"k": 1}, [1]])
def test_the_size_check_does_not_read_on_once_it_knows(item: Any) -> None:
    items = Counted([item] * 10_000)
    assert not fits(items, 100)
    assert items.read <= 110
