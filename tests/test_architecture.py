"""Who may import whom, and what lies at the top: the fixed layout of the repository."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
OURS = ("signatures", "programs", "optimize", "api", "data")
TOP_LEVEL = {"pyproject.toml", "README.md", "LICENSE", "tests", *OURS}
BUILD_OUTPUT = {"build", "dist", "__pycache__"}

MAY_IMPORT = {
    "signatures": {"signatures"},
    "programs": {"signatures", "programs", "data"},
    "optimize": {"signatures", "programs", "optimize", "data"},
    "api": {"signatures", "programs", "api"},
    "data": {"data"},
}
SERVICE_LIBRARIES = {"sqlmodel", "sqlalchemy", "alembic", "fastapi", "starlette", "sse_starlette", "uvicorn"}
MODEL_LIBRARIES = {"xllamacpp", "litellm", "openai", "huggingface_hub", "tokenizers", "torch", "transformers"}
DSPY_IN_SIGNATURES = {"Signature", "InputField", "OutputField", "signatures"}


@dataclass(frozen=True)
class Import:
    file: Path
    line: int
    module: str
    inside_function: bool

    @property
    def top(self) -> str:
        return self.module.split(".")[0]

    def __str__(self) -> str:
        return f"{self.file.relative_to(REPO)}:{self.line} imports {self.module}"


def sources(package: str) -> list[Path]:
    return sorted((REPO / package).rglob("*.py"))


def imports_of(file: Path) -> Iterator[Import]:
    """Every import of a file with its full module name: relative ones resolved, `from a import b` as `a.b`."""

    def visit(node: ast.AST, inside: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(file, child.lineno, alias.name, inside)
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    folder = file.relative_to(REPO).parts[: -child.level]
                    base = ".".join((*folder, base)).rstrip(".")
                for alias in child.names:
                    yield Import(file, child.lineno, f"{base}.{alias.name}", inside)
            yield from visit(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))

    yield from visit(ast.parse(file.read_text(encoding="utf-8"), str(file)), False)


def is_module(found: Import, *modules: str) -> bool:
    return any(found.module == module or found.module.startswith(f"{module}.") for module in modules)


def allowed(package: str, found: Import) -> bool:
    if found.top not in (*OURS, "tests") or found.top in MAY_IMPORT[package]:
        return True
    if package != "api":
        return False
    if is_module(found, "optimize.registry"):
        return True
    mounts = is_module(found, "optimize.cli", "optimize.data_cli")
    return mounts and found.inside_function and found.file == REPO / "api" / "cli.py"


@pytest.mark.parametrize("package", OURS)
def test_imports_follow_the_one_direction(package: str) -> None:
    files = sources(package)
    assert files
    assert [str(found) for file in files for found in imports_of(file) if not allowed(package, found)] == []


def test_programs_know_no_database_and_no_http_server() -> None:
    found = [found for file in sources("programs") for found in imports_of(file) if found.top in SERVICE_LIBRARIES]
    assert [str(one) for one in found] == []


def test_signatures_know_no_model() -> None:
    wrong = []
    for file in sources("signatures"):
        wrong += [str(found) for found in imports_of(file) if found.top in MODEL_LIBRARIES]
        wrong += [
            str(found)
            for found in imports_of(file)
            if found.top == "dspy" and found.module != "dspy" and found.module.split(".")[1] not in DSPY_IN_SIGNATURES
        ]
        wrong += [
            f"{file.relative_to(REPO)}:{node.lineno} uses dspy.{node.attr}"
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "dspy"
            and node.attr not in DSPY_IN_SIGNATURES
        ]
    assert wrong == []


@pytest.mark.parametrize(
    ("package", "file", "text", "ok"),
    [
        ("signatures", "signatures/x.py", "from programs.routing import after_gate", False),
        ("programs", "programs/x.py", "def f():\n    import optimize.registry", False),
        ("programs", "programs/lms/x.py", "from ...api import cli", False),
        ("programs", "programs/lms/x.py", "from ..tools import base", True),
        ("optimize", "optimize/x.py", "import api", False),
        ("api", "api/x.py", "from optimize.registry import champion", True),
        ("api", "api/x.py", "from optimize import registry", True),
        ("api", "api/x.py", "from optimize import compilers", False),
        ("api", "api/cli.py", "def mount():\n    from optimize.cli import app", True),
        ("api", "api/cli.py", "from optimize.cli import app", False),
        ("api", "api/x.py", "def mount():\n    from optimize.cli import app", False),
        ("api", "api/x.py", "import tests.conftest", False),
    ],
)
def test_the_rule_itself_tells_right_from_wrong(
    package: str, file: str, text: str, ok: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_text", lambda self, encoding: text)
    assert all(allowed(package, found) for found in imports_of(REPO / file)) is ok


def test_the_top_level_holds_only_the_fixed_entries() -> None:
    found = {
        path.name
        for path in REPO.iterdir()
        if not path.name.startswith(".") and path.suffix != ".egg-info" and path.name not in BUILD_OUTPUT
    }
    assert found - TOP_LEVEL == set()
    assert TOP_LEVEL - {"LICENSE"} - found == set()


def test_the_command_line_starts_without_model_and_database_code() -> None:
    heavy = ("dspy", "litellm", "xllamacpp", "sqlmodel", "sqlalchemy", "fastapi", "jieba", "drain3", "scipy", "sklearn")
    code = f"import sys, api.cli; print([name for name in {heavy!r} if name in sys.modules])"
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=REPO, env=dict(os.environ), capture_output=True, text=True, timeout=60
    )
    assert answer.stdout == "[]\n", answer.stderr
