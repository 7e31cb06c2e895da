"""PostgreSQL as the run store: which driver, which limits, and what a database must offer."""

from __future__ import annotations

from multiprocessing.connection import wait
from typing import Any

from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError

from api.errors import StorageError

# Of the transactions that write. A serializable one would fail for the sake of another; each of ours locks what it
# reads and then writes.
WRITE_ISOLATION = "READ COMMITTED"
# Execution option of a transaction that writes a step of a run, not its end.
STEP = "superbiz_step"
# A run is read in several statements, which must see one state.
READ_ISOLATION = "REPEATABLE READ"
# A server takes 100 connections by default, and a service may have several worker processes.
POOL: dict[str, Any] = {"pool_size": 8, "max_overflow": 8}
# Seconds to connect, milliseconds until a silent network is given up.
_LIMITS = {"connect_timeout": "10", "tcp_user_timeout": "30000", "client_encoding": "utf8"}
_TABLES_LOCK = 0x53757065_7242697A  # any number that is ours alone


def with_driver(url: URL) -> URL:
    """The URL with psycopg as the driver when it names none, and with deadlines when it has none of its own."""
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername != "postgresql+psycopg":
        return url
    return url.set(query={**_LIMITS, **url.query})


def prepare(engine: Engine) -> None:
    """Replace connections that the server has closed, and let the steps of a run commit without waiting for its disk.

    Twenty waits for a disk would cost more than everything else; the end of the run waits for all of them. When this
    process dies nothing is lost; what a crash of the server may lose is noticed at the end of the run.
    """

    @event.listens_for(engine, "checkout")
    def on_checkout(connection: Any, _record: object, _proxy: object) -> None:
        # A server that closes a connection says so on it. Asking with a statement would cost one more exchange each.
        if wait([connection.fileno()], timeout=0):
            raise DisconnectionError("the server has closed the connection")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        if connection.get_execution_options().get(STEP, False):
            connection.exec_driver_sql("SET LOCAL synchronous_commit = off")


def prepare_database(connection: Connection, url: URL) -> None:
    """Let one process at a time create the tables, and refuse a database that cannot hold every text.

    Raises:
        StorageError: the database is not in UTF-8.
    """
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise StorageError(
            f"database {url.database} has the encoding {encoding} and cannot hold every text; make one with "
            "createdb --encoding=UTF8 --template=template0 NAME and name it in SUPERBIZ_DATABASE_URL"
        )
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _TABLES_LOCK})
