"""Mutants inside functions: made and judged by mutmut, which runs for each only the tests that reach its function."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mutation.mutant import Mutant, Sample, Status, changed
from tests.mutation.work import python

_START = "from mutmut.__main__ import cli; cli()"


def function_mutants(
    tree: Path, modules: Sequence[str], tests: Sequence[str], log: Path, sample: Sample | None = None
) -> list[Mutant]:
    """Run mutmut over modules of the tree that share their tests; with ``sample`` over those drawn of each module.

    Raises:
        RuntimeError: the tests fail without any mutant or change their ids, or mutmut cannot run; the message names
            the log.
    """
    if python(tree, "-m", "tests.mutation.names", *tests, log=log):
        raise RuntimeError(f"tests without a lasting id would count as kills; see {log}")
    shutil.rmtree(tree / "mutants", ignore_errors=True)
    _configure(tree / "pyproject.toml", modules, tests)
    run = ("-c", _START, "run", "--max-children", "1")
    chosen: list[str] = []
    if sample is not None:
        # A name that fits nothing ends mutmut with an error, after it has made the mutants and timed the tests.
        python(tree, *run, "no mutant", log=log)
        chosen = [name for module in modules for name in sample.of(list(_fates(tree, module)))]
    stopped = (sample is not None and not chosen) or python(tree, *run, *chosen, log=log) != 0
    # mutmut stops when there is nothing to mutate, as in a module of tables.
    if stopped and any(_fates(tree, module) for module in modules):
        raise RuntimeError(f"mutmut stopped at {', '.join(modules)}; see {log}")
    return [mutant for module in modules for mutant in _results(tree, module, sampled=sample is not None)]


def _configure(pyproject: Path, modules: Sequence[str], tests: Sequence[str]) -> None:
    # mutmut reads its settings from here only; the copy's section gets what differs from run to run.
    text = re.sub(r"(?m)^(only_mutate|pytest_add_cli_args_test_selection) = .*\n", "", pyproject.read_text("utf-8"))
    wanted = f"only_mutate = {json.dumps(modules)}\npytest_add_cli_args_test_selection = {json.dumps(tests)}\n"
    pyproject.write_text(text.replace("[tool.mutmut]\n", f"[tool.mutmut]\n{wanted}"), "utf-8")


def _meta(tree: Path, module: str) -> dict[str, Any]:
    file = tree / "mutants" / f"{module}.meta"
    if not file.exists():
        raise RuntimeError(f"mutmut made no mutants of {module}")
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return content


def _fates(tree: Path, module: str) -> dict[str, int | None]:
    """Exit code of pytest by the name of the mutant; None before it was judged."""
    codes: dict[str, int | None] = _meta(tree, module)["exit_code_by_key"]
    return codes


def _results(tree: Path, module: str, *, sampled: bool) -> list[Mutant]:
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.stats import status_by_exit_code
    from mutmut.utils.format_utils import orig_function_and_class_names_from_key

    seconds_of = _meta(tree, module)["durations_by_key"]
    mutants = []
    with contextlib.chdir(tree):
        for name, code in _fates(tree, module).items():
            if sampled and code is None:
                continue
            function, owner = orig_function_and_class_names_from_key(name)
            before, after = changed(get_diff_for_mutant(name, path=module).splitlines())
            status = _status(status_by_exit_code[code])
            full_name = f"{owner}.{function}" if owner else function
            mutants.append(Mutant(module, full_name, before, after, status, seconds_of.get(name) or 0.0))
    return mutants


def _status(word: str) -> Status:
    if word in ("killed", "segfault"):
        return "killed"
    if word in ("timeout", "survived", "no tests"):
        return word  # type: ignore[return-value]
    raise RuntimeError(f"mutmut left a mutant as {word!r}: the run was not finished")
