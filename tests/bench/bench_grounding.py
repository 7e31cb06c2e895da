"""Claims grounded a second on one core, at three sizes each: `python -m tests.bench.bench_grounding`.

Five excerpts a claim, four of them whole records. Every claim is a distinct text. Excerpts are distinct in the first
table (cold: nothing is answered from a store) and shared by the claims of a case in the next two (warm, as the claims
of one run share them). The last table makes one excerpt longer and longer.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time

from programs.grounding import ground
from signatures.contracts import VerifiedEvidence

SIZES = (500, 1000, 2000)
BYTES = (10_000, 100_000, 1_000_000)
_FORMS = (
    "{service} 在 {clock} 返回 HTTP {code}，延迟达到 {ms} ms。",
    "{clock} 左右 {host} 的内存约 {mib} MB，CPU 超过 {percent}%。",
    "{service} logged {count} timeouts, the last at {clock} on {host}.",
    "连接池活跃连接 {count}，{service} 从 {clock} 开始报错。",
)


def _evidence(path: str, text: str) -> VerifiedEvidence:
    return VerifiedEvidence(
        binding_id="b", run_id="r", claim_id="c", source_invocation_id="inv_1", tool_name="query_logs",
        raw_path=path, matched_text=text,
    )  # fmt: skip


def cases(count: int, seed: int = 7) -> list[tuple[str, list[VerifiedEvidence]]]:
    """Generated claims with five excerpts each: three whole log records, one pattern, one leaf message."""
    rng = random.Random(seed)
    out: list[tuple[str, list[VerifiedEvidence]]] = []
    for number in range(count):
        service, host = f"svc-{rng.randrange(900)}-api", f"node-{number}"
        clock = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}"
        values = {
            "service": service, "host": host, "clock": clock, "code": rng.choice((500, 502, 503, 504)),
            "ms": rng.randrange(5, 9000), "mib": rng.randrange(50, 4000), "percent": rng.randrange(5, 99),
            "count": rng.randrange(2, 900),
        }  # fmt: skip
        evidence = []
        for row in range(3):
            code, took = rng.choice((500, 503)), rng.randrange(5, 9000)
            message = f"upstream {host} answered HTTP {code} after {took} ms, attempt {row}"
            record = {"level": "ERROR", "service": service, "host": host, "message": message}
            record["timestamp"] = f"2026-11-03T{clock}:{rng.randrange(60):02d}.{number % 1000:03d}+08:00"
            evidence.append(_evidence(f"$.logs[{row}]", json.dumps(record, sort_keys=True, separators=(",", ":"))))
        pattern = {
            "count": rng.randrange(2, 900),
            "level": "WARN",
            "message": f"pool active={number} max=50 waiting={row}",
        }
        evidence.append(_evidence("$.patterns[0]", json.dumps(pattern, sort_keys=True, separators=(",", ":"))))
        evidence.append(
            _evidence(
                "$.logs[9].message", f"memory usage {values['mib']}Mi of 4Gi, cpu {rng.random():.4f} core, id {number}"
            )
        )
        out.append((_FORMS[number % len(_FORMS)].format(**values), evidence))
    return out


def measure(count: int, claims_per_case: int) -> float:
    """Claims a second over ``count`` distinct claims; ``claims_per_case`` of them share five excerpts."""
    prepared = cases(count, seed=count + claims_per_case)
    shared = [(claim, prepared[i - i % claims_per_case][1]) for i, (claim, _) in enumerate(prepared)]
    gc.collect()
    gc.freeze()  # as the service does with what it has loaded: the cases are no cost of a claim
    begin = time.process_time()
    for claim, evidence in shared:
        ground(claim, evidence)
    taken = time.process_time() - begin
    gc.unfreeze()
    return count / taken


def measure_bytes(size: int) -> float:
    """Seconds for one claim over one new excerpt of ``size`` characters without a line end; the best of three."""
    best = float("inf")
    for seed in range(3):
        rng = random.Random(seed + size)
        parts = [
            f"node-{rng.randrange(99)} answered HTTP 503 after {rng.randrange(9000)} ms; " for _ in range(size // 40)
        ]
        text = "".join(parts)[:size]
        begin = time.process_time()
        ground(f"node-{seed} 返回 HTTP 502，延迟达到 {9100 + seed} ms。", [_evidence("$.logs[0].message", text)])
        best = min(best, time.process_time() - begin)
    return best


def main() -> int:
    """Print the rates; exit 1 when no size with shared excerpts reaches 2,000 claims a second."""
    reached = 0.0
    tables = (("cold: excerpts all distinct", 1), ("warm: 4 claims share excerpts", 4), ("warm: 10 claims share", 10))
    for label, per_case in tables:
        rates = [(size, measure(size, per_case)) for size in SIZES]
        print(label)
        for size, rate in rates:
            print(f"{size:>7} claims  {rate:>7.0f} claims/s  {1e6 / rate:>6.0f} us/claim")
        print(f"        per-claim cost x{rates[0][1] / rates[-1][1]:.2f} from {SIZES[0]} to {SIZES[-1]} claims")
        if per_case > 1:
            reached = max(reached, *(rate for _, rate in rates))
    print("one claim, one excerpt without a line end")
    for size in BYTES:
        seconds = measure_bytes(size)
        print(f"{size:>9} bytes  {seconds * 1e3:>7.1f} ms  {seconds * 1e9 / size:>6.0f} ns/byte")
    return 0 if reached >= 2000 else 1


if __name__ == "__main__":
    sys.exit(main())
