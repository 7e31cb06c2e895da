"""Every error of the HTTP service as a problem document (RFC 9457), without internals."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api.errors import BadInput, BodyTooLarge, Busy, NotFound, RunTimedOut, StorageError
from api.jsontext import storable, wire
from optimize.registry import VersionError
from programs.lms.choice import LMUnavailable
from programs.runtime import RunCancelled
from programs.tools.scenario import ScenarioError
from signatures.verdict_case import CaseFileError

Problem = dict[str, Any]
LOG = logging.getLogger("superbiz")

_KNOWN: dict[type[Exception], tuple[int, str, str]] = {
    BadInput: (422, "bad-input", "The request cannot be used"),
    ScenarioError: (422, "scenario", "The scenario cannot be used"),
    VersionError: (422, "version", "The program version cannot be used"),
    CaseFileError: (422, "verdict-case", "The verdict case cannot be used"),
    NotFound: (404, "not-found", "Not found"),
    BodyTooLarge: (413, "too-large", "The request is too large"),
    Busy: (429, "busy", "The service is busy"),
    LMUnavailable: (503, "model-unavailable", "No model can answer"),
    RunTimedOut: (504, "run-timed-out", "The run took too long"),
    RunCancelled: (503, "run-cancelled", "The run was cancelled"),
    StorageError: (503, "storage", "The run store cannot be used"),
}
_HIDDEN = {
    StorageError: "the run store did not answer; the service's log says why",
    RunCancelled: "the run was stopped",
}


def problem_of(error: Exception) -> Problem:
    """The problem document of a fault; an unknown one shows nothing of itself and goes to the log."""
    for kind, (status, name, title) in _KNOWN.items():
        if isinstance(error, kind):
            if kind is StorageError:
                LOG.error("%s", error)
            document = _document(status, title, _HIDDEN.get(kind, str(error)), name)
            if isinstance(error, BadInput):
                document["field"] = error.field
            return document
    LOG.error("internal fault", exc_info=error)
    return _document(500, "Internal error", "the fault is in the service's log; ask again or report it", "internal")


def _document(status: int, title: str, detail: str, name: str) -> Problem:
    return {
        "type": f"urn:superbiz:problem:{name}",
        "title": title,
        "status": status,
        "detail": storable(detail)[:2_000],
    }


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    """The HTTP answer that carries a problem document."""
    return Response(wire(problem), problem["status"], headers, "application/problem+json")


def _validation_problem(error: RequestValidationError) -> Problem:
    found = [
        {"field": ".".join(str(part) for part in item["loc"]), "reason": item["msg"]} for item in error.errors()[:20]
    ]
    unreadable = any(item["type"] == "json_invalid" for item in error.errors())
    detail = "; ".join(f"{item['field']}: {item['reason']}" for item in found)
    problem = _document(400 if unreadable else 422, "The request cannot be used", detail, "bad-input")
    return problem | {"errors": found}


def install(app: FastAPI) -> None:
    """Answer every fault of ``app`` with a problem document."""

    async def on_known(_: Request, error: Exception) -> Response:
        headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Busy) else None
        return problem_response(problem_of(error), headers)

    async def on_validation(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem_response(_validation_problem(error))

    async def on_http(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        headers = dict(error.headers) if error.headers else None
        return problem_response(_document(error.status_code, "Request refused", str(error.detail), "http"), headers)

    for kind in _KNOWN:
        app.add_exception_handler(kind, on_known)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_known)
