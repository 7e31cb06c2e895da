"""The load, pool and failures of the payment incident at a moment: one source for its logs, metrics and alerts."""

from __future__ import annotations

from datetime import datetime

from data.scenarios.generator.incident import jitter
from data.scenarios.generator.timeline import Window

SEED = "payment-pool"
WINDOW = Window("2026-03-11", "09:15", "10:30")
POOL_BEFORE, POOL_AFTER = 64, 8


def requests(at: datetime) -> int:
    """Gateway requests in the minute that ends at ``at``."""
    return round(jitter(SEED, "requests", at, WINDOW.curve(at, ("09:15", 7150), ("10:30", 7480)), 130))


def failed(at: datetime) -> int:
    """Gateway 5xx in the minute that ends at ``at``; a few channel timeouts a minute are normal."""
    share = WINDOW.curve(at, ("10:04:30", 0.0), ("10:05", 0.016), ("10:06", 0.33), ("10:07", 0.385), ("10:30", 0.392))
    return round(
        jitter(SEED, "usual failures", at, 4, 3) + requests(at) * jitter(SEED, "share", at, share, share * 0.05)
    )


def order_failed(at: datetime) -> int:
    """Order service 5xx in the minute that ends at ``at``: it retries once, so fewer than the gateway's."""
    return round(jitter(SEED, "order failures", at, 2, 2) + 0.17 * max(0, failed(at) - 12))


def p99_ms(at: datetime) -> float:
    usual = jitter(SEED, "p99", at, 318, 22)
    return WINDOW.curve(at, ("10:03:30", usual), ("10:05", 2860), ("10:06", jitter(SEED, "p99 full", at, 3016, 9)))


def pool_max(at: datetime) -> int:
    return POOL_BEFORE if at < WINDOW.at("10:02:14") else POOL_AFTER


def pool_active(pod: str, at: datetime) -> int:
    if at >= WINDOW.at("10:04"):
        return POOL_AFTER
    return round(jitter(SEED, f"active {pod}", at, 13, 3))


def pool_pending(pod: str, at: datetime) -> int:
    waiting = WINDOW.curve(at, ("10:03:30", 0), ("10:04:00", 9), ("10:04:30", 49), ("10:06", 63))
    return round(jitter(SEED, f"pending {pod}", at, waiting, waiting * 0.16))


def db_threads(at: datetime) -> int:
    """Open connections of the database: both gateway pools, and about 84 of other clients."""
    pools = WINDOW.curve(at, ("10:02:14", 2.0 * POOL_BEFORE), ("10:03:50", 2.0 * POOL_AFTER))
    return round(jitter(SEED, "threads", at, 84, 3) + pools)


def slow_queries(at: datetime) -> int:
    return max(0, round(jitter(SEED, "slow", at, 0.3, 1.1)))


def batch_cpu(at: datetime) -> float:
    return jitter(SEED, "batch cpu", at, WINDOW.curve(at, ("09:30", 23), ("09:31", 95.2)), 1.8)
