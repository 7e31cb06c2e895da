"""Memory lives of the recommend pods: one source for the incident's logs, metrics and alerts."""

from __future__ import annotations

from datetime import datetime, timedelta

from data.scenarios.generator.incident import jitter
from data.scenarios.generator.timeline import MINUTE, Window

SEED = "recommend-oom"
WINDOW = Window("2026-06-03", "13:20", "15:45")
MIB = 1024**2
LIMIT_BYTES = 2048 * MIB
PODS = ("recommend-service-0", "recommend-service-1", "recommend-service-2")
RELEASED = {PODS[0]: "14:11:05", PODS[1]: "14:13:20", PODS[2]: "14:15:35"}
KILLED = {
    PODS[0]: ("14:36:42", "15:02:10", "15:27:33"),
    PODS[1]: ("14:38:51", "15:04:15", "15:29:40"),
    PODS[2]: ("14:41:03", "15:06:22", "15:31:50"),
}
RESTART = timedelta(seconds=34)
_LIFE = 25 * MINUTE  # from start to the kill, for the lives that the window cuts
_ENTRIES_AT_KILL = 452_000
_RSS_OLD, _RSS_START, _RSS_KILL = 905, 792, 2036


def grown(pod: str, at: datetime) -> float | None:
    """Progress of the pod's present life from 0 (start) to 1 (killed); ``None`` before the release or while down."""
    started = WINDOW.at(RELEASED[pod])
    if at < started:
        return None
    for clock in KILLED[pod]:
        killed = WINDOW.at(clock)
        if at < started:
            return None
        if at <= killed:
            return (at - started) / (killed - started)
        started = killed + RESTART
    return None if at < started else min(1.0, (at - started) / _LIFE)


def down(pod: str, at: datetime) -> bool:
    """True between a kill and the restart."""
    return any(WINDOW.at(clock) < at < WINDOW.at(clock) + RESTART for clock in KILLED[pod])


def restarts(pod: str, at: datetime) -> int:
    return sum(1 for clock in KILLED[pod] if WINDOW.at(clock) <= at)


def cache_entries(pod: str, at: datetime) -> int:
    """Entries of the local item cache; 0 before the release, when the cache was off."""
    return round(_ENTRIES_AT_KILL * (grown(pod, at) or 0.0))


def rss_bytes(pod: str, at: datetime) -> int:
    """Resident memory of the container."""
    if down(pod, at):
        return round(jitter(SEED, f"cold {pod}", at, 190, 40) * MIB)
    progress = grown(pod, at)
    usual = jitter(SEED, f"rss {pod}", at, 0, 9)
    if progress is None:
        return round((_RSS_OLD + usual) * MIB)
    return min(LIMIT_BYTES, round((_RSS_START + (_RSS_KILL - _RSS_START) * progress + usual) * MIB))


def heap_mib(pod: str, at: datetime) -> int:
    """Heap that is left after a collection; the rest of the resident memory is about 330 MiB."""
    return max(180, rss_bytes(pod, at) // MIB - 330)


def requests_per_s(at: datetime) -> float:
    """Traffic of the service: flat all afternoon."""
    return jitter(SEED, "requests", at, 318, 11)


def fallbacks(at: datetime) -> int:
    """Home page requests answered with the hot list in the minute that ends at ``at``: high while a pod is down."""
    usual = max(0.0, jitter(SEED, "usual fallback", at, 3, 3))
    lost = sum(
        max(timedelta(0), min(at, WINDOW.at(clock) + RESTART) - max(at - MINUTE, WINDOW.at(clock))).total_seconds()
        for clocks in KILLED.values()
        for clock in clocks
    )
    return round(usual + lost * 21)
