"""Log lines: decisive ones written out, the rest drawn from templates at a rate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from data.scenarios.generator.dice import Dice, fill
from data.scenarios.generator.timeline import MINUTE, Window, iso

Rate = Callable[[datetime], float]


@dataclass(frozen=True)
class Line:
    """One log record. ``host`` is a pod or a machine."""

    at: datetime
    level: str
    service: str
    host: str
    message: str


@dataclass(frozen=True)
class Stream:
    """Background or symptom lines of one service, drawn ``rate(minute)`` times a minute.

    ``says`` holds one ``weight LEVEL template`` a row (see ``rows``; templates are those of ``dice.fill``).
    ``since`` and ``until`` are clock times that cut the stream to the millisecond.
    """

    key: str
    service: str
    hosts: tuple[str, ...]
    rate: float | Rate
    says: str
    since: str | None = None
    until: str | None = None


def rows(text: str, columns: int) -> list[list[str]]:
    """Rows of ``text`` split at spaces into ``columns``; a row that starts with ``...`` continues the one before."""
    whole: list[str] = []
    for row in text.strip().splitlines():
        if row.strip().startswith("... "):
            whole[-1] += " " + row.strip().removeprefix("... ")
        else:
            whole.append(row.strip())
    return [row.split(" ", columns - 1) for row in whole]


def draw(window: Window, seed: str, stream: Stream) -> Iterator[Line]:
    """The lines of ``stream`` inside ``window``, the clock's own instant excluded."""
    since = window.at(stream.since) if stream.since else window.start
    until = window.at(stream.until) if stream.until else window.end
    deck = [(level, template) for weight, level, template in rows(stream.says, 3) for _ in range(int(weight))]
    for minute in window.ticks(MINUTE):
        dice = Dice(seed, "log", stream.key, iso(minute))
        mean = stream.rate(minute) if callable(stream.rate) else stream.rate
        for _ in range(dice.count(mean)):
            at = minute + timedelta(milliseconds=dice.whole(0, 59_999))
            level, template = deck[dice.whole(0, len(deck) - 1)]
            line = Line(at, level, stream.service, dice.pick(stream.hosts), fill(template, dice))
            if since <= at < until:
                yield line


def written(window: Window, text: str) -> Iterator[Line]:
    """Lines written out as ``clock LEVEL service host message``, one a row."""
    for clock, level, service, host, message in rows(text, 5):
        yield Line(window.at(clock), level, service, host, message)


def every_minute(
    window: Window, service: str, host: str, offset_ms: int, say: Callable[[datetime], str], level: str = "INFO"
) -> Iterator[Line]:
    """One line shortly after every full minute; ``say`` gets the full minute that has just ended."""
    for minute in window.ticks(MINUTE):
        at = minute + timedelta(milliseconds=offset_ms)
        if minute > window.start and at < window.end:
            yield Line(at, level, service, host, say(minute))


def jsonl(lines: Iterable[Line]) -> str:
    """All lines in time order, one JSON object a line."""
    ordered = sorted(lines, key=lambda line: (line.at, line.service, line.host, line.message))
    return "".join(
        json.dumps(
            {
                "timestamp": iso(line.at),
                "level": line.level,
                "service": line.service,
                "host": line.host,
                "message": line.message,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )
        + "\n"
        for line in ordered
    )
