"""Time of an incident: its window, its zone, and curves over clock times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import pairwise

ZONE_NAME = "Asia/Shanghai"
_ZONE = timezone(timedelta(hours=8))
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Window:
    """One day's span ``[start, end]`` in Beijing time; ``end`` is the pinned clock."""

    day: str
    first: str
    last: str

    def at(self, clock: str) -> datetime:
        """``"10:02"``, ``"10:02:11"`` or ``"10:02:11.408"`` on the incident's day."""
        return datetime.fromisoformat(f"{self.day}T{clock}").replace(tzinfo=_ZONE)

    @property
    def start(self) -> datetime:
        return self.at(self.first)

    @property
    def end(self) -> datetime:
        return self.at(self.last)

    def ticks(self, step: timedelta) -> Iterator[datetime]:
        """Every ``step`` from ``start`` to ``end``, both included."""
        moment = self.start
        while moment <= self.end:
            yield moment
            moment += step

    def curve(self, at: datetime, *points: tuple[str, float]) -> float:
        """Value at ``at`` on straight lines between ``(clock, value)`` points, level outside them."""
        times = [(self.at(clock), value) for clock, value in points]
        if at <= times[0][0]:
            return times[0][1]
        for (left, low), (right, high) in pairwise(times):
            if at <= right:
                return low + (high - low) * ((at - left) / (right - left))
        return times[-1][1]


def iso(moment: datetime) -> str:
    """ISO 8601 with milliseconds and the zone's offset."""
    return moment.isoformat(timespec="milliseconds")
