"""Opens the run store: SQLite in WAL mode by default, any SQLAlchemy database by URL."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlmodel import SQLModel

from api.errors import StorageError
from api.store import tables  # noqa: F401  (registers the tables)

BUSY_TIMEOUT_S = 30.0
_WRITE = "superbiz_write"


def storage_error(engine_url: URL, error: BaseException) -> StorageError:
    """The fault as a user is told it: which database, what it said, what to do. Holds no password."""
    cause = getattr(error, "orig", None) or error
    where = engine_url.database or engine_url.render_as_string(hide_password=True)
    return StorageError(
        f"run store {where}: {cause}; check that the folder exists, is writable and has space, "
        "or point SUPERBIZ_DATABASE_URL or SUPERBIZ_HOME elsewhere"
    )


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    # Changing the journal mode needs the file alone and does not wait for busy_timeout: several processes that open
    # an empty database at once would see "database is locked".
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                return
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.execute(f"PRAGMA busy_timeout={int(BUSY_TIMEOUT_S * 1000)}")
        connection.execute("PRAGMA foreign_keys=ON")
        _switch_to_wal(connection)
        connection.execute("PRAGMA synchronous=NORMAL")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A write that starts as a read and is upgraded fails at once when another writer came in between.
        write = connection.get_execution_options().get(_WRITE, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def for_writing(engine: Engine) -> Engine:
    """The same engine and pool, whose transactions take the write lock when they begin."""
    return engine.execution_options(**{_WRITE: True})


def open_engine(url: str) -> Engine:
    """An engine with all tables in place; safe when several processes open an empty database at once.

    Raises:
        StorageError: the URL cannot be read, or the database cannot be opened or written.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StorageError(
            f"SUPERBIZ_DATABASE_URL is not a database URL ({len(url)} characters); write e.g. sqlite:////path/to/file.db"
        ) from None
    sqlite = parsed.get_backend_name() == "sqlite"
    if sqlite and parsed.database in (None, "", ":memory:"):
        raise StorageError(f"{url}: an in-memory database is not shared between threads; name a file")
    try:
        if sqlite:
            Path(parsed.database or "").parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed, pool_size=8, max_overflow=56, pool_timeout=BUSY_TIMEOUT_S)
        if sqlite:
            _prepare_sqlite(engine)
        with for_writing(engine).begin() as connection:
            SQLModel.metadata.create_all(connection)
    except (SQLAlchemyError, NoSuchModuleError, ImportError, OSError, sqlite3.Error) as error:
        raise storage_error(parsed, error) from error
    return engine
