"""How far two written times lie apart, at the precision and in the zone of the claim."""

from __future__ import annotations

import pytest

from programs.literals.same_time import between, distance, tolerance
from programs.literals.scan import scan
from programs.literals.times import Moment


def at(text: str) -> Moment:
    (moment,) = scan(text, with_words=True).moments
    return moment


FAR = 86400.0
# (claim, seen, seconds apart)
APART: list[tuple[str, str, float | None]] = [
    ("10:05:30", "2026-03-10T10:05:30+08:00", 0),
    ("10:05:30", "2026-03-10T02:05:30Z", 0),
    ("10:05:30", "2026-03-10 10:05:30", 0),
    ("10:05:30", "2026-03-10 02:05:30", 28800),  # no zone on either side: as written
    ("10:05:30Z", "2026-03-10 18:05:30", 0),  # a zone on one side: the other may be UTC or Beijing
    ("10:05:30", "2026-03-10T10:05:33+08:00", 2),
    ("10:05:33", "2026-03-10T10:05:30+08:00", 3),
    ("10:05", "2026-03-10T10:05:59.9+08:00", 0),
    ("10:05", "2026-03-10T10:06:00+08:00", 0),
    ("10:05", "2026-03-10T10:07:10+08:00", 70),
    ("10:05", "2026-03-10T10:04:50+08:00", 10),
    ("10点", "2026-03-10T10:59:59+08:00", 0),
    ("10点", "2026-03-10T11:30:00+08:00", 1800),
    ("10:05:30.125", "2026-03-10T10:05:30.125+08:00", 0),
    ("10:05:30.12", "2026-03-10T10:05:30.125+08:00", 0),
    ("10:05:30.125", "2026-03-10T10:05:30.625+08:00", 0.499),
    ("10:05:30.125", "10:05:30", 0.125),
    ("10:05:30", "10:05", None),  # less exact than the claim
    ("10:05", "10点", None),
    ("10:05Z", "2026-03-10T18:05:00+08:00", 0),
    ("10:05Z", "2026-03-10T10:05:00+08:00", 28800),
    ("10:05+08:00", "2026-03-10T02:05:00Z", 0),
    ("10:05 UTC", "2026-03-10T10:05:00Z", 0),
    ("10:05 UTC+8", "2026-03-10T02:05:00Z", 0),
    ("23:59", "2026-03-10T00:01:00+08:00", 60),
    ("00:01", "2026-03-10T23:59:00+08:00", 120),
    ("4:30", "2026-03-10T04:30:00+08:00", 0),
    ("3月10日", "2026-03-10T10:05:30+08:00", 0),
    ("3月10日", "2026-03-09T20:05:30Z", 0),  # the next day in Beijing
    ("3月11日", "2026-03-10T10:05:30+08:00", FAR),
    ("2025年3月10日", "2026-03-10T10:05:30+08:00", FAR),
    ("2026年3月10日", "2026-03-10T10:05:30+08:00", 0),
    ("Mar 10", "2026-03-10", 0),
    ("3月10日", "10:05:30", None),
    ("10:05:30", "3月10日", None),
    ("2026-03-10 10:05", "2026-03-10T10:05:30+08:00", 0),
    ("2026-03-10 10:05", "2026-03-11T10:05:30+08:00", 57570),  # 02:05:30 in UTC is nearer
    ("2026-03-10 10:05", "2025-03-10T10:05:30+08:00", 31535970),
    ("03-10 10:05", "2025-03-10T10:05:30+08:00", 0),
    ("2026-02-29 10:05", "2026-03-10T10:05:30+08:00", None),  # no such day
]


@pytest.mark.parametrize(("claim", "seen", "seconds"), APART)
def test_how_far_apart_two_times_are(claim: str, seen: str, seconds: float | None) -> None:
    found = distance(at(claim), at(seen))
    if seconds is None:
        assert found is None
    else:
        assert found == pytest.approx(seconds, abs=0.01)


@pytest.mark.parametrize(
    ("claim", "seconds"), [("10:05:30", 5), ("10:05", 300), ("10点", 1800), ("3月10日", 0), ("2026-03-10 10:05", 300)]
)
def test_how_much_about_admits(claim: str, seconds: float) -> None:
    assert tolerance(at(claim), True) == seconds
    assert tolerance(at(claim), False) == 0


@pytest.mark.parametrize(
    ("first", "last", "inside", "outside"),
    [
        ("10:00", "10:05", ["10:00:00", "10:03", "10:05:59"], ["09:59:59", "10:06:00", "22:03"]),
        ("23:40", "00:10", ["23:40:00", "23:59:59", "00:00:00", "00:10:59"], ["23:39:59", "00:11:00", "12:00"]),
        ("10:00Z", "10:05Z", ["2026-03-10T18:03:00+08:00"], ["2026-03-10T10:03:00+08:00"]),
        (
            "2026-03-09 23:40",
            "2026-03-10 00:10",
            ["2026-03-09 23:40:00", "2026-03-10 00:10:59"],
            ["2026-03-10 23:50:00", "2026-03-09 00:05:00", "2026-03-10 00:11:00"],
        ),
        ("03-09 23:40", "03-10 00:10", ["2026-03-09 23:50:00"], ["2026-03-10 23:50:00"]),
    ],
)
def test_what_lies_between_two_times(first: str, last: str, inside: list[str], outside: list[str]) -> None:
    assert [between(at(first), at(seen), at(last)) for seen in inside] == [True] * len(inside)
    assert [between(at(first), at(seen), at(last)) for seen in outside] == [False] * len(outside)


def test_between_needs_times_of_day() -> None:
    assert not between(at("3月9日"), at("10:05"), at("10:10"))
    assert not between(at("10:00"), at("3月9日"), at("10:10"))
    assert not between(at("10:00"), at("10:05"), at("3月9日"))
