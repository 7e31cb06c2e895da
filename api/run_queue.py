"""Bounded work beside the event loop: so many runs at once, so many waiting, then 429."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

from api.errors import Busy

T = TypeVar("T")
Work = Callable[[Callable[[], bool]], T]
_FIRST_GUESS_S = 60.0


class Ticket(Generic[T]):
    """A place in the queue: the future of the work, and the way to call it off."""

    def __init__(self, future: Future[T], flag: threading.Event) -> None:
        self.future = future
        self._flag = flag

    def cancel(self) -> None:
        """Ask the work to stop; it sees that at its next step, or before it starts."""
        self._flag.set()


class RunQueue:
    """Runs work in threads, at most ``max_running`` at once and ``max_waiting`` behind them.

    Work is a function of ``cancelled() -> bool``. It is always called, also when cancelled while it waited: it has a
    record to close.
    """

    def __init__(self, max_running: int, max_waiting: int) -> None:
        self._places = max_running + max_waiting
        self._max_running = max_running
        self._pool = ThreadPoolExecutor(max_running, thread_name_prefix="run")
        self._lock = threading.Lock()
        self._tickets: set[Ticket[Any]] = set()
        self._last_s = _FIRST_GUESS_S
        self._closing = False

    def __len__(self) -> int:
        return len(self._tickets)

    @property
    def running(self) -> int:
        """Runs at work now."""
        return min(len(self._tickets), self._max_running)

    def submit(self, work: Work[T]) -> Ticket[T]:
        """Take a place.

        Raises:
            Busy: there is none, or the service is stopping.
        """
        flag = threading.Event()

        def timed() -> T:
            started = time.monotonic()
            try:
                return work(flag.is_set)
            finally:
                self._last_s = time.monotonic() - started

        with self._lock:
            if self._closing or len(self._tickets) >= self._places:
                rounds = len(self._tickets) / self._max_running
                raise Busy(round(min(600.0, max(1.0, self._last_s * rounds / 2))))
            ticket: Ticket[T] = Ticket(self._pool.submit(timed), flag)
            self._tickets.add(ticket)
        ticket.future.add_done_callback(lambda _: self._leave(ticket))
        return ticket

    def _leave(self, ticket: Ticket[T]) -> None:
        with self._lock:
            self._tickets.discard(ticket)

    def cancel_all(self) -> None:
        """Ask everything to stop and take nothing more."""
        self._closing = True
        for ticket in tuple(self._tickets):
            ticket.cancel()

    def close(self, timeout_s: float) -> bool:
        """`cancel_all`, then wait; False when something is still at work after ``timeout_s`` seconds."""
        self.cancel_all()
        _, late = wait([ticket.future for ticket in tuple(self._tickets)], timeout=timeout_s)
        self._pool.shutdown(wait=not late, cancel_futures=False)
        return not late
