"""What the hostile inputs are made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from programs.tools.base import BoundCall, ToolOutput
from tests.spec.harness import (
    ERROR_LINE,
    LOGS,
    binding,
    claim,
    contract,
)


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def logs(*messages: Any, **fields: Any) -> dict[str, Any]:
    """A log call whose records say ``messages``."""
    return {**LOGS, "output": {"logs": [{**ERROR_LINE, **fields, "message": message} for message in messages]}}


def about(text: str, excerpt: str, *, path: str = "$.logs[0]", kind: str = "error_event") -> dict[str, Any]:
    return contract(claim("c1", kind, claim_text=text, evidence_bindings=[binding(excerpt, path)]))


def returns(monkeypatch: pytest.MonkeyPatch, tool: type, made: Callable[[], Any]) -> None:
    """Every call of ``tool`` returns (or raises) what ``made`` does."""

    def bind(self: Any, params: Mapping[str, Any]) -> BoundCall:
        return BoundCall(dict(params), dict(params), lambda: ToolOutput(made(), 1))

    monkeypatch.setattr(tool, "bind", bind)
