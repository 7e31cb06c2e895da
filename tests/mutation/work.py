"""A copy of the tree to mutate in: the checkout itself is never touched."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_MEMORY = 4 * 1024**3
_CACHE = re.compile(r"(?m)^@lru_cache\(.*\)\n")
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".hypothesis", "__pycache__", "*.egg-info", ".*_cache", "dist", "build", "mutants"
)


def copy_tree() -> Path:
    """Copy the checkout, untracked files included, into a new folder under ``$TMPDIR``."""
    folder = Path(tempfile.mkdtemp(prefix="superbiz-mutation-")) / "tree"
    shutil.copytree(ROOT, folder, ignore=_LEFT_OUT)
    for package in ("signatures", "programs"):
        for file in (folder / package).rglob("*.py"):
            _without_caches(file)
    return folder


def _without_caches(file: Path) -> None:
    # mutmut leaves decorated functions alone, and a warm cache would answer in the place of the mutant.
    text = file.read_text("utf-8")
    if "@lru_cache" in text:
        file.write_text(_CACHE.sub("", text), "utf-8")


def environment() -> Mapping[str, str]:
    """The environment of a mutation run: short property tests, no stale bytecode of another mutant."""
    return {**os.environ, "HYPOTHESIS_PROFILE": "mutation", "PYTHONDONTWRITEBYTECODE": "1"}


def test_files(tree: Path, patterns: tuple[str, ...]) -> list[str]:
    """The test files of the tree that match: in the order of the patterns, so that the quickest can stand first."""
    found = [path.relative_to(tree).as_posix() for pattern in patterns for path in sorted(tree.glob(pattern))]
    return list(dict.fromkeys(found))


def _bounded() -> None:
    # A mutant may never stop to grow; without a bound it takes the whole machine down.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def python(tree: Path, *arguments: str, log: Path) -> int:
    """Run this interpreter in the tree, whose packages win over an installed checkout; output goes to ``log``."""
    with log.open("a", encoding="utf-8") as out:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=tree, env=environment(), stdout=out, stderr=subprocess.STDOUT, preexec_fn=_bounded
        ).returncode
