"""The container of a run's evaluation channels: one JSON object, each channel under its own key (SE-01)."""

from __future__ import annotations

import json
from typing import Any

from api.jsontext import lossless


def read_container(stored: str | None) -> dict[str, Any]:
    """The stored text as an object; a value that is none is kept under ``legacy_value`` (G24)."""
    if stored is None:
        return {}
    try:
        value = json.loads(stored)
    except (ValueError, RecursionError):
        value = stored
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"legacy_value": value}


def with_channel(stored: str | None, key: str, value: Any) -> str:
    """The text to store when one channel is set: every other one stays as it is (SE-07)."""
    return lossless(read_container(stored) | {key: value})
