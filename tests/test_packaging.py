"""The installed package carries what it needs, and the README's two command lines are the promised ones."""

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
FIRST_ANSWER = (
    'python3 -m venv .venv && .venv/bin/pip install -e ".[local]" && '
    '.venv/bin/superbiz ask "支付网关从 10:05 开始大量 5xx，为什么？"'
)
TEST_RUN = 'python3 -m venv .venv && .venv/bin/pip install -e ".[local,dev]" && .venv/bin/pytest'


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names in the wheel that `pip install .` would install."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed, and fetching it for an isolated build would need a network")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-q", "-w", str(folder)]
    built = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=240)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def shipped(folder: str) -> set[str]:
    """The files of a folder of the repository that an installed package needs."""
    return {
        path.relative_to(REPO).as_posix()
        for path in (REPO / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


@pytest.mark.parametrize(
    ("folder", "example"),
    [
        ("data/scenarios", "/scenario.json"),
        ("data/scenarios", "/logs.jsonl"),
        ("data/scenarios/runbooks", ".md"),
        ("data/verdicts", ".jsonl"),
        ("api/web", ".html"),
        ("data/compiled", "registry.json"),
    ],
)
def test_the_wheel_carries_the_data(folder: str, example: str, wheel_names: list[str]) -> None:
    files = shipped(folder)
    if not files and folder in ("data/compiled", "api/web"):
        pytest.skip(f"the repository has no {folder} yet")
    assert any(name.endswith(example) for name in files), f"the repository has no {folder}/*{example}"
    assert files - set(wheel_names) == set()


def test_the_wheel_carries_the_code_and_the_command(wheel_names: list[str]) -> None:
    for package in ("signatures", "programs", "optimize", "api"):
        assert shipped(package) - set(wheel_names) == set()
    assert any(name.endswith(".dist-info/entry_points.txt") for name in wheel_names)


def test_the_wheel_carries_no_tests(wheel_names: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names if ".dist-info/" not in name}
    assert tops == {"signatures", "programs", "optimize", "api", "data"}


@pytest.mark.parametrize("line", [FIRST_ANSWER, TEST_RUN], ids=["first-answer", "tests"])
def test_the_readme_gives_the_command_line_verbatim(line: str) -> None:
    lines = (REPO / "README.md").read_text(encoding="utf-8").splitlines()
    assert line in [text.strip() for text in lines]
