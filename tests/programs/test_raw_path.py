from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from programs.raw_path import RawPathError, canonical_json, fits, leaves, record_path, resolve, storable

OUTPUT = {
    "logs": [{"level": "INFO", "message": "a"}, {"level": "ERROR", "message": "b"}],
    "series": [{"points": [["10:00", 1], ["10:01", 2]], "labels": {"k8s-app": "pay", "$weird:key": 7}}],
    "服务": "支付",
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$", OUTPUT),
        ("$.logs[1].message", "b"),
        ("$.logs[1]", {"level": "ERROR", "message": "b"}),
        ("$.series[0].points[1][1]", 2),
        ('$.series[0].labels["k8s-app"]', "pay"),
        ('$["series"][0]["labels"]["$weird:key"]', 7),
        ("$.服务", "支付"),
        ('$["\\u670d\\u52a1"]', "支付"),
    ],
)
def test_path_names_one_place(path: str, value: object) -> None:
    assert resolve(OUTPUT, path) == value


@pytest.mark.parametrize(
    "path",
    [
        "",
        "logs[0]",
        "$.",
        "$..logs",
        "$.logs[*]",
        "$.logs[0:1]",
        "$.logs[-1]",
        "$.logs[01]",
        "$.logs[ 0 ]",
        "$.logs[٣]",
        "$.logs[?(@.level)]",
        "$.series[0].labels.k8s-app",
        "$.series[0].labels['k8s-app']",
        '$["\\x"]',
        "$.logs[0].message ",
        "$" + "[0]" * 5000,
    ],
)
def test_anything_beyond_the_subset_is_refused(path: str) -> None:
    with pytest.raises(RawPathError):
        resolve(OUTPUT, path)


@pytest.mark.parametrize(
    "path", ["$.logs[2]", "$.nothing", "$.logs.level", "$[0]", "$.logs[0].message[0]", "$.logs[0].level.x"]
)
def test_path_that_leads_nowhere_names_itself(path: str) -> None:
    with pytest.raises(RawPathError, match="raw path") as error:
        resolve(OUTPUT, path)
    assert path in str(error.value)


def test_leaves_come_in_document_order_with_paths_that_resolve() -> None:
    found = list(leaves(OUTPUT))
    assert [path for path, _ in found][:4] == [
        "$.logs[0].level",
        "$.logs[0].message",
        "$.logs[1].level",
        "$.logs[1].message",
    ]
    assert all(resolve(OUTPUT, path) == value for path, value in found)
    assert ('$.series[0].labels["k8s-app"]', "pay") in found


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
@settings(max_examples=60, deadline=None)
def test_every_leaf_path_resolves_to_its_leaf(value: object) -> None:
    for path, leaf in leaves(value):
        if len(path) <= 1000:
            assert resolve(value, path) == leaf


def test_leaves_of_very_deep_output_do_not_recurse() -> None:
    deep: object = "x"
    for _ in range(5000):
        deep = [deep]
    assert next(leaves(deep))[1] == "x"


@pytest.mark.parametrize(
    ("path", "record"),
    [
        ("$.logs[3].message", "$.logs[3]"),
        ("$.series[0].points[3][1]", "$.series[0].points[3]"),
        ("$.series[0].stats.max", "$.series[0].stats"),
        ('$.alerts[0].labels["k8s-app"]', "$.alerts[0].labels"),
        ("$.window.start", "$.window"),
        ("$.lines[5]", "$.lines[5]"),
        ("$.matched", "$.matched"),
        ("$[3]", "$[3]"),
        ("$[3][1]", "$[3]"),
        ("$", "$"),
    ],
)
def test_record_of_a_leaf(path: str, record: str) -> None:
    assert record_path(path) == record


def test_canonical_json_does_not_depend_on_key_order_and_keeps_chinese() -> None:
    assert canonical_json({"b": 1, "a": "支付"}) == canonical_json({"a": "支付", "b": 1}) == '{"a":"支付","b":1}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800 lone", {"k\udfff": "\x00"}])
def test_canonical_json_of_hostile_values_can_be_encoded(value: object) -> None:
    assert canonical_json(value).encode("utf-8")


def test_lone_surrogates_keep_their_meaning_when_stored() -> None:
    assert json.loads(f'"{storable(chr(0xD83D))}"') == "\ud83d"


def test_size_check_agrees_with_the_canonical_text_and_stops_early() -> None:
    record = {"level": "ERROR", "message": "x" * 100}
    size = len(canonical_json(record))
    assert fits(record, size)
    assert not fits(record, size - 1)

    class Untouchable(list[int]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            for index in range(10**9):
                assert index < 5000, "read far beyond the limit"
                yield index

    assert not fits(Untouchable(), 2048)


class Mute:
    """Has no text of its own."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def nested(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**20_000, '"0x1000'),
        ({"n": [1, -(2**20_000)]}, '{"n":[1,"-0x1000'),
        ({None: 1, "a": 2, 3: 4, ("t",): 5}, '{"(\'t\',)":5,"3":4,"None":1,"a":2}'),
        ({2**20_000: 1}, '{"0x1000'),
        ([Mute(), {Mute(): Mute()}], '["<Mute>",{"<Mute>":"<Mute>"}]'),
        (nested(10_000), "[" * 200 + '"…"' + "]" * 200),
        (float("1e999"), "Infinity"),
    ],
    ids=["thousands of digits", "inside", "odd keys", "key of thousands of digits", "no text", "deep", "infinite"],
)
def test_what_json_cannot_write_is_shown(value: object, shown: str) -> None:
    assert canonical_json(value).startswith(shown)


def test_a_value_that_holds_itself_is_written_to_its_depth() -> None:
    own: dict[str, object] = {}
    own["self"] = own
    assert canonical_json(own) == '{"self":' * 200 + '"…"' + "}" * 200


def test_a_value_nested_deeper_than_json_writes_does_not_fit() -> None:
    assert fits(nested(150), 2048)
    assert not fits(nested(900), 2048)
    assert not fits(nested(10_000), 100_000)
