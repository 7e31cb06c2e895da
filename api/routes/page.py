"""``GET /``: the chat page, one file without libraries."""

from __future__ import annotations

from importlib import resources

from fastapi import APIRouter
from starlette.responses import HTMLResponse

router = APIRouter()

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


@router.get("/", include_in_schema=False)
def page() -> HTMLResponse:
    """The page that asks ``/api/chat/stream``."""
    text = resources.files("api").joinpath("web", "index.html").read_text(encoding="utf-8")
    return HTMLResponse(text, headers=_HEADERS)
