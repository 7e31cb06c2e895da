"""A converted literal is still found, a changed one never is, and nothing depends on order, repetition or luck."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import assume, given
from hypothesis import strategies as st

from programs.grounding import ground, literals
from signatures.contracts import VerifiedEvidence

EAST8 = timezone(timedelta(hours=8))
PATHS = ("$.logs[0].message", "$.logs[2]", "$.logs[10].message", "$.series[0].points[1][1]", "$.alerts[0]", "$")


def excerpt(text: str, path: str = "$.logs[0].message", source: str = "i") -> VerifiedEvidence:
    return VerifiedEvidence(
        binding_id="b",
        run_id="r",
        claim_id="c",
        source_invocation_id=source,
        tool_name="query_logs",
        raw_path=path,
        matched_text=text,
    )


def status(claim: str, text: str, literal: str) -> str:
    return next(f.status for f in ground(claim, [excerpt(text)]) if f.text == literal)


# (thing, claim unit, excerpt unit, excerpt units in one claim unit)
CONVERSIONS = [
    ("耗时", "took", "秒", "ms", 1000),
    ("耗时", "took", "s", "ms", 1000),
    ("耗时", "took", "分钟", "ms", 60_000),
    ("耗时", "took", "min", "s", 60),
    ("耗时", "took", "小时", "min", 60),
    ("内存", "memory used", "Mi", "bytes", 2**20),
    ("内存", "memory used", "MiB", "KiB", 1024),
    ("内存", "memory used", "GiB", "Mi", 1024),
    ("内存", "memory used", "KB", "bytes", 1000),
    ("内存", "memory used", "MB", "KB", 1000),
    ("CPU 用了", "cpu usage", "核", "m", 1000),
    ("CPU 用了", "cpu usage", "cores", "millicores", 1000),
]


@given(st.sampled_from(CONVERSIONS), st.integers(1, 5000))
def test_a_converted_quantity_is_found(conversion: tuple[str, str, str, str, int], value: int) -> None:
    thing, key, unit, other, factor = conversion
    literal = f"{value} {unit}"
    assert status(f"{thing} {literal}。", f"{key} {value * factor} {other}", literal) == "found"


@given(st.sampled_from(CONVERSIONS), st.integers(60, 5000))
def test_a_converted_quantity_is_found_the_other_way_round(
    conversion: tuple[str, str, str, str, int], value: int
) -> None:
    thing, key, unit, other, factor = conversion
    literal = f"{value * factor} {other}"
    assert status(f"{thing} {literal}。", f"{key} {value} {unit}", literal) == "found"


@given(st.integers(0, 1000))
def test_a_percentage_is_found_in_a_stated_ratio(tenths: int) -> None:
    literal = f"{tenths / 10:.1f}%"
    assert status(f"错误率 {literal}。", f"error_ratio={tenths / 1000:.3f}", literal) == "found"


@given(
    st.integers(10, 99_999_999), st.integers(0, 7), st.integers(1, 9), st.sampled_from(["ms", "%", "MB", "次", "s", ""])
)
def test_a_changed_digit_is_never_found(value: int, place: int, shift: int, unit: str) -> None:
    digits = list(str(value))
    place %= len(digits)
    digits[place] = str((int(digits[place]) + shift) % 10)
    other = "".join(digits).lstrip("0") or "0"
    literal = f"{other} {unit}".strip()
    assert status(f"数值是 {literal}。", f"value {value} {unit}", literal) != "found"


@given(
    st.integers(10, 999_999),
    st.integers(1, 3),
    st.integers(0, 5),
    st.integers(1, 9),
    st.sampled_from(["ms", "%", "Mi"]),
)
def test_a_changed_digit_of_a_decimal_is_never_found(value: int, places: int, at: int, shift: int, unit: str) -> None:
    digits = list(str(value))
    at %= len(digits)
    digits[at] = str((int(digits[at]) + shift) % 10)
    scale = 10**places
    literal = f"{int(''.join(digits)) / scale:.{places}f} {unit}"
    assert status(f"数值是 {literal}。", f"value {value / scale:.{places}f} {unit}", literal) != "found"


@given(st.integers(10**15, 10**24), st.integers(0, 14), st.integers(1, 9))
def test_a_changed_digit_of_a_long_number_is_never_found(value: int, at: int, shift: int) -> None:
    digits = list(str(value))
    digits[-1 - at] = str((int(digits[-1 - at]) + shift) % 10)
    other = "".join(digits)
    assert status(f"订单 {other} 失败。", f"order {value} failed", other) != "found"
    assert status(f"订单 {value} 失败。", f"order {value} failed", str(value)) == "found"


@given(st.integers(1, 9999), st.sampled_from(["ms", "%", "MB", "次"]))
def test_full_width_writing_is_the_same(value: int, unit: str) -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in str(value))
    assert status(f"数值是 {wide} {unit}。", f"value {value} {unit}", f"{wide} {unit}") == status(
        f"数值是 {value} {unit}。", f"value {value} {unit}", f"{value} {unit}"
    )


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)))
def test_an_instant_is_found_in_either_zone(moment: datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    local = moment.astimezone(EAST8)
    written = f"{local.month} 月 {local.day} 日 {local:%H:%M:%S}"
    assert status(f"{written} 出现超时。", f"{moment:%Y-%m-%dT%H:%M:%SZ} timeout", written) == "found"
    assert status(f"{written} 出现超时。", f"{local.isoformat()} timeout", written) == "found"
    zoned = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    assert status(f"{zoned} 出现超时。", f"{local.isoformat()} timeout", zoned) == "found"


CLOCKS: list[Callable[[datetime], str]] = [
    lambda at: f"{at.hour}点{at.minute:02d}分",
    lambda at: f"{at.hour}时{at.minute}分",
    lambda at: f"{at:%H:%M}",
    lambda at: f"{at:%I:%M %p}",
    lambda at: (
        f"{'凌晨' if at.hour < 5 else '上午' if at.hour < 12 else '下午'}{at.hour % 12 or 12}点{at.minute:02d}分"
    ),
    lambda at: f"{at:%m-%d %H:%M}",
    lambda at: f"{at.month}月{at.day}日 {at:%H:%M}",
]


@given(st.sampled_from(CLOCKS), st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)))
def test_a_time_of_day_is_found_in_any_writing(write: Callable[[datetime], str], moment: datetime) -> None:
    moment = moment.replace(tzinfo=EAST8)
    assume(moment.hour != 12 or "点" not in write(moment))  # 下午12点 is said for noon and for midnight
    written = write(moment)
    assert status(f"{written} 出现超时。", f"{moment.astimezone(UTC).isoformat()} timeout", written) == "found"


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), st.integers(61, 6 * 3600))
def test_another_time_is_never_found(moment: datetime, later: int) -> None:
    moment = moment.replace(microsecond=0, tzinfo=EAST8)
    other = moment + timedelta(seconds=later)
    clock = f"{other:%H:%M}"
    assert status(f"{clock} 出现超时。", f"{moment.isoformat()} timeout", clock) != "found"


@given(st.from_regex(r"[a-z]{3,8}-[0-9]{1,3}", fullmatch=True), st.sampled_from(["0", "1", "x", "-a", "_b"]))
def test_a_longer_name_is_not_the_name(name: str, tail: str) -> None:
    assert status(f"节点 {name} 超时。", f"{name}{tail} timeout", name) != "found"
    assert status(f"节点 {name} 超时。", f"{name}: timeout", name) == "found"
    assert status(f"节点{name}超时。", f"timeout on {name}", name) == "found"


ANY_CHARACTER = st.characters(exclude_categories=())  # lone surrogates, controls and marks included
ANY_TEXT = st.text(ANY_CHARACTER, max_size=200)
# Pieces that the readers look for, in any order and joined by anything.
PIECES = """CPU 95% 95％ 1e999 14:05 25:99 2026-13-45 2026-03-10T14:05:00+08:00 三成 百分之 半小时 一百二十万 两倍 从 到
    之后 之前 超过 没有 不是 上升 下降 最高 10.0.0.1 fe80::1 /var/log/x pay-1 db-2a HTTP 503 “x” ` max_connections=151
    active=50 up down is primary 成功 失败 已恢复 true debug=false old=3 new=7 64->8 [ { "a": } null NaN Infinity ERROR
    条 次 次/秒 Mi 千 万 点 月 日 下午 half of two thirds . , ， 。 - -- : = \u200b \u202e ９ ０"""
PIECE = st.sampled_from(PIECES.split())
MIXED = st.lists(st.one_of(PIECE, st.text(ANY_CHARACTER, max_size=6)), max_size=24).flatmap(
    lambda pieces: st.sampled_from(["", " "]).map(lambda glue: glue.join(pieces))
)
EVIDENCE = st.lists(
    st.builds(
        excerpt,
        st.one_of(MIXED, ANY_TEXT),
        st.one_of(st.sampled_from(PATHS), ANY_TEXT),
        st.sampled_from(["i", "inv_2"]),
    ),
    max_size=5,
)


@given(st.one_of(MIXED, ANY_TEXT), EVIDENCE)
def test_any_text_grounds_without_a_crash(claim: str, rows: list[VerifiedEvidence]) -> None:
    before = [row.model_dump() for row in rows]
    findings = ground(claim, rows)
    assert findings == ground(claim, tuple(rows))
    assert [row.model_dump() for row in rows] == before
    places = {f"{row.source_invocation_id} {row.raw_path}" for row in rows}
    for finding in findings:
        assert finding.text in claim
        assert finding.place is None or finding.place in places
        assert finding.status == "unseen" or finding.place is not None
    for literal in literals(claim):
        assert claim[literal.start : literal.end] == literal.text


@given(MIXED, EVIDENCE.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_findings_do_not_depend_on_the_order_of_the_evidence(
    claim: str, orders: tuple[list[VerifiedEvidence], list[VerifiedEvidence]]
) -> None:
    one, two = orders
    assert ground(claim, one) == ground(claim, two)


@given(MIXED, EVIDENCE)
def test_the_same_excerpt_twice_says_nothing_new(claim: str, rows: list[VerifiedEvidence]) -> None:
    assert ground(claim, rows) == ground(claim, [*rows, *rows])


@given(MIXED)
def test_without_evidence_everything_is_unseen(claim: str) -> None:
    assert all(finding.status == "unseen" for finding in ground(claim, []))
