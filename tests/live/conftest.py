"""The real embedded model, opened once for the whole live pass."""

import os
from pathlib import Path

import pytest

from programs.lms.choice import RoleLMs, open_lms


@pytest.fixture(scope="session")
def lms() -> RoleLMs:
    """The embedded model from the machine's own model cache."""
    os.environ.pop("SUPERBIZ_LM", None)
    return open_lms("embedded")


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run store of this test's own; the model cache stays the machine's."""
    path = tmp_path / "runs.db"
    monkeypatch.setenv("SUPERBIZ_DATABASE_URL", f"sqlite:///{path}")
    return path
