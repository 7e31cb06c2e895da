"""``POST /api/verify``: judge the claims, or the whole contract, of one verdict case against its tool output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from api.errors import BadInput
from api.jsontext import wire
from api.service import ServiceOf
from api.verdict_report import result_object
from api.waiting import outcome
from programs.runtime import RunCancelled
from signatures.verdict_case import CaseFault, VerdictCase, parse_case

router = APIRouter()


def read_case(body: bytes) -> VerdictCase:
    """The case of a request body; its labels are not looked at.

    Raises:
        BadInput: it is no verdict case; the message names the field.
    """
    try:
        return parse_case(body)
    except CaseFault as fault:
        raise BadInput(
            fault.field or "body", f"no verdict case: {fault}; the fields are listed in data/verdicts/README.md"
        ) from None


@router.post("/api/verify")
async def verify(request: Request, service: ServiceOf, version: str | None = None) -> Response:
    """Gate, literal findings, class of each claim, verdicts and score of the case; of a contract its answer too."""
    case = await run_in_threadpool(read_case, await request.body())
    named = await run_in_threadpool(service.programs.resolve, version)

    def work(cancelled: Callable[[], bool]) -> dict[str, Any]:
        def on_claim(*_: str) -> None:
            if cancelled():
                raise RunCancelled(case.case_id)

        (result,) = service.programs.verify([case], named, on_claim)
        return {**result_object(result), "version": named}

    found = await outcome(request, service.queue.submit(work))
    return Response(wire(found), media_type="application/json")
