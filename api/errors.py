"""The faults that the service and the command line tell a user about.

Each message says what happened, names the offending value and gives the next step. Who catches them decides how they
are shown: an exit code (``api.console``) or a problem document (``api.problems``).
"""

from __future__ import annotations


class BadInput(ValueError):
    """The caller's own value cannot be used. ``field`` names the parameter."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class NotFound(LookupError):
    """A thing the caller named does not exist."""


class StorageError(RuntimeError):
    """The run store cannot be opened, read or written."""


class RunTimedOut(RuntimeError):
    """A run used up its deadline and was stopped at a step boundary."""


class Busy(RuntimeError):
    """Every place in the queue is taken. ``retry_after`` is in whole seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"all places in the queue are taken; try again in {retry_after} s")
        self.retry_after = retry_after


class BodyTooLarge(ValueError):
    """A request body above the limit (bytes)."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the request body is larger than {limit:,} bytes; send less at once")
