"""The two README commands' entry points, as a fresh checkout offers them."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path


def test_superbiz_is_the_installed_command() -> None:
    (command,) = entry_points(group="console_scripts", name="superbiz")
    assert command.value == "api.cli:main"
    installed = Path(sys.executable).with_name("superbiz")
    done = subprocess.run([installed, "--help"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert {"ask", "verify", "serve", "model", "optimize", "data"} <= set(done.stdout.split())


def test_pytest_collects_the_suite_from_the_checkout_root() -> None:
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/data"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "test_scenarios" in done.stdout
