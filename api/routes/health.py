"""``GET /healthz``: the process is alive, and how busy it is."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.service import ServiceOf

router = APIRouter()


@router.get("/healthz")
async def healthz(service: ServiceOf) -> dict[str, Any]:
    """Alive; ``running`` and ``waiting`` count runs."""
    running = service.queue.running
    return {"status": "ok", "running": running, "waiting": len(service.queue) - running}
