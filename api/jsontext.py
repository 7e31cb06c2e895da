"""JSON text in two dialects: one that loses nothing (store), one that every reader accepts (wire).

Tool output is untrusted: it may hold lone surrogates, NUL characters, NaN and Infinity. Neither a database column nor
an HTTP body takes those as they are.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def _escape_surrogates(text: str) -> str:
    try:
        text.encode()  # several times as fast as looking for what is hardly ever there
    except UnicodeEncodeError:
        pass
    else:
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def lossless(value: Any) -> str:
    """JSON text for the store: Chinese stays readable; NaN and Infinity stay numbers (Python's dialect)."""
    return _escape_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def from_lossless(text: str) -> Any:
    """The value that `lossless` was given."""
    return json.loads(text)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def wire(value: Any, *, indent: int | None = None) -> str:
    """JSON text by RFC 8259: a non-finite number is written as its name in text (hostile input 7)."""
    return _escape_surrogates(json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent))


def storable(text: str) -> str:
    """Text that any database column takes: what it cannot hold becomes U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)
