"""What is recorded of a tool call: the one place where a ToolInvocation is made (G5, G6, D10)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from programs.evidence import injection_flags, summarize_output
from programs.raw_path import canonical_json, shown_text
from programs.tools.base import ToolFailure, ToolOutput
from programs.tools.clean_text import clean, shorten
from programs.tools.json_value import OutputTooLarge
from programs.tools.scenario_files import ScenarioError
from signatures.contracts import FailureCode, ToolInvocation

_REASON = 300
_MOST_HITS = 2**31 - 1  # what every store can hold
_SAID: dict[FailureCode, str] = {
    "TOOL_ERROR": "出错",
    "TIMEOUT": "超时",
    "NO_HIT": "没有命中",
    "DEDUPED": "与之前的调用重复",
    "BUDGET_EXCEEDED": "超出调用次数上限",
}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def failed(base: ToolInvocation, code: FailureCode, reason: str) -> ToolInvocation:
    """A call without evidence; its gap stays visible (NE-02)."""
    return base.model_copy(
        update={
            "success": False,
            "failure_code": code,
            "failure_reason": clean(shorten(reason, _REASON)),
            "new_evidence": False,
        }
    )


def repeated(base: ToolInvocation, first: str) -> ToolInvocation:
    """A call that brings nothing new: recorded as a success of no worth (G5)."""
    reason = f"same question as {first}: no new evidence"
    return failed(base, "DEDUPED", reason).model_copy(update={"success": True, "dedup_of": first})


def answered(base: ToolInvocation, result: ToolOutput, output: Any) -> ToolInvocation:
    """A call with an answer; an empty one is marked unsuccessful and keeps its output (D10, G6).

    Raises pydantic's ValidationError when the tool's own count, level or code is none.
    """
    useful = result.failure_code in (None, "PARTIAL")
    told = {
        "success": useful,
        "failure_code": result.failure_code,
        "failure_reason": clean(shorten(result.failure_reason, _REASON)) if result.failure_reason else None,
        "evidence_level": result.evidence_level if useful else "none",
        "new_evidence": useful,
        "hit_count": min(result.hit_count, _MOST_HITS),
        "output": output,
        "output_summary": summarize_output(output),
        "injection_flags": injection_flags(canonical_json(output)),
    }
    return ToolInvocation(**{**dict(base), **told})


def outcome(row: ToolInvocation) -> str:
    """One line for the user (Chinese): hits or what went wrong, and the milliseconds."""
    hits = f"命中 {row.hit_count} 条"
    said = hits if row.failure_code in (None, "PARTIAL") else _SAID[row.failure_code]
    return f"{row.tool_name}：{said}，{row.duration_ms:.0f} ms"


def why(error: Exception) -> str:
    """The reason of a failure, with the offending value where there is one."""
    if isinstance(error, ValidationError):
        kind = "field" if error.title == ToolInvocation.__name__ else "parameter"
        return "; ".join(
            f"{kind} {'.'.join(str(part) for part in one['loc']) or '?'}: {one['msg']} "
            f"(given {shorten(_repr(one['input']), 60)})"
            for one in error.errors()[:3]
        )
    if isinstance(error, ToolFailure | ScenarioError | OutputTooLarge):
        return str(error)
    return f"{type(error).__name__}: {shown_text(error)}"


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # anything at all may be raised by a foreign __repr__
        return shown_text(value)
