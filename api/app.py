"""The HTTP service: `create_app` puts routes, problem documents and the page together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata

from fastapi import FastAPI

from api import problems
from api.body_limit import BodyLimit
from api.chat_service import ChatService
from api.program_source import Programs, ProgramSource
from api.routes import chat, health, page, runs, verify
from api.run_queue import RunQueue
from api.service import Service
from api.settings import Settings
from api.store.repository import RunStore, open_store

LOG = logging.getLogger("superbiz")
STOP_SECONDS = 5.0


def create_app(settings: Settings, *, store: RunStore | None = None, programs: Programs | None = None) -> FastAPI:
    """The service over the settings' database and model; tests hand in their own.

    Raises:
        StorageError: the database cannot be opened.
    """
    store = store or open_store(settings.database_url, stale_after_s=settings.run_deadline_s + 60)
    programs = programs or ProgramSource(settings.lm)
    service = Service(
        chat=ChatService(store, programs, deadline_s=settings.run_deadline_s),
        programs=programs,
        queue=RunQueue(settings.max_running, settings.max_waiting),
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        if not service.queue.close(STOP_SECONDS):
            lost = store.cancel_own_runs("the service stopped")
            LOG.warning("%d runs did not stop within %g s and are marked cancelled", lost, STOP_SECONDS)

    app = FastAPI(
        title="SuperBiz",
        version=metadata.version("superbiz") if _installed() else "source",
        docs_url=None,  # the pages behind these load scripts from the network
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.add_middleware(BodyLimit)
    problems.install(app)
    for routes in (page, health, chat, runs, verify):
        app.include_router(routes.router)
    return app


def _installed() -> bool:
    try:
        metadata.version("superbiz")
    except metadata.PackageNotFoundError:
        return False
    return True
