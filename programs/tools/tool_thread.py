"""A tool's work on a thread of its own, and a bound on the threads of a tool that never comes back."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from programs.raw_path import shown_text
from programs.tools.base import ToolFailure, ToolOutput

MAX_HUNG = 32

Result = ToolOutput | Exception

# Of the whole process: a backend that hangs does so for every run.
_hung: Counter[str] = Counter()
_lock = threading.Lock()


class ToolThread:
    """Runs ``work`` once and hands its result to ``report``, unless nobody waits any more.

    Whatever ``work`` raises is a result, ``SystemExit`` and its like as a ToolFailure. Python cannot stop a thread: one
    that hangs is counted, and after ``MAX_HUNG`` of them ``start`` refuses that tool until one returns.
    """

    def __init__(self, tool: str, work: Callable[[], ToolOutput], report: Callable[[Result], None]) -> None:
        self._tool = tool
        self._work = work
        self._report = report
        # A daemon: a tool that never returns must not keep the process alive.
        self._thread = threading.Thread(target=self._run, name=f"tool-{tool}", daemon=True)
        self._over = False
        self._hangs = False

    def start(self) -> None:
        """Raises ToolFailure (TIMEOUT) when too many calls of the tool hang, RuntimeError when no thread is left."""
        if _hung[self._tool] >= MAX_HUNG:
            raise ToolFailure(f"not called: {MAX_HUNG} earlier calls of {self._tool} still hang", "TIMEOUT")
        self._thread.start()

    def abandon(self) -> None:
        """Nobody waits for the result any more: it is dropped when it comes."""
        with _lock:
            if self._thread.ident and not self._over and not self._hangs:
                self._hangs = True
                _hung[self._tool] += 1

    def _run(self) -> None:
        result = self._result()
        with _lock:
            self._over = True
            if self._hangs:
                _hung[self._tool] -= 1
                return
        self._report(result)

    def _result(self) -> Result:
        try:
            return self._work()
        except Exception as error:
            return error
        except BaseException as error:
            return ToolFailure(f"{type(error).__name__}: {shown_text(error)}")
