"""Counts: rows of one kind of event or of a named entity, counting keys and words, and what hedges a count."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_width import C, F, U, evidence


def lines(*messages: str) -> list[dict[str, Any]]:
    return [{"message": message} for message in messages]


def errors(count: int, level: str = "ERROR") -> list[dict[str, Any]]:
    return [{"level": level, "message": f"call {at} broke"} for at in range(count)]


def count(claim: str, rows: list[dict[str, Any]]) -> LiteralFinding:
    (found,) = [item for item in ground(claim, evidence(*rows)) if item.kind in ("count", "number", "factor")]
    return found


OTHER = lines("disk ok", "cache warm", "gc done")
WEB = [
    {"host": "db-9", "message": "process restarted"},
    {"host": "web-1", "message": "process restarted"},
    {"host": "web-1", "message": "process restarted again"},
    {"host": "web-1", "message": "process restarted"},
]
OWNERS = [
    *(("台", "host", "host"), ("个实例", "instance", "host"), ("个 pod ", "pod", "host"), ("个节点", "node", "host")),
    *(("个服务", "service", "service"), ("Services ", "service", "service"), ("个 SERVICE ", "service", "service")),
]
THAT_EVENT = "counted: rows of that event"
# (claim, rows, status, row that decides, detail)
EVENTS: list[tuple[str, list[dict[str, Any]], str, int | None, str]] = [
    # one kind: messages that differ in numbers, addresses and paths only
    ("重启 2 次", [*OTHER, *lines("web-1 restarted", "db-2 restarted")], F, 3, THAT_EVENT),
    ("重启 1 次", [*OTHER, *lines("web-1 restarted", "db-2 restarted")], C, 3, "2 visible rows of that event"),
    ("上传失败 2 次", [*OTHER, *lines("upload failed /a/b-1.bin", "upload failed /c.bin")], F, 3, THAT_EVENT),
    ("超时 2 次", [*OTHER, *lines("timeout 10.0.0.1:80", "timeout 10.0.0.2:443")], F, 3, THAT_EVENT),
    ("超时 2 次", [*OTHER, *lines("Timeout 10.0.0.1", "TIMEOUT 10.0.0.2")], F, 3, THAT_EVENT),
    ("超时重试 1 次", lines("超时3秒重试", "超时4秒放弃"), F, 0, THAT_EVENT),
    ("超时 1 次", [*lines("timeout 1", "timeout 2", "timeout 3"), *lines("lock timeout", "lock timeout")], C, 0,
     "3 visible rows of that event"),
    ("超时 2 次", [*lines("timeout 1", "timeout 2", "timeout 3"), *lines("lock timeout", "lock timeout")], F, 3,
     THAT_EVENT),
    ("timeout 4 times", lines("timeout 1", "timeout 2", "timeout 3"), U, None, ""),
    # a named entity: its rows only
    ("web-1 重启 3 次", WEB, F, 1, "counted: rows that name it"),
    ("db-9 重启 1 次", WEB, F, 0, "counted: rows that name it"),
    ("web-1 的 process restarted again 出现 1 次", WEB, F, 2, THAT_EVENT),
    ("web-1 的 process restarted again 出现 1 次", WEB[1:], F, 1, THAT_EVENT),
    ("web-1 报错 1 次", [WEB[1], WEB[1] | {"message": "broke"}, WEB[1] | {"message": "broke"}], F, 0, THAT_EVENT),
    ("重启时 web-1 掉线，ERROR 有 1 条", errors(3), C, 0, "3 visible ERROR rows"),
    ("web-1 重启时 ERROR 只有 1 条", errors(3), U, None, ""),
    # what tells entities apart
    *((f"3 {word}掉线", [{field: name} for name in "aabbc"], F, 0, f"counted: distinct {counted}")
      for word, field, counted in OWNERS),
    ("2 IPs hit", lines("from 10.0.0.1", "from 10.0.0.2", "from 10.0.0.2"), F, 0, "counted: distinct address"),
    ("2 ips hit", lines("from 10.0.0.1", "from 10.0.0.2", "from 10.0.0.2"), F, 0, "counted: distinct address"),
    ("2 Clients hit", lines("from 10.0.0.1", "from 10.0.0.2", "from 10.0.0.2"), F, 0, "counted: distinct address"),
    ("2 台主机", lines("from 10.0.0.1", "from 10.0.0.2", "from 10.0.0.2"), F, 0, "counted: distinct address"),
    ("2 次请求", lines("from 10.0.0.1", "to 10.0.0.2", "to 10.0.0.2"), F, 0, "counted: distinct messages"),
    # levels
    *((f"1 条 {level}", errors(2, level), C, 0, f"2 visible {level} rows")
      for level in ("DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "FATAL", "CRITICAL")),
    ("1 条 fatal", errors(2, "Fatal"), C, 0, "2 visible FATAL rows"),
    ("1 条 warning", errors(2, "warning"), C, 0, "2 visible WARN rows"),
    ("1 条 errors", errors(2), C, 0, "2 visible ERROR rows"),
    ("1 条 terror", errors(2), U, None, ""),
    ("ERROR 有 1 条", errors(2), C, 0, "2 visible ERROR rows"),
    ("1 条 ERROR", errors(1), F, 0, "counted: ERROR rows"),
    ("在线上环境的 ERROR 级别的日志里我们只看到 1 条", errors(2), U, None, ""),
    ("日志有 ERROR；共有 1 条", errors(2), U, None, ""),
    ("1 台 ERROR", errors(2), C, 0, "2 visible ERROR rows"),
    # beyond what is counted
    ("0 条 ERROR", errors(2), U, None, ""),
    ("超时 0 次", lines("timeout 1", "timeout 2"), U, None, ""),
    ("1.5 条 ERROR", errors(1), U, None, ""),
    ("1000 条 ERROR", errors(1000), F, 0, "counted: ERROR rows"),
    ("1001 条 ERROR", errors(1001), U, None, ""),
    # happenings; a thing of a kind may be a part
    *((f"超时 1 {unit}", lines("timeout 1", "timeout 2"), C, 0, "2 visible rows of that event") for unit in "次起笔例"),
    ("超时 1 个", lines("timeout 1", "timeout 2"), U, None, ""),
    ("it timed out 1 times", lines("timeout 1", "timeout 2"), C, 0, "2 visible rows of that event"),
    ("timeout: 1 attempts", lines("timeout 1", "timeout 2"), C, 0, "2 visible rows of that event"),
    ("timeout: 1 occurrences", lines("timeout 1", "timeout 2"), C, 0, "2 visible rows of that event"),
    ("timeout: 1 pods", lines("timeout 1", "timeout 2"), U, None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "rows", "status", "at", "detail"), EVENTS)
def test_what_the_rows_count(claim: str, rows: list[dict[str, Any]], status: str, at: int | None, detail: str) -> None:
    found = count(claim, rows)
    assert (found.status, found.detail) == (status, detail)
    assert found.place == (None if at is None else f"inv_1 $.logs[{at}]")
    assert found.evidence_text in (None, *(value for value in rows[at or 0].values()))


@pytest.mark.parametrize(
    ("claim", "rows"),
    [
        *(
            (claim, errors(3))
            for claim in ("ERROR 日志少了 1 条", "至少 1 条 ERROR", "不是 1 条 ERROR", "第 1 条 ERROR")
        ),
        *(
            (claim, lines("timeout 1", "timeout 2", "timeout 3"))
            for claim in ("超时少了 2 次", "每 2 次超时", "第 2 次超时")
        ),
        *((claim, lines("timeout 1", "timeout 2", "timeout 3")) for claim in ("超时至少 2 次", "不是 2 次超时")),
        *((claim, lines("timeout 1", "timeout 2", "timeout 3")) for claim in ("10:05 超时 2 次", "a-1 超时 2 次")),
    ],
)
def test_a_hedged_count_conflicts_with_no_rows(claim: str, rows: list[dict[str, Any]]) -> None:
    assert [item for item in ground(claim, evidence(*rows)) if item.status == C] == []


# (claim, figure, record, status)
KEYS: list[tuple[str, str, Any, str]] = [
    *(("重试了 3 次", "3 次", {key: 5}, C) for key in ("retries", "retry_count", "retry_times", "retry_total")),
    *(("重试了 3 次", "3 次", {key: 3}, F) for key in ("retries", "retry_count", "retry_times", "retry_total")),
    ("失败 3 次", "3 次", {"failures": 5}, C),
    ("报错 3 次", "3 次", {"errors": 5}, C),
    ("重启 3 次", "3 次", {"restarts": 5}, C),
    ("重试 3 次", "3 次", {"attempts": 5}, C),
    ("重试 3 次", "3 次", {"retry_num": 5}, C),
    ("重试 3 次", "3 次", {"RETRIES": 5}, C),
    ("重试 3 次", "3 次", {"retry_limit": 5}, U),
    ("命中 12 条", "12 条", {"matched": 17}, C),
    ("共 12 条记录", "12 条", {"matched": 17}, C),
    ("共 10 条记录", "10 条", {"matched": 17}, C),
    ("共 9 条记录", "9 条", {"matched": 17}, U),
    ("共 12 条记录", "12 条", {"size": 17}, U),
    ("共 12 条记录", "12 条", {"matched": 17, "total": 4000}, U),
    ("共 12 条记录", "12 条", {"matched": 17, "total": 17}, C),
    ("重试 2.5 次", "2.5 次", {"retries": 3}, U),
    ("重试 4 次", "4 次", {"retries": 5.5}, U),
    # by the word behind it
    ("失败 3 次", "3 次", "failed 4 times", C),
    ("失败 3 次", "3 次", "failed 4 login attempts", C),
    ("失败 3 次", "3 次", "failed 3 login attempts", F),
    ("失败 3 次", "3 次", "failed 4 次", C),
    ("失败 3 次", "3 次", "failed 4 Attempts", C),
    ("失败 3 次", "3 次", "failed 4 x", U),
    ("失败 3 次", "3 次", "failed 4 address", U),
    ("failed 3 times", "3", "failed 4 times", C),
    ("failed 3 login attempts", "3", "failed 4 times", C),
    ("failed 3", "3", "failed 4 times", U),
    # a pool of things is counted by its key alone, and a claim may count a part of it
    ("三个副本", "三个", {"replicas": 3}, F),
    ("两个副本", "两个", {"replicas": 3}, U),
    # a bare number of that very name
    ("线程数 10", "10", "threads=12", C),
    ("线程数 9", "9", "threads=12", U),
    ("线程数 12", "12", "threads=12", F),
    ("线程数 10", "10", ["threads=12", "threads=14"], U),
    ("线程数 10", "10", ["threads=12", "threads=10"], F),
    ("线程数 10", "10", "12 threads", U),
    ("线程数 10", "10", "threads=12ms", U),
    ("最大连接数 8", "8", {"max_connections": 5}, C),
    ("最大连接数 8", "8", {"max_connections": 8}, F),
    ("连接数 8", "8", {"max_connections": 5}, U),
    ("最大连接数 8", "8", {"connections": 5}, U),
    ("最大连接数 8", "8", {"max_threads": 5}, U),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "text", "record", "status"), KEYS)
def test_a_count_against_a_counting_key(claim: str, text: str, record: Any, status: str) -> None:
    rows = evidence(*(record if isinstance(record, list) else [record]))
    (found,) = [item for item in ground(claim, rows) if item.text == text]
    assert found.status == status
    assert (found.place is None) == (status == U)
    if status == C:
        assert found.critical
        assert found.detail.startswith("the excerpts show ")
