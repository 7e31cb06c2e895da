"""Ctrl-C at any moment: the first press stops the work at its next step, the second exits at once.

The work runs in a thread of its own, because a signal is handled between two instructions of the main thread only and
a model call in native code may take half a minute.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Generic, TypeVar

from api.console import tell

T = TypeVar("T")
GRACE_SECONDS = 3.0


def _exit_now(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


class Interruptible(Generic[T]):
    """Runs ``work(cancelled)`` so that SIGINT and SIGTERM end it.

    Args:
        work: gets ``cancelled() -> bool`` and looks at it between steps.
        on_cancel: called once on the main thread after the first signal, to leave nothing half-done.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], T], on_cancel: Callable[[], None]) -> None:
        self._work = work
        self._on_cancel = on_cancel
        self._signal: int | None = None
        self._result: T
        self._error: BaseException | None = None

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._signal is not None:
            _exit_now(128 + number)
        self._signal = number

    def _guarded(self) -> None:
        try:
            self._result = self._work(lambda: self._signal is not None)
        except BaseException as error:
            self._error = error

    def run(self) -> T:
        """The result of the work, or its fault. Exits the process when the work does not stop after a signal."""
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        thread = threading.Thread(target=self._guarded, name="work", daemon=True)
        thread.start()
        try:
            while thread.is_alive() and self._signal is None:
                thread.join(0.1)
            if self._signal is not None:
                self._stop(thread, self._signal)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._error is not None:
            raise self._error
        return self._result

    def _stop(self, thread: threading.Thread, number: int) -> None:
        tell("正在取消……（再按一次 Ctrl-C 立即退出）")
        self._on_cancel()
        until = time.monotonic() + GRACE_SECONDS
        while thread.is_alive() and time.monotonic() < until:
            thread.join(0.1)
        self._on_cancel()
        if thread.is_alive():
            tell("已取消。")
            _exit_now(128 + number)
