"""Alerts in the shape of Alertmanager's ``GET /api/v2/alerts``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import quote

from data.scenarios.generator.timeline import Window, iso


def alert(
    window: Window, starts: str, labels: Mapping[str, str], summary: str, description: str, expr: str
) -> dict[str, object]:
    """An alert that is firing at the pinned clock since the clock time ``starts``.

    As in a live Alertmanager, ``endsAt`` of a firing alert lies a little ahead: the time it would be taken as resolved
    if the rule were not evaluated again.
    """
    identity = json.dumps(sorted(labels.items()), ensure_ascii=False)
    return {
        "labels": dict(labels),
        "annotations": {"summary": summary, "description": description},
        "startsAt": iso(window.at(starts)),
        "endsAt": iso(window.end + timedelta(minutes=3, seconds=30)),
        "updatedAt": iso(window.end - timedelta(seconds=30)),
        "status": {"state": "active", "silencedBy": [], "inhibitedBy": []},
        "receivers": [{"name": f"oncall-{labels['team']}"}],
        "fingerprint": hashlib.sha256(identity.encode()).hexdigest()[:16],
        "generatorURL": f"http://prometheus.monitor.internal:9090/graph?g0.expr={quote(expr)}&g0.tab=1",
    }
