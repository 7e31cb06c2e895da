"""When two written numbers are the same, certainly apart, or neither: by unit, exactness and what the excerpt says."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_series import ser, stats
from tests.programs.test_literals_width import C, F, U, evidence

LETTERS = [("K", "KB"), ("M", "MB"), ("G", "GB"), ("T", "TB"), ("k", "KB")]

# (claim, number, excerpt, status)
NEAR: list[tuple[str, str, Any, str]] = [
    # half of the last digit, to the very edge of it
    ("延迟 1.5 s", "1.5 s", "latency 1550 ms", F),
    ("延迟 1.5 s", "1.5 s", "latency 1551 ms", U),
    ("延迟 1.5 s", "1.5 s", "latency 1450 ms", F),
    ("延迟 1.5 s", "1.5 s", "latency 1600 ms", U),
    ("延迟 1.5 s", "1.5 s", "latency 1400 ms", U),
    ("延迟 1.5 s", "1.5 s", "latency 1602 ms", C),
    ("延迟 1.5 s", "1.5 s", "latency 1398 ms", C),
    ("延迟 3 s", "3 s", "latency 3499 ms", F),
    ("延迟 3 s", "3 s", "latency 3900 ms", U),
    # the same decimals in the same unit: one step of the last digit is another value
    ("CPU 94%", "94%", "cpu usage 93%", C),
    ("CPU 94%", "94%", ser("cpu_percent", ("10:05", 93)), C),
    ("CPU 93.4%", "93.4%", ser("cpu_percent", ("10:05", 93.3)), C),
    ("CPU 93.4%", "93.4%", ser("cpu_percent", ("10:05", 93)), U),
    ("CPU 93.4%", "93.4%", ser("cpu_percent", ("10:05", 92)), C),
    ("CPU 93%", "93%", ser("cpu_percent", ("10:05", 93.4)), F),
    ("CPU 93%", "93%", ser("cpu_percent", ("10:05", 93.6)), U),
    ("CPU 93%", "93%", ser("cpu_percent", ("10:05", 94.2)), C),
    # converted, although the digits are of one length
    ("延迟 3 s", "3 s", {"latency_ms": 3900}, U),
    ("延迟 3 s", "3 s", {"latency_ms": 4100}, C),
    ("延迟 3400 ms", "3400 ms", {"latency_seconds": 3}, U),
    ("延迟 3600 ms", "3600 ms", {"latency_seconds": 3}, C),
    # a near word makes one step no other value
    ("CPU 约 94%", "94%", "cpu usage 93%", F),
    ("CPU 约 80%", "80%", "cpu usage 84%", F),
    ("CPU 约 90%", "90%", "cpu usage 99%", U),
    ("CPU 约 90%", "90%", "cpu usage 81%", U),
    ("CPU 约 94%", "94%", "cpu usage 89%", U),
    ("CPU 约 94%", "94%", "cpu usage 84%", C),
    ("CPU 约 94%", "94%", "cpu usage 99%", U),
    ("内存约 300 MB", "300 MB", "memory 332000000 bytes", U),
    ("内存约 300 MB", "300 MB", "memory 334000000 bytes", C),
    ("内存约 300 MB", "300 MB", "memory 331 MB", C),
    ("内存约 300 MB", "300 MB", "memory 329 MB", U),
    # decimal against binary
    ("内存 300 kB", "300 kB", "memory 330000 bytes", U),
    ("内存 300 kB", "300 kB", "memory 340000 bytes", C),
    ("内存 300 B", "300 B", "memory 330 bytes", C),
    ("内存 300000 bytes", "300000 bytes", "memory 330 kB", C),
    # a lone letter may be either power, on both sides
    *((f"内存 46 {one}", f"46 {one}", f"memory 40 {two}", U) for one, two in LETTERS),
    *((f"内存 46 {two}", f"46 {two}", f"memory 40 {one}", U) for one, two in LETTERS),
    *((f"内存 40 {two}", f"40 {two}", f"memory 46 {one}", U) for one, two in LETTERS),
    *((f"内存 40 {two}", f"40 {two}", f"memory 48 {one}", C) for one, two in LETTERS),
    *((f"内存 40 {one}", f"40 {one}", f"memory 46 {one}", C) for one in "KMGTkg"),
    ("内存 100 K", "100 K", "memory 85 KB", U),
    ("内存 40 MB", "40 MB", "memory 44m", U),
    ("内存 44 g", "44 g", "memory 42 GB", U),
    ("内存 42 GB", "42 GB", "memory 44 g", U),
    ("内存 40 GB", "40 GB", "memory 46 g", C),
    # a bare number beside a size or cores
    ("内存 4 KiB", "4 KiB", "heap used=4096", F),
    ("内存 4 KB", "4 KB", "heap used=4095", U),
    ("内存 4000 bytes", "4000 bytes", "heap used=4000", F),
    ("内存 5 GB", "5 GB", "heap used=6442450944", U),
    ("内存 5M", "5M", "heap used=5000000", F),
    ("内存 5M", "5M", "heap used=5242880", F),
    *(("CPU 2 " + unit, "2 " + unit, {"cpu": 2}, U) for unit in ("核", "core", "cores")),
    *(("cpu 2 " + unit, "2 " + unit, {"cpu": 3}, U) for unit in ("核", "core", "cores")),
    ("cpu 2 核", "2 核", {"cpu_cores": 2}, F),
    ("cpu 2 核", "2 核", {"cpu": "2 cores"}, F),
    ("cpu 2 核", "2 核", {"cpu": "3 cores"}, C),
    # another dimension, or a list whose unit comes late
    ("延迟 3 s", "3 s", "latency=[2,3 ms]", U),
    ("CPU 最高 60%", "60%", {"cpu": "60%", "last": "60%", "max": "3 s"}, F),
    # outside of what the points span, and inside
    ("CPU 94%", "94%", ser("cpu_percent", ("10:00", 41), ("10:05", 93)), C),
    ("CPU 40%", "40%", ser("cpu_percent", ("10:00", 41), ("10:05", 93)), C),
    ("CPU 60%", "60%", ser("cpu_percent", ("10:00", 41), ("10:05", 93)), U),
    ("cpu_percent 94%", "94%", ser("cpu_percent", ("10:00", 41), ("10:05", 93)), C),
    ("cpu_percent 60%", "60%", ser("cpu_percent", ("10:00", 41), ("10:05", 93)), U),
    ("memory_bytes 9G", "9G", ser("memory_bytes", ("10:00", 6 * 2**30), ("10:05", 7 * 2**30), unit="bytes"), C),
    ("memory_bytes 6.5G", "6.5G", ser("memory_bytes", ("10:00", 6 * 2**30), ("10:05", 7 * 2**30), unit="bytes"), U),
]


@pytest.mark.parametrize(("claim", "text", "excerpt", "status"), NEAR)
def test_the_same_apart_or_neither(claim: str, text: str, excerpt: Any, status: str) -> None:
    rows = evidence(excerpt if isinstance(excerpt, dict) else {"message": excerpt})
    (found,) = [item for item in ground(claim, rows) if item.text == text]
    assert found.status == status
    assert (found.place, found.critical) == (None if status == U else "inv_1 $.logs[0]", True)


TWO = [{"cpu_percent": 41}, {"cpu_percent": 93}, {"cpu_percent": 67}]


@pytest.mark.parametrize(
    ("claim", "shown", "status"),
    [
        ("cpu_percent 约 65%", "67", F),
        ("cpu_percent 约 90%", "93", F),
        ("CPU 98%", "93", C),
        ("CPU 20%", "41", C),
    ],
)
def test_the_nearest_value_is_shown(claim: str, shown: str, status: str) -> None:
    (found,) = [item for item in ground(claim, evidence(*TWO)) if item.kind == "percent"]
    assert (found.status, found.evidence_text) == (status, shown)


def test_stated_figures_of_another_dimension_are_not_compared() -> None:
    (found,) = ground("CPU 98%", evidence(stats("cpu_percent", first=40, max=97), {"cpu_wait": "98 s"}))
    assert (found.status, found.evidence_text) == (C, "97")
