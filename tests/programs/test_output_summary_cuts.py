"""Where a long line is cut, and what a crowd of lines hides: nothing that a reader would miss (ES rows)."""

from __future__ import annotations

from typing import Any

import pytest

from programs.evidence import summarize_output

# A longer word may be shown in part.
LONGEST_WHOLE = 40


# --- whole words ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [" ", "  ", "\t", "\n", " \n"], ids=["blank", "blanks", "tab", "break", "both"])
def test_a_word_that_ends_where_the_line_is_cut_is_shown(after: str) -> None:
    kept = " p99=1200ms".rjust(140, "x")
    told = kept + after + "remaining words of the message " * 3
    for output in ({"logs": [{"message": told}]}, {"chunks": [{"text": told}]}):
        assert summarize_output(output) == kept


@pytest.mark.parametrize("gap", [" ", "\n", "\u3000"], ids=["blank", "break", "wide blank"])
def test_a_blank_at_the_cut_belongs_to_no_word(gap: str) -> None:
    kept = " pool=8/8".rjust(139, "x")
    assert summarize_output({"logs": [{"message": kept + gap + "active " * 9}]}) == kept


@pytest.mark.parametrize("shift", range(5))
def test_a_line_is_filled_with_all_the_whole_words_around_its_trouble(shift: int) -> None:
    numbers = [f"n{number:03}" for number in range(400)]
    line = "x" * shift + " ".join([*numbers[:200], "connection timeout", *numbers[200:]])
    words = summarize_output(line).split()
    at = words.index("timeout")
    before, after = words[: at - 1], words[at + 1 :]
    assert before == numbers[200 - len(before) : 200]
    assert after == numbers[200 : 200 + len(after)]
    # One word more, at the side where there is room, would make it longer than a line may be.
    assert len(" ".join(words)) > 200 - 2 * len(" n000")


def test_a_word_that_starts_where_the_line_is_cut_is_shown() -> None:
    numbers = " ".join(f"n{number:03}" for number in range(400))
    # The part that is shown ends with the line, so that it starts one character later each time.
    lengths = [len(summarize_output(f"{numbers} timeout{'!' * more}")) for more in range(5)]
    assert sorted(lengths) == [196, 197, 198, 199, 200]


@pytest.mark.parametrize("line", ["{} more words", "{}", "it was {} then"], ids=["first", "only", "inside"])
@pytest.mark.parametrize("size", [LONGEST_WHOLE - 1, LONGEST_WHOLE, LONGEST_WHOLE + 1, 90, 300])
def test_a_part_of_a_word_is_longer_than_any_whole_word(line: str, size: int) -> None:
    """So a reader can tell: what has at most forty characters is what the tool said."""
    told = line.format("7" * size)
    for limit in range(LONGEST_WHOLE + 1, 140):
        shown = summarize_output(told, limit)
        assert all(len(word) > LONGEST_WHOLE or word in told.split() for word in shown.split())


def test_a_long_word_is_shown_in_part_where_more_than_forty_characters_fit() -> None:
    told = "trace_id " + "7" * 300
    assert summarize_output(told, 9 + LONGEST_WHOLE) == "trace_id"
    assert summarize_output(told, 9 + LONGEST_WHOLE + 1) == "trace_id " + "7" * (LONGEST_WHOLE + 1)


# --- which part of a long line ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("{first} refused by db-7 {calm} refused by cache-2", "refused by db-7"),
        ("{first} timeout after 30 s {calm} fatal: giving up", "timeout after 30 s"),
        ("{first} 连接被拒绝 db-7 {calm} 连接被拒绝 cache-2", "连接被拒绝 db-7"),
    ],
    ids=["one word twice", "two words", "Chinese"],
)
@pytest.mark.parametrize("first", ["", "calm " * 200], ids=["at once", "later"])
def test_a_long_line_is_shown_around_its_first_trouble(told: str, shown: str, first: str) -> None:
    line = told.format(first=first, calm="calm " * 200).strip()
    assert shown in summarize_output(line)
    assert shown in summarize_output({"logs": [{"level": "ERROR", "message": line}]})


def test_a_long_field_takes_a_hundred_and_forty_characters_and_leaves_the_others_readable() -> None:
    record = {"timestamp": "10:05", "level": "ERROR", "service": "pay", "message": "m" * 1000}
    assert summarize_output({"logs": [record]}) == "10:05 ERROR pay " + "m" * 140


def test_six_hundred_characters_fit_and_one_more_does_not() -> None:
    lines = ["a" * 200, "b" * 200]
    assert summarize_output("\n".join([*lines, "c" * 198])) == "\n".join([*lines, "c" * 198])
    assert summarize_output("\n".join([*lines, "c" * 199])) == "\n".join(lines)


# --- crowds -----------------------------------------------------------------------------------------------------------

CROWD = 1000
SAME = {"timestamp": "10:05", "level": "WARN", "service": "pay", "message": "retry", "metric": "cpu", "text": "retry"}
EMPTY = {"host": "", "service": None}


@pytest.mark.parametrize("record", [SAME, EMPTY], ids=["the same", "empty"])
@pytest.mark.parametrize("section", ["alerts", "logs", "changes", "series", "patterns", "chunks", "rows"])
def test_a_record_after_a_crowd_that_says_nothing_new_is_shown(section: str, record: dict[str, Any]) -> None:
    names = ("message", "alertname", "metric", "text")
    crowd = [dict(record) for _ in range(CROWD)]
    assert "served-41" in summarize_output({section: [*crowd, dict.fromkeys(names, "served-41")]})


@pytest.mark.parametrize(
    "crowd",
    [[""] * CROWD, [" " * size for size in range(CROWD)], ["same" + " " * size for size in range(CROWD)]],
    ids=["empty", "blank", "the same but for blanks"],
)
def test_a_line_after_a_crowd_that_says_nothing_new_is_shown(crowd: list[str]) -> None:
    for output in ([*crowd, "served 41"], "\n".join([*crowd, "served 41"]), {"rows": [*crowd, "served 41"]}):
        assert summarize_output(output).splitlines()[-1] == "served 41"


def test_the_same_message_at_another_level_is_another_fact() -> None:
    records = [{"level": level, "service": "pay", "message": "pool empty"} for level in ("INFO", "ERROR", "INFO")]
    assert summarize_output({"logs": records}).splitlines() == ["ERROR pay pool empty", "INFO pay pool empty"]


def test_a_level_that_is_null_is_no_other_than_one_that_is_missing() -> None:
    records = [{"timestamp": "10:05", "message": "up"}, {"timestamp": "10:06", "level": None, "message": "up"}]
    assert summarize_output({"logs": records}) == "10:05 up"
