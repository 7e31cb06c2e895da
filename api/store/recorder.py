"""Writes one run down while it works: invocations at once, events in batches (a transaction an event costs more)."""

from __future__ import annotations

import threading

from api.errors import StorageError
from api.store.repository import RunStore
from signatures.contracts import RunEvent, ToolInvocation

BATCH = 32


class RunRecorder:
    """The recorder of one run. Its callbacks may be called from several threads.

    ``error`` is the first storage fault: the program may take a failing callback for a failing tool, so whoever
    started the run looks here.
    """

    def __init__(self, store: RunStore, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._lock = threading.Lock()
        self._waiting: list[RunEvent] = []
        self.invocations: list[ToolInvocation] = []
        self.error: StorageError | None = None

    def on_invocation(self, invocation: ToolInvocation) -> None:
        """Write an invocation before anything may cite it."""
        try:
            self._store.add_invocation(invocation)
        except StorageError as error:
            self.error = self.error or error
            raise
        with self._lock:
            self.invocations.append(invocation)

    def on_event(self, event: RunEvent) -> None:
        """Keep an event; a full batch is written."""
        with self._lock:
            self._waiting.append(event)
            full = len(self._waiting) >= BATCH
        if full:
            self.flush()

    def flush(self) -> None:
        """Write the events that wait. They go on waiting when the store cannot take them now."""
        with self._lock:
            try:
                self._store.add_events(self._run_id, self._waiting)
            except StorageError as error:
                self.error = self.error or error
                raise
            self._waiting = []
