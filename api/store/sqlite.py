"""SQLite as the run store: WAL mode, and transactions that say at their beginning whether they write."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from sqlalchemy import Connection, Engine, event

BUSY_TIMEOUT_S = 30.0
WRITE = "superbiz_write"


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


def prepare(engine: Engine) -> None:
    """Set up every connection and transaction of the engine."""

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
        write = connection.get_execution_options().get(WRITE, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
