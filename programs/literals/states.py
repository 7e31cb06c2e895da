"""State words with an opposite, and the direction of a series."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from programs.literals.cells import Cell
from programs.literals.excerpts import Excerpts, SeenNumber
from programs.literals.outcome import UNSEEN, Outcome, Scope

# (id, one side, the other side): English words match whole, Chinese ones as written.
_PAIRS: tuple[tuple[str, str, str], ...] = (
    ("up", "up", "down"),
    ("health", "healthy 健康", "unhealthy 不健康"),
    (
        "success",
        "success succeeded successful successfully succeed 成功",
        "failed failure fail fails unsuccessful 失败",
    ),
    ("enabled", "enabled 启用 已开启", "disabled 禁用 停用 已关闭"),
    ("role", "primary master leader 主库 主节点", "standby slave follower secondary replica 备库 从库 备节点 从节点"),
    ("online", "online 在线 上线", "offline 离线 下线"),
    ("ready", "ready 就绪", "notready unready 未就绪"),
    ("open", "opened open", "closed"),
    ("connected", "connected 已连接", "disconnected 已断开 断开"),
    ("accepted", "accepted allowed 接受 放行", "rejected refused denied 拒绝"),
    ("active", "active", "inactive"),
    ("firing", "firing", "resolved 已恢复"),
)
_SIDES: dict[str, tuple[str, int]] = {}
for _name, _left, _right in _PAIRS:
    for _word in _left.split():
        _SIDES[_word] = (_name, 0)
    for _word in _right.split():
        _SIDES[_word] = (_name, 1)
_ENGLISH = "|".join(sorted((w for w in _SIDES if w.isascii()), key=len, reverse=True))
_CHINESE = "|".join(sorted((w for w in _SIDES if not w.isascii()), key=len, reverse=True))
_STATE = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_ENGLISH})(?![A-Za-z0-9_-])|(?:{_CHINESE})", re.I)
_NEGATION = re.compile(
    r"(?:不|未|没|没有|并非|不是|无法|非|\b(?:not|no|never|without|un|isn't|wasn't|didn't|cannot|neither))\s*[\w\s]{0,10}$",
    re.I,
)
# up and down as particles: "scaled up", "went down by", "start up".
_PARTICLE = re.compile(
    r"(?:is|was|are|were|=|:|state|status|stay(?:ed|s)|went|goes|back|marked)\s*$|[\u4e00-\u9fff]\s?$", re.I
)


_COPULA = re.compile(r"(?:是|为|成为|变成|=|:|\b(?:is|was|became|as))\s*(?:当前|现在|新|a|the|new)?的?\s*$", re.I)


@dataclass(frozen=True, slots=True)
class State:
    """A state word of the claim: which pair, which side."""

    start: int
    end: int
    text: str
    pair: str
    side: int
    before: str = ""


def states_in(text: str) -> list[State]:
    """Plain state words; negated ones and the particles up / down are left out."""
    out: list[State] = []
    for found in _STATE.finditer(text):
        word = found[0].lower()
        pair, side = _SIDES[word]
        before = text[max(0, found.start() - 14) : found.start()]
        if _NEGATION.search(before) or (pair in ("up", "open") and not _PARTICLE.search(before)):
            continue
        out.append(State(found.start(), found.end(), found[0], pair, side, before))
    return out


def look_up_state(state: State, excerpts: Excerpts, scope: Scope) -> Outcome:
    """Found when an excerpt shows that side; conflicting when the named records show only the other side."""
    mine: list[Cell] = []
    opposite: list[Cell] = []
    for cell in excerpts.cells:
        for found in _STATE.finditer(cell.text):
            pair, side = _SIDES[found[0].lower()]
            if pair != state.pair:
                continue
            if _NEGATION.search(cell.text[max(0, found.start() - 14) : found.start()]):
                side = 1 - side
            (mine if side == state.side else opposite).append(cell)
    if mine:
        return Outcome("found", mine[0], state.text, "", frozenset(cell.record for cell in mine))
    if state.pair == "role" and not _COPULA.search(state.before):
        return UNSEEN  # a role changes hands during an incident: 从库 db-2a names it by what it was
    told = [cell for cell in opposite if scope.named and scope.admits(cell) and cell.record in scope.records]
    if told:
        return Outcome("conflicting", told[0], told[0].text[:80], "the excerpts show the opposite state")
    return UNSEEN


_RISE = re.compile(
    r"上升|升高|升到|升至|上涨|涨到|增长到|攀升|走高|飙升|爬升|\b(?:rose|rises|rising|increas(?:ed|es|ing)|climb(?:ed|s|ing)|"
    r"grew|went up|jumped|spiked)\b",
    re.I,
)
_FALL = re.compile(
    r"下降|降低|降到|降至|下跌|跌到|回落|走低|\b(?:fell|falls|falling|decreas(?:ed|es|ing)|dropp(?:ed|ing)|declin(?:ed|es|"
    r"ing)|went down)\b",
    re.I,
)


def direction(text: str, excerpts: Excerpts) -> tuple[int, int, Outcome] | None:
    """(start, end, outcome) of a rise or fall over the one visible series; None when it cannot be told.

    Conflicting only when every visible step goes the other way.
    """
    rise, fall = _RISE.search(text), _FALL.search(text)
    word = rise or fall
    if word is None or (rise and fall):
        return None
    points: list[SeenNumber] = [s for s in excerpts.numbers if ".points[" in s.cell.record and s.cell.field == "1"]
    if len(points) < 2 or len({s.cell.series for s in points}) != 1:
        return None
    when = {cell.record: moment.at() for moment, cell in excerpts.moments if ".points[" in cell.record}
    dated = [(at, s) for s in points if (at := when.get(s.cell.record)) is not None]
    if len(dated) != len(points):
        return None
    ordered = [s for _, s in sorted(dated, key=lambda pair: pair[0])]
    steps = [b.quantity.raw - a.quantity.raw for a, b in pairwise(ordered)]
    sign = 1 if rise else -1
    if any(step * sign > 0 for step in steps):
        return (
            word.start(),
            word.end(),
            Outcome("found", ordered[0].cell, ordered[0].quantity.text, "over the visible points"),
        )
    if all(step * sign < 0 for step in steps):
        shown = f"{ordered[0].quantity.text} to {ordered[-1].quantity.text}"
        return (
            word.start(),
            word.end(),
            Outcome("conflicting", ordered[-1].cell, shown, f"the visible points go from {shown}"),
        )
    return None
