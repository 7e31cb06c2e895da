"""Waits for queued work on behalf of a client that may go away."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from fastapi import Request

from api.run_queue import Ticket
from programs.runtime import RunCancelled

T = TypeVar("T")
_LOOK_EVERY_S = 0.25


async def outcome(request: Request, ticket: Ticket[T]) -> T:
    """The result of the work; it is called off when the client hangs up (hostile input 23).

    Raises:
        RunCancelled: the client is gone.
    """
    future = asyncio.wrap_future(ticket.future)
    try:
        while True:
            done, _ = await asyncio.wait({future}, timeout=_LOOK_EVERY_S)
            if done:
                return future.result()
            if await request.is_disconnected():
                raise RunCancelled("the client closed the connection")
    finally:
        ticket.cancel()
        if not future.done():
            future.add_done_callback(lambda late: late.cancelled() or late.exception())
