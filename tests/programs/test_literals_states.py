"""State words: every side and its opposite, what denies them, and where they are no state at all."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_width import C, F, U, evidence

# (words of one side, words of the other)
OPPOSITES = [
    ("is up", "is down | 宕机"),
    ("healthy | 健康", "unhealthy | 不健康"),
    (
        "success | succeeded | successful | successfully | succeed | 成功",
        "failed | failure | fail | fails | unsuccessful | 失败",
    ),
    ("enabled | 启用 | 已开启", "disabled | 禁用 | 停用 | 已关闭 | 关闭"),
    (
        "is primary | is master | is leader | 是主库 | 是主节点",
        "is standby | is slave | is follower | is secondary | is replica | 是备库 | 是从库 | 是备节点 | 是从节点",
    ),
    ("online | 在线 | 上线", "offline | 离线 | 下线"),
    ("ready | 就绪", "notready | NotReady | not-ready | unready | 未就绪"),
    ("opened | is open | 打开", "is closed | 关闭 | 已关闭"),
    ("connected | 已连接", "disconnected | 已断开 | 断开"),
    ("accepted | allowed | granted | 接受 | 放行", "rejected | refused | denied | 拒绝"),
    ("is active", "is inactive"),
    ("suppressed | silenced | inhibited | 被抑制 | 已抑制 | 被静默 | 已静默", "unsuppressed"),
    ("running | 运行中 | 正在运行", "stopped | 已停止 | 停止运行"),
    ("committed | 已提交", "rolled back | rolled-back | aborted | 已回滚"),
    ("acquired | 已获取", "released | 已释放"),
    ("is valid | 有效", "is invalid | expired | 已过期 | 已失效"),
    ("read write | read-write | writable | 可写", "read-only | read only | readonly | 只读"),
    ("reachable | 可达", "unreachable | 不可达"),
    ("locked | 已锁定", "unlocked | 已解锁"),
]
ALERT = ("is firing | 仍在触发 | 仍在告警", "is resolved | 已恢复 | 已解除")


def states(claim: str, *rows: Any) -> list[tuple[str, str, bool]]:
    return [(item.text, item.status, item.critical) for item in ground(claim, evidence(*rows)) if item.kind == "state"]


def last_word(said: str) -> str:
    return said.removeprefix("is ").removeprefix("是")


@pytest.mark.parametrize(
    ("mine", "others", "against"),
    [
        (mine.strip(), same, other)
        for one, two in (*OPPOSITES, ALERT)
        for same, other in ((one, two), (two, one))
        for mine in same.split("|")
    ],
)
def test_a_state_is_found_in_its_words_and_contradicted_by_the_opposite(mine: str, others: str, against: str) -> None:
    alert = "告警 " if mine in " ".join(ALERT) else ""
    claim = f"{alert}node-a {mine}"
    for same in others.split("|"):
        assert states(claim, f"node-a {same.strip()}") == [(last_word(mine), F, False)]
    for other in against.split("|"):
        assert states(claim, f"node-a {other.strip()}") == [(last_word(mine), C, True)]


# (claim, excerpt, the state word and its status; U: no state is reported)
STATES: list[tuple[str, Any, str, str]] = [
    # whole words only
    ("node-a healthy", "node-a healthyish", "healthy", U),
    ("node-a healthy", "node-a un-healthy", "healthy", U),
    ("node-a healthy", "node-a x_healthy", "healthy", U),
    ("node-a healthy", "node-a healthy_x", "healthy", U),
    ("node-a HEALTHY", "node-a Healthy", "HEALTHY", F),
    ("node-a healthyish", "node-a healthy", "healthy", U),
    ("node-a不健康", "node-a UNHEALTHY", "不健康", F),
    # plainly denied: the other side
    *((f"node-a {no} healthy", "node-a is healthy", "healthy", C) for no in ("is not", "isn't", "wasn't", "NOT")),
    *((f"node-a {no}在线", "node-a 在线", "在线", C) for no in ("不", "不是", "并非", "未", "没", "没有", "不 ")),
    ("they are not healthy on node-a", "node-a unhealthy", "healthy", F),
    ("they were not healthy on node-a", "node-a unhealthy", "healthy", F),
    ("they aren't healthy on node-a", "node-a unhealthy", "healthy", F),
    ("they weren't healthy on node-a", "node-a unhealthy", "healthy", F),
    ("node-a is not healthy", "node-a is not healthy", "healthy", F),
    # loosely denied: it says nothing
    *((f"node-a {no} online", "node-a offline", "online", U) for no in ("never", "no longer", "cannot be", "didn't")),
    *((f"node-a {no} online", "node-a offline", "online", U) for no in ("without", "neither", "无法", "不再", "非")),
    *((f"node-a {no} online", "node-a offline", "online", U) for no in ("not yet", "hasn't come", "没法", "NEVER")),
    *((f"node-a {no} online", "node-a offline", "online", C) for no in ("node", "now", "notify", "no-op", "until now")),
    ("node-a 不知道是什么原因导致的突然在线", "node-a offline", "在线", C),
    # denied events: one failed record does not speak against 没有失败
    ("node-a 没有失败", "node-a failed", "失败", U),
    ("node-a 没有拒绝", "node-a refused", "拒绝", U),
    ("node-a is not committed", "node-a committed", "committed", U),
    ("node-a is not released", "node-a released", "released", U),
    ("node-a 没有离线", "node-a offline", "离线", C),
    ("node-a 没有失败", "node-a succeeded", "失败", F),
    # the same in an excerpt
    ("node-a online", "node-a is not online", "online", C),
    ("node-a online", "node-a not yet online", "online", U),
    ("node-a online", "node-a 未在线", "online", C),
    ("node-a offline", "node-a never online", "offline", U),
    ("node-a offline", "node-a's node online", "offline", C),
    # an assigned word
    ("node-a 只读", "node-a read_only=OFF", "只读", C),
    ("node-a 只读", "node-a read_only=false", "只读", C),
    ("node-a 只读", 'node-a "read_only": "no"', "只读", C),
    ("node-a 只读", "node-a read_only: false", "只读", C),
    ("node-a 只读", "node-a read_only = off", "只读", F),
    *((("node-a 只读"), f"node-a read_only={value}", "只读", F) for value in ("ON", "true", "yes")),
    ("node-a 只读", "node-a read_only=2", "只读", U),
    ("node-a 只读", "node-a read_only: yes", "只读", F),
    ("node-a 只读", "node-a read_only: see below", "只读", F),
    ("node-a 成功", "node-a failed=0", "成功", U),
    ("node-a 成功", "node-a failed: 0", "成功", C),
    ("node-a 成功", "node-a failed", "成功", C),
    # words that are mostly no state
    *((f"node-a {word}", "node-a is down", word, U) for word in ("scaled up", "up 3 times", "backed up")),
    ("node-a open files 12", "node-a is closed", "open", U),
    ("node-a scaled down", "node-a is up", "down", U),
    *((f"node-a {words} up", "node-a is down", "up", C) for words in ("is", "was", "=", ":", "state", "status")),
    *((f"node-a {words} up", "node-a is down", "up", C) for words in ("stayed", "stays", "stay", "went", "goes")),
    *((f"node-a {words} up", "node-a is down", "up", C) for words in ("back", "became", "marked", "are", "were")),
    *((f"node-a {words} up", "node-a is down", "up", C) for words in ("to", "from", "状态", "STATE", "is '", 'is "')),
    *((f"node-a has {word} files", "node-a is closed", word, U) for word in ("open", "OPEN")),
    *((f"node-a has {word} things", f"node-a is {other}", word, U) for word, other in (("closed", "open"),)),
    *((f"node-a has {word} things", f"node-a is in{word}", word, U) for word in ("active", "valid")),
    *((f"node-a has in{word} things", f"node-a is {word}", f"in{word}", U) for word in ("active", "valid")),
    *(("node-a is open", f"node-a {words}", "open", U) for words in ("has closed files", "closed=3")),
    ("up", "down", "up", U),
    ("node-a is up", "node-a scaled down", "up", U),
    ("node-a is up", "node-a went down", "up", C),
    ("node-a is up", {"host": "node-a", "link": "down"}, "up", C),
    ("node-a is up", {"host": "node-a", "link": " down "}, "up", C),
    # a role counts where it is said of the thing now
    *(
        (f"node-a {words}主库", "node-a role=standby", "主库", C)
        for words in ("是", "为", "成为", "变成", "=", ":", "是新的", "是当前", "现在是", "是现在的")
    ),
    *((f"node-a {words} primary", "node-a role=standby", "primary", C) for words in ("is", "was", "became", "as")),
    *((f"node-a {words} primary", "node-a role=standby", "primary", C) for words in ("is the", "is a", "is new", "IS")),
    *((f"node-a {words} primary", "node-a role=standby", "primary", U) for words in ("old", "had", "and", "this")),
    ("node-a 的主库", "node-a role=standby", "主库", U),
    # alerts
    ("告警 HighCpu 已恢复", {"alertname": "HighCpu", "state": "active"}, "已恢复", C),
    ("报警 HighCpu 已恢复", {"alertname": "HighCpu", "status": "active"}, "已恢复", C),
    ("alert HighCpu is resolved", {"alertname": "HighCpu", "state": "Active"}, "resolved", C),
    ("Alarm HighCpu is resolved", {"alertname": "HighCpu", "state": "active"}, "resolved", C),
    ("HighCpu is active", {"alertname": "HighCpu", "state": "active"}, "active", F),
    ("HighCpu is inactive", {"alertname": "HighCpu", "state": "active"}, "inactive", C),
    ("告警 HighCpu 仍在触发", {"alertname": "HighCpu", "status": "active"}, "仍在触发", F),
    ("告警 HighCpu 未被抑制", {"alertname": "HighCpu", "state": "active"}, "被抑制", F),
    ("告警 HighCpu 已恢复", {"alertname": "HighCpu", "note": "active"}, "已恢复", U),
    ("告警 HighCpu 被抑制", {"alertname": "HighCpu", "note": "active"}, "被抑制", U),
    ("HighCpu 已恢复", {"alertname": "HighCpu", "state": "active"}, "已恢复", C),
    ("pay-svc 已恢复", {"alertname": "HighCpu", "service": "pay-svc", "state": "active"}, "已恢复", U),
    ("pay-svc 已恢复", {"alertname": "HighCpu", "service": "pay-svc", "state": "resolved"}, "已恢复", F),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "excerpt", "word", "status"), STATES)
def test_a_state_says_what_its_words_say(claim: str, excerpt: Any, word: str, status: str) -> None:
    assert states(claim, excerpt) == ([] if status == U else [(word, status, status == C)])


# (claim, excerpts, status, place)
WHOSE: list[tuple[str, list[Any], str, int]] = [
    ("node-a is healthy", ["boot", "node-a healthy"], F, 1),
    ("node-a is healthy", ["boot", "node-a unhealthy", "node-a is unhealthy"], C, 1),
    ("node-a is healthy", ["node-a unhealthy", "node-a healthy"], F, 1),
    ("it is healthy", ["node-a unhealthy"], U, 0),
    ("node-a is healthy", ["all unhealthy", "node-a started"], U, 0),
    ("node-c is healthy", ["node-a unhealthy"], U, 0),
    ("node-a is healthy", ["node-a unhealthy", "node-b healthy"], C, 0),
    ("node-a is healthy", ["node-a unhealthy", "db-77 healthy"], F, 1),
    ("node-a is healthy", ["node-a unhealthy", "node-b healthy", "all healthy"], F, 1),
    ("node-a is healthy", ["node-a unhealthy", "node-b healthy for node-a"], F, 1),
    ("node-a is healthy", [{"host": "node-a", "state": "unhealthy"}, {"host": "node-b", "state": "healthy"}], C, 0),
    ("node-a is healthy", ["node-b healthy"], F, 0),
    ("node-a 健康", ["node-a 不健康", "node-b健康"], C, 0),
    ("Alert on pay-svc is resolved", ["boot", {"service": "pay-svc", "alertname": "Cpu", "state": "active"}], C, 1),
    ("Alarm of pay-svc is resolved", ["boot", {"service": "pay-svc", "alertname": "Cpu", "state": "active"}], C, 1),
    ("pay-svc 报警已恢复", ["boot", {"service": "pay-svc", "alertname": "Cpu", "state": "active"}], C, 1),
    ("pay-svc 的告警已恢复", ["boot", {"service": "pay-svc", "alertname": "Cpu", "state": "active"}], C, 1),
    ("pay-svc is resolved", ["boot", {"service": "pay-svc", "alertname": "Cpu", "state": "active"}], U, 1),
]


@pytest.mark.parametrize(("claim", "excerpts", "status", "at"), WHOSE)
def test_a_state_is_that_of_the_named_thing(claim: str, excerpts: list[Any], status: str, at: int) -> None:
    found = [item for item in ground(claim, evidence(*excerpts)) if item.kind == "state"]
    assert [item.status for item in found] == ([] if status == U else [status])
    for item in found:
        assert (item.place or "").startswith(f"inv_1 $.logs[{at}]")
        assert item.detail == ("the excerpts show the opposite state" if status == C else "")
        assert item.evidence_text == (excerpts[at] if isinstance(excerpts[at], str) else excerpts[at]["state"])
