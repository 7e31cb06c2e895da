"""Scenarios: one incident's telemetry with a pinned clock, shipped with the product or a folder of the user's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from programs.tools.scenario_files import (
    Alert,
    LogLine,
    Runbook,
    ScenarioError,
    Series,
    parse_time,
    read_alerts,
    read_json,
    read_logs,
    read_metrics,
    read_runbooks,
)
from programs.tools.service_names import Service, mentions

__all__ = ["Scenario", "ScenarioError", "Service", "Window", "load_scenario", "pick_scenario", "scenario_names"]


@dataclass(frozen=True)
class Window:
    """What a default query covers, both ends included."""

    start: datetime
    end: datetime


@dataclass(frozen=True, eq=False)
class Scenario:
    """One incident. ``clock`` is the pinned now; files are read at first use.

    Reading a missing or broken file raises ScenarioError: no data must never look like no trouble.
    """

    name: str
    title: str
    default: bool
    clock: datetime
    zone: ZoneInfo
    window: Window
    services: tuple[Service, ...]
    hosts: tuple[str, ...]
    folder: Traversable
    runbook_folder: Traversable | None

    @cached_property
    def logs(self) -> tuple[LogLine, ...]:
        return read_logs(self._file("logs.jsonl"), self.zone)

    @cached_property
    def series(self) -> tuple[Series, ...]:
        return read_metrics(self._file("metrics.json"), self.zone)

    @cached_property
    def alerts(self) -> tuple[Alert, ...]:
        return read_alerts(self._file("alerts.json"), self.zone, self.clock)

    @cached_property
    def runbooks(self) -> tuple[Runbook, ...]:
        if self.runbook_folder is None:
            raise ScenarioError(f"scenario {self.name} has no runbooks folder, neither in it nor beside it")
        return read_runbooks(self.runbook_folder)

    @cached_property
    def known_services(self) -> tuple[Service, ...]:
        """The listed services, and those that only the telemetry names."""
        listed = {service.name for service in self.services}
        seen: dict[str, None] = {}
        if self.has("logs.jsonl"):
            seen.update(dict.fromkeys(line.service for line in self.logs))
        if self.has("metrics.json"):
            seen.update(dict.fromkeys(series.labels.get("service", "") for series in self.series))
        return self.services + tuple(Service(name) for name in seen if name and name not in listed)

    def has(self, name: str) -> bool:
        return self.folder.joinpath(name).is_file()

    def check(self) -> None:
        """Read every file that is there. Raises ScenarioError."""
        if not self.has("logs.jsonl") and not self.has("metrics.json") and not self.has("alerts.json"):
            raise ScenarioError(f"scenario {self.name} has none of logs.jsonl, metrics.json, alerts.json")
        _ = self.known_services
        if self.has("alerts.json"):
            _ = self.alerts

    def _file(self, name: str) -> Traversable:
        if not self.has(name):
            raise ScenarioError(f"scenario {self.name} has no {name}")
        return self.folder.joinpath(name)


def _shipped() -> Traversable:
    return files("data").joinpath("scenarios")


def scenario_names() -> tuple[str, ...]:
    """The shipped scenarios."""
    root = _shipped()
    if not root.is_dir():
        return ()
    return tuple(sorted(item.name for item in root.iterdir() if item.joinpath("scenario.json").is_file()))


def load_scenario(name_or_path: str) -> Scenario:
    """A shipped scenario by name, or the user's own folder by path; every file of it is read and checked.

    Raises ScenarioError that names the value, or the broken file and line.
    """
    wanted = name_or_path.strip()
    if os.sep not in wanted and "/" not in wanted and wanted in scenario_names():
        scenario = _describe(_shipped().joinpath(wanted), _shipped())
    else:
        folder = Path(wanted).expanduser()
        if not wanted or not folder.joinpath("scenario.json").is_file():
            raise ScenarioError(
                f"unknown scenario {name_or_path[:200]!r}: available are {', '.join(scenario_names()) or 'none'}; "
                "or give the path of a folder that holds scenario.json"
            )
        scenario = _describe(folder, folder.resolve().parent)
    scenario.check()
    return scenario


def pick_scenario(question: str) -> tuple[Scenario, str]:
    """The shipped scenario whose services the question names, with the reason (Chinese); else the default one."""
    described = [_describe(_shipped().joinpath(name), _shipped()) for name in scenario_names()]
    if not described:
        raise ScenarioError("no scenario is shipped: give the path of a folder that holds scenario.json")
    found = [(mentions(question, scenario.services), scenario) for scenario in described]
    best, scenario = max(found, key=lambda pair: (sum(len(hit.word) for hit in pair[0]), pair[1].default))
    if best:
        named = "、".join(f"「{hit.word}」" for hit in best)
        return scenario, f"问题提到{named}，使用场景 {scenario.name}（{scenario.title}）"
    scenario = next((one for one in described if one.default), described[0])
    return scenario, f"问题没有提到已知的服务，使用默认场景 {scenario.name}（{scenario.title}）"


def _describe(folder: Traversable, beside: Traversable) -> Scenario:
    file = folder.joinpath("scenario.json")
    head = read_json(file)
    if not isinstance(head, dict):
        raise ScenarioError(f"{file.name}: a JSON object is expected")
    try:
        zone = ZoneInfo(_field(head, "timezone", str))
        window = _field(head, "window", dict)
        scenario = Scenario(
            name=_field(head, "name", str),
            title=str(head.get("title") or head["name"]),
            default=head.get("default") is True,
            clock=parse_time(_field(head, "clock", str), zone),
            zone=zone,
            window=Window(*(parse_time(_field(window, end, str), zone) for end in ("start", "end"))),
            services=tuple(_service(row) for row in _field(head, "services", list)),
            hosts=tuple(str(host) for host in head.get("hosts") or ()),
            folder=folder,
            runbook_folder=next((one for one in _runbook_places(folder, beside) if one.is_dir()), None),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ScenarioError(f"{file.name}: {error}") from None
    if scenario.window.start >= scenario.window.end:
        raise ScenarioError(f"{file.name}: window.start {window['start']!r} is not before window.end")
    return scenario


def _runbook_places(folder: Traversable, beside: Traversable) -> tuple[Traversable, ...]:
    return folder.joinpath("runbooks"), beside.joinpath("runbooks")


def _field(row: Mapping[str, Any], name: str, kind: type) -> Any:
    value = row.get(name)
    if not isinstance(value, kind) or not value:
        raise ValueError(f"{name} is missing or not a {kind.__name__}")
    return value


def _service(row: Mapping[str, Any]) -> Service:
    names = [tuple(str(name) for name in row.get(key) or ()) for key in ("aliases", "depends_on")]
    return Service(_field(row, "name", str), *names)
