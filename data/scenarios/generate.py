"""Rebuild the shipped incidents: ``python -m data.scenarios.generate`` writes, ``--check`` only compares.

The files are a pure function of the generator's code, so a check tells whether telemetry was edited by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from data.scenarios.generator import broker_disk, payment_pool, recommend_oom, search_false_alarm
from data.scenarios.generator.incident import Incident, files

HERE = Path(__file__).parent
INCIDENTS: tuple[Callable[[], Incident], ...] = (
    payment_pool.incident,
    broker_disk.incident,
    recommend_oom.incident,
    search_false_alarm.incident,
)


def expected_files() -> dict[str, bytes]:
    """Relative path -> bytes of every generated file."""
    return {
        f"{incident.name}/{name}": text.encode("utf-8")
        for incident in (build() for build in INCIDENTS)
        for name, text in files(incident).items()
    }


def differing(root: Path) -> list[str]:
    """Relative paths of the files below ``root`` that are missing or not byte for byte what the generator gives."""
    return [
        path
        for path, content in expected_files().items()
        if not (root / path).is_file() or (root / path).read_bytes() != content
    ]


def write(root: Path) -> list[str]:
    """Write every generated file below ``root``; returns the relative paths."""
    built = expected_files()
    for path, content in built.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return list(built)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0, or 1 when ``--check`` finds a difference."""
    parser = argparse.ArgumentParser(prog="python -m data.scenarios.generate", description="Rebuild shipped incidents.")
    parser.add_argument("--check", action="store_true", help="compare with the files on disk, write nothing")
    if not parser.parse_args(arguments).check:
        print(f"wrote {len(write(HERE))} files below {HERE}")
        return 0
    wrong = differing(HERE)
    for path in wrong:
        print(f"differs from the generator: data/scenarios/{path}", file=sys.stderr)
    if wrong:
        print("Run `python -m data.scenarios.generate` if the generator is right.", file=sys.stderr)
        return 1
    print("all generated files are up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
