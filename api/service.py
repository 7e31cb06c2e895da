"""What every route needs, and how it gets it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from api.chat_service import ChatService
from api.program_source import Programs
from api.run_queue import RunQueue


@dataclass(frozen=True)
class Service:
    """The parts of a running service."""

    chat: ChatService
    programs: Programs
    queue: RunQueue


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


ServiceOf = Annotated[Service, Depends(_service)]
