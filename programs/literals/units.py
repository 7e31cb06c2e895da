"""Units and what they measure. A reading is (dimension, factor to the base unit).

Base units: percent, seconds, bytes, cores, pieces (count), per second (rate), bytes per second, degrees, factor.
Some written units mean more than one thing (``m``: minutes, millicores, mebibytes; ``M``: 10^6 or 2^20 bytes): they
carry every reading, and such a quantity is equal when any reading is.
"""

from __future__ import annotations

import re
from functools import lru_cache

Reading = tuple[str, float]

_K, _M, _G, _T = 1e3, 1e6, 1e9, 1e12
_KI, _MI, _GI, _TI = 2.0**10, 2.0**20, 2.0**30, 2.0**40


def _one(names: str, dim: str, factor: float) -> dict[str, tuple[Reading, ...]]:
    return dict.fromkeys(names.split(), ((dim, factor),))


UNITS: dict[str, tuple[Reading, ...]] = {
    **_one("% percent pct 个百分点 百分点", "percent", 1),
    **dict.fromkeys(("percentage point", "percentage points"), (("percent", 1),)),
    **_one("成", "percent", 10),
    **_one("ns 纳秒 nanoseconds", "time", 1e-9),
    **_one("us 微秒 microseconds", "time", 1e-6),
    **_one("ms 毫秒 msec msecs millis millisecond milliseconds", "time", 1e-3),
    **_one("s 秒 秒钟 sec secs second seconds", "time", 1),
    **_one("min mins minute minutes 分钟 分", "time", 60),
    **_one("h hr hrs hour hours 小时 个小时 钟头 个钟头", "time", 3600),
    **_one("d day days 天", "time", 86400),
    **_one("B byte bytes 字节", "bytes", 1),
    **_one("KB kB", "bytes", _K),
    **_one("MB", "bytes", _M),
    **_one("GB", "bytes", _G),
    **_one("TB", "bytes", _T),
    **_one("KiB Ki", "bytes", _KI),
    **_one("MiB Mi", "bytes", _MI),
    **_one("GiB Gi", "bytes", _GI),
    **_one("TiB Ti", "bytes", _TI),
    "K": (("bytes", _K), ("bytes", _KI), ("count", _K), ("rate", _K)),
    "k": (("bytes", _K), ("bytes", _KI), ("count", _K), ("rate", _K)),
    "M": (("bytes", _M), ("bytes", _MI), ("count", _M), ("rate", _M)),
    **dict.fromkeys(("兆", "兆字节"), (("bytes", _M), ("bytes", _MI))),
    "G": (("bytes", _G), ("bytes", _GI)),
    "g": (("bytes", _GI),),
    "T": (("bytes", _T), ("bytes", _TI)),
    "m": (("time", 60), ("cpu", 1e-3), ("bytes", _MI)),
    **_one("core cores 核 vcpu vCPU vcpus vCPUs", "cpu", 1),
    **_one("millicore millicores 毫核 mcpu mCPU mcores", "cpu", 1e-3),
    **_one("qps QPS rps RPS tps TPS req/s requests/s 次/秒 次每秒 /s ops/s", "rate", 1),
    **_one("B/s bytes/s Bps", "byterate", 1),
    **_one("KB/s kB/s", "byterate", _K),
    **_one("MB/s", "byterate", _M),
    **_one("GB/s", "byterate", _G),
    **_one("KiB/s", "byterate", _KI),
    **_one("MiB/s", "byterate", _MI),
    **_one("Mbps Mb/s", "bitrate", _M),
    **_one("Gbps Gb/s", "bitrate", _G),
    **_one("kbps Kbps", "bitrate", _K),
    **_one("℃ °C 摄氏度 °F ℉ 度", "degrees", 1),
    **_one("倍 x", "factor", 1),
    **_one("条 次 个 台 行 例 起 笔 项 名 块 张 组 批 份 遍 处 类 种 位 轮 路 只 家 套 封 副本 人", "count", 1),
}
COUNT_UNITS = frozenset(name for name, readings in UNITS.items() if readings == (("count", 1),))
# Written kilo/mega/giga that a strict reader keeps apart from Ki/Mi/Gi.
MAGNITUDES = {"百": 100.0, "千": 1e3, "万": 1e4, "亿": 1e8, "thousand": 1e3, "million": 1e6, "billion": 1e9}

_ASCII_UNITS = sorted((u for u in UNITS if u[0].isascii()), key=len, reverse=True)
_OTHER_UNITS = sorted((u for u in UNITS if not u[0].isascii()), key=len, reverse=True)
UNIT_PATTERN = (
    "(?:" + "|".join(map(re.escape, _ASCII_UNITS)) + r")(?![A-Za-z0-9_])|" + "|".join(map(re.escape, _OTHER_UNITS))
)

_WORDS = re.compile(r"[A-Za-z][a-z]*|[A-Z]+")
_BY_WORD: dict[str, Reading] = {
    **dict.fromkeys(("percent", "pct", "percentage", "utilization", "utilisation", "util"), ("percent", 1)),
    **dict.fromkeys(("ratio", "fraction"), ("percent", 100)),
    "bytes": ("bytes", 1),
    **dict.fromkeys(("kb", "kbytes"), ("bytes", _K)),
    **dict.fromkeys(("mb", "mbytes"), ("bytes", _M)),
    **dict.fromkeys(("gb", "gbytes"), ("bytes", _G)),
    **dict.fromkeys(("kib",), ("bytes", _KI)),
    **dict.fromkeys(("mib",), ("bytes", _MI)),
    **dict.fromkeys(("gib",), ("bytes", _GI)),
    **dict.fromkeys(("ms", "millis", "milliseconds", "msec"), ("time", 1e-3)),
    **dict.fromkeys(("us", "micros", "microseconds"), ("time", 1e-6)),
    **dict.fromkeys(("seconds", "secs", "sec", "second"), ("time", 1)),
    **dict.fromkeys(("minutes", "mins"), ("time", 60)),
    **dict.fromkeys(("hours",), ("time", 3600)),
    **dict.fromkeys(("cores",), ("cpu", 1)),
    **dict.fromkeys(("millicores",), ("cpu", 1e-3)),
    **dict.fromkeys(("celsius", "temperature", "temp"), ("degrees", 1)),
    **dict.fromkeys(("qps", "rps", "tps"), ("rate", 1)),
    **dict.fromkeys(
        (
            *("count", "total", "connections", "conn", "conns", "requests", "errors", "retries", "restarts", "threads"),
            *("replicas", "active", "idle", "waiting", "pending", "failures", "attempts", "matched", "scanned", "size"),
        ),
        ("count", 1),
    ),
}


@lru_cache(maxsize=2048)
def readings_of_name(name: str) -> tuple[Reading, ...]:
    """What a key, metric or ``unit`` field says its numbers measure; empty when it does not say.

    The last telling word wins: ``http_requests_latency_ms`` counts milliseconds. ``per_second`` makes a rate.
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    if "per" in words:
        inner = readings_of_name("_".join(words[: words.index("per")])) if words.index("per") else ()
        return (("byterate", inner[0][1]),) if inner and inner[0][0] == "bytes" else (("rate", 1),)
    for word in reversed(words):
        if word in _BY_WORD:
            if word == "size":  # pool sizes and file sizes: both
                return (("count", 1), ("bytes", 1))
            return (_BY_WORD[word],)
    return ()
