"""What a question is about, and how near to it a record stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from programs.facts_records import Found
from programs.tools.default_plan import asked_services, unknown_names
from programs.tools.scenario import Scenario
from programs.tools.service_names import behind, mentions

# named: its text speaks of what was asked; needed: what that depends on; needing: what depends on it.
Nearness = Literal["asked", "named", "needed", "needing", "other"]

# A name of several parts; shorter or plain words are shared by chance.
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z]\w*(?:-\w+){1,6}(?![A-Za-z0-9_-])")


@dataclass(frozen=True)
class Scope:
    """What the question is about. Without a named service everything is."""

    question: str
    scenario: Scenario
    records: tuple[Found, ...] = field(repr=False)

    @cached_property
    def asked(self) -> tuple[str, ...]:
        return asked_services(self.question, self.scenario)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        return unknown_names(self.question, self.scenario)

    @cached_property
    def _needed(self) -> frozenset[str]:
        return frozenset(behind(self.asked, self.scenario.services))

    @cached_property
    def _needing(self) -> frozenset[str]:
        services = self.scenario.services
        return frozenset(one.name for one in services if set(self.asked) & set(behind([one.name], services)))

    @cached_property
    def _alerts(self) -> frozenset[str]:
        """Alerts of the asked services, or named in the question."""
        alerts = [one for one in self.records if one.kind == "alert_state"]
        names = {str(one.record["alertname"]): one.entity in self.asked for one in alerts}
        return frozenset(name for name, asked in names.items() if asked or name in self.question)

    @cached_property
    def _affected(self) -> frozenset[str]:
        """Names (topics, caches, tables) in what newly happened near the asked services."""
        moved = [one for one in self.records if one.new and one.kind != "change_event" and self._own(one) != "other"]
        return frozenset(name for one in moved for name in _IDENTIFIER.findall(one.words))

    @cached_property
    def _pods(self) -> re.Pattern[str] | None:
        names = [host for host in self.scenario.hosts if host.startswith(tuple(f"{name}-" for name in self.asked))]
        return re.compile("|".join(map(re.escape, names))) if names else None

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The hosts that the question names itself."""
        return frozenset(host for host in self.scenario.hosts if host in self.question)

    def nearness(self, found: Found) -> Nearness:
        near = self._own(found)
        if near == "other" and found.kind == "change_event":
            # Whoever made it: a change of the topic that fills the disk concerns the disk.
            return "needed" if self._affected & set(_IDENTIFIER.findall(found.words)) else "other"
        return near

    def _own(self, found: Found) -> Nearness:
        if not self.asked or found.entity in self.asked:
            return "asked"
        if found.kind == "negative_observation":
            return "asked" if set(found.entity.split("、")) & set(self.asked) or not found.entity else "needed"
        named = {hit.service for hit in mentions(found.words, self.scenario.services)}
        if named & set(self.asked) or (self._pods and self._pods.search(found.words)):
            return "named"
        if any(name in found.words for name in self._alerts):
            return "named"
        if found.entity in self._needed or named & self._needed:
            return "needed"
        return "needing" if found.entity in self._needing else "other"
