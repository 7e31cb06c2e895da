"""Quantities of a claim: with units, as shares, in words, under a bound."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs.test_literals_width import C, F, U, looked_up

# N: whatever becomes of the literal, nothing of the claim may conflict.
N = "no conflict"

UNITS = [
    ("吞吐 850 MB/s", "850 MB/s", "throughput 850 MB/s", F),
    ("吞吐 850 MB/s", "850 MB/s", "throughput 580 MB/s", C),
    ("吞吐 850 MB/s", "850 MB/s", "file size 580 MB", U),
    ("网卡流量 1.2 Gbps", "1.2 Gbps", "nic traffic 1200 Mbps", F),
    ("网卡流量 1.2 Gbps", "1.2 Gbps", "nic traffic 900 Mbps", C),
    ("温度 85℃", "85℃", "temperature=85", F),
    ("温度 85℃", "85℃", "temperature=58", C),
    ("温度 85℃", "85℃", "cpu=58%", U),
    ("QPS 1.2k", "1.2k", "qps=1200", F),
    ("写入速率 300 次/秒", "300 次/秒", "write rate 300/s", F),
    ("写入速率 300 次/秒", "300 次/秒", "write rate 120/s", C),
    ("线程数 200", "200", "threads=200", F),
    ("线程数 200", "200", "threads=120", C),
    ("线程数 200", "200", "connections=120", U),
    ("线程数 2,000", "2,000", "threads=2000", F),
    ("丢包 3%", "3%", "packet loss 3 percent", F),
    ("丢包率 3%", "3%", "packet loss 30%", C),
    ("成功率 99.95%", "99.95%", "success_ratio=0.9995", F),
    ("成功率 99.95%", "99.95%", "success_ratio=0.995", C),
    ("成功率 99.95%", "99.95%", "success rate 99.9%", N),
    ("命中率下降了 12 个百分点", "12 个百分点", ["cache hit ratio 80%"], U),
    ("CPU 百分之九十五", "百分之九十五", "cpu usage 95%", F),
    ("CPU 百分之九十五", "百分之九十五", "cpu usage 59%", C),
    ("CPU 百分之 95", "百分之 95", "cpu usage 95%", F),
    ("CPU 九成五", "九成五", "cpu usage 95%", F),
    ("磁盘九成满", "九成", "disk usage 90%", F),
    ("磁盘用了八成", "八成", "disk usage 81%", F),
    ("磁盘用了八成", "八成", "disk usage 40%", C),
    ("三分之一的请求失败", "三分之一", "failed request ratio 33%", F),
    ("三分之一的请求失败", "三分之一", "failed request ratio 80%", C),
    ("四分之三的请求失败", "四分之三", "error_ratio=0.75", F),
    ("5 percent of requests failed", "5 percent", "error_ratio=0.05", F),
    ("half of the requests failed", "half", "failed request ratio 50%", F),
    ("一半请求失败", "一半", "failed request ratio 90%", C),
    ("一半请求失败", "一半", "cpu usage 90%", U),
]

DURATIONS = [
    ("超时 3000ms", "3000ms", "timed out after 3s", F),
    ("超时 3000ms", "3000ms", "timed out after 5s", C),
    ("超时 3000ms", "3000ms", "started at 5s", U),
    ("延迟 1.5s", "1.5s", "latency=1500ms", F),
    ("延迟 1.5s", "1.5s", "latency_ms=1500", F),
    ("延迟 1.5s", "1.5s", "latency_ms=150", C),
    ("延迟 1.5s", "1.5s", "gc pause 150ms", U),
    ("宕机 2 小时 15 分钟", "2 小时 15 分钟", "outage lasted 135 minutes", F),
    ("宕机两个小时", "两个小时", "outage lasted 120 min", F),
    ("宕机两小时", "两小时", "outage lasted 120 min", F),
    ("宕机一个半小时", "一个半小时", "outage lasted 90 min", F),
    ("宕机一个半小时", "一个半小时", "outage lasted 40 min", C),
    ("GC 停顿两分半", "两分半", "gc pause 150s", F),
    ("恢复用了两分半钟", "两分半钟", "recovery took 150s", F),
    ("GC 停顿 1 分半", "1 分半", "gc pause 90s", F),
    ("停顿半分钟", "半分钟", "pause 30s", F),
    ("超时设为半小时", "半小时", "timeout=3600s", C),
    ("等了一刻钟", "一刻钟", "waited 15 min", F),
    ("耗时三十秒", "三十秒", "took 30s", F),
    ("耗时三十秒", "三十秒", "took 13s", C),
    ("耗时１２０秒", "１２０秒", "took 2m", F),
    ("TTL 7 天", "7 天", "ttl=604800s", F),
    ("TTL 一周", "一周", "ttl=604800s", F),
    ("timeout of 30 seconds", "30 seconds", "timeout=30000ms", F),
    ("timeout of 30 seconds", "30 seconds", "timeout=3000ms", C),
    ("took two minutes", "two minutes", "took 120s", F),
    ("half an hour of downtime", "half an hour", "downtime 30 min", F),
    ("延迟 250 µs", "250 µs", "latency 0.25 ms", F),
    ("延迟 250 微秒", "250 微秒", "latency 250us", F),
]

BYTES = [
    ("内存 512Mi", "512Mi", "memory limit 536870912 bytes", F),
    ("内存 512 MiB", "512 MiB", "memory=524288KiB", F),
    ("内存 512MB", "512MB", "memory=512000KB", F),
    ("内存 1.5G", "1.5G", "memory usage 1536Mi", F),
    ("内存 1.5G", "1.5G", "memory usage 1500M", F),
    ("内存 1.5Gi", "1.5Gi", "memory usage 900Mi", C),
    ("内存 1.5Gi", "1.5Gi", "disk usage 900Mi", U),
    ("磁盘剩 20 GB", "20 GB", "disk free 20 GB", F),
    ("磁盘剩 20 GB", "20 GB", "disk free 2 GB", C),
    ("磁盘剩 20 GB", "20 GB", "disk used 2 GB", U),
    ("日志 300KB", "300KB", "log size 300000 bytes", F),
    ("请求体 2 兆", "2 兆", "payload 2 MB", F),
    ("堆 2g", "2g", "heap 2048m", F),
    ("堆 512 兆字节", "512 兆字节", "heap 512 MB", F),
    ("Ceph 用了 1.8 TiB", "1.8 TiB", "ceph used 1843 GiB", F),
]

CPU = [
    ("CPU 限制 1.5 核", "1.5 核", "cpu limit 1500m", F),
    ("CPU 限制 1.5 核", "1.5 核", "cpu limit 500m", C),
    ("CPU 请求 250m", "250m", "cpu requests: 0.25", F),
    ("CPU 使用 250 毫核", "250 毫核", "cpu usage 0.25 cores", F),
    ("CPU 使用 250 毫核", "250 毫核", "cpu usage 0.75 cores", C),
    ("CPU 使用 250 毫核", "250 毫核", "memory 750Mi", U),
    ("CPU 950m", "950m", "cpu usage 0.95 core", F),
    ("CPU 95%", "95%", "cpu usage 0.95 core", U),
    ("约 351 MB", "351 MB", "memory 335Mi", F),
    ("内存 335 MB", "335 MB", "memory 335Mi", C),
    ("CPU 两核", "两核", "cpu limit 2000m", F),
    ("CPU 用满了 8 核", "8 核", "cpu cores=8", F),
    ("2 vCPU", "2 vCPU", "cpu 2000m", F),
]

NUMERALS = [
    ("延迟涨到原来的两倍", "两倍", ["latency 100 ms", "latency 200 ms"], N),
    ("QPS 翻倍", "翻倍", "qps=1200", N),
    ("积压 12 万条", "12 万条", "lag=120000", F),
    ("积压 12 万条", "12 万条", "lag=12000", U),
    ("积压十二万条", "十二万条", "lag=120000", F),
    ("积压一百二十万", "一百二十万", "lag=1200000", F),
    ("积压 3 千条", "3 千条", "lag 3000", F),
    ("积压三千多条", "三千", "lag 3421", F),
    ("积压上万条", "上万", "lag 34210", N),
    ("积压数千条", "数千", "lag 3421", N),
    ("积压几百条", "几百", "lag 342", N),
    ("错误 1.2 亿次", "1.2 亿次", "errors=120000000", F),
    ("two thirds of requests failed", "two thirds", "error_ratio=0.66", F),
    ("重试十次", "十次", "retries=10", F),
    ("重试十次", "十次", "retries=3", C),
    ("重试了三次", "三次", "retries=3", F),
    ("重试了三次", "三次", "retries=5", C),
    ("三个副本", "三个", "replicas=3", F),
    ("三个副本", "三个", "replicas=2", U),
    ("failed three times", "three times", "failed 3 times", F),
]

BOUNDS = [
    ("时钟漂移 90 秒", "90 秒", "clock offset > 30s", U),
    ("时钟漂移 90 秒", "90 秒", "clock offset 30s", C),
    ("CPU 使用率 97%", "97%", "cpu usage above 80%", U),
    ("CPU 没到 90%", "90%", "cpu usage 95%", C),
    ("CPU 没到 96%", "96%", "cpu usage 95%", F),
    ("CPU 没有超过 90%", "90%", "cpu usage 95%", C),
    ("CPU 没有达到 96%", "96%", "cpu usage 95%", F),
    ("CPU 不是 90%", "90%", "cpu usage 95%", U),
]


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), UNITS)
def test_a_quantity_is_the_same_only_in_its_own_unit_and_thing(
    claim: str, literal: str, excerpts: Any, status: str
) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), DURATIONS)
def test_a_duration_is_the_same_in_any_unit_of_time(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), BYTES)
def test_a_size_is_the_same_in_any_unit_of_bytes(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), CPU)
def test_cores_and_millicores_are_one_unit_and_a_percentage_is_another(
    claim: str, literal: str, excerpts: Any, status: str
) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), NUMERALS)
def test_a_figure_in_words_counts_like_one_in_digits(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), BOUNDS)
def test_a_bound_is_kept_or_broken(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)
