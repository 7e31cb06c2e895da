"""Mutants outside functions: the tables, limits and fixed texts of a module.

mutmut changes only what is inside a function, and half of the rules here are tables. Its operators make these mutants
too; each is written into the tree and judged in a fork, because a table is read when its module is imported.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.util import cache_from_source
from pathlib import Path

from tests.mutation.mutant import Mutant, Sample, Status, difference
from tests.mutation.work import python

_HEAVY = ("hypothesis", "pydantic", "pytest", "dspy", "fastapi.testclient", "sqlmodel")
_NO_BEHAVIOUR = ("Literal[", "__all__")


def table_mutants(
    tree: Path, module: str, tests: Sequence[str], log: Path, sample: Sample | None = None
) -> list[Mutant]:
    """Judge the mutants of one module's tables; with ``sample`` those drawn.

    Raises:
        RuntimeError: the tests fail without any mutant, or do not notice a module that cannot be imported.
    """
    answer = tree.parent / "tables.json"
    answer.unlink(missing_ok=True)
    count = str(sample or "")
    if python(tree, "-m", "tests.mutation.tables", module, str(answer), count, *tests, log=log) or not answer.exists():
        raise RuntimeError(f"the tables of {module} could not be judged; see {log}")
    return [Mutant(**fields) for fields in json.loads(answer.read_text("utf-8"))]


def _mutated(path: str, source: str) -> Iterator[str]:
    import libcst as cst
    from mutmut.mutation.file_mutation import create_mutations, deep_replace

    module, mutations, _, _ = create_mutations(path, source)
    for mutation in mutations:
        if not isinstance(mutation.contained_by_top_level_function, cst.FunctionDef):
            changed = deep_replace(module, mutation.original_node, mutation.mutated_node)
            assert isinstance(changed, cst.Module)
            yield changed.code


def _judge(tests: list[str], seconds: float, *, first: bool = False) -> Status:
    """Import everything anew in a fork and run the tests, with a limit of CPU time.

    The ``first`` run leaves the bytecode of all modules behind for the others.
    """
    child = os.fork()
    if child == 0:
        sys.dont_write_bytecode = not first
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        import pytest

        code = pytest.main(["-x", "-q", "--tb=line", "--no-header", *tests])
        os._exit(min(int(code), 100))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timeout"
    return "survived" if code == 0 else "killed"


def main(module: str, answer: str, sample: str, *tests: str) -> None:
    """Judge the table mutants of ``module`` in the working folder and write them to ``answer``.

    ``sample``: which to draw, as ``Sample`` writes itself; empty for all.
    """
    for name in _HEAVY:
        __import__(name)
    path = Path(module)
    source = path.read_text("utf-8")
    files = list(tests)
    start = time.monotonic()
    if _judge(files, 600, first=True) != "survived":
        raise SystemExit(f"the tests of {module} fail without a mutant")
    # Bytecode is matched by time and size, which a mutant may share with the original.
    Path(cache_from_source(module)).unlink(missing_ok=True)
    limit = 20 + 5 * (time.monotonic() - start)
    found: list[Mutant] = []
    try:
        path.write_text(source + "\nraise AssertionError\n", "utf-8")
        if _judge(files, limit) != "killed":
            raise SystemExit(f"the tests do not run this copy of {module}")
        changes = [(text, *difference(source, text)) for text in _mutated(module, source)]
        changes = [change for change in changes if not any(word in change[1] for word in _NO_BEHAVIOUR)]
        for text, before, after in draw.of(changes) if (draw := Sample.parsed(sample)) else changes:
            path.write_text(text, "utf-8")
            start = time.monotonic()
            status = _judge(files, limit)
            found.append(Mutant(module, "", before, after, status, time.monotonic() - start))
    finally:
        path.write_text(source, "utf-8")
    Path(answer).write_text(json.dumps([asdict(mutant) for mutant in found], ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
