"""Milliseconds of an output's summary at three sizes: `python -m tests.bench.bench_summary` (goal: 150 ms for 5 MB)."""

from __future__ import annotations

import time
from typing import Any

from programs.injection import injection_flags
from programs.output_summary import summarize_output
from tests.bench.bench_gate import log_output

SIZES = (1.25, 2.5, 5.0)


def outputs(megabytes: float) -> dict[str, Any]:
    """Outputs of about that many megabytes, by kind."""
    logs = log_output(megabytes)
    text = "\n".join(f"{row['timestamp']} {row['message']}" for row in logs["logs"])
    chinese = "\n".join(f"支付网关：请求处理完成，耗时（毫秒） {row['message'][:300]}" for row in logs["logs"])
    rows = [{"id": n, "a": "x y z " * 20, "b": [1, 2, 3], "c": {"d": "ok"}} for n in range(int(megabytes * 5_300))]
    return {
        "log records": logs,
        "the same, one ERROR last": {"logs": [*logs["logs"], {"level": "ERROR", "message": "disk full"}]},
        "plain text": text,
        "Chinese text": chinese,
        "other JSON": {"rows": rows},
        "one line": "x" * len(text),
    }


def best_of(count: int, work: Any) -> float:
    """Milliseconds of the fastest of ``count`` runs."""
    taken = []
    for _ in range(count):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken) * 1000


def main() -> None:
    print(f"{'summary of':<26}" + "".join(f"{size:>9} MB" for size in SIZES) + "   5 MB / 1.25 MB")
    made = {size: outputs(size) for size in SIZES}
    for kind in made[SIZES[0]]:
        took = [best_of(5, lambda size=size, kind=kind: summarize_output(made[size][kind])) for size in SIZES]
        print(f"{kind:<26}" + "".join(f"{ms:>9.1f} ms" for ms in took) + f"{took[-1] / took[0]:>12.1f}")
    for kind in ("plain text", "Chinese text"):
        took = [best_of(3, lambda size=size, kind=kind: injection_flags(made[size][kind])) for size in SIZES]
        print(f"{'flags of ' + kind:<26}" + "".join(f"{ms:>9.1f} ms" for ms in took) + f"{took[-1] / took[0]:>12.1f}")


if __name__ == "__main__":
    main()
