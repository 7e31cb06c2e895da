"""A converted literal is still found, a changed one never is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from programs.grounding import ground
from signatures.contracts import VerifiedEvidence

EAST8 = timezone(timedelta(hours=8))


def status(claim: str, text: str, literal: str) -> str:
    row = VerifiedEvidence(
        binding_id="b",
        run_id="r",
        claim_id="c",
        source_invocation_id="i",
        tool_name="query_logs",
        raw_path="$.logs[0].message",
        matched_text=text,
    )
    return next(f.status for f in ground(claim, [row]) if f.text == literal)


@given(st.integers(1, 5000), st.sampled_from([("秒", 1000), ("s", 1000), ("分钟", 60_000), ("min", 60_000)]))
def test_duration_in_another_unit_is_found(value: int, unit: tuple[str, int]) -> None:
    literal = f"{value} {unit[0]}"
    assert status(f"耗时 {literal}。", f"took {value * unit[1]} ms", literal) == "found"


@given(st.integers(1, 4000), st.sampled_from([("Mi", 2**20), ("GiB", 2**30), ("KB", 1000), ("MB", 10**6)]))
def test_bytes_in_another_unit_are_found(value: int, unit: tuple[str, int]) -> None:
    literal = f"{value}{unit[0]}"
    assert status(f"内存 {literal}。", f"memory used {value * unit[1]} bytes", literal) == "found"


@given(st.integers(10, 9999), st.integers(0, 3), st.integers(1, 9), st.sampled_from(["ms", "%", "MB", "次", "s"]))
def test_changed_digit_is_never_found(value: int, place: int, shift: int, unit: str) -> None:
    digits = list(str(value))
    place %= len(digits)
    digits[place] = str((int(digits[place]) + shift) % 10)
    other = "".join(digits).lstrip("0") or "0"
    assert status(f"数值是 {other} {unit}。", f"value {value} {unit}", f"{other} {unit}") != "found"


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)))
def test_an_instant_is_found_in_either_zone(moment: datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    local = moment.astimezone(EAST8)
    written = f"{local.month} 月 {local.day} 日 {local:%H:%M:%S}"
    assert status(f"{written} 出现超时。", f"{moment:%Y-%m-%dT%H:%M:%SZ} timeout", written) == "found"
    assert status(f"{written} 出现超时。", f"{local.isoformat()} timeout", written) == "found"


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), st.integers(61, 6 * 3600))
def test_another_time_is_never_found(moment: datetime, later: int) -> None:
    moment = moment.replace(microsecond=0, tzinfo=EAST8)
    other = moment + timedelta(seconds=later)
    written = f"{other:%m-%d %H:%M}"
    clock = f"{other:%H:%M}"
    assert status(f"{clock} 出现超时。", f"{moment.isoformat()} timeout", clock) != "found", written


@given(st.from_regex(r"[a-z]{3,8}-[0-9]{1,3}", fullmatch=True), st.sampled_from(["0", "1", "x", "-a", "_b"]))
def test_a_longer_name_is_not_the_name(name: str, tail: str) -> None:
    assert status(f"节点 {name} 超时。", f"{name}{tail} timeout", name) != "found"
    assert status(f"节点 {name} 超时。", f"{name}: timeout", name) == "found"
    assert status(f"节点{name}超时。", f"timeout on {name}", name) == "found"


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_grounds_without_a_crash(claim: str, text: str) -> None:
    row = VerifiedEvidence(
        binding_id="b",
        run_id="r",
        claim_id="c",
        source_invocation_id="i",
        tool_name="t",
        raw_path="$.logs[0]",
        matched_text=text,
    )
    findings = ground(claim, [row])
    assert findings == ground(claim, [row])
    assert all(finding.text in claim for finding in findings)


@given(st.integers(1, 4000), st.sampled_from([("核", 1000), (" cores", 1000)]))
def test_cores_in_millicores_are_found(value: int, unit: tuple[str, int]) -> None:
    literal = f"{value}{unit[0]}"
    assert status(f"CPU 用了 {literal}。", f"cpu usage {value * unit[1]}m", literal) == "found"


@given(st.integers(1, 99))
def test_a_share_written_as_a_ratio_is_found(value: int) -> None:
    literal = f"{value}%"
    assert status(f"错误率 {literal}。", f"error_ratio={value / 100}", literal) == "found"


ROWS = ["cpu usage 93%", "took 3000 ms", "pay-1: timeout", "HTTP 503 from pay-svc", "10:05:09 ready", "memory 335Mi"]
CLAIMS = ["CPU 93%，耗时 3 秒。", "pay-1 在 10:05 返回 503，内存 335Mi。", "CPU 95%，耗时 4 秒，pay-2 超时，返回 504。"]


@given(st.sampled_from(CLAIMS), st.permutations(ROWS))
def test_the_order_of_the_evidence_changes_no_status(claim: str, rows: list[str]) -> None:
    def evidence(texts: list[str]) -> list[VerifiedEvidence]:
        return [
            VerifiedEvidence(
                binding_id=text,
                run_id="r",
                claim_id="c",
                source_invocation_id=f"inv {text[:3]}",
                tool_name="query_logs",
                raw_path="$.logs[0].message",
                matched_text=text,
            )
            for text in texts
        ]

    places = {f"{item.source_invocation_id} {item.raw_path}" for item in evidence(ROWS)}
    given_order, other = ground(claim, evidence(ROWS)), ground(claim, evidence(rows))
    assert [(item.text, item.status) for item in given_order] == [(item.text, item.status) for item in other]
    assert {item.place for item in other if item.place} <= places
