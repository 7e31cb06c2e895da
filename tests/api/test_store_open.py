"""Opening the run store: by which URL, what is said when it cannot be opened, and whose runs are lost."""

import sys
from pathlib import Path

import pytest

from api.errors import StorageError
from api.store import owner
from api.store.repository import open_store


def test_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_text("this is not a database, it is a note to the reader" * 100)
    with pytest.raises(StorageError, match=r"runs\.db.*not a database.*SUPERBIZ_HOME"):
        open_store(f"sqlite:///{tmp_path / 'runs.db'}", stale_after_s=600)


@pytest.mark.parametrize(
    "bad", ["nonsense", "sqlite://", "sqlite:///:memory:", "nodriver://host/db", "postgresql+no://h"]
)
def test_unusable_database_url_is_a_storage_error(bad: str) -> None:
    with pytest.raises(StorageError):
        open_store(bad, stale_after_s=600)


def test_password_of_a_database_url_is_not_shown() -> None:
    with pytest.raises(StorageError) as caught:
        open_store("nodriver://me:secret@host/db", stale_after_s=600)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_missing_driver_names_what_to_install(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StorageError, match=r"pip install 'superbiz\[postgres\]'") as caught:
        open_store(f"{scheme}://me:secret@127.0.0.1/runs", stale_after_s=600)
    assert "secret" not in str(caught.value)


def test_restarted_process_with_the_same_id_is_not_the_old_one() -> None:
    host, pid, mark = owner.current_owner().split("|")
    assert owner.is_dead(f"{host}|{pid}|{mark}") is False
    if mark:
        assert owner.is_dead(f"{host}|{pid}|another-boot:1") is True
    assert owner.is_dead(f"{host}|999999999|{mark}") is True
