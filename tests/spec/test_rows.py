"""Every row has a test, and every test here names a row."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
COUNT = 165


def _rows() -> set[str]:
    table = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))
    return {f"{group}-{number}" for group, rows in table.items() for number in rows}


def _tests() -> dict[str, str]:
    """Test name to its file, for the files of the groups."""
    groups = {row.partition("-")[0].lower() for row in _rows()}
    found = {}
    for file in HERE.glob("test_*.py"):
        if file.stem.removeprefix("test_") in groups:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
            assert len(names) == len(set(names)), f"{file.name} defines a test twice: the first one never runs"
            found |= {name: file.stem for name in names if name.startswith("test_")}
    return found


def test_the_table_has_every_row_once() -> None:
    assert len(_rows()) == COUNT


def test_every_row_has_a_test_and_every_test_a_row_of_its_files_group() -> None:
    rows, named = _rows(), set()
    for name, file in _tests().items():
        match = re.match(r"test_([a-z]{2})_(\d\d)_", name)
        assert match, f"{name} names no row"
        row = f"{match[1].upper()}-{match[2]}"
        assert row in rows, f"{name} names {row}, which is no row"
        assert file == f"test_{match[1]}", f"{name} stands in {file}"
        named.add(row)
    assert rows - named == set(), f"rows without a test: {sorted(rows - named)}"
