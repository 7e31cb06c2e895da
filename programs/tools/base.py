"""What a tool is to the runner, and the parameter types that tools share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from programs.tools.scenario import Scenario, Window
from programs.tools.scenario_files import iso, parse_time
from programs.tools.service_names import Service, resolve
from signatures.contracts import EvidenceLevel, FailureCode


class ToolFailure(Exception):
    """A tool cannot answer; ``str()`` is the reason a user reads."""

    def __init__(self, reason: str, code: FailureCode = "TOOL_ERROR") -> None:
        super().__init__(reason)
        self.code: FailureCode = code


@dataclass(frozen=True)
class ToolOutput:
    """A tool's answer: ``output`` is the JSON value that bindings address.

    ``failure_code`` is NO_HIT for an answer without a hit, PARTIAL for an incomplete one.
    """

    output: Any
    hit_count: int
    evidence_level: EvidenceLevel = "strong"
    failure_code: FailureCode | None = None
    failure_reason: str | None = None


@dataclass(frozen=True)
class BoundCall:
    """A call with validated parameters.

    ``params`` as given, in JSON types; ``key`` the same question in one form, defaults filled in, for dedup (G5).
    """

    params: dict[str, Any]
    key: dict[str, Any]
    run: Callable[[], ToolOutput] = field(repr=False)


class Tool(Protocol):
    """An evidence tool. ``kind`` knowledge is never evidence of an incident fact (G4)."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> Literal["telemetry", "knowledge"]: ...

    def bind(self, params: Mapping[str, Any]) -> BoundCall:
        """Validate ``params`` (pydantic's ValidationError when they are wrong) without running anything."""
        ...


def _list_of(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _iso(value: str) -> str:
    parse_time(value, UTC)
    return value


Names = Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], BeforeValidator(_list_of)]
Time = Annotated[str, Field(max_length=40), AfterValidator(_iso)]


class ToolParams(BaseModel):
    """Typed parameters; an unknown one is an error, not a silent default."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def given(params: ToolParams) -> dict[str, Any]:
    """The parameters that were set, in JSON types."""
    return params.model_dump(mode="json", exclude_none=True, exclude_unset=True)


def window_of(scenario: Scenario, start: str | None, end: str | None) -> Window:
    """The asked window, the scenario's own where it is open. Raises ToolFailure when it ends before it begins."""
    window = Window(
        parse_time(start, scenario.zone) if start else scenario.window.start,
        parse_time(end, scenario.zone) if end else scenario.window.end,
    )
    if window.start > window.end:
        raise ToolFailure(f"the window starts at {iso(window.start)} and ends before that, at {iso(window.end)}")
    return window


def shown_window(window: Window) -> dict[str, str]:
    return {"start": iso(window.start), "end": iso(window.end)}


def inside(moment: datetime, window: Window) -> bool:
    # A window that ends at 10:30:00 includes the lines of that second.
    return window.start <= moment < window.end + timedelta(seconds=1)


def resolved(names: Sequence[str] | None, services: Sequence[Service]) -> tuple[frozenset[str] | None, list[str]]:
    """The named services by their own names (None: all), and the names that no service has."""
    if not names:
        return None, []
    found = {name: resolve(name, services) for name in names}
    known = frozenset(service for service in found.values() if service is not None)
    return known, [name for name, service in found.items() if service is None]
