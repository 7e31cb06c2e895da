"""What the command line writes: progress on standard error, data on standard output, one clear line for a fault."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import traceback

BAD_INPUT, NO_MODEL, NO_STORAGE, INTERNAL, INTERRUPTED = 2, 3, 4, 1, 130

# Log lines are shown as they are; their escape sequences and direction marks must not reach the terminal.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str, *, one_line: bool = False) -> str:
    """Text that a terminal shows and does not obey."""
    text = _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n"))
    return " ".join(text.split()) if one_line else text


def say(text: str = "") -> None:
    """A line of data on standard output."""
    print(text, flush=True)


def tell(text: str) -> None:
    """A line for the reader on standard error."""
    print(text, file=sys.stderr, flush=True)


class Timed:
    """Progress lines with the seconds since the start, from any thread."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        with self._lock:
            tell(f"[{time.monotonic() - self._started:6.1f}s] {clean(text, one_line=True)}")


class FetchLines:
    """Progress of a model fetch: one line each tenth and source."""

    def __init__(self, progress: Timed) -> None:
        self._progress = progress
        self._told: set[tuple[str, int]] = set()

    def __call__(self, done: int, total: int, source: str) -> None:
        tenth = done * 10 // total if total else 0
        if (source, tenth) not in self._told:
            self._told.add((source, tenth))
            self._progress.line(f"获取模型 {done / 1e6:.0f}/{total / 1e6:.0f} MB（{source}）")


def set_up_streams() -> None:
    """Write what the terminal's encoding lacks as an escape instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def debugging() -> bool:
    return os.environ.get("SUPERBIZ_DEBUG", "") not in ("", "0")


def exit_code(error: BaseException) -> int:
    """The exit code of a fault: 2 bad input, 3 no model, 4 storage, 130 interrupted, else 1."""
    from api.errors import BadInput, NotFound, StorageError
    from optimize.registry import VersionError
    from programs.lms.choice import LMUnavailable
    from programs.lms.model_files import ModelFileError
    from programs.runtime import RunCancelled
    from programs.tools.scenario import ScenarioError
    from signatures.verdict_case import CaseFileError

    kinds: tuple[tuple[tuple[type[BaseException], ...], int], ...] = (
        ((BadInput, NotFound, VersionError, ScenarioError, CaseFileError), BAD_INPUT),
        ((LMUnavailable, ModelFileError), NO_MODEL),
        ((StorageError,), NO_STORAGE),
        ((KeyboardInterrupt, RunCancelled), INTERRUPTED),
    )
    return next((code for group, code in kinds if isinstance(error, group)), INTERNAL)


def report(error: BaseException) -> int:
    """Tell a fault in one line with its next step; return its exit code. SUPERBIZ_DEBUG=1 adds the traceback."""
    from programs.runtime import RunCancelled

    code = exit_code(error)
    if debugging():
        traceback.print_exception(error)
    if code == INTERRUPTED:
        run = f"; run {error} is marked cancelled" if isinstance(error, RunCancelled) else ""
        tell(f"error: interrupted{run}")
    elif code == INTERNAL and not isinstance(error, OSError | TimeoutError | RuntimeError):
        tell(
            f"error: internal fault, {type(error).__name__}: {clean(str(error), one_line=True)[:500]}; "
            "run again with SUPERBIZ_DEBUG=1 and report what it prints"
        )
    else:
        hint = "" if code != INTERNAL else "; SUPERBIZ_DEBUG=1 shows where"
        tell(f"error: {clean(str(error), one_line=True)[:2_000]}{hint}")
    return code
