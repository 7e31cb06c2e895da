"""What a tool call was worth, in words and counts that code can vouch for: dedup keys, trace summary, the run's score.

The trace summary is an internal artefact (Executor context, trace, gap building); the Verifier never sees it (X1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from programs.injection import injection_flags
from programs.output_summary import summarize_output, whole_words
from programs.raw_path import canonical_json, storable
from signatures.contracts import ToolInvocation

__all__ = ["dedup_key", "injection_flags", "rule_evaluation", "summarize_output", "tool_trace_summary"]

TRACE_LIMIT = 12_000
RULE_EVALUATION_VERSION = "rules_v1"


# --- dedup (G5) -------------------------------------------------------------------------------------------------------


def dedup_key(tool: str, params: Mapping[str, Any], output: Any = None) -> str:
    """Two calls of one run with the same key bring nothing new.

    Parameters count by meaning: absent equals null, the order of a list does not matter, an instant is the same in
    every zone. A knowledge lookup whose ``output`` is given counts by the chunks it returned, whatever was asked.
    """
    if tool == "lookup_knowledge" and isinstance(output, dict) and output.get("chunks"):
        chunks = sorted(canonical_json(_chunk_identity(chunk)) for chunk in output["chunks"])
        return f"{tool} {canonical_json(chunks)}"
    meant = {name: _meant(value) for name, value in params.items() if value is not None}
    return f"{tool} {canonical_json(meant)}"


def _chunk_identity(chunk: Any) -> Any:
    if not isinstance(chunk, dict):
        return chunk
    return chunk.get("chunk_id") or [chunk.get("doc"), chunk.get("section"), chunk.get("text")]


def _meant(value: Any) -> Any:
    if isinstance(value, list | tuple | set):
        return sorted({canonical_json(_meant(item)) for item in value})
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    text = " ".join(value.split())
    try:
        instant = datetime.fromisoformat(text)
        return instant.astimezone(UTC).isoformat() if instant.tzinfo else text
    except (ValueError, OverflowError):
        return text


# --- trace summary (NE rows, D7-D10) ----------------------------------------------------------------------------------


def tool_trace_summary(invocations: Sequence[ToolInvocation], limit: int = TRACE_LIMIT) -> str:
    """All calls of a run in at most ``limit`` characters: a head line each, then the facts in equal shares.

    Failed, empty and repeated calls keep their head line, so that the gap stays visible (NE-01, NE-02, NE-04).
    """
    heads = [_head(row) for row in invocations]
    while heads and len("\n".join(heads)) > limit:
        heads = (
            [*heads[: len(heads) // 2 - 1], "…", *heads[len(heads) // 2 + 1 :]]
            if len(heads) > 3
            else [heads[0][:limit]]
        )
    if len(heads) != len(invocations):
        return "\n".join(heads)
    facts = [_facts(row) for row in invocations]
    room = limit - len("\n".join(heads)) - sum(1 for text in facts if text)
    shares = _shares([len(text) for text in facts], room)
    blocks = [
        f"{head}\n{whole_words(text, 0, share)}" if text and (share == len(text) or share > 40) else head
        for head, text, share in zip(heads, facts, shares, strict=True)
    ]
    return "\n".join(blocks)


def _facts(row: ToolInvocation) -> str:
    if not row.success or _state(row) not in ("ok", "partial"):
        return ""
    return row.output_summary or summarize_output(row.output)


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Equal shares of the room, where what one does not need goes to the others."""
    shares = [0] * len(sizes)
    wanting = sorted((index for index, size in enumerate(sizes) if size), key=lambda index: sizes[index])
    for done, index in enumerate(wanting):
        fair = max(0, room) // (len(wanting) - done)
        if sizes[index] > fair:
            for other in wanting[done:]:
                shares[other] = fair
            break
        shares[index] = sizes[index]
        room -= sizes[index]
    return shares


def _head(row: ToolInvocation) -> str:
    text = f"[{row.invocation_id}] {row.tool_name} {canonical_json(row.params)[:200]} {_state(row)}"
    if row.dedup_of:
        text += f" of {row.dedup_of}"
    if row.failure_reason:
        text += f": {' '.join(row.failure_reason.split())[:120]}"
    return storable(f"{text} hits={row.hit_count} evidence={row.evidence_level}")


def _state(row: ToolInvocation) -> str:
    if row.dedup_of or row.failure_code == "DEDUPED":
        return "repeated"
    if row.failure_code == "NO_HIT":
        return "no hit"
    if not row.success:
        return f"failed {row.failure_code or 'TOOL_ERROR'}"
    return "partial" if row.failure_code == "PARTIAL" else "ok"


# --- rule evaluation (G23) --------------------------------------------------------------------------------------------


def rule_evaluation(invocations: Sequence[ToolInvocation]) -> dict[str, Any]:
    """How good the run's evidence is, from its tool calls alone: score 0-100, grade, counts, issues."""
    fresh = [row for row in invocations if _state(row) != "repeated"]
    levels = Counter(row.evidence_level for row in invocations)
    worth = {"strong": 1.0, "weak": 0.5, "none": 0.0}
    score = round(100 * sum(worth[row.evidence_level] for row in fresh) / len(fresh)) if fresh else 0
    issues = [f"{row.invocation_id} {row.tool_name}: {_state(row)}" for row in invocations if _state(row) != "ok"] + [
        f"{row.invocation_id} {row.tool_name}: suspicious text ({', '.join(row.injection_flags)})"
        for row in invocations
        if row.injection_flags
    ]
    return {
        "version": RULE_EVALUATION_VERSION,
        "score": score,
        "grade": next(grade for least, grade in ((80, "A"), (60, "B"), (40, "C"), (0, "D")) if score >= least),
        "evidence_levels": {level: levels.get(level, 0) for level in ("strong", "weak", "none")},
        "tools": dict(sorted(Counter(row.tool_name for row in invocations).items())),
        "issues": issues,
    }
