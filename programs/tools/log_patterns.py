"""Log lines that say the same thing, gathered by the Drain template miner."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from programs.tools.change_point import find_surge, is_new
from programs.tools.scenario_files import RANK, LogLine

SIMILARITY = 0.5
MAX_TEMPLATES = 100
# Warnings are many: what is rare for each of them is common among all.
NEW_AT_LEVEL = {"WARN": 5.0, "ERROR": 4.0, "FATAL": 4.0}
# Lines this shortly before a surge are its first ones.
ONE_BEGINNING_S = 120.0
_HEAD = 400
_VARIABLE = re.compile(
    r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|\b0[xX][0-9a-fA-F]+\b"
    r"|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}\b"
    r"|\d+(?:[.,:]\d+)*"
)


@dataclass(frozen=True)
class Pattern:
    """Lines of one service and level that share a template, in time order.

    ``surge``: index of the line from which they come far more often, for a pattern that is not new.
    """

    lines: tuple[LogLine, ...]
    surge: int | None
    new: bool

    @property
    def first(self) -> LogLine:
        return self.lines[0]

    @property
    def last(self) -> LogLine:
        return self.lines[-1]

    @property
    def weight(self) -> float:
        """How telling it is: level first, then new or surging, then size."""
        level = {"FATAL": 6.0, "ERROR": 5.0}.get(self.first.level, 2.0)
        return level + (3.0 if self.new or self.surge is not None else 0.0) + math.log10(len(self.lines))


def masked(message: str) -> str:
    """The message with numbers, addresses and identifiers replaced, so that equal events read equal."""
    return _VARIABLE.sub("<N>", message[:_HEAD])


def grouped(lines: Iterable[LogLine]) -> list[list[LogLine]]:
    """``lines`` by template, the templates in the order of their first line."""
    # Imported here: drain3 takes a tenth of a second that no other part of the program should pay.
    from drain3.drain import Drain

    miners: dict[tuple[str, str], Drain] = {}
    known: dict[tuple[str, str, str], int] = {}
    groups: dict[tuple[str, str, int], list[LogLine]] = {}
    for line in lines:
        kind = (line.service, line.level)
        text = masked(line.message)
        template = known.get((*kind, text))
        if template is None:
            if kind not in miners:
                miners[kind] = Drain(sim_th=SIMILARITY, max_clusters=MAX_TEMPLATES)
            # Drain never matches a message of one word with an earlier one: equal texts are caught by ``known``.
            cluster, _ = miners[kind].add_log_message(text)
            template = known[(*kind, text)] = cluster.cluster_id
        groups.setdefault((*kind, template), []).append(line)
    return list(groups.values())


def patterns(lines: Sequence[LogLine], start: float) -> list[Pattern]:
    """The templates of lines at WARN and above, most telling first; the window begins at ``start`` (Unix seconds)."""
    found = []
    for group in grouped(line for line in lines if RANK[line.level] >= RANK["WARN"]):
        times = [line.time.timestamp() for line in group]
        surge = find_surge(times, start)
        if surge is not None and times[surge] - times[0] <= ONE_BEGINNING_S:
            surge = None
        new = surge is None and is_new(len(times), times[0], times[-1], start, NEW_AT_LEVEL[group[0].level])
        found.append(Pattern(tuple(group), surge, new))
    return sorted(found, key=lambda pattern: (-pattern.weight, pattern.first.timestamp, pattern.first.message))
