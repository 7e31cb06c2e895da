"""Milliseconds of the gate over big outputs: ``python -m tests.bench.bench_gate`` (goal: 50 ms, 5 MB, 100 bindings)."""

from __future__ import annotations

import json
import random
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
    """Milliseconds of the fastest of seven checks, and what became of the bindings."""
    invocation = ToolInvocation(
        invocation_id="inv_1", run_id=RUN, tool_name="query_logs", success=True, evidence_level="strong", output=output
    )
    value = contract(bindings)
    seconds = []
    for _ in range(7):
        started = time.perf_counter()
        outcome = check(value, [invocation], run_id=RUN, evidence_tools={"query_logs"})
        seconds.append(time.perf_counter() - started)
    passed = sum(row.status == "passed" for row in outcome.result.checked_bindings)
    return min(seconds) * 1000, f"{passed} of {len(bindings)} passed"


def spread(count: int, picks: int = BINDINGS) -> list[int]:
    return [(count - 1) * step // (picks - 1) for step in range(picks)]


def strangers(characters: int) -> str:
    """Lines without a common beginning: nothing that a search could share."""
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(3000)]
    return "\n".join(" ".join(rng.choices(words, k=20)) for _ in range(characters // 160))


Case = tuple[str, Any, list[dict[str, Any]]]


def cases(megabytes: float) -> list[Case]:
    """(what is cited and how, the output, its bindings)."""
    output = log_output(megabytes)
    logs = output["logs"]
    rows = spread(len(logs))
    excerpts = [logs[index]["message"][:40] for index in rows]
    other_blanks = [excerpt.replace(" ", "\n", 1) for excerpt in excerpts]
    lines = [f"{row['timestamp']} {row['message']}" for row in logs]
    text = "\n".join(lines)
    chinese = "\n".join(f"支付网关：请求失败，原因（连接超时） {row['message'][:300]}" for row in logs)
    strange = strangers(len(text))
    stranger_lines = strange.splitlines()
    stranger_excerpts = [stranger_lines[index][:60] for index in spread(len(stranger_lines))]
    paths = [f"$.logs[{row}]" for row in rows]

    def whole(excerpts: Sequence[str]) -> list[dict[str, Any]]:
        return [binding(excerpt, "$") for excerpt in excerpts]

    return [
        ("paths to records", output, [binding(*pair) for pair in zip(excerpts, paths, strict=True)]),
        ("one text", text, whole(excerpts)),
        ("one text, other blanks cited", text, whole(other_blanks)),
        ("one text with CRLF, other blanks cited", text.replace("\n", "\r\n"), whole(other_blanks)),
        ("one Chinese text, other blanks cited", chinese, whole(other_blanks)),
        ("one text, lines that begin apart", strange, whole(stranger_excerpts)),
        ("one text, excerpts that are not in it", text, whole(stranger_excerpts)),
        ("no path", output, [binding(excerpt, None) for excerpt in excerpts]),
        ("path to all records (refused)", output, whole(excerpts)),
    ]


def main() -> None:
    sizes = (1.25, 2.5, 5.0)
    print(f"{'5 MB: the last size':<42}" + "".join(f"{size:>7} MB" for size in sizes) + "   ratio")
    by_size = [cases(size) for size in sizes]
    for same in zip(*by_size, strict=True):
        results = [measure(output, bindings) for _, output, bindings in same]
        took = [milliseconds for milliseconds, _ in results]
        shown = "".join(f"{milliseconds:>7.1f} ms" for milliseconds in took)
        print(f"{same[0][0]:<42}{shown}{took[-1] / took[0]:>8.1f}   {results[-1][1]}")
    print(f"{'5 MB, no path: bindings':<42}" + "".join(f"{count:>10}" for count in (25, 50, 100)))
    _, output, bindings = by_size[-1][-2]
    took = [measure(output, bindings[:: BINDINGS // count])[0] for count in (25, 50, 100)]
    print(f"{'':<42}" + "".join(f"{milliseconds:>7.1f} ms" for milliseconds in took))
    print(f"size of the biggest as JSON: {len(json.dumps(output)) / 1_000_000:.1f} MB")


if __name__ == "__main__":
    main()
