"""Which facts matter: the onset, whether the system is healthy, and a score for every record.

Measures are stated here once: before or at the onset, severity, novelty, size, and how near to what was asked.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from programs.facts_records import Found
from programs.facts_scope import Nearness, Scope
from programs.tools.metric_meaning import answers

MAX_FACTS = 12
LEAST_SCORE = 1.6
LEAST_SCORE_ELSEWHERE = 3.0
# A cause may lie long before what users feel: a disk fills for an hour. Within this time a change counts as recent.
RECENT = timedelta(minutes=30)
# Clocks and scrape intervals differ: what begins this much after the onset still counts as at it.
SLACK = timedelta(minutes=2)
# A change and the first movement of a metric this far apart belong together.
FOLLOWS = timedelta(minutes=6)

_PER_KIND = {
    "change_event": 4,
    "error_event": 5,
    "metric_value": 4,
    "alert_state": 3,
    "negative_observation": 3,
    "log_event": 3,
}
_NEAR_SCORE: dict[Nearness, float] = {"asked": 1.5, "named": 1.2, "needed": 1.0, "needing": 0.5, "other": -1.5}


def onset_of(records: Iterable[Found], scope: Scope) -> datetime | None:
    """When the trouble began: the first burst of new errors, worse symptom metric, or alert.

    What concerns the asked service itself decides; its dependencies only when that shows nothing; others last.
    """
    if scope.unknown and not scope.asked:
        return None
    signals: dict[int, list[datetime]] = {0: [], 1: [], 2: []}
    for found in records:
        if found.time is not None and _is_signal(found):
            # Asked about everything, any host's alert would date the trouble: what users feel comes first.
            last = found.kind == "alert_state" and not scope.asked
            tier = {"asked": 0, "named": 0, "needed": 1, "needing": 1, "other": 2}[scope.nearness(found)]
            signals[2 if last else tier].append(found.time)
    return next((min(times) for times in signals.values() if times), None)


def _is_signal(found: Found) -> bool:
    if found.kind == "alert_state":
        return found.severity != "info"
    return found.bad and found.symptom


def healthy(records: Sequence[Found], scope: Scope) -> bool:
    """Nothing abnormal near what was asked besides alerts: no burst of new errors, no metric that got worse.

    Without any record of logs or metrics nothing is known, and that is not health.
    """
    seen = {found.tool_name for found in records if found.kind != "alert_state" and found.aspect not in _NO_DATA}
    near = [found for found in records if found.bad and scope.nearness(found) not in ("needing", "other")]
    return seen >= {"query_logs", "query_metrics"} and not near and not (scope.unknown and not scope.asked)


_NO_DATA = frozenset({"unknown", "no_logs", "no_series", "no_alerts"})


def chosen(records: Sequence[Found], scope: Scope) -> list[tuple[Found, float]]:
    """The facts worth showing with their scores, at most twelve, best first."""
    if scope.unknown and not scope.asked:
        # Asked about something that the data do not hold: facts about other services would lend it their cause.
        told = [one for one in records if one.aspect in ("unknown", "no_match") or _tells_of(one, scope.unknown)]
        return [(found, 5.0) for found in told[:MAX_FACTS]]
    onset, calm = onset_of(records, scope), healthy(records, scope)
    moves = [one.time for one in records if one.kind == "metric_value" and one.time and scope.nearness(one) != "other"]
    scored = [(found, _score(found, scope, onset, calm, moves)) for found in records]
    scored.sort(key=lambda pair: (-pair[1], pair[0].time.timestamp() if pair[0].time else math.inf, str(pair[0].key)))
    kept: list[tuple[Found, float]] = []
    kinds: Counter[str] = Counter()
    twins: set[tuple[object, ...]] = set()
    for found, score in scored:
        twin = _twin(found)
        least = LEAST_SCORE_ELSEWHERE if scope.nearness(found) == "other" else LEAST_SCORE
        if score < least or (found.aspect and _is_part_of_another(found, kept)):
            continue
        if twin not in twins and kinds[found.kind] < _PER_KIND[found.kind]:
            kept.append((found, score))
            kinds[found.kind] += 1
            twins.add(twin)
    return kept[:MAX_FACTS]


def _tells_of(found: Found, names: Iterable[str]) -> bool:
    return any(name.casefold() in found.words.casefold() for name in names)


def _twin(found: Found) -> tuple[object, ...]:
    """Equal for records that would say nearly the same: one event on several pods, one metric of several pods."""
    if found.kind == "metric_value":
        return ("metric", found.record["metric"], found.entity)
    if found.kind == "change_event":
        return ("change", found.entity, re.sub(r"\d+", "0", str(found.record["message"])))
    return found.key


def _is_part_of_another(found: Found, kept: Sequence[tuple[Found, float]]) -> bool:
    """The same absence, already told of more services."""
    told = [other for other, _ in kept if other.aspect == found.aspect and other.tool_name == found.tool_name]
    return any(not one.entity or set(found.entity.split("、")) < set(one.entity.split("、")) for one in told)


def _score(found: Found, scope: Scope, onset: datetime | None, calm: bool, moves: Sequence[datetime]) -> float:
    near = scope.nearness(found)
    score = _NEAR_SCORE[near] + _KIND_SCORE[found.kind](found, calm)
    if scope.hosts and any(host in found.words for host in scope.hosts):
        score += 1.0
    if found.kind == "metric_value" and near != "other" and answers(found.record["metric"], scope.question):
        # A guess in the question ("was it the traffic?") is answered by a metric that did not move.
        score += 4.5 if not found.new and near == "asked" and not calm else 2.0
    if found.time is None or onset is None:
        return score
    before = found.time <= onset + SLACK
    if found.kind == "change_event":
        if not before:
            return score - 1.5
        led = any(timedelta(0) <= move - found.time <= FOLLOWS for move in moves)
        closeness = max(0.0, 1 - (onset - found.time) / RECENT)
        return score + 3 * closeness + (2.0 if led and near != "other" else 0.0)
    return score + (0.5 if before and found.new else 0.0)


def _change_score(found: Found, calm: bool) -> float:
    return 2.5


def _error_score(found: Found, calm: bool) -> float:
    level = {"critical": 3.5, "error": 3.0, "warning": 0.8}.get(found.severity, 0.0)
    return level + (2.0 if found.new else -2.0) + min(1.5, 0.5 * math.log10(found.size))


def _metric_score(found: Found, calm: bool) -> float:
    if not found.new:
        # That nothing moved is the finding of a false alarm, and a footnote otherwise.
        return (2.5 if found.symptom else 1.0) if calm else (-0.3 if found.symptom else -1.0)
    size = min(1.5, 0.5 * math.log10(max(1.0, found.size)))
    return (3.0 if found.bad and found.symptom else 2.2 if found.bad else 1.0) + size


def _alert_score(found: Found, calm: bool) -> float:
    level = {"critical": 3.0, "error": 2.5, "warning": 2.0}.get(found.severity, 0.5)
    return level + (0.5 if found.symptom else -1.0)


def _absence_score(found: Found, calm: bool) -> float:
    if found.aspect == "unknown":
        return 6.0
    if found.aspect in ("no_logs", "no_match"):
        return 3.0
    # Of dependencies without errors a cause can be ruled out; no change in one service rules out little.
    if found.aspect == "no_changes":
        return 1.0 if calm else -1.0
    return (2.8 if not found.entity else 2.5) if calm else 0.7


def _line_score(found: Found, calm: bool) -> float:
    return {"critical": 2.5, "error": 2.0, "warning": 1.0}.get(found.severity, 0.5)


_KIND_SCORE = {
    "change_event": _change_score,
    "error_event": _error_score,
    "metric_value": _metric_score,
    "alert_state": _alert_score,
    "negative_observation": _absence_score,
    "log_event": _line_score,
}
