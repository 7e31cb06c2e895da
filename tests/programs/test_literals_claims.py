"""A claim read once: what is taken for which literal, in which clause, and where reading stops."""

from __future__ import annotations

import pytest

from programs.grounding import ground, literals
from programs.literals.claims import MAX_CHARACTERS, MAX_LITERALS, read_claim
from tests.programs.test_literals_width import U, evidence


def test_a_literal_belongs_to_the_clause_it_stands_in() -> None:
    claim = read_claim("web-1 慢，10:05 CPU 95%。重试 3 次，内存 61%")
    assert [claim.clause_text(at) for at in range(4)] == ["web-1 慢", "10:05 CPU 95%", "重试 3 次", "内存 61%"]
    assert [figure.clause for figure in claim.figures] == [1, 2, 3]
    assert [when.clause for when in claim.whens] == [1]
    assert claim.clause_of(0) == 0 and claim.clause_of(claim.text.index("慢")) == 0
    assert claim.clause_of(claim.text.index("，")) == -1 and claim.clause_of(len(claim.text)) == -1
    assert claim.clause_text(-1) == claim.clause_text(4) == claim.text


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        # a number or a time inside a name or a quotation is not read a second time
        ("“CPU 95% at 10:05 on web-1” 出现", ["“CPU 95% at 10:05 on web-1”"]),
        ("“CPU 95%” 95% 10:05", ["“CPU 95%”", "95%", "10:05"]),
        ("返回 503，503 次", ["503", "503 次"]),
        ("10.1.2.3 与 v2.3.1", ["10.1.2.3", "v2.3.1"]),
        # a quotation of nothing but a name is that name
        ("“web-1” 慢", ["web-1"]),
        ("“web-1 ok” 与 web-1", ["“web-1 ok”", "web-1"]),
        ("`/var/log/a-1.log` 满", ["/var/log/a-1.log"]),
    ],
)
def test_every_part_of_a_claim_is_one_literal(claim: str, said: list[str]) -> None:
    assert [item.text for item in literals(claim)] == said


def test_literals_are_shown_as_they_are_written() -> None:
    text = "ＷＥＢ－０１ 的\u200bCPU 为 ９\u200b５％\u200b，１０：０５ 起"
    assert [item.text for item in literals(text)] == ["ＷＥＢ－０１", "９\u200b５％", "１０：０５"]
    claim = read_claim(text)
    assert claim.original == text and claim.text == "WEB-01 的CPU 为 95%，10:05 起"
    assert claim.span_as_written(0, 6) == (0, 6)
    assert claim.span_as_written(8, 11) == (9, 12)
    assert claim.span_as_written(5, 5) == (5, 5)
    assert claim.span_as_written(99, 120) == (len(text) - 1, len(text))
    assert read_claim("CPU 95%").span_as_written(4, 7) == (4, 7)


@pytest.mark.parametrize("count", [MAX_LITERALS, MAX_LITERALS + 1, MAX_LITERALS + 9])
@pytest.mark.parametrize(
    "form", ["{}", "“x{} y”", "web-{}", "10:{:02}"], ids=["numbers", "quotations", "names", "times"]
)
def test_a_claim_is_read_up_to_its_64th_literal_of_a_kind(form: str, count: int) -> None:
    parts = [form.format(at % 60 if ":" in form else at + 100) for at in range(count)]
    claim = read_claim(" ".join(parts))
    kinds = (claim.names, claim.quotes, claim.figures, claim.whens)
    assert max(map(len, kinds)) == MAX_LITERALS
    assert claim.unread == (-1 if count == MAX_LITERALS else len(" ".join(parts[:MAX_LITERALS])) + 1)


def test_reading_stops_at_the_first_literal_too_many() -> None:
    names, numbers = " ".join(f"web-{at}" for at in range(100, 170)), " ".join(str(at) for at in range(100, 170))
    for text in (f"{names}, {numbers}", f"{numbers}, {names}"):
        claim = read_claim(text)
        assert claim.unread == len(" ".join(text.split()[:MAX_LITERALS])) + 1
    assert read_claim(numbers + "。" * MAX_CHARACTERS).unread < len(numbers)


def test_a_claim_is_read_up_to_2000_characters() -> None:
    short, long = "好" * (MAX_CHARACTERS - 3) + "95%", "好" * (MAX_CHARACTERS - 2) + "95%"
    assert read_claim(short).unread == -1 and [f.quantity.text for f in read_claim(short).figures] == ["95%"]
    assert read_claim(long).unread == MAX_CHARACTERS and len(read_claim(long).text) == MAX_CHARACTERS
    (found,) = (item for item in ground(long, evidence("ok")) if item.detail)
    assert (found.text, found.status, found.kind, found.critical) == ("%", U, "quoted", True)
