"""One instant in every way of writing it: found under the record's stamp, and never under another hour's."""

from __future__ import annotations

import pytest

from programs.grounding import ground
from tests.programs.test_literals_width import evidence

# (as a claim writes it, the record's local time of day, at +08:00)
WRITTEN = [
    ("凌晨2点05分", "02:05:30"),
    ("凌晨 2 点", "02:00:00"),
    ("清晨6点", "06:00:10"),
    ("早上8点", "08:00:10"),
    ("早晨8点半", "08:30:10"),
    ("上午10点", "10:00:10"),
    ("中午12点", "12:00:10"),
    ("中午1点", "13:00:10"),
    ("下午3点", "15:00:10"),
    ("午后3点一刻", "15:15:10"),
    ("傍晚6点", "18:00:10"),
    ("晚上8点三刻", "20:45:10"),
    ("晚间9点", "21:00:00"),
    ("夜里11点", "23:00:10"),
    ("深夜11点半", "23:30:10"),
    ("今晚8点", "20:00:10"),
    ("昨晚 11点", "23:00:10"),
    ("今早7点", "07:00:10"),
    ("半夜12点", "00:00:10"),
    ("凌晨12点", "00:00:10"),
    ("晚上12点", "00:00:10"),
    ("下午12点", "12:00:10"),
    ("15 时 05 分 33 秒", "15:05:33"),
    ("15点整", "15:00:10"),
    ("15点05", "15:05:10"),
    ("10点半", "10:30:10"),
    ("10 点半", "22:30:10"),
    ("14:05", "14:05:10"),
    ("14:05:33", "14:05:33"),
    ("2:05 pm", "14:05:10"),
    ("2:05 p.m.", "14:05:10"),
    ("2 am", "02:00:10"),
    ("4PM", "16:00:10"),
    ("12 am", "00:00:10"),
    ("12:30 PM", "12:30:10"),
    ("晚上十点", "22:00:10"),
    ("两点零五分", "02:05:10"),
    ("下午三点半", "15:30:10"),
    ("上午十点一刻", "10:15:10"),
    ("十二点整", "12:00:10"),
    ("晚上十一点四十五分", "23:45:10"),
    ("2026-03-10 14:05:33", "14:05:33"),
    ("2026/3/10 14:05", "14:05:10"),
    ("2026.03.10 14:05", "14:05:10"),
    ("2026-03-10T06:05:33Z", "14:05:33"),
    ("2026-03-10T14:05:33+0800", "14:05:33"),
    ("2026-03-10T01:05:33-05:00", "14:05:33"),
    ("06:05:33 UTC", "14:05:33"),
    ("06:05 (UTC)", "14:05:10"),
    ("14:05 CST", "14:05:10"),
    ("UTC 时间 06:05", "14:05:10"),
    ("北京时间 14:05", "14:05:10"),
    ("14:05（北京时间）", "14:05:10"),
    ("06:05 GMT", "14:05:10"),
    ("14:05 UTC+8", "14:05:10"),
    ("14:05 UTC+08:00", "14:05:10"),
    ("3月10日 14:05", "14:05:10"),
    ("3 月 10 号 14点05分", "14:05:10"),
    ("2026年3月10日 14:05", "14:05:10"),
    ("三月十日晚上十点", "22:00:10"),
    ("Mar 10 14:05", "14:05:10"),
    ("March 10th 14:05", "14:05:10"),
    ("10 March 14:05", "14:05:10"),
    ("03-10 14:05", "14:05:10"),
    ("3/10 14:05", "14:05:10"),
    ("14:05:33.120", "14:05:33.120"),
    ("14:05:33,120", "14:05:33.120"),
]
STAMPS = [
    "2026-03-10 14:05:33 error",
    "2026-03-10T14:05:33.120+08:00 error",
    "2026-03-10T06:05:33Z error",
    "2026/03/10 14:05:33 error",
    "2026-03-10-14.05.33 error",
    "20260310 14:05:33 error",
    "2026年3月10日 14:05:33 error",
    "[10/Mar/2026:14:05:33 +0800] error",
    "Mar 10 14:05:33 host x: error",
    "10 Mar 14:05:33 error",
    "14:05:33,120 ERROR error",
]


def statuses(claim: str, text: str) -> set[str]:
    return {item.status for item in ground(claim, evidence(text))}


def record(clock: str) -> str:
    return f"2026-03-10T{clock}+08:00 error"


@pytest.mark.parametrize(("written", "clock"), WRITTEN)
def test_a_written_time_is_found_under_its_instant_only(written: str, clock: str) -> None:
    assert statuses(f"{written}报错", record(clock)) == {"found"}
    other = f"{(int(clock[:2]) + 5) % 24:02d}{clock[2:]}"
    assert "found" not in statuses(f"{written}报错", record(other))


@pytest.mark.parametrize("stamp", STAMPS)
def test_every_form_of_a_stamp_is_read(stamp: str) -> None:
    assert statuses("14:05:33 报错", stamp) == {"found"}
    assert statuses("14:06:33 报错", stamp) == {"unseen"}


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("3月10日 14:05", "2026-03-11T14:05:33+08:00"),
        ("3月10日 14:05", "2026-04-10T14:05:33+08:00"),
        ("2026年3月10日 14:05", "2025-03-10T14:05:33+08:00"),
        ("Mar 10 14:05", "2026-03-11T14:05:33+08:00"),
        ("10 March 14:05", "2026-04-10T14:05:33+08:00"),
        ("03-10 14:05", "2026-03-11T14:05:33+08:00"),
        ("三月十日下午两点", "2026-03-11T14:00:33+08:00"),
        ("14:05:33", "2026-03-10T14:05:36+08:00"),
        ("14:05", "2026-03-10T14:08:00+08:00"),
    ],
)
def test_another_day_or_moment_is_not_the_one_that_was_written(written: str, other: str) -> None:
    assert "found" not in statuses(f"{written} 报错", f"{other} error")


@pytest.mark.parametrize("month", range(1, 13))
def test_each_month_has_its_name_and_its_number(month: int) -> None:
    name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
    chinese = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"][month - 1]
    text = f"2026-{month:02d}-10T14:05:33+08:00 error"
    other = f"2026-{month % 12 + 1:02d}-10T14:05:33+08:00 error"
    for written in (f"{name} 10 14:05", f"10 {name} 14:05", f"{month}月10日 14:05", f"{chinese}月十日下午两点零五分"):
        assert statuses(f"{written} 报错", text) == {"found"}
        assert "found" not in statuses(f"{written} 报错", other)


@pytest.mark.parametrize(
    "text", ["25:10 报错", "14:65 报错", "13月40日", "一点问题", "两点建议", "第三点要求", "2时间段"]
)
def test_what_is_no_time_is_not_looked_up_as_one(text: str) -> None:
    assert [item for item in ground(text, evidence("ok")) if item.kind == "time"] == []
