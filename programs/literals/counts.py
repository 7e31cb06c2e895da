"""Counts over the rows a claim can see: log lines, alerts, distinct hosts or addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from programs.literals.cells import Cell
from programs.literals.concepts import concepts, core
from programs.literals.excerpts import Excerpts
from programs.literals.identifiers import whole

_LEVEL = re.compile(r"(?<![A-Za-z])(DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)S?(?![A-Za-z])", re.I)
_HOSTS = re.compile(r"台|主机|节点|机器|host|node|server|machine|实例|instance|pod", re.I)
_SERVICES = re.compile(r"服务|service|组件|component|应用", re.I)
_ADDRESSES = re.compile(r"IP|地址|address|来源|客户端|client|source", re.I)
_BLOCKS = re.compile(r"块|block", re.I)
_IP = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_BLOCK = re.compile(r"blk_-?\d+")


def level_in(clause: str) -> str:
    """The log level a clause counts, upper case, WARNING as WARN; empty when it names none."""
    found = _LEVEL.search(clause)
    if not found:
        return ""
    level = found[1].upper()
    return "WARN" if level == "WARNING" else level


def rows_of_level(excerpts: Excerpts, level: str) -> list[Cell]:
    """The level cells of the visible rows of one level."""
    return [
        cell
        for cells in excerpts.rows.values()
        for cell in cells
        if cell.field == "level" and cell.text.upper().replace("WARNING", "WARN") == level
    ]


_VARIABLE = re.compile(r"(?<![A-Za-z])[A-Za-z_-]{0,40}\d[\w.:-]*|/[\w./-]+", re.A)


@lru_cache(maxsize=4096)
def _kind_of_message(low: str) -> str:
    """The message without its numbers, addresses and paths."""
    return _VARIABLE.sub("#", low)


def rows_by_event(excerpts: Excerpts, clause: str, needles: list[str]) -> list[list[Cell]]:
    """The message cells of each kind of event that a clause may be counting, by shared concepts.

    Rows are of one kind when their messages differ in numbers, addresses and paths only. All kinds come back when
    the clause says nothing that tells them apart.
    """
    kinds: dict[str, list[Cell]] = {}
    for cells in excerpts.rows.values():
        if needles and not all(any(whole(n, c.low) >= 0 for c in cells) for n in needles):
            continue
        for cell in cells:
            if cell.field == "message":
                kinds.setdefault(_kind_of_message(cell.low), []).append(cell)
    about = core(concepts(clause))
    scores = {kind: len(about & core(concepts(kind))) for kind in kinds}
    best = max(scores.values(), default=0)
    return [kinds[kind] for kind, score in scores.items() if score == best]


def visible_counts(excerpts: Excerpts, clause: str, needles: list[str]) -> dict[int, tuple[str, Cell]]:
    """Every count that the visible rows give for what the clause may be counting: (reading, first row counted)."""
    rows = excerpts.rows
    out: dict[int, tuple[str, Cell]] = {}

    def reading(counted: Iterable[tuple[str, Cell]], name: str) -> None:
        distinct: dict[str, Cell] = {}
        for key, cell in counted:
            distinct.setdefault(key, cell)
        if distinct:
            out.setdefault(len(distinct), (name, next(iter(distinct.values()))))

    level = level_in(clause)
    if level:
        reading(((cell.record, cell) for cell in rows_of_level(excerpts, level)), f"{level} rows")
    if needles:
        holding = (
            (r, cells[0]) for r, cells in rows.items() if any(whole(n, c.low) >= 0 for n in needles for c in cells)
        )
        reading(holding, "rows that name it")
    if not level:
        reading(((record, cells[0]) for record, cells in rows.items()), "visible rows")
    for pattern, fields in ((_HOSTS, ("host", "instance", "pod", "node")), (_SERVICES, ("service",))):
        if pattern.search(clause):
            reading(((cell.low, cell) for cell in excerpts.cells if cell.field in fields), f"distinct {fields[0]}")
    for pattern, token, wanted in ((_IP, "address", _ADDRESSES), (_IP, "address", _HOSTS), (_BLOCK, "block", _BLOCKS)):
        if wanted.search(clause):
            holders = ((found, cell) for cell in excerpts.cells for found in pattern.findall(cell.text))
            reading(holders, f"distinct {token}")
    reading(((cell.low, cell) for cell in excerpts.cells if cell.field == "message"), "distinct messages")
    return out
