"""``POST /api/verify``: judge the claims of one verdict case against the tool output that they cite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from api.errors import BadInput
from api.jsontext import wire
from api.service import ServiceOf
from api.verdict_report import result_object
from api.waiting import outcome
from programs.runtime import RunCancelled
from signatures.protocol import ProtocolError, strict_json_object
from signatures.verdict_case import VerdictCase

router = APIRouter()


def read_case(body: bytes) -> VerdictCase:
    """The case of a request body; its labels are not looked at.

    Raises:
        BadInput: it is no verdict case; the message names the field.
    """
    try:
        value = strict_json_object(body.decode("utf-8"))
        return VerdictCase.model_validate(_unlabelled(value))
    except UnicodeDecodeError as error:
        raise BadInput("body", f"the body is not UTF-8 at byte {error.start}; send JSON as UTF-8") from None
    except ProtocolError as error:
        raise BadInput("body", f"the body is no verdict case: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BadInput(field, f"{field}: {first['msg']}; the fields are listed in data/verdicts/README.md") from None


def _unlabelled(value: dict[str, Any]) -> dict[str, Any]:
    case = {name: item for name, item in value.items() if name != "expected_verdict"}
    if isinstance(claims := value.get("claims"), list):
        case["claims"] = [
            {name: item for name, item in claim.items() if name != "label"} if isinstance(claim, dict) else claim
            for claim in claims
        ]
    return case


@router.post("/api/verify")
async def verify(request: Request, service: ServiceOf, version: str | None = None) -> Response:
    """Gate, literal findings, class of each claim, verdicts and score of the case."""
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
