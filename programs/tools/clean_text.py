"""Untrusted bytes and text made safe to store, show and cite, and records kept small enough to bind to as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from programs.raw_path import canonical_json

RECORD_LIMIT = 400
ELLIPSIS = "…"

_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def decode_line(raw: bytes) -> str:
    """One line of a file as text: UTF-8, else GB18030 as a whole, else UTF-8 with U+FFFD for what is broken."""
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", errors="replace")


def clean(text: str) -> str:
    """``text`` without characters that a database or UTF-8 refuses.

    Control characters become their visible pictures (NUL is ``␀``), lone surrogates become U+FFFD; tabs and line
    breaks stay.
    """
    return _UNSTORABLE.sub(_visible, text) if _UNSTORABLE.search(text) else text


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"


def shorten(text: str, limit: int) -> str:
    """The head of ``text``, at most ``limit`` characters, the last one an ellipsis when something was cut."""
    return text if len(text) <= limit else text[: limit - 1] + ELLIPSIS


def fitted(record: Mapping[str, Any], field: str, head: int, limit: int = RECORD_LIMIT) -> dict[str, Any]:
    """``record`` with ``field`` cut to ``head`` characters, and further until its canonical JSON has ``limit``."""
    text = str(record[field])
    fit = {**record, field: shorten(text, head)}
    while (excess := len(canonical_json(fit)) - limit) > 0 and len(fit[field]) > 1:
        fit[field] = shorten(text, max(1, len(fit[field]) - excess))
    return fit
