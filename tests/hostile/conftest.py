"""The service under test, over a store of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import read_settings
from api.store.repository import open_store
from tests.spec.harness import Spec


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The file of the run store."""
    return tmp_path / "runs.db"


@pytest.fixture
def spec(database: Path) -> Iterator[Spec]:
    store = open_store(f"sqlite:///{database}", stale_after_s=600)
    opened: list[TestClient] = []

    def client_of(programs: Any) -> TestClient:
        app = create_app(read_settings({"SUPERBIZ_HOME": "unused"}), store=store, programs=programs)
        client = TestClient(app, raise_server_exceptions=False)
        opened.append(client.__enter__())
        return client

    yield Spec(client_of)
    for client in opened:
        client.__exit__()
    store.close()
