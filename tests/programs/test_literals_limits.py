"""How near two numbers must be, and bounds: above, below, at least, never, all along."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_series import ser, stats
from tests.programs.test_literals_width import C, F, U, evidence

CPU = ser("cpu_percent", ("10:00", 41), ("10:05", 93), ("10:10", 67))
MEMORY = ser("memory_percent", ("10:00", 20), ("10:05", 30))
STATED = stats("cpu_percent", first=40, last=60, min=38, max=97)


def memory(gigabytes: int) -> dict[str, str]:
    return {"message": f"memory {gigabytes} GB"}


LETTERS = [("K", "KB"), ("M", "MB"), ("G", "GB"), ("T", "TB"), ("k", "KB"), ("m", "MB"), ("g", "GB")]
# (claim, number, message, status)
NEAR: list[tuple[str, str, str, str]] = [
    # half of the claim's last digit, after conversion
    ("延迟 1.5 s", "1.5 s", "latency 1500 ms", F),
    ("延迟 1.5 s", "1.5 s", "latency 1549 ms", F),
    ("延迟 1.5 s", "1.5 s", "latency 1560 ms", U),
    ("延迟 1.5 s", "1.5 s", "latency 1700 ms", C),
    ("延迟 1500 ms", "1500 ms", "latency 1500.4 ms", F),
    ("延迟 1500 ms", "1500 ms", "latency 1501 ms", C),
    ("内存 5 GB", "5 GB", "memory 5.3 GB", F),
    ("内存 5 GB", "5 GB", "memory 5.6 GB", U),
    ("内存 5.0 GB", "5.0 GB", "memory 5.06 GB", U),
    ("内存 5.0 GB", "5.0 GB", "memory 5.2 GB", C),
    ("错误率 5%", "5%", "error_ratio=0.05", F),
    ("错误率 5%", "5%", "error_ratio=0.07", C),
    # a near word: 5%
    ("延迟约 1.5 s", "1.5 s", "latency 1570 ms", F),
    ("延迟约 1.5 s", "1.5 s", "latency 1600 ms", U),
    ("延迟约 1.5 s", "1.5 s", "latency 1700 ms", C),
    # decimal against binary: some write GB and mean GiB
    ("内存 300 MB", "300 MB", "memory 286 MiB", F),
    ("内存 300 MB", "300 MB", "memory 314572800 bytes", U),
    ("内存 300 MB", "300 MB", "memory 340000000 bytes", C),
    ("内存 300 GB", "300 GB", "memory 330000000000 bytes", U),
    ("内存 300 KB", "300 KB", "memory 330000 bytes", U),
    ("内存 300 TB", "300 TB", "memory 330000000000000 bytes", U),
    ("内存 300 KiB", "300 KiB", "memory 330000 bytes", U),
    ("内存 300 Ki", "300 Ki", "memory 330000 bytes", U),
    ("内存 300 MiB", "300 MiB", "memory 337000000 bytes", U),
    ("内存 300 Mi", "300 Mi", "memory 337000000 bytes", U),
    ("内存 300 GiB", "300 GiB", "memory 345000000000 bytes", U),
    ("内存 300 Gi", "300 Gi", "memory 345000000000 bytes", U),
    ("内存 300 TiB", "300 TiB", "memory 353000000000000 bytes", U),
    ("内存 300 Ti", "300 Ti", "memory 353000000000000 bytes", U),
    ("内存 300Mi", "300Mi", "memory 300 MB", C),
    ("内存 300 GiB", "300 GiB", "memory 280 GB", C),
    # a lone letter may be either
    *((f"内存 4 {one}", f"4 {one}", f"memory 6 {two}", C) for one, two in LETTERS),
    *((f"内存 40 {one}", f"40 {one}", f"memory 46 {two}", U) for one, two in LETTERS if one != "m"),
    ("CPU 2 核", "2 核", "cpu 3 cores", C),
    ("CPU 2 核", "2 核", "cpu 3", U),
    ("内存 6 GB", "6 GB", "heap used=6442450944", F),
    ("内存 6 GB", "6 GB", "heap used=6", F),
]

THROUGHOUT = [
    *(f"CPU {word}超过 50%" for word in ("一直", "始终", "全程", "均", "都")),
    *(f"{word}点 CPU 超过 50%" for word in ("每个", "所有")),
    *(f"CPU {word} above 50%" for word in ("stayed", "stays", "remained", "remains", "always", "consistently", "kept")),
    *(f"{word} point of CPU was above 50%" for word in ("all", "every", "Each")),
    "CPU was above 50% throughout",
]
BOUNDS: list[tuple[str, str, Any, str, str | None, str]] = [
    ("CPU 超过 90%", "90%", CPU, F, "93", "93 is over it"),
    ("CPU 超过 95%", "95%", CPU, C, "93", "the excerpts show 93"),
    ("CPU 低于 50%", "50%", CPU, F, "41", "41 is under it"),
    ("CPU 低于 40%", "40%", CPU, C, "41", "the excerpts show 41"),
    ("CPU 至少 93%", "93%", CPU, F, "93", "93 is over it"),
    ("CPU 至少 94%", "94%", CPU, U, None, ""),
    ("CPU 从未超过 90%", "90%", CPU, C, "93", "a visible point is 93"),
    ("CPU 从未超过 95%", "95%", CPU, F, "41", "41 is under it"),
    ("CPU 从未低于 40%", "40%", CPU, F, "41", "41 is over it"),
    ("CPU 从未低于 50%", "50%", CPU, C, "41", "a visible point is 41"),
    *((claim, "50%", CPU, C, "41", "a visible point is 41") for claim in THROUGHOUT),
    ("CPU 一直超过 40%", "40%", CPU, F, "41", "41 is over it"),
    ("CPU 始终低于 90%", "90%", STATED, C, "97", "a visible point is 97"),
    ("CPU 始终高于 39%", "39%", STATED, C, "38", "a visible point is 38"),
    ("CPU 始终高于 35%", "35%", stats("cpu_percent", first=40, last=30), C, "30", "a visible point is 30"),
    ("CPU 始终高于 35%", "35%", stats("cpu_percent", first=30, last=40), C, "30", "a visible point is 30"),
    ("CPU 始终高于 35%", "35%", stats("cpu_percent", max=40, min=30), C, "30", "a visible point is 30"),
    ("CPU 始终低于 35%", "35%", stats("cpu_percent", max=40, min=30), C, "40", "a visible point is 40"),
    ("10:05 CPU 始终高于 39%", "39%", STATED, F, "40", "40 is over it"),
    ("CPU 始终高于 50%", "50%", [CPU, MEMORY], C, "41", "a visible point is 41"),
    ("内存超过 3 GB", "3 GB", {"message": "memory 2 GB"}, C, "memory 2 GB", "the excerpts show 2 GB"),
    ("内存超过 3 GB", "3 GB", {"message": "memory 2.99 GB"}, U, None, ""),
    ("内存低于 3 GB", "3 GB", {"message": "memory 3.4 GB"}, U, None, ""),
    ("内存低于 3 GB", "3 GB", {"message": "memory 4 GB"}, C, "memory 4 GB", "the excerpts show 4 GB"),
    ("内存超过 3 GB", "3 GB", [memory(1), memory(2)], C, "memory 2 GB", "the excerpts show 2 GB"),
    ("内存低于 3 GB", "3 GB", [memory(9), memory(5)], C, "memory 5 GB", "the excerpts show 5 GB"),
    ("内存超过 3 GB", "3 GB", {"message": "heap used=6442450944"}, F, "heap used=6442450944", "6442450944 is over it"),
    ("延迟超过 3 s", "3 s", {"message": "latency 3000 ms"}, F, "latency 3000 ms", "3000 ms is over it"),
]


def number(claim: str, text: str, excerpts: Any) -> LiteralFinding:
    rows = evidence(*(excerpts if isinstance(excerpts, list) else [excerpts]))
    (found,) = [item for item in ground(claim, rows) if item.text == text]
    return found


@pytest.mark.parametrize(("claim", "text", "message", "status"), NEAR)
def test_how_near_is_equal_and_how_far_is_apart(claim: str, text: str, message: str, status: str) -> None:
    found = number(claim, text, {"message": message})
    assert (found.status, found.evidence_text) == (status, None if status == U else message)


@pytest.mark.parametrize(("claim", "text", "excerpts", "status", "shown", "detail"), BOUNDS)
def test_a_bound(claim: str, text: str, excerpts: Any, status: str, shown: str | None, detail: str) -> None:
    found = number(claim, text, excerpts)
    assert (found.status, found.evidence_text, found.detail) == (status, shown, detail)
    assert (found.place is None) == (status == U)


@pytest.mark.parametrize(
    ("claim", "excerpts"),
    [
        ("CPU 超过 95% 的告警没有触发", CPU),
        ("CPU 没有一直超过 50%", CPU),
        ("CPU 并非始终超过 50%", CPU),
        ("CPU did not stay above 50%", CPU),
        ("CPU 95% 以上的告警没有触发", CPU),
        ("db-9 的 CPU 一直超过 50%", CPU),
        ("10:05 之后 CPU 一直超过 50%", CPU),
        ("10:05 到 10:10 CPU 一直超过 50%", CPU),
        ("CPU 一直超过 50%", [CPU, ser("cpu_percent", ("10:00", 10), ("10:05", 12)) | {"labels": {"service": "b"}}]),
        ("CPU 比平时高出 95% 以上", CPU),
        ("至少 3 次 CPU 告警", CPU),
    ],
)
def test_what_breaks_no_bound(claim: str, excerpts: Any) -> None:
    rows = evidence(*(excerpts if isinstance(excerpts, list) else [excerpts]))
    assert [item.text for item in ground(claim, rows) if item.status == C and item.kind == "percent"] == []
