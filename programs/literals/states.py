"""State words with an opposite, as a text says them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from programs.literals.text import any_of

# (id, one side, the other side): English words match whole, Chinese ones as written; ``_`` is any one separator.
_PAIRS: tuple[tuple[str, str, str], ...] = (
    ("up", "up", "down 宕机"),
    ("health", "healthy 健康", "unhealthy 不健康"),
    (
        "success",
        "success succeeded successful successfully succeed 成功",
        "failed failure fail fails unsuccessful 失败",
    ),
    ("enabled", "enabled 启用 已开启", "disabled 禁用 停用 已关闭 关闭"),
    ("role", "primary master leader 主库 主节点", "standby slave follower secondary replica 备库 从库 备节点 从节点"),
    ("online", "online 在线 上线", "offline 离线 下线"),
    ("ready", "ready 就绪", "notready not_ready unready 未就绪"),
    ("open", "opened open 打开", "closed 关闭 已关闭"),
    ("connected", "connected 已连接", "disconnected 已断开 断开"),
    ("accepted", "accepted allowed granted 接受 放行", "rejected refused denied 拒绝"),
    ("active", "active", "inactive"),
    ("alert", "firing active 仍在触发 仍在告警", "resolved 已恢复 已解除"),
    ("suppressed", "suppressed silenced inhibited 被抑制 已抑制 被静默 已静默", "unsuppressed"),
    ("running", "running 运行中 正在运行", "stopped 已停止 停止运行"),
    ("commit", "committed 已提交", "rolled_back aborted 已回滚"),
    ("lock", "acquired 已获取", "released 已释放"),
    ("valid", "valid 有效", "invalid expired 已过期 已失效"),
    ("write", "read_write writable 可写", "read_only readonly 只读"),
    ("reachable", "reachable 可达", "unreachable 不可达"),
    ("locked", "locked 已锁定", "unlocked 已解锁"),
)
Side = tuple[str, int]
_SIDES: dict[str, tuple[Side, ...]] = {}
for _name, *_both in _PAIRS:
    for _at, _list in enumerate(_both):
        for _word in _list.split():
            _SIDES[_word] = (*_SIDES.get(_word, ()), (_name, _at))
# What the state field of an alert says, beyond the words' plain sense.
STATE_FIELDS = frozenset(["state", "status"])
_IN_STATE_FIELD: dict[str, tuple[Side, ...]] = {"active": (("active", 0), ("alert", 0), ("suppressed", 1))}
# up and down, open and active are particles or adjectives too: "scaled up", "open files", "pool active=3".
_PARTICLES = frozenset(["up", "down", "open", "closed", "active", "inactive", "valid", "invalid"])


_ENGLISH = any_of(word for word in _SIDES if word.isascii()).replace("_", r"[\s_-]")
_CHINESE = any_of(word for word in _SIDES if not word.isascii())
# An English word stands whole, joined to nothing.
_STATE = re.compile(rf"(?<![A-Za-z0-9_-]){_ENGLISH}(?![A-Za-z0-9_-])|{_CHINESE}", re.I)
_SEPARATOR = re.compile(r"[\s-]")


class _Word(NamedTuple):
    start: int
    end: int
    sides: tuple[Side, ...]
    key: str


@lru_cache(maxsize=2048)
def _words(text: str) -> tuple[_Word, ...]:
    """The state words of a text."""
    keys = [(found, _SEPARATOR.sub("_", found[0].lower())) for found in _STATE.finditer(text)]
    return tuple(_Word(*found.span(), _SIDES[key], key) for found, key in keys if key in _SIDES)


_NEGATION = re.compile(
    r"(?:不|未|没|没有|并非|不是|无法|非|\b(?:not|no|never|without|un|isn't|wasn't|didn't|cannot|neither))\s*[\w\s]{0,10}$",
    re.I,
)
_PLAIN_NEGATION = re.compile(r"(?:不是|并非|未|没有|\b(?:is|was|are|were)\snot|\b(?:isn't|wasn't|aren't))\s*$", re.I)
_STATING = re.compile(
    r"(?:is|was|are|were|=|:|state|status|stay(?:ed|s)|went|goes|back|became|marked|to|from)[\"'\s]*$|[\u4e00-\u9fff]\s?$",
    re.I,
)
_ASSIGNS = ("=", ":", '"')
_ASSIGNED = re.compile(r"[\"']?\s*[=:]\s*[\"']?(on|true|yes|off|false|no)\b", re.I)
COPULA = re.compile(r"(?:是|为|成为|变成|=|:|\b(?:is|was|became|as))\s*(?:当前|现在|新|a|the|new)?的?\s*$", re.I)


class State(NamedTuple):
    """A state word: which sides of which pairs it may say, after negation."""

    start: int
    end: int
    text: str
    sides: tuple[Side, ...]
    before: str = ""
    negated: bool = False


def states_in(text: str) -> tuple[State, ...]:
    """The state words of a narrowed text; a plainly negated one says the other side, a loosely negated one nothing."""
    return tuple(state for word in _words(text) if (state := _state(text, word)) is not None)


def _state(text: str, word: _Word) -> State | None:
    before = text[max(0, word.start - 14) : word.start]
    if word.key in _PARTICLES and word.end - word.start < len(text.strip()) and not _STATING.search(before):
        return None
    sides = word.sides
    negated = bool(_NEGATION.search(before))
    if negated and not _PLAIN_NEGATION.search(before):
        return None
    if negated:
        sides = tuple((pair, 1 - side) for pair, side in sides)
    return State(word.start, word.end, text[word.start : word.end], sides, before, negated)


@lru_cache(maxsize=8192)
def sides_seen(text: str, field: str) -> frozenset[Side]:
    """Every side that an excerpt's cell says."""
    if field in STATE_FIELDS and text.lower() in _IN_STATE_FIELD:
        return frozenset(_IN_STATE_FIELD[text.lower()])
    said: set[Side] = set()
    for word in _words(text):
        before = text[max(0, word.start - 14) : word.start]
        if word.key in _PARTICLES and word.end - word.start < len(text.strip()) and not _STATING.search(before):
            continue
        flip = 1 if _NEGATION.search(before) else 0
        if text[word.end : word.end + 1] in _ASSIGNS:  # read_only=OFF says no, failed=0 and active=3 say nothing
            value = _ASSIGNED.match(text, word.end)
            if value is None and text[word.end] == "=":
                continue
            flip ^= value is not None and value[1].lower() in ("off", "false", "no")
        said.update((pair, side ^ flip) for pair, side in word.sides if pair != "alert" or word.key != "active")
    return frozenset(said)
