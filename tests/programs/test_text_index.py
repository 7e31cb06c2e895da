"""Texts that begin alike share one pass over a long text, and are found where a plain search finds them."""

from __future__ import annotations

from typing import Any

import pytest

from programs.text_index import TextIndex


class Watched(str):
    """Counts the plain searches in it."""

    searches = 0

    def find(self, *arguments: Any) -> int:
        type(self).searches += 1
        return super().find(*arguments)


@pytest.fixture(autouse=True)
def _from_zero() -> None:
    Watched.searches = 0


PADDED = "GET /api/v1/orders/{} took {} ms, pool waiting" + " ." * 60


def lines(count: int, form: str = PADDED) -> list[str]:
    return [form.format(100_000 + number * 7, number % 977) for number in range(count)]


def test_a_hundred_lines_that_begin_alike_cost_one_search() -> None:
    log = lines(2000)
    index = TextIndex(Watched("\n".join(log)))
    for line in log[::20]:
        assert index.find(line) == "\n".join(log).find(line)
    assert Watched.searches == 1


def test_what_is_not_there_costs_no_search_of_its_own() -> None:
    log = lines(2000)
    index = TextIndex(Watched("\n".join(log)))
    assert [index.find(line) for line in lines(50, "GET /api/v1/users/{} took {} ms, pool waiting")] == [-1] * 50
    assert [index.find(line) for line in lines(50, "Undertow worker {} took {} ms, pool waiting")] == [-1] * 50
    assert Watched.searches == 2


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("\n".join(lines(200)), lines(200)[3]),  # a short text
        ("\n".join(lines(2000)), "GET /api/v1/orders"),  # a short needle
        ("GET /api" * 10_000 + "x" * 30, "GET /api" + "x" * 30),  # a beginning that stands everywhere
        ("aaaaaaaa" * 10_000 + "b" * 30, "a" * 30 + "b"),  # a beginning that overlaps itself
        ("." * 70_000 + "xGET /axGET /ax" + "y" * 30, "xGET /ax" + "y" * 30),
        (
            "\n".join(lines(6000, "GET /api/v1/orders/list?page={} {}" + "." * 100)),
            "GET /api/v1/orders/list?page=100007 1",
        ),
    ],
    ids=["short text", "short needle", "everywhere", "overlapping", "overlapping by one", "a crowd"],
)
def test_where_a_table_would_not_help_the_text_is_searched(text: str, needle: str) -> None:
    index = TextIndex(Watched(text))
    assert [index.find(needle) for _ in range(4)] == [text.find(needle)] * 4
    assert Watched.searches == 4


def test_only_so_many_beginnings_are_kept() -> None:
    words = [f"{chr(ord('a') + number)}-worker-{number:02d} answered after {{}} of {{}} ms" for number in range(17)]
    log = [line for form in words for line in lines(120, form)]
    index = TextIndex(Watched("\n".join(log)))
    for _ in range(3):
        for number in range(17):
            line = log[120 * number + 60]
            assert index.find(line) == "\n".join(log).find(line)
    assert Watched.searches == 16 + 3


@pytest.mark.parametrize(
    "form", [PADDED, "GET /api/v1/orders/{} took {} ms", "GET /api/v1/orders/list?page={} {}" + "." * 100]
)
def test_a_search_begins_where_it_is_told(form: str) -> None:
    log = lines(3000, form)
    text = "\n".join([*log, *log])
    index = TextIndex(text)
    for line in log[::600]:
        first = text.find(line)
        again = text.find(line, first + 1)
        for _ in range(3):
            found = [index.find(line, start) for start in (0, first, first + 1, again, again + 1)]
            assert found == [first, first, again, again, -1]
