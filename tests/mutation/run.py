"""Mutation testing of the deterministic core: ``python -m tests.mutation.run [MODULE...]``.

Needs the extra ``mutation`` (mutmut). Works in a copy under ``$TMPDIR`` on one core and prints a table: mutants,
killed (a timeout counts), survivors explained in ``survivors.toml``, and survivors that nothing explains, with
their lines. Everything takes hours; ``--sample 50`` draws mutants of each module, ``--seed`` which ones. Exit 1 when
fewer than 90% of a module's mutants die; with ``--strict`` also when a survivor is not listed.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

from tests.mutation.functions import function_mutants
from tests.mutation.modules import MODULES
from tests.mutation.mutant import Mutant, Sample
from tests.mutation.survivors import Listed, listed, stale, survivors, unlisted
from tests.mutation.tables import table_mutants
from tests.mutation.work import copy_tree, test_files

LEAST_PERCENT = 90.0
_HEAD = ("module", "mutants", "killed", "timeout", "listed", "unlisted", "percent", "seconds")


def percent(mutants: Sequence[Mutant]) -> float:
    """The share of mutants that died, 0..100."""
    return 100 * (len(mutants) - len(survivors(mutants))) / len(mutants) if mutants else 100.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code: 2 when a run was not possible."""
    options = _options(arguments)
    entries = listed()
    sample = Sample(options.sample, options.seed) if options.sample else None
    tree = copy_tree()
    print(f"working in {tree.parent}", flush=True)
    mutants: list[Mutant] = []
    try:
        for patterns, modules in groupby(options.modules or MODULES, MODULES.__getitem__):
            found = _judged(tree, list(modules), patterns, sample)
            mutants += found
            _save(options.json, mutants)
            _print_table(_rows(found, entries))
    except RuntimeError as error:
        print(f"error: {error}")
        return 2
    rows = _rows(mutants, entries)
    print("\nresult")
    _print_table(rows)
    # A sample says nothing of the listed mutants that were not drawn.
    _print_details(unlisted(mutants, entries), stale(mutants, entries) if sample is None else [])
    if not options.keep:
        shutil.rmtree(tree.parent)
    enough = all(percent(found) >= LEAST_PERCENT for found in _by_module(mutants).values())
    return 0 if enough and not (options.strict and unlisted(mutants, entries)) else 1


def _judged(tree: Path, modules: list[str], patterns: tuple[str, ...], sample: Sample | None) -> list[Mutant]:
    log = tree.parent / "log.txt"
    tests = test_files(tree, patterns)
    in_tables = [mutant for module in modules for mutant in table_mutants(tree, module, tests, log, sample)]
    return function_mutants(tree, modules, tests, log, sample) + in_tables


def _save(file: Path | None, mutants: Sequence[Mutant]) -> None:
    if file:
        file.write_text(json.dumps([asdict(mutant) for mutant in mutants], ensure_ascii=False, indent=1), "utf-8")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.run", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"one of {', '.join(MODULES)}; default: all")
    parser.add_argument("--strict", action="store_true", help="a survivor that is not listed is a failure")
    parser.add_argument(
        "--sample", type=int, metavar="N", help="at most N mutants in functions and N in tables a module"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which mutants --sample draws; default 0")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write every mutant with its fate, as the run goes on"
    )
    parser.add_argument("--keep", action="store_true", help="keep the copy of the tree and the log")
    options = parser.parse_args(arguments)
    for module in options.modules:
        if module not in MODULES:
            parser.error(f"unknown module {module!r}; one of {', '.join(MODULES)}")
    return options


def _by_module(mutants: Sequence[Mutant]) -> dict[str, list[Mutant]]:
    found: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        found.setdefault(mutant.module, []).append(mutant)
    return found


def _rows(mutants: Sequence[Mutant], entries: Sequence[Listed]) -> list[tuple[str, ...]]:
    parts = list(_by_module(mutants).items())
    return [_row(module, found, entries) for module, found in (*parts, ("all", list(mutants)))]


def _row(name: str, found: Sequence[Mutant], entries: Sequence[Listed]) -> tuple[str, ...]:
    timeouts = sum(mutant.status == "timeout" for mutant in found)
    alive, new = len(survivors(found)), len(unlisted(found, entries))
    counts = (len(found), len(found) - alive - timeouts, timeouts, alive - new, new)
    return (name, *map(str, counts), f"{percent(found):.1f}", f"{sum(mutant.seconds for mutant in found):.0f}")


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    table = [_HEAD, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), flush=True)


def _print_details(new: Sequence[Mutant], gone: Sequence[tuple[Listed, str]]) -> None:
    for mutant in new:
        print(f"\nnot listed: {mutant.module} {mutant.function}\n  - {mutant.before}\n  + {mutant.after}")
    for entry, after in gone:
        print(f"\nlisted, but no such mutant lives: {entry.module} {entry.function}\n  + {after}")


if __name__ == "__main__":
    raise SystemExit(main())
