"""A private PostgreSQL server in a temporary folder, for one test session or one measurement."""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import psycopg

REQUIRED = "SUPERBIZ_TEST_REQUIRE_POSTGRES"
MISSING = "no PostgreSQL server is installed; install Debian's package: apt-get install postgresql"
# The mark of a test, or of a file, that runs once on each database (through the fixture `database_url` or `store`).
ON_BOTH = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
_USER = "superbiz_test"
# Nothing of it is kept, so nothing has to reach the disk.
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
# The server ends when the other end of its standard input is closed: also when who started it is killed.
_GUARD = 'exec 3<&0; (read -r _ <&3; kill -QUIT $$) & exec "$@" 3<&- </dev/null'


class PostgresUnavailable(RuntimeError):
    """There is no server on this machine, or it does not start."""


def binaries() -> Path | None:
    """The folder of ``initdb`` and ``postgres``: the newest of Debian's, or the one on PATH."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    on_path = [Path(found).resolve().parent for found in [shutil.which("postgres")] if found]
    usable = [path for path in (*on_path, *debian) if (path / "initdb").exists() and (path / "postgres").exists()]
    return usable[-1] if usable else None


def _as_server_user() -> dict[str, Any]:
    """Arguments of subprocess: ``postgres`` refuses to run as root, and Debian's package brings this user."""
    if os.geteuid() != 0:
        return {}
    return {"user": "postgres", "group": "postgres", "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class PostgresServer:
    """A running server. ``database()`` makes an empty database in it and gives its URL.

    Raises:
        psycopg.OperationalError: it takes no connections.
    """

    def __init__(self, port: int, password: str) -> None:
        self._at = f"{_USER}:{password}@127.0.0.1:{port}"
        self._numbers = itertools.count(1)
        self._owner = self._connection("postgres")

    def _connection(self, database: str) -> psycopg.Connection[tuple[Any, ...]]:
        import psycopg

        return psycopg.connect(f"postgresql://{self._at}/{database}", autocommit=True)

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"postgresql+psycopg://{self._at}/{database}"

    def close(self) -> None:
        """Give the owner's own connection back."""
        self._owner.close()

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The URL of a new empty database, which is dropped afterwards with everyone who is still in it."""
        name = f"test_{next(self._numbers)}"
        self._owner.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield self.url(name)
        finally:
            self._owner.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder of the server's user."""
    folder = Path(tempfile.mkdtemp(prefix="superbiz-pg-"))
    try:
        if _as_server_user():
            shutil.chown(folder, "postgres", "postgres")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _initdb(programs: Path, folder: Path, password: str) -> None:
    secret = folder / "password"
    secret.write_text(password, encoding="ascii")
    command = [str(programs / "initdb"), f"--pgdata={folder / 'data'}", f"--username={_USER}", f"--pwfile={secret}"]
    options = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
    if _as_server_user():
        shutil.chown(secret, "postgres")
    made = subprocess.run(
        [*command, *options], cwd=folder, capture_output=True, text=True, timeout=120, **_as_server_user()
    )
    if made.returncode != 0:
        raise PostgresUnavailable(f"initdb failed: {made.stderr.strip()}")


def _started(programs: Path, folder: Path, port: int, settings: tuple[str, ...]) -> subprocess.Popen[bytes]:
    given = (*settings, f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}")
    command = [str(programs / "postgres"), "-D", str(folder / "data")]
    for setting in given:
        command += ["-c", setting]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", *command],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the tests; they end the server
            **_as_server_user(),
        )


def _connected(process: subprocess.Popen[bytes], port: int, password: str, log: Path) -> PostgresServer | None:
    """The server when it takes connections; None when another program took the port first."""
    import psycopg

    deadline = time.monotonic() + 60
    while True:
        try:
            return PostgresServer(port, password)
        except psycopg.OperationalError as error:
            ended = process.poll() is not None
            told = log.read_text(encoding="utf-8", errors="replace")
            if ended and "Address already in use" in told:
                return None
            if ended or time.monotonic() > deadline:
                raise PostgresUnavailable(f"postgres did not start: {error}; its log: {told[-2000:]}") from error
            time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait(30)


@contextmanager
def running_server(*, durable: bool = False) -> Iterator[PostgresServer]:
    """Start a server and stop it at the end.

    Args:
        durable: keep the server's own settings, as in production; else it writes nothing through to the disk.

    Raises:
        PostgresUnavailable: there is none on this machine (`MISSING`), or it does not start.
    """
    programs = binaries()
    if programs is None:
        raise PostgresUnavailable(MISSING)
    password = secrets.token_hex(16)
    with _folder() as folder:
        _initdb(programs, folder, password)
        for _ in range(5):
            port = _free_port()
            process = _started(programs, folder, port, () if durable else _FAST)
            try:
                server = _connected(process, port, password, folder / "log")
                if server is not None:
                    yield server
                    server.close()
                    return
            finally:
                _end(process)
        raise PostgresUnavailable("no free port was found for postgres")


def session_server() -> Iterator[PostgresServer]:
    """The server of a test session, as the body of a fixture; without one on this machine the test is skipped.

    With SUPERBIZ_TEST_REQUIRE_POSTGRES=1 it fails instead.
    """
    if binaries() is None and os.environ.get(REQUIRED) != "1":
        pytest.skip(MISSING)
    with running_server() as server:
        yield server
