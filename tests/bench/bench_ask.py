"""Seconds a whole answer takes, where they go, and how close that is to the engine's own limit.

    python -m tests.bench.bench_ask [--out FILE.jsonl] [--version V] [--only ID ...]

Asks every question of ``data/expected`` with the embedded model. For each: wall seconds, model and tool seconds, own
time (wall minus both), model calls, tokens, verdict, facts found and forbidden conclusions. The limit is tokens read /
reading speed + tokens written / writing speed, both speeds measured on this machine just before.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from programs.lms.choice import RoleLMs


def speeds(lms: RoleLMs) -> tuple[float, float]:
    """(tokens read a second, tokens written a second) of the engine, on one fresh prompt."""
    assert lms.engine is not None
    server = lms.engine.load()
    text = " ".join(f"{n}: 10:0{n % 6}:12 payment-gateway ERROR connection is not available" for n in range(30))
    body = {
        "messages": [{"role": "user", "content": f"{time.time()} {text} 用中文概括。"}],
        "max_tokens": 40,
        "temperature": 0,
    }
    timings = server.handle_chat_completions(body)["timings"]
    return timings["prompt_per_second"], timings["predicted_per_second"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--version")
    parser.add_argument("--only", nargs="*", help="question ids; all without it")
    chosen = parser.parse_args()
    from api.program_source import ProgramSource
    from programs.runtime import RunContext
    from programs.tools.scenario import pick_scenario

    source = ProgramSource()
    version = source.resolve(chosen.version)
    program, lms = source.program(version), source.lms()
    reading, writing = speeds(lms)
    print(f"model {lms.name}, version {version}: reads {reading:.1f} tokens/s, writes {writing:.1f} tokens/s")
    walls: list[float] = []
    for folder in sorted(files("data").joinpath("expected").iterdir(), key=lambda item: item.name):
        for asked in json.loads(folder.read_text(encoding="utf-8"))["questions"]:
            if chosen.only and asked["id"] not in chosen.only:
                continue
            scenario, _ = pick_scenario(asked["question"])
            started = time.perf_counter()
            result = program.diagnose(asked["question"], RunContext(f"bench-{asked['id']}", scenario))
            wall = time.perf_counter() - started
            walls.append(wall)
            model = sum(cost.model_seconds for cost in result.calls)
            tools = sum(cost.tool_seconds for cost in result.calls)
            fresh = sum(cost.tokens_in - cost.tokens_cached for cost in result.calls)
            written = sum(cost.tokens_out for cost in result.calls)
            limit = fresh / reading + written / writing
            steps = sum(cost.model_calls > 0 for cost in result.calls)
            print(
                f"{asked['id']}: {wall:.1f} s (model {model:.1f}, tools {tools:.2f}, "
                f"own {1000 * (wall - model - tools):.0f} ms); "
                f"generating steps {steps}, calls {sum(c.model_calls for c in result.calls)}, "
                f"readouts {sum(c.decision_calls for c in result.calls)}, read {fresh}, written {written}; "
                f"wall/limit {wall / limit if limit else 0:.2f}; {result.verdict} {result.route}; "
                f"facts {found(asked, result.answer)}; forbidden {forbidden(asked, result.answer)}",
                flush=True,
            )
            if chosen.out:
                with chosen.out.open("a", encoding="utf-8") as sink:
                    sink.write(
                        json.dumps({"id": asked["id"], **result.model_dump(mode="json")}, ensure_ascii=False) + "\n"
                    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"median {statistics.median(walls):.1f} s, slowest {max(walls):.1f} s, peak memory {peak:.0f} MiB")


def found(asked: dict[str, Any], answer: str) -> str:
    """How many of the expected facts the answer states."""
    facts = asked["expected_facts"]
    stated = sum(any(all(part in answer for part in way) for way in fact["any_of"]) for fact in facts)
    return f"{stated}/{len(facts)}"


def forbidden(asked: dict[str, Any], answer: str) -> int:
    """How many forbidden conclusions the answer draws; patterns are searched sentence by sentence."""
    sentences = re.split(r"[。；！？\n]", answer)
    return sum(
        any(re.search(pattern, sentence) for pattern in item["patterns"] for sentence in sentences)
        for item in asked["forbidden_conclusions"]
    )


if __name__ == "__main__":
    main()
