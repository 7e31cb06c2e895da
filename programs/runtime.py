"""What surrounds one run: its identity, where its events go, how it is cancelled, what it costs.

``programs`` knows no database and no server; the caller hands in callables that persist and display.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from signatures.contracts import RunEvent, StepCost, ToolInvocation

if TYPE_CHECKING:
    from programs.tools.scenario import Scenario


class RunCancelled(Exception):
    """The caller went away or pressed Ctrl-C; the run stops at the next step and is marked cancelled."""


def _ignore(_: object) -> None:
    return None


def _never() -> bool:
    return False


@dataclass(frozen=True)
class RunContext:
    """The surroundings of one run.

    ``on_event`` and ``on_invocation`` are called from worker threads too; an invocation is handed over before any
    claim cites it.
    """

    run_id: str
    scenario: Scenario
    on_event: Callable[[RunEvent], None] = _ignore
    on_invocation: Callable[[ToolInvocation], None] = _ignore
    cancelled: Callable[[], bool] = _never

    def check_cancelled(self) -> None:
        """Raise RunCancelled when the caller has gone."""
        if self.cancelled():
            raise RunCancelled(self.run_id)


class EventLog:
    """Numbers the events of one run and passes them on, in order, from any thread."""

    def __init__(self, sink: Callable[[RunEvent], None]) -> None:
        self._sink = sink
        self._lock = threading.Lock()
        self._seq = 0

    def emit(self, node: str, kind: str, message: str, **data: Any) -> None:
        with self._lock:
            self._seq += 1
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            event = RunEvent(seq=self._seq, at=at, node=node, kind=kind, message=message, data=data)
            self._sink(event)


@dataclass
class Meter:
    """Counts what each step of a run costs. Thread-safe; DSPy's own usage tracker loses counts across threads."""

    _costs: dict[str, defaultdict[str, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, step: str | None = None, **amounts: float) -> None:
        """Add to a step's amounts, named like the fields of StepCost; without ``step`` to the current one."""
        with self._lock:
            amounts_so_far = self._costs.setdefault(step or _STEP.get(), defaultdict(float))
            for name, amount in amounts.items():
                amounts_so_far[name] += amount

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Charge everything inside the block, on this thread and its copied contexts, to ``name``."""
        token, meter_token = _STEP.set(name), ACTIVE_METER.set(self)
        started = time.perf_counter()
        try:
            yield
        finally:
            _STEP.reset(token)
            ACTIVE_METER.reset(meter_token)
            self.add(name, seconds=time.perf_counter() - started)

    def report(self) -> tuple[StepCost, ...]:
        with self._lock:
            return tuple(
                StepCost.model_validate({"step": name, **{key: round(value, 3) for key, value in amounts.items()}})
                for name, amounts in self._costs.items()
            )


_STEP: ContextVar[str] = ContextVar("superbiz_step", default="other")
ACTIVE_METER: ContextVar[Meter | None] = ContextVar("superbiz_meter", default=None)
