"""Opens the run store: SQLite by default, PostgreSQL by URL."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlmodel import SQLModel

from api.errors import StorageError
from api.store import (
    postgres,
    sqlite,
    tables,  # noqa: F401  (registers the tables)
)
from api.store.faults import storage_error

POOL_TIMEOUT_S = 30.0


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StorageError(
            f"SUPERBIZ_DATABASE_URL is not a database URL ({len(url)} characters); write e.g. sqlite:////path/to/file.db"
        ) from None
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise StorageError(f"{url}: an in-memory database is not shared between threads; name a file")
    return postgres.with_driver(parsed)


def _engine(url: URL) -> Engine:
    backend = url.get_backend_name()
    options: dict[str, Any] = {"pool_size": 8, "max_overflow": 56}
    if backend == "sqlite":
        Path(url.database or "").parent.mkdir(parents=True, exist_ok=True)
    elif backend == "postgresql":
        options = {**postgres.POOL, "isolation_level": postgres.WRITE_ISOLATION}
    engine = create_engine(url, pool_timeout=POOL_TIMEOUT_S, **options)
    if backend == "sqlite":
        sqlite.prepare(engine)
    elif backend == "postgresql":
        postgres.prepare(engine)
    return engine


def for_writing(engine: Engine) -> Engine:
    """The same engine and pool; on SQLite its transactions take the write lock when they begin."""
    return engine.execution_options(**{sqlite.WRITE: True})


def for_steps(engine: Engine) -> Engine:
    """`for_writing`, for what a later write of the same run will make durable with its own."""
    return for_writing(engine).execution_options(**{postgres.STEP: True})


def for_reading(engine: Engine) -> Engine:
    """The same engine and pool; every statement of one of its transactions sees the same state."""
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level=postgres.READ_ISOLATION)
    return engine


def open_engine(url: str) -> Engine:
    """An engine with all tables in place; safe when several processes open an empty database at once.

    Raises:
        StorageError: the URL cannot be read, its driver is missing, or the database cannot be opened or written.
    """
    parsed = _parsed(url)
    try:
        engine = _engine(parsed)
        with for_writing(engine).begin() as connection:
            if engine.dialect.name == "postgresql":
                postgres.prepare_database(connection, parsed)
            SQLModel.metadata.create_all(connection)
    except (SQLAlchemyError, NoSuchModuleError, ImportError, OSError, sqlite3.Error) as error:
        raise storage_error(parsed, error) from error
    return engine
