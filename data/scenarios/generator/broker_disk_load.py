"""Disk, topics, lag and produce errors of the broker incident at a moment: one source for logs, metrics and alerts."""

from __future__ import annotations

from datetime import datetime

from data.scenarios.generator.incident import jitter
from data.scenarios.generator.timeline import MINUTE, Window

SEED = "broker-disk"
WINDOW = Window("2026-04-22", "12:50", "15:00")
GIB = 1024**3
DISK_BYTES = 500 * GIB
FULL_AT = "14:38:12"
_DEBUG_BYTES = 146 * GIB  # what fills broker 2 from 70.8 % to 100 %


def debug_topic_bytes(at: datetime) -> float:
    return WINDOW.curve(at, ("13:36:31", 0), (FULL_AT, _DEBUG_BYTES))


def topic_bytes_in(topic: str, at: datetime) -> float:
    """Bytes a second written to a topic over the last minute."""
    if topic == "trade-debug-trace":
        grown = debug_topic_bytes(at) - debug_topic_bytes(max(at - MINUTE, WINDOW.start))
        return max(0.0, grown / 60 * jitter(SEED, "debug bytes", at, 1.0, 0.03))
    kept = WINDOW.curve(at, (FULL_AT, 1.0), ("14:39:12", 0.667))
    return jitter(SEED, topic, at, 305_000 * kept, 11_000)


def disk_percent(broker: int, at: datetime) -> float:
    """Used share of the broker's data disk, percent."""
    if broker == 2:
        return min(100.0, 70.8 + 100 * debug_topic_bytes(at) / DISK_BYTES)
    usual = {1: 63.9, 3: 61.7}[broker]
    return jitter(SEED, f"disk {broker}", at, WINDOW.curve(at, ("12:50", usual), ("15:00", usual + 0.4)), 0.1)


def produced(at: datetime) -> int:
    """order-events records accepted by the brokers in the minute that ends at ``at``."""
    kept = WINDOW.curve(at, (FULL_AT, 1.0), ("14:39:12", 0.667))
    return round(jitter(SEED, "produced", at, 9150 * kept, 160))


def produce_errors(at: datetime) -> int:
    """Failed produce requests of trade-service in the minute that ends at ``at``: the partitions led by broker 2."""
    return round(WINDOW.curve(at, (FULL_AT, 0), ("14:39:12", jitter(SEED, "errors", at, 3050, 120))))


def processed(at: datetime) -> int:
    """Records the consumer group finished in the minute that ends at ``at``."""
    stuck = WINDOW.curve(at, ("14:38:20", 0.0), ("14:39:40", 1.0))
    return round((1 - stuck) * produced(at) + stuck * jitter(SEED, "stuck", at, 880, 140))


def failed_commits(at: datetime) -> int:
    return round(WINDOW.curve(at, ("14:38:20", 0), ("14:39:40", jitter(SEED, "commits", at, 64, 9))))


def lag(at: datetime) -> int:
    """Records the group is behind at ``at``, summed over its partitions."""
    behind, minute = 0, WINDOW.at("14:38")
    while minute < at:
        share = min(1.0, (at - minute) / MINUTE)
        ends = minute + MINUTE
        behind += round(share * max(0, produced(ends) - processed(ends)))
        minute = ends
    return behind + max(0, round(jitter(SEED, "usual lag", at, 118, 45)))
