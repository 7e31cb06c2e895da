"""An incident and the text of its files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from data.scenarios.generator import metrics
from data.scenarios.generator.dice import Dice
from data.scenarios.generator.logs import Line, jsonl
from data.scenarios.generator.timeline import ZONE_NAME, Window, iso


@dataclass(frozen=True)
class Service:
    """A service, the words users call it by, and what it calls."""

    name: str
    aliases: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Incident:
    """Everything one scenario folder holds."""

    name: str
    title: str
    default: bool
    window: Window
    services: tuple[Service, ...]
    hosts: tuple[str, ...]
    logs: Sequence[Line]
    metrics: dict[str, object]
    alerts: Sequence[dict[str, object]]


def files(incident: Incident) -> dict[str, str]:
    """File name -> text, in the on-disk format of a scenario folder."""
    scenario = {
        "name": incident.name,
        "title": incident.title,
        "default": incident.default,
        "clock": iso(incident.window.end),
        "timezone": ZONE_NAME,
        "window": {"start": iso(incident.window.start), "end": iso(incident.window.end)},
        "services": [
            {"name": one.name, "aliases": list(one.aliases), "depends_on": list(one.depends_on)}
            for one in incident.services
        ],
        "hosts": list(incident.hosts),
    }
    return {
        "scenario.json": json.dumps(scenario, ensure_ascii=False, indent=2) + "\n",
        "logs.jsonl": jsonl(incident.logs),
        "metrics.json": metrics.text(incident.metrics),
        "alerts.json": json.dumps(list(incident.alerts), ensure_ascii=False, indent=2) + "\n",
    }


def jitter(seed: str, what: str, at: datetime, centre: float, spread: float) -> float:
    """A noisy value that depends on its name and moment only, so logs and metrics may both ask for it."""
    return Dice(seed, what, iso(at)).around(centre, spread)
