"""The one record of an answer that says what was asked and how much was there: what a negative finding binds to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from programs.raw_path import canonical_json
from programs.tools.base import shown_window
from programs.tools.clean_text import RECORD_LIMIT, clean, shorten
from programs.tools.scenario import Window


def summary_record(
    *,
    services: Sequence[str] | None,
    unknown: Sequence[str],
    window: Window,
    asked: Mapping[str, str | None],
    counts: Mapping[str, int],
) -> dict[str, Any]:
    """Window, filters and counts. ``service`` null: all of them; ``service_total`` when not all names fit."""
    filters = {name: shorten(clean(value), 60) for name, value in asked.items() if value}
    record: dict[str, Any] = {**shown_window(window), **filters, **counts}
    if unknown:
        record["unknown_service"] = [shorten(clean(name), 40) for name in unknown[:3]]
    names = None if services is None else [shorten(name, 60) for name in services]
    record["service"] = names
    while names and len(canonical_json(record)) > RECORD_LIMIT:
        names.pop()
        record["service_total"] = len(services or ())
    return record
