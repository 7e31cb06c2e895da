"""Milliseconds of the gate over big outputs: ``python -m tests.bench.bench_gate`` (goal: 50 ms, 5 MB, 100 bindings)."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Sequence
from typing import Any

from programs.gatekeeper import check
from signatures.contracts import ToolInvocation

BINDINGS = 100
RUN = "run-bench"


def log_output(megabytes: float) -> dict[str, Any]:
    """A query_logs output of about that many megabytes of JSON."""
    record_bytes = 400
    count = int(megabytes * 1_000_000 / record_bytes)
    return {
        "logs": [
            {
                "timestamp": f"2026-01-01T10:{index // 60 % 60:02d}:{index % 60:02d}.000+08:00",
                "level": "INFO",
                "service": "payment-gateway",
                "host": f"pod-{index % 30}",
                "message": f"request {index} " + "handled within budget " * 11,
            }
            for index in range(count)
        ]
    }


def contract(bindings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Ten claims that share the bindings."""
    claims = [
        {
            "claim_id": f"c{number}",
            "claim_type": "error_event",
            "claim_text": "payment-gateway handled requests",
            "support_level": "direct",
            "evidence_bindings": list(bindings[number::10]),
        }
        for number in range(min(10, len(bindings)))
    ]
    empty: dict[str, Any] = {"hypotheses": [], "recommended_actions": [], "missing_info": []}
    return {"answer_version": "executor_evidence_v2", "claims": claims, **empty}


def binding(excerpt: str, raw_path: str | None) -> dict[str, Any]:
    return {
        "source_type": "log",
        "tool_name": "query_logs",
        "source_invocation_ids": ["inv_1"],
        "evidence_excerpt": excerpt,
        "raw_path": raw_path,
    }


def measure(output: Any, bindings: Sequence[dict[str, Any]]) -> tuple[float, str]:
    """Median milliseconds of five checks, and what became of the bindings."""
    invocation = ToolInvocation(
        invocation_id="inv_1", run_id=RUN, tool_name="query_logs", success=True, evidence_level="strong", output=output
    )
    value = contract(bindings)
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        outcome = check(value, [invocation], run_id=RUN, evidence_tools={"query_logs"})
        seconds.append(time.perf_counter() - started)
    passed = sum(row.status == "passed" for row in outcome.result.checked_bindings)
    return statistics.median(seconds) * 1000, f"{passed} of {len(bindings)} passed"


def spread(output: dict[str, Any], count: int = BINDINGS) -> list[int]:
    last = len(output["logs"]) - 1
    return [last * step // (count - 1) for step in range(count)]


def main() -> None:
    print(f"{'case':<44}{'MB':>6}{'ms':>10}")
    for megabytes in (1.25, 2.5, 5.0):
        output = log_output(megabytes)
        size = len(json.dumps(output)) / 1_000_000
        rows = spread(output)
        messages = [output["logs"][index]["message"][:40] for index in rows]
        text = "\n".join(f"{row['timestamp']} {row['message']}" for row in output["logs"])
        spaced = [message.replace(" ", "\n", 1) for message in messages]
        cases = {
            "paths to records": [
                binding(message, f"$.logs[{row}]") for message, row in zip(messages, rows, strict=True)
            ],
            "one text output": [binding(message, "$") for message in messages],
            "one text output, other whitespace": [binding(message, "$") for message in spaced],
            "no path: search of the leaves": [binding(message, None) for message in messages],
            "path to the whole output (refused)": [binding(message, "$") for message in messages],
        }
        for name, bindings in cases.items():
            milliseconds, result = measure(text if "text" in name else output, bindings)
            print(f"{name:<44}{size:>6.1f}{milliseconds:>10.2f}   {result}")


if __name__ == "__main__":
    main()
