"""The table of hostile inputs names 25 kinds, and each named test exists."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def _tests(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_each_kind_has_tests_that_exist_and_each_test_its_kind() -> None:
    table = tomllib.loads((HERE / "inputs.toml").read_text(encoding="utf-8"))
    assert sorted(table) == [f"{number:02d}" for number in range(1, 26)]
    own = {name for file in HERE.glob("test_*.py") for name in _tests(file) if name.startswith("test_hostile_")}
    named = set()
    for number, row in table.items():
        assert row["kind"] and row["outcome"] and row["tests"]
        for test in row["tests"]:
            file, _, name = test.rpartition("::")
            assert name in (_tests(ROOT / file) if file else own), f"{number}: there is no {test}"
            if not file:
                assert name.startswith(f"test_hostile_{number}_")
                named.add(name)
    assert own - named == set()
