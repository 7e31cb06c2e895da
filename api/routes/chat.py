"""``POST /api/chat`` and ``POST /api/chat/stream``: a question, and its answer at the end or step by step."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from api.answer import answer_object
from api.chat_service import Accepted
from api.errors import BadInput
from api.jsontext import wire
from api.problems import problem_of
from api.run_queue import Ticket
from api.service import Service, ServiceOf
from api.waiting import outcome
from signatures.contracts import DiagnosisResult, RunEvent

router = APIRouter()
PING_SECONDS = 10


class ChatRequest(BaseModel):
    """A question. ``scenario`` and ``version`` are names; without them the program chooses."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str
    scenario: str | None = None
    session_id: str | None = None
    version: str | None = None


async def _accept(service: Service, body: ChatRequest) -> Accepted:
    from programs.tools.scenario import scenario_names

    def accept() -> Accepted:
        # A path from the network would read files of this machine; only shipped names are taken.
        if body.scenario is not None and body.scenario not in (names := scenario_names()):
            raise BadInput("scenario", f"unknown scenario {body.scenario[:80]!r}; one of: {', '.join(names)}")
        return service.chat.accept(body.question, body.scenario, body.session_id, body.version)

    return await run_in_threadpool(accept)


def _answer(accepted: Accepted, result: DiagnosisResult) -> str:
    return wire({**answer_object(result), "session_id": accepted.session_id})


@router.post("/api/chat")
async def chat(request: Request, body: ChatRequest, service: ServiceOf) -> Response:
    """The answer, when it is there. Hanging up cancels the run."""
    accepted = await _accept(service, body)
    ticket = service.queue.submit(lambda cancelled: service.chat.run(accepted, cancelled=cancelled))
    return Response(_answer(accepted, await outcome(request, ticket)), media_type="application/json")


Post = Callable[[str, str], None]


def _start(service: Service, accepted: Accepted, post: Post) -> Ticket[None]:
    """Queue the run; what it has to tell goes to ``post(event name, data)``, the end as ``answer`` or ``error``."""

    def work(cancelled: Callable[[], bool]) -> None:
        def on_event(event: RunEvent) -> None:
            post("step", wire(event.model_dump()))

        try:
            result = service.chat.run(accepted, on_event, cancelled)
        except Exception as error:
            post("error", wire(problem_of(error)))
            raise
        post("answer", _answer(accepted, result))

    return service.queue.submit(work)


@router.post("/api/chat/stream")
async def stream(body: ChatRequest, service: ServiceOf) -> EventSourceResponse:
    """Server-sent events: ``run`` (its ids), one ``step`` for each step, then ``answer`` or ``error``.

    Closing the stream cancels the run.
    """
    accepted = await _accept(service, body)
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
    open_ = True

    def post(name: str, data: str) -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed when the service stops
            if open_:
                loop.call_soon_threadsafe(told.put_nowait, (name, data))

    ticket = _start(service, accepted, post)

    async def events() -> AsyncIterator[ServerSentEvent]:
        ids = {"run_id": accepted.run_id, "session_id": accepted.session_id, "scenario": accepted.scenario.name}
        yield ServerSentEvent(wire({**ids, "scenario_reason": accepted.scenario_reason}), event="run")
        name = ""
        try:
            while name not in ("answer", "error"):
                name, data = await told.get()
                yield ServerSentEvent(data, event=name)
        finally:
            ticket.cancel()

    async def on_close(_: Any) -> None:
        nonlocal open_
        open_ = False
        ticket.cancel()

    return EventSourceResponse(events(), ping=PING_SECONDS, sep="\n", client_close_handler_callable=on_close)
