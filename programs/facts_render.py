"""Facts as sentences: each a pure function of the one record it is bound to.

A claim that equals such a sentence is proven by rendering its excerpt again (``basis: rendered``). So a sentence says
nothing that its record does not: no comparison with other records, no cause.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from programs.tools.change_events import change_kind

Record = Mapping[str, Any]

_ISO = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)")
# Where a logger name or logfmt fields stand before the message proper.
_PREFIX = re.compile(r"^(?:(?:level|ts|caller|logger|thread)=\S+\s+)+|^[A-Za-z_][\w.$]*\.[\w.$]+ : ")
_UNITS = {
    "percent": "%",
    "ms": " ms",
    "seconds": " 秒",
    "per_second": " 次/秒",
    "bytes_per_second": " 字节/秒",
    "count": "",
    "ratio": "",
    "": "",
}
_BYTES = ("字节", "KiB", "MiB", "GiB", "TiB")


def clock(moment: str, dated: bool) -> str:
    """``HH:MM:SS`` of an ISO time in its own zone, with the date before it when ``dated``."""
    match = _ISO.match(moment)
    if match is None:
        return moment
    return f"{match[1]} {match[2]}" if dated else match[2]


def quote(message: str) -> str:
    """The message in quotation marks, without the logger's name before it."""
    return f"「{_PREFIX.sub('', message, count=1) or message}」"


def change_event(record: Record, dated: bool) -> str:
    kind = change_kind(record["message"]) or "变更"
    return f"{clock(record['timestamp'], dated)} {record['service']} {kind}：{quote(record['message'])}"


def log_event(record: Record, dated: bool) -> str:
    when = clock(record["timestamp"], dated)
    return f"{when} {record['service']} {record['level']} 日志：{quote(record['message'])}"


def error_event(record: Record, dated: bool) -> str:
    head = f"{record['service']} 出现 {record['level']}{quote(record['message'])}"
    first, last = clock(record["first_seen"], dated), clock(record["last_seen"], dated)
    if record["count"] == 1:
        return f"{head}，共 1 条，时间 {first}"
    text = f"{head}，同类共 {record['count']} 条，首次 {first}，末次 {last}"
    if "surge_at" in record:
        text += f"，{clock(record['surge_at'], dated)} 起激增（此前 {record['before_surge']} 条）"
    return text


def metric_value(record: Record, dated: bool) -> str:
    place = "，".join(str(record[name]) for name in ("instance", "detail") if record.get(name))
    head = (
        f"{record['service']}（{place}）的 {record['metric']}"
        if place
        else f"{record['service']} 的 {record['metric']}"
    )
    unit = record["unit"]
    if record["before"] is None:
        return f"{head} 没有有效数值"
    before, after, last, low, high = (number(record[name], unit) for name in ("before", "after", "last", "min", "max"))
    if record["change_at"] is None:
        return f"{head} 基本不变，约 {before}，范围 {low} 到 {high}"
    up = record["after"] > record["before"]
    extreme = ("峰值", high, "max_at") if up else ("最低", low, "min_at")
    return (
        f"{head} 在 {clock(record['change_at'], dated)} 由约 {before} {'升到' if up else '降到'}约 {after}，"
        f"{extreme[0]} {extreme[1]}（{clock(record[extreme[2]], dated)}），末值 {last}"
    )


def alert_state(record: Record, dated: bool) -> str:
    of = "，".join(str(record[name]) for name in ("severity", "service", "instance") if record.get(name))
    head = f"告警 {record['alertname']}{f'（{of}）' if of else ''}"
    start = clock(record["startsAt"], dated)
    if "endsAt" in record:
        state = f"{start} 触发，{clock(record['endsAt'], dated)} 恢复"
    else:
        state = f"自 {start} 起触发，状态 {record['state']}"
    return f"{head}{state}：{quote(record['summary'])}" if record["summary"] else f"{head}{state}"


def number(value: float, unit: str) -> str:
    """A value with its unit, at most four significant digits, bytes in the largest unit that fits."""
    if unit == "bytes":
        power = min(len(_BYTES) - 1, max(0, int(math.log(abs(value), 1024)))) if abs(value) >= 1 else 0
        return f"{plain(value / 1024**power)} {_BYTES[power]}"
    return f"{plain(value)}{_UNITS.get(unit, f' {unit}')}"


