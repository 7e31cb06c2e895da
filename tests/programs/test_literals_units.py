"""One quantity in every spelling of its unit: found in another unit, and never found with another value."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_width import evidence

# (spellings of a unit, claim with {n}{u}, its n, the same quantity in another unit)
WRITTEN: list[tuple[str, str, str, str]] = [
    ("ns 纳秒 nanoseconds", "延迟 {n}{u}", "3000", "latency 3 us"),
    ("us 微秒 microseconds µs", "延迟 {n}{u}", "3000", "latency 3 ms"),
    ("ms 毫秒 msec msecs millis millisecond milliseconds", "延迟 {n}{u}", "3000", "latency 3 s"),
    ("s 秒 秒钟 sec secs second seconds", "延迟 {n}{u}", "3", "latency 3000 ms"),
    ("m min mins minute minutes 分钟 分", "延迟 {n}{u}", "2", "latency 120 s"),
    ("h hr hrs hour hours 小时 个小时 个钟头", "延迟 {n}{u}", "2", "latency 7200 s"),
    ("d day days 天", "延迟 {n}{u}", "2", "latency 172800 s"),
    ("B byte bytes 字节", "内存 {n}{u}", "2048", "memory 2 KiB"),
    ("KB kB", "内存 {n}{u}", "3", "memory 3000 bytes"),
    ("MB", "内存 {n}{u}", "3", "memory 3000000 bytes"),
    ("GB", "内存 {n}{u}", "3", "memory 3000 MB"),
    ("TB", "内存 {n}{u}", "3", "memory 3000 GB"),
    ("KiB Ki", "内存 {n}{u}", "3", "memory 3072 bytes"),
    ("MiB Mi m", "内存 {n}{u}", "3", "memory 3145728 bytes"),
    ("GiB Gi g", "内存 {n}{u}", "3", "memory 3072 MiB"),
    ("TiB Ti", "内存 {n}{u}", "3", "memory 3072 GiB"),
    # A lone letter may mean either power.
    ("K k", "内存 {n}{u}", "3", "memory 3000 bytes"),
    ("K k", "内存 {n}{u}", "3", "memory 3072 bytes"),
    ("M 兆 兆字节", "内存 {n}{u}", "3", "memory 3000 KB"),
    ("M 兆 兆字节", "内存 {n}{u}", "3", "memory 3072 KiB"),
    ("G", "内存 {n}{u}", "3", "memory 3000 MB"),
    ("G", "内存 {n}{u}", "3", "memory 3072 MiB"),
    ("T", "内存 {n}{u}", "3", "memory 3000 GB"),
    ("T", "内存 {n}{u}", "3", "memory 3072 GiB"),
    ("K k", "连接数 {n}{u}", "3", "connections=3000"),
    ("M", "连接数 {n}{u}", "3", "connections=3000000"),
    ("K k", "吞吐 {n}{u}", "3", "throughput 3000 qps"),
    ("M", "吞吐 {n}{u}", "3", "throughput 3000000 qps"),
    ("core cores 核 vcpu vCPU vcpus vCPUs", "CPU 用了 {n}{u}", "2", "cpu usage 2000m"),
    ("m millicore millicores 毫核 mcpu mCPU mcores", "CPU 用了 {n}{u}", "500", "cpu usage 0.5 cores"),
    ("qps QPS rps RPS tps TPS req/s requests/s 次/秒 次每秒 /s ops/s", "请求 {n}{u}", "1200", "request rate 1.2K/s"),
    ("B/s bytes/s Bps", "流量 {n}{u}", "3000", "traffic 3 KB/s"),
    ("KB/s kB/s", "流量 {n}{u}", "3", "traffic 3000 B/s"),
    ("MB/s", "流量 {n}{u}", "3", "traffic 3000 KB/s"),
    ("GB/s", "流量 {n}{u}", "3", "traffic 3000 MB/s"),
    ("KiB/s", "流量 {n}{u}", "3", "traffic 3072 B/s"),
    ("MiB/s", "流量 {n}{u}", "3", "traffic 3072 KiB/s"),
    ("Mbps Mb/s", "带宽 {n}{u}", "3", "bandwidth 3000 kbps"),
    ("Gbps Gb/s", "带宽 {n}{u}", "3", "bandwidth 3000 Mbps"),
    ("kbps Kbps", "带宽 {n}{u}", "3000", "bandwidth 3 Mbps"),
    ("% percent pct 个百分点 百分点", "错误率 {n}{u}", "30", "error ratio 0.3"),
    ("成", "错误率 {n}{u}", "3", "error rate 30%"),
    ("℃ °C 摄氏度 度", "温度 {n}{u}", "70", "temperature 70°C"),
    ("°F ℉", "温度 {n}{u}", "70", "temperature 70°F"),
    ("倍 x", "流量涨了 {n}{u}", "3", "traffic grew 3x"),
]
# (endings of a key, the key, its value, the same quantity in a claim with {n}, its n)
KEYED: list[tuple[str, str, float, str, str]] = [
    ("percent pct percentage utilization utilisation util", "cpu_{k}", 95, "CPU {n}%", "95"),
    ("ratio fraction", "error_{k}", 0.3, "错误率 {n}%", "30"),
    ("bytes", "memory_{k}", 3072, "内存 {n} KiB", "3"),
    ("kb kbytes", "memory_{k}", 3, "内存 {n} 字节", "3000"),
    ("mb mbytes", "memory_{k}", 3, "内存 {n} KB", "3000"),
    ("gb gbytes", "memory_{k}", 3, "内存 {n} MB", "3000"),
    ("kib", "memory_{k}", 3, "内存 {n} 字节", "3072"),
    ("mib", "memory_{k}", 3, "内存 {n} KiB", "3072"),
    ("gib", "memory_{k}", 3, "内存 {n} MiB", "3072"),
    ("us micros microseconds", "latency_{k}", 3000, "延迟 {n} ms", "3"),
    ("ms millis milliseconds msec", "latency_{k}", 3000, "延迟 {n} 秒", "3"),
    ("seconds secs sec second", "latency_{k}", 3, "延迟 {n} ms", "3000"),
    ("minutes mins", "latency_{k}", 2, "延迟 {n} 秒", "120"),
    ("hours", "latency_{k}", 2, "延迟 {n} 分钟", "120"),
    ("cores", "cpu_{k}", 2, "CPU 用了 {n}m", "2000"),
    ("millicores", "cpu_{k}", 500, "CPU 用了 {n} 核", "0.5"),
    ("celsius temperature temp", "disk_{k}", 70, "磁盘温度 {n}℃", "70"),
    ("qps rps tps", "request_{k}", 1200, "请求 {n}K/s", "1.2"),
    ("count total connections conn conns requests errors retries restarts", "pool_{k}", 12000, "{k} {n}K", "12"),
    ("threads replicas active idle waiting pending failures attempts", "pool_{k}", 12000, "{k} {n}K", "12"),
    ("matched scanned size", "pool_{k}", 12000, "{k} {n}K", "12"),
    ("size", "block_{k}", 3072, "block {n} KiB", "3"),
    ("bytes_per_second", "traffic_{k}", 3000, "流量 {n} KB/s", "3"),
    ("per_second", "request_{k}", 1200, "请求 {n} qps", "1200"),
    ("latency_ms", "http_requests_{k}", 3000, "延迟 {n} 秒", "3"),
]
COUNTED = "条 次 个 台 行 例 起 笔 项 名 块 张 组 批 份 遍 处 类 种 位 轮 路 只 家 套 封 副本 人"


def statuses(claim: str, value: Any) -> set[str]:
    return {item.status for item in ground(claim, evidence(value))}


def other(amount: str) -> str:
    """The amount with its first digit changed."""
    return str(int(amount[0]) + 5) + amount[1:]


@pytest.mark.parametrize(
    ("claim", "amount", "text"),
    [(form.replace("{u}", unit), n, text) for units, form, n, text in WRITTEN for unit in units.split()],
)
def test_a_written_quantity_is_found_in_another_unit(claim: str, amount: str, text: str) -> None:
    assert statuses(claim.format(n=amount), text) == {"found"}
    assert "found" not in statuses(claim.format(n=other(amount)), text)


@pytest.mark.parametrize(
    ("key", "value", "claim", "amount"),
    [
        (form.format(k=end), value, claim.replace("{k}", end), n)
        for ends, form, value, claim, n in KEYED
        for end in ends.split()
    ],
)
def test_the_last_word_of_a_key_says_what_its_number_measures(key: str, value: float, claim: str, amount: str) -> None:
    assert statuses(claim.format(n=amount), {key: value}) == {"found"}
    assert "found" not in statuses(claim.format(n=other(amount)), {key: value})


@pytest.mark.parametrize("word", COUNTED.split())
def test_a_counted_thing_is_found_by_its_number(word: str) -> None:
    assert statuses(f"连接 120 {word}", "connections=120") == {"found"}
    assert statuses(f"连接 120 {word}", "connections=150") <= {"conflicting", "unseen"}


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("连接 3 百", "connections=300"),
        ("连接 3 千", "connections=3000"),
        ("连接 3 万", "connections=30000"),
        ("连接 3 亿", "connections=300000000"),
        ("3 thousand connections", "connections=3000"),
        ("3 million connections", "connections=3000000"),
        ("3 billion connections", "connections=3000000000"),
    ],
)
def test_a_magnitude_word_multiplies(claim: str, text: str) -> None:
    assert statuses(claim, text) == {"found"}
    assert "found" not in statuses(claim.replace("3", "4"), text)
