"""Excerpts as the model reads them: one compact line a record, so that reading stays cheap.

Leaf bindings of one record (``$.logs[3].timestamp``, ``$.logs[3].message``) become one line again; a date shared by
all times is said once, because a small model's tokenizer spends one token on every digit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from programs.fact_listing import short
from programs.facts_render import sentences
from signatures.contracts import VerifiedEvidence

LINE_CHARS = 260
TOTAL_CHARS = 1800
_SERIES = re.compile(r"^(\$\.series\[\d+\])(.*)$")
_POINT = re.compile(r"^\.points\[(\d+)\]\[([01])\]$")
_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})T(?=\d{2}:)")
_SUBSECOND = re.compile(r"(\d{2}:\d{2}:\d{2})\.\d+")
_LEADING = ("timestamp", "first_seen", "startsAt", "level", "severity", "service", "metric", "alertname", "state")


def excerpt_text(evidence: Sequence[VerifiedEvidence]) -> str:
    """The claim's excerpts, one record a line, at most TOTAL_CHARS characters."""
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for item in evidence:
        parent, key, value = _place(item)
        # What our own tools say in twenty JSON fields, code says in one exact sentence.
        told = sentences(item.tool_name, item.raw_path, value)
        if told:
            groups[(item.source_invocation_id, item.raw_path)] = {"text": short(told[0])}
            continue
        group = groups.setdefault((item.source_invocation_id, parent), {})
        if isinstance(value, dict) and key == "":
            group.update(value)
        else:
            group[key or "text"] = value
    lines = [_line(group)[:LINE_CHARS] for group in groups.values()]
    return _say_date_once("\n".join(lines))[:TOTAL_CHARS]


def _place(item: VerifiedEvidence) -> tuple[str, str, Any]:
    series = _SERIES.match(item.raw_path)
    if series and not item.matched_text.startswith("{"):
        return series[1], series[2].lstrip(".").removeprefix("stats"), _parsed(item.matched_text)
    head, dot, leaf = item.raw_path.rpartition(".")
    value = _parsed(item.matched_text)
    if isinstance(value, dict) or not dot or (head == "$" and leaf.endswith("]")):
        return item.raw_path, "", value
    return head, leaf, value


def _parsed(text: str) -> Any:
    if text.startswith(("{", "[")):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _line(record: dict[str, Any]) -> str:
    points: dict[int, dict[int, str]] = {}
    rest: dict[str, Any] = {}
    for key, value in record.items():
        point = _POINT.match("." + key)
        if point:
            points.setdefault(int(point[1]), {})[int(point[2])] = str(value)
        elif value not in (None, "", [], {}):
            rest[key] = value
    words = [str(rest.pop(key)) for key in _LEADING if key in rest]
    message = rest.pop("message", rest.pop("summary", rest.pop("text", None)))
    details = [
        f"{key}={value if isinstance(value, (str, int, float)) else json.dumps(value)}" for key, value in rest.items()
    ]
    line = " ".join(words)
    if message is not None:
        line = f"{line}: {message}" if line else str(message)
    if details:
        line = f"{line} ({', '.join(details)})" if line else ", ".join(details)
    if points:
        shown = "; ".join(" = ".join(pair[i] for i in sorted(pair)) for _, pair in sorted(points.items()))
        line = f"{line}: {shown}" if line else shown
    return line


def _say_date_once(text: str) -> str:
    text = _SUBSECOND.sub(r"\1", text)
    dates = set(_DATE.findall(text))
    if len(dates) != 1:
        return text
    return f"date {dates.pop()}\n" + _DATE.sub("", text)
