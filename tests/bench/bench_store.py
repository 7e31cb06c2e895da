"""Milliseconds that persisting adds to one answer: ``python -m tests.bench.bench_store`` (goal: 30 ms).

All writes of a run: its start, 14 invocations that share the output, 60 events in the recorder's batches, both
evaluation channels, the answer. SQLite in a temporary folder, and PostgreSQL with a server's own settings, so that
every commit reaches the disk.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from api.store.recorder import RunRecorder
from api.store.repository import RunStore, open_store
from programs.evidence import rule_evaluation
from signatures.contracts import DiagnosisResult, EvidenceItem, ReportedClaim, RunEvent, ToolInvocation
from tests.bench.bench_gate import log_output
from tests.support.postgres import PostgresUnavailable, running_server

CALLS = 14
EVENTS = 60
SIZES_KB = (10, 100, 1_000, 5_000)
AT = "2026-01-01T10:05:00.000+08:00"


def calls(run_id: str, kilobytes: int) -> list[ToolInvocation]:
    """The run's tool calls, whose outputs have that many kilobytes of JSON together."""
    output = log_output(kilobytes / 1_000 / CALLS)
    return [
        ToolInvocation(
            invocation_id=f"inv_{run_id[-6:]}_{number}",
            run_id=run_id,
            tool_name="query_logs",
            params={"service": ["payment-gateway"], "min_level": "WARN", "limit": 50},
            success=True,
            evidence_level="strong",
            hit_count=len(output["logs"]),
            output=output,
            output_summary="payment-gateway 的 WARN 以上日志" * 12,
            started_at=AT,
            duration_ms=12.5,
        )
        for number in range(CALLS)
    ]


def events(number: int) -> list[RunEvent]:
    """The events around one tool call."""
    each = range(number * EVENTS // CALLS, (number + 1) * EVENTS // CALLS)
    data = {"tool": "query_logs", "params": {"service": ["payment-gateway"]}, "ms": 12.5}
    return [
        RunEvent(seq=seq, at=AT, node="execute", kind="note", message="query_logs：50 条", data=data) for seq in each
    ]


def answered(run_id: str) -> DiagnosisResult:
    """An answer with eight claims and their evidence."""
    claims = [
        ReportedClaim(
            claim_id=f"c{number}",
            claim_type="error_event",
            claim_text="payment-gateway 的连接池耗尽，请求在 3000ms 后超时",
            is_critical=True,
            classification="direct_observation",
            basis="rendered",
        )
        for number in range(8)
    ]
    evidence = [
        EvidenceItem(
            mark=f"证{number}",
            claim_ids=(f"c{number}",),
            source_invocation_id=f"inv_{run_id[-6:]}_{number}",
            tool_name="query_logs",
            raw_path=f"$.logs[{number}]",
            quote="HikariPool-pay - Connection is not available, request timed out after 3000ms",
        )
        for number in range(8)
    ]
    return DiagnosisResult(
        run_id=run_id,
        question="支付网关从 10:05 开始大量 5xx，为什么？",
        answer="结论\n连接池耗尽 [证1]\n" * 20,
        route="composer",
        verdict="PASS",
        groundedness_score=1.0,
        claims=tuple(claims),
        evidence=tuple(evidence),
    )


def persist(store: RunStore, made: list[ToolInvocation], result: DiagnosisResult, told: list[list[RunEvent]]) -> None:
    """Every write of one run."""
    run_id = result.run_id
    store.start_run(run_id, question=result.question, session_id="bench", scenario="pool")
    recorder = RunRecorder(store, run_id)
    for number, call in enumerate(made):
        for event in told[number]:
            recorder.on_event(event)
        recorder.on_invocation(call)
    recorder.flush()
    store.update_self_evaluation(run_id, "rule_evaluation", rule_evaluation(recorder.invocations))
    verdict = {"verdict": "PASS", "claim_checks": [claim.model_dump() for claim in result.claims]}
    store.update_self_evaluation(run_id, "verifier_evaluation", verdict)
    store.finish_run(result, calls=len(recorder.invocations))


def measure(store: RunStore, kilobytes: int, runs: int) -> list[float]:
    """Milliseconds of each run, the first one left out."""
    told = [events(number) for number in range(CALLS)]
    taken = []
    for number in range(runs + 1):
        run_id = f"run-{kilobytes}-{number:06d}"
        made, result = calls(run_id, kilobytes), answered(run_id)
        started = time.perf_counter()
        persist(store, made, result, told)
        taken.append((time.perf_counter() - started) * 1_000)
    return taken[1:]


def report(name: str, url: str, runs: int) -> None:
    store = open_store(url, stale_after_s=600)
    for kilobytes in SIZES_KB:
        taken = measure(store, kilobytes, runs)
        median, fastest = statistics.median(taken), min(taken)
        print(f"{name}: {kilobytes:5d} KB of output: median {median:6.1f} ms, fastest {fastest:6.1f} ms", flush=True)
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--folder", type=Path, help="where the SQLite file lies; default: a temporary folder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        report("SQLite", f"sqlite:///{folder}/runs.db", chosen.runs)
    try:
        with running_server(durable=True) as server, server.database() as url:
            report("PostgreSQL", url, chosen.runs)
    except PostgresUnavailable as error:
        print(f"PostgreSQL: {error}")


if __name__ == "__main__":
    main()
