"""Addresses inside a tool's stored output: a strict JSONPath subset (G3).

``$`` is the output. Steps are ``.name`` (letters, digits, underscore), ``["any name"]`` and ``[n]``. No wildcard,
slice, filter or negative index: a path names exactly one place, or it is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_PATH = 1000
# Levels that are written out: json itself gives up at Python's own recursion limit.
MAX_DEPTH = 200
# Python writes no more than 4,300 decimals.
_DECIMAL_BITS = 14_000

_STEP = re.compile(r'\.([^\W\d]\w*)|\[(0|[1-9][0-9]{0,8})\]|\[("(?:[^"\\]|\\.)*")\]')
_NAME = re.compile(r"[^\W\d]\w*")
_END = object()
# Lone surrogates cannot be encoded and NUL cannot be stored by every database; both are shown as JSON escapes.
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


class RawPathError(ValueError):
    """A raw path that is malformed or leads nowhere. The message names the path and the step."""


def storable(text: str) -> str:
    """The text with lone surrogates and NUL written as ``\\uXXXX``, so that it can be encoded and stored anywhere."""
    return _UNSTORABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def canonical_json(value: Any) -> str:
    """One stable JSON text per value: sorted keys, compact, readable Unicode. NaN and infinities keep their names.

    What JSON cannot write is shown, never an error: unknown types by their ``str``, integers of thousands of digits in
    hexadecimal, what lies deeper than 200 levels (or inside itself) as ``…``.
    """
    try:
        return storable(_dumped(value))
    except (ValueError, TypeError, RecursionError):
        return storable(_dumped(_writable(value, MAX_DEPTH)))


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=shown_text)


def _writable(value: Any, depth: int) -> Any:
    if isinstance(value, dict | list | tuple) and depth == 0:
        return "…"
    if isinstance(value, dict):
        return {shown_text(key): _writable(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(item, depth - 1) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > _DECIMAL_BITS:
        return hex(value)
    return value


def shown_text(value: Any) -> str:
    """``str`` of anything: an integer too long for decimals in hexadecimal, what has no text by its type."""
    try:
        return str(value)
    except Exception:  # anything at all may be raised by a foreign __str__
        return hex(value) if isinstance(value, int) else f"<{type(value).__name__}>"


def text_of(value: Any) -> str:
    """What an excerpt is compared with: a string itself, anything else as its canonical JSON."""
    return value if isinstance(value, str) else canonical_json(value)


def parse(path: str) -> tuple[str | int, ...]:
    """The steps of a path.

    Raises:
        RawPathError: the path is not of the subset.
    """
    if len(path) > MAX_PATH:
        raise RawPathError(f"raw path of {len(path)} characters, at most {MAX_PATH}")
    if not path.startswith("$"):
        raise RawPathError(f"raw path {path!r} does not start with $")
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            raise RawPathError(f'raw path {path!r}: expected .name, ["name"] or [n] at character {position}')
        name, index, quoted = match.groups()
        if index is not None:
            steps.append(int(index))
        elif name is not None:
            steps.append(name)
        else:
            steps.append(_unquote(path, quoted))
        position = match.end()
    return tuple(steps)


def _unquote(path: str, quoted: str) -> str:
    try:
        name = json.loads(quoted)
    except json.JSONDecodeError:
        raise RawPathError(f"raw path {path!r}: {quoted} is not a JSON string") from None
    return str(name)


def resolve(output: Any, path: str) -> Any:
    """The value at the path, not copied.

    Raises:
        RawPathError: malformed path, or a step with nothing there.
    """
    value = output
    for step in parse(path):
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                raise RawPathError(f"raw path {path!r}: no element [{step}]")
            value = value[step]
        else:
            if not isinstance(value, dict) or step not in value:
                raise RawPathError(f"raw path {path!r}: no key {step!r}")
            value = value[step]
    return value


def step_text(step: str | int) -> str:
    """A step as a path spells it."""
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _NAME.fullmatch(step) else f"[{json.dumps(step, ensure_ascii=False)}]"


def leaves(output: Any) -> Iterator[tuple[str, Any]]:
    """Every scalar of the output with its path, in document order."""
    # An explicit stack: tool output may be nested deeper than Python recurses.
    stack: list[tuple[str, Any]] = [("$", output)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack.extend((path + step_text(str(key)), child) for key, child in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((f"{path}[{index}]", value[index]) for index in range(len(value) - 1, -1, -1))
        else:
            yield path, value


def record_path(path: str) -> str:
    """The record a leaf belongs to: the parent whose fields are read together.

    ``$.logs[3].message`` -> ``$.logs[3]``; a cell of a pair -> the pair (``$.series[0].points[3][1]`` ->
    ``$.series[0].points[3]``). An element of a plain list (``$.lines[3]``) and a field of the output itself
    (``$.matched``) are records of their own: their parent is everything.
    """
    steps = parse(path)
    lone_element = bool(steps) and isinstance(steps[-1], int) and not (len(steps) > 1 and isinstance(steps[-2], int))
    if len(steps) <= 1 or lone_element:
        return path
    return "$" + "".join(step_text(step) for step in steps[:-1])


def fits(value: Any, limit: int) -> bool:
    """Whether a value's canonical JSON has at most ``limit`` characters; stops reading as soon as it has not.

    A path to a whole output must not cost the reading of megabytes before it is refused.
    """
    room = limit
    stack: list[Iterator[Any]] = [iter((value,))]
    while stack:
        item = next(stack[-1], _END)
        if item is _END:
            stack.pop()
            continue
        if isinstance(item, dict):
            room -= 1
            stack.append(part for pair in item.items() for part in pair)
        elif isinstance(item, list):
            room -= 1
            stack.append(iter(item))
        else:
            room -= len(item) if isinstance(item, str) else 1
        if room < 0 or len(stack) > MAX_DEPTH:
            return False
    return len(canonical_json(value)) <= limit
