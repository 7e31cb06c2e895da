"""The compact adapter: bounds reach the schema, and an answer that is not one clean JSON object is refused."""

from __future__ import annotations

import pytest
from dspy.utils.exceptions import AdapterParseError

from programs.lms.adapter import CompactJSONAdapter, output_schema
from signatures.executor import CAUSE_CHARS, MAX_HANDLES, story_signature

STORY = story_signature(("e1", "e2"))


def test_lengths_counts_and_closed_choices_stand_in_the_schema() -> None:
    fields = output_schema(STORY)["properties"]
    assert fields["cause"]["maxLength"] == CAUSE_CHARS
    assert fields["handles"]["maxItems"] == MAX_HANDLES
    assert fields["handles"]["items"]["enum"] == ["e1", "e2"]


@pytest.mark.parametrize(
    "text",
    [
        '{"cause": "配置改了，导致连接池耗尽。", "handles": ["e1"]} and more',
        '{"cause": "配置改了，导致连接池耗尽。", "cause": "别的原因，导致别的结果。", "handles": ["e1"]}',
        '{"cause": "配置改了，导致连接池耗',
        '["e1"]',
        '{"cause": "配置改了，导致连接池耗尽。"}',
        '{"cause": "配置改了，导致连接池耗尽。", "handles": ["e9"]}',
    ],
)
def test_what_is_not_one_complete_object_is_refused_never_repaired(text: str) -> None:
    with pytest.raises(AdapterParseError):
        CompactJSONAdapter().parse(STORY, text)


def test_reasoning_and_a_fence_around_the_object_are_taken_off() -> None:
    text = '<think>{"cause": "x"}</think>\n```json\n{"cause": "配置改了，导致连接池耗尽。", "handles": ["e1"]}\n```'
    assert CompactJSONAdapter().parse(STORY, text)["handles"] == ["e1"]
