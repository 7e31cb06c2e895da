"""State words with an opposite, as a text says them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from programs.literals.text import any_of

# (one side, the other side), named by the first word; English words match whole, ``_`` is any one separator.
_PAIRS = (
    ("up", "down 宕机"),
    ("healthy 健康", "unhealthy 不健康"),
    (
        "success succeeded successful successfully succeed 成功",
        "failed failure fail fails unsuccessful 失败",
    ),
    ("enabled 启用 已开启", "disabled 禁用 停用 已关闭 关闭"),
    ("primary master leader 主库 主节点", "standby slave follower secondary replica 备库 从库 备节点 从节点"),
    ("online 在线 上线", "offline 离线 下线"),
    ("ready 就绪", "notready not_ready unready 未就绪"),
    ("opened open 打开", "closed 关闭 已关闭"),
    ("connected 已连接", "disconnected 已断开 断开"),
    ("accepted allowed granted 接受 放行", "rejected refused denied 拒绝"),
    ("active", "inactive"),
    ("firing active 仍在触发 仍在告警", "resolved 已恢复 已解除"),
    ("suppressed silenced inhibited 被抑制 已抑制 被静默 已静默", "unsuppressed"),
    ("running 运行中 正在运行", "stopped 已停止 停止运行"),
    ("committed 已提交", "rolled_back aborted 已回滚"),
    ("acquired 已获取", "released 已释放"),
    ("valid 有效", "invalid expired 已过期 已失效"),
    ("read_write writable 可写", "read_only readonly 只读"),
    ("reachable 可达", "unreachable 不可达"),
    ("locked 已锁定", "unlocked 已解锁"),
)
Side = tuple[str, int]
_SIDES: dict[str, tuple[Side, ...]] = {}
for _both in _PAIRS:
    for _at, _list in enumerate(_both):
        for _word in _list.split():
            _SIDES[_word] = (*_SIDES.get(_word, ()), (_both[0].split()[0], _at))
# What the state field of an alert says, beyond the words' plain sense.
STATE_FIELDS = frozenset(["state", "status"])
_IN_STATE_FIELD: dict[str, tuple[Side, ...]] = {"active": (("active", 0), ("firing", 0), ("suppressed", 1))}
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


# Denied right before the word: the other side. Denied a little earlier: nothing sure.
_DENIED = re.compile(r"(?:不|不是|并非|没|没有|未|\b(?:not|(?:is|was|are|were)n't))\s*$", re.I)
_PERHAPS_DENIED = re.compile(
    r"(?:不|未|没|无法|非|\b(?:not|no|never|without|\w+n't|cannot|neither)\b)[\w\s]{0,10}$", re.I
)
_STATING = re.compile(
    r"(?:is|was|are|were|=|:|state|status|stay(?:ed|s)?|went|goes|back|became|marked|to|from)[\"'\s]*$|[\u4e00-\u9fff]\s?$",
    re.I,
)
_ASSIGNS = ("=", ":", '"')
_ASSIGNED = re.compile(r"[\"']?\s*[=:]\s*[\"']?(on|true|yes|off|false|no)\b", re.I)
COPULA = re.compile(r"(?:是|为|成为|变成|=|:|\b(?:is|was|became|as))\s*(?:当前|现在|新|a|the|new)?的?\s*$", re.I)


class State(NamedTuple):
    """A state word: which sides of which pairs it may say, after negation."""

    start: int
    end: int
    sides: tuple[Side, ...]
    before: str
    negated: bool


def states_in(text: str) -> tuple[State, ...]:
    """The state words of a narrowed text; a plainly negated one says the other side, a loosely negated one nothing."""
    return tuple(state for word in _words(text) if (state := _state(text, word)) is not None)


def _denied(text: str, word: _Word, before: str) -> bool | None:
    """Whether the words before a state word deny it; None when it says no state there, or not surely which."""
    if word.key in _PARTICLES and word.end - word.start < len(text.strip()) and not _STATING.search(before):
        return None
    if _DENIED.search(before):
        return True
    return None if _PERHAPS_DENIED.search(before) else False


def _state(text: str, word: _Word) -> State | None:
    before = text[max(0, word.start - 14) : word.start]
    denied = _denied(text, word, before)
    if denied is None:
        return None
    sides = tuple((pair, side ^ denied) for pair, side in word.sides)
    return State(word.start, word.end, sides, before, denied)


@lru_cache(maxsize=8192)
def sides_seen(text: str, field: str) -> frozenset[Side]:
    """Every side that an excerpt's cell says."""
    if field in STATE_FIELDS and text.lower() in _IN_STATE_FIELD:
        return frozenset(_IN_STATE_FIELD[text.lower()])
    said: set[Side] = set()
    for word in _words(text):
        flip = _denied(text, word, text[max(0, word.start - 14) : word.start])
        if flip is None:
            continue
        if text[word.end : word.end + 1] in _ASSIGNS:  # read_only=OFF says no, failed=0 and active=3 say nothing
            value = _ASSIGNED.match(text, word.end)
            if value is None and text[word.end] == "=":
                continue
            flip ^= value is not None and value[1].lower() in ("off", "false", "no")
        said.update((pair, side ^ flip) for pair, side in word.sides if pair != "firing" or word.key != "active")
    return frozenset(said)