def plain(value: float) -> str:
    if value == int(value) or abs(value) >= 10_000:
        return str(round(value))
    text = f"{value:.4g}"
    return f"{value:.6f}".rstrip("0") if "e" in text else text


def absences(record: Record, dated: bool) -> dict[str, str]:
    """What an answer's summary record proves to be absent, by kind of absence."""
    return {kind: _one_line(text) for kind, text in _absences(record, dated).items()}


def _one_line(text: str) -> str:
    # A line break in a log message must not look like the next fact.
    return " ".join(text.split())


def _absences(record: Record, dated: bool) -> dict[str, str]:
    window = f"{clock(record['start'], dated)} 到 {clock(record['end'], dated)}"
    found = {}
    if record.get("unknown_service"):
        names = "".join(f"「{name}」" for name in record["unknown_service"])
        found["unknown"] = f"{window}，数据里没有名为{names}的服务"
    names = record["service"]
    if names == [] or "service_total" in record:
        return found
    # A Latin name is followed by a blank, a Chinese word is not.
    scope = "全部服务" if names is None else f"{'、'.join(names)} "
    return found | (
        _log_absences(record, window, scope) if "scanned" in record else _metric_absences(record, window, scope)
    )


def _log_absences(record: Record, window: str, scope: str) -> dict[str, str]:
    if record["scanned"] == 0:
        return {"no_logs": f"{window}，没有 {scope}的日志"}
    lines = f"{window}，{scope}的 {record['scanned']} 条日志里"
    found = {}
    if record["errors"] == 0 and record["warnings"] == 0:
        found["no_errors"] = f"{lines}没有 WARN、ERROR 或 FATAL"
    elif record["errors"] == 0:
        found["no_errors"] = f"{lines}没有 ERROR 或 FATAL"
    # Releases are logged by the pipeline: that one service's own lines hold none says nothing.
    if record["changes"] == 0 and record["service"] is None:
        found["no_changes"] = f"{lines}没有发布、配置等变更记录"
    if record["matched"] == 0 and record.get("contains"):
        level = f" {record['min_level']} 及以上级别的" if record.get("min_level") else ""
        words = "或".join(f"「{word}」" for word in record["contains"].split())
        found["no_match"] = f"{lines}没有{level}{words}"
    return found


def _metric_absences(record: Record, window: str, scope: str) -> dict[str, str]:
    found = {}
    if record.get("series") == 0:
        named = f"名称含「{record['metric']}」的" if record.get("metric") else ""
        found["no_series"] = f"{window}，{scope}没有{named}指标数据"
    if record.get("alerts") == 0:
        found["no_alerts"] = f"{window}，{scope}没有告警"
    elif record.get("active") == 0:
        found["no_alerts"] = f"{window}，{scope}没有仍在触发的告警"
    return found


_RENDERERS: tuple[tuple[str, re.Pattern[str], Callable[[Record, bool], str]], ...] = (
    ("query_logs", re.compile(r"\$\.changes\[\d+\]"), change_event),
    ("query_logs", re.compile(r"\$\.patterns\[\d+\]"), error_event),
    ("query_logs", re.compile(r"\$\.logs\[\d+\]"), log_event),
    ("query_metrics", re.compile(r"\$\.series\[\d+\]\.stats"), metric_value),
    ("query_metrics", re.compile(r"\$\.alerts\[\d+\]"), alert_state),
)


def sentences(tool_name: str, raw_path: str, value: Any) -> tuple[str, ...]:
    """Every sentence that the record at ``raw_path`` proves, with and without dates; none for any other record."""
    if not isinstance(value, Mapping):
        return ()
    try:
        for tool, path, render in _RENDERERS:
            if tool == tool_name and path.fullmatch(raw_path):
                return _one_line(render(value, False)), _one_line(render(value, True))
        if tool_name in ("query_logs", "query_metrics") and raw_path == "$.summary":
            return (*absences(value, False).values(), *absences(value, True).values())
    except (KeyError, TypeError, ValueError, AttributeError):
        # A record of another shape (own tools, cases from outside) proves no sentence of ours.
        return ()
    return ()


def rerender(records: Iterable[tuple[str, str, Any]]) -> frozenset[str]:
    """Every sentence that ``(tool_name, raw_path, value)`` records prove; ``value`` parsed from the matched text."""
    return frozenset(text for tool, path, value in records for text in sentences(tool, path, value))
