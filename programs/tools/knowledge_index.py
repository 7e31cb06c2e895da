"""Full-text search over Markdown runbooks: SQLite FTS5 in memory, Chinese words by jieba."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from programs.tools.chinese_words import ChineseWords
from programs.tools.scenario_files import Runbook

MAX_TEXT = 300
TITLE_WEIGHT, SECTION_WEIGHT, BODY_WEIGHT = 3.0, 2.0, 1.0

_HAN = re.compile(r"[\u3400-\u9fff]+")
_LATIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_COMMON = frozenset(
    word
    for line in (
        "我们 怎么 怎样 如何 什么 为什么 为何 哪些 哪里 多少 是否 一下 一个 开始 突然 大量 出现 发生 情况 问题 原因",
        "帮我 看看 服务 是不是 怎么回事 回事",
        "a an the of to in on at is are was were be do does did why what how when where which who and or for from with",
        "my our we it please there has have",
    )
    for word in line.split()
)


@dataclass(frozen=True)
class Section:
    """A piece of a runbook, short enough to be cited whole."""

    doc: str
    title: str
    section: str
    text: str


def sections(runbooks: Iterable[Runbook]) -> list[Section]:
    """Every runbook by ``##`` heading, long sections in several pieces."""
    found = []
    for runbook in runbooks:
        title = heading = ""
        body: list[str] = []
        blocks: list[tuple[str, list[str]]] = []
        for line in runbook.text.splitlines():
            match = _HEADING.match(line.strip())
            if match is None:
                body.append(line.strip())
                continue
            blocks.append((heading, body))
            body = []
            if len(match.group(1)) == 1 and not title:
                title = match.group(2)
            else:
                heading = match.group(2)
        blocks.append((heading, body))
        title = title or runbook.name
        found += [Section(runbook.name, title, name, piece) for name, lines in blocks for piece in _pieces(lines)]
    return found


def _pieces(lines: Sequence[str]) -> list[str]:
    pieces = [""]
    for line in (whole[at : at + MAX_TEXT] for whole in lines for at in range(0, len(whole), MAX_TEXT)):
        joined = f"{pieces[-1]}\n{line}" if pieces[-1] else line
        if len(joined) <= MAX_TEXT:
            pieces[-1] = joined
        else:
            pieces.append(line)
    return [piece for piece in pieces if piece]


class KnowledgeIndex:
    """The searchable runbooks of one scenario; built at the first search."""

    def __init__(self, runbooks: Iterable[Runbook]) -> None:
        self._sections = sections(runbooks)

    def search(self, query: str, limit: int) -> list[tuple[Section, bool]]:
        """The best sections, best first, and whether each is highly relevant.

        High: at least two different content words of the query, and a third of those that the runbooks know at all,
        stand in the section or its headings, one of them in at most a quarter of all sections (a word that stands
        everywhere tells nothing).
        """
        words = sorted(set(self._words(query)))
        if not words or not self._sections:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        order = f"bm25(sections, {TITLE_WEIGHT}, {SECTION_WEIGHT}, {BODY_WEIGHT})"
        connection = self._connect()
        try:
            rows = connection.execute(
                f"SELECT rowid FROM sections WHERE sections MATCH ? ORDER BY {order}, rowid LIMIT ?", (match, limit)
            ).fetchall()
        finally:
            connection.close()
        return [(self._sections[row], self._is_high(row, words)) for (row,) in rows]

    def _is_high(self, row: int, words: Sequence[str]) -> bool:
        spread = {word: sum(word in tokens for tokens in self._tokens) for word in words}
        shared = [word for word in words if word in self._tokens[row]]
        enough = max(2, math.ceil(sum(count > 0 for count in spread.values()) / 3))
        return len(shared) >= enough and any(spread[word] <= max(1, len(self._sections) // 4) for word in shared)

    def _connect(self) -> sqlite3.Connection:
        # A connection belongs to one thread; a few dozen sections are indexed faster than one is shared safely.
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE VIRTUAL TABLE sections USING fts5(title, section, body, tokenize='unicode61')")
        connection.executemany("INSERT INTO sections(rowid, title, section, body) VALUES (?, ?, ?, ?)", self._rows)
        return connection

    @cached_property
    def _rows(self) -> list[tuple[int, str, str, str]]:
        return [
            (number, self._joined(one.title), self._joined(one.section), self._joined(one.text))
            for number, one in enumerate(self._sections)
        ]

    @cached_property
    def _tokens(self) -> list[frozenset[str]]:
        return [frozenset(word for text in row[1:] for word in text.split()) for row in self._rows]

    def _joined(self, text: str) -> str:
        return " ".join(self._words(text))

    def _words(self, text: str) -> list[str]:
        """Content words: Latin names whole and by their parts, Chinese as jieba cuts it. Only word characters."""
        found = []
        for name in _LATIN.findall(text.lower()):
            parts = re.split(r"[^a-z0-9]+", name)
            found += ["".join(parts), *(parts if len(parts) > 1 else ())]
        for run in _HAN.findall(text):
            found += self._chinese.cut(run)
        return [word for word in found if word and word not in _COMMON]

    @cached_property
    def _chinese(self) -> ChineseWords:
        return ChineseWords(text for one in self._sections for text in (one.title, one.section, one.text))
