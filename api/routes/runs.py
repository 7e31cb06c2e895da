"""``GET /api/runs/{run_id}``: what the store knows of a run."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from api.errors import NotFound
from api.jsontext import wire
from api.service import ServiceOf
from api.store.records import StoredRun

router = APIRouter()


def run_object(run: StoredRun) -> dict[str, Any]:
    """The run for a reader: tool outputs stay in the store, they can be megabytes; their summaries are here."""
    found = run.model_dump(exclude={"invocations": {"__all__": {"output", "run_id"}}})
    result = found.pop("result") or {}
    kept = ("claims", "evidence", "evidence_gaps", "calls", "fallback_origin")
    return found | {name: result[name] for name in kept if name in result}


@router.get("/api/runs/{run_id}")
async def get_run(run_id: str, service: ServiceOf) -> Response:
    """A run with status, answer, claims, evidence, tool calls, events and evaluation."""
    run = await run_in_threadpool(service.chat.store.get_run, run_id)
    if run is None:
        raise NotFound(f"there is no run {run_id[:80]!r}; the id stands in the answer to /api/chat")
    return Response(wire(run_object(run)), media_type="application/json")
