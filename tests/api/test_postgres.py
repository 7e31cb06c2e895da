"""The run store on PostgreSQL: which URLs open it, what is refused, and what it survives."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine import make_url

from api.errors import StorageError
from api.store.repository import RunStore, open_store
from tests.support import postgres
from tests.support.postgres import PostgresServer

Connect = Callable[[], psycopg.Connection[Any]]


@pytest.fixture
def database_url(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database() as url:
        yield url


@pytest.fixture
def operator(database_url: str) -> Iterator[Connect]:
    """Opens connections of someone else to the same database."""
    opened: list[psycopg.Connection[Any]] = []

    def connect() -> psycopg.Connection[Any]:
        opened.append(psycopg.connect(database_url.replace("+psycopg", "")))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_each_usual_scheme_opens_the_database(database_url: str, scheme: str) -> None:
    opened = open_store(database_url.replace("postgresql+psycopg", scheme), stale_after_s=600)
    opened.start_run("r1", question="q", session_id="s1")
    assert opened.count_runs("running") == 1
    opened.close()


def test_database_that_is_not_there_is_named_without_its_password(database_url: str) -> None:
    url = make_url(database_url)
    with pytest.raises(StorageError, match=r'database "nowhere" does not exist.*SUPERBIZ_DATABASE_URL') as caught:
        open_store(url.set(database="nowhere").render_as_string(hide_password=False), stale_after_s=600)
    assert str(url.password) not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "told"), [({"password": "wrong"}, "password authentication"), ({"port": 1}, "server")]
)
def test_server_that_refuses_is_named_with_its_address(database_url: str, change: Any, told: str) -> None:
    url = make_url(database_url).set(**change)
    with pytest.raises(StorageError, match=rf"127\.0\.0\.1:{url.port}/.*{told}"):
        open_store(url.render_as_string(hide_password=False), stale_after_s=600)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_database_that_cannot_hold_every_text_is_refused(postgres_server: PostgresServer, encoding: str) -> None:
    with (
        postgres_server.database(f"ENCODING '{encoding}' TEMPLATE template0") as url,
        pytest.raises(StorageError, match=rf"{encoding}.*--encoding=UTF8"),
    ):
        open_store(url, stale_after_s=600)


def test_user_who_may_not_create_tables_is_told_so(database_url: str, operator: Connect) -> None:
    with operator() as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'reader'")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    url = make_url(database_url).set(username="reader", password="reader")
    with pytest.raises(StorageError, match=r"permission denied.*may create tables"):
        open_store(url.render_as_string(hide_password=False), stale_after_s=600)


def test_restart_of_the_server_between_two_writes_is_not_noticed(store: RunStore, operator: Connect) -> None:
    store.start_run("r1", question="q", session_id="s1")
    with operator() as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    assert (True,) in ended
    store.update_self_evaluation("r1", "rule_evaluation", {"score": 1})
    run = store.get_run("r1")
    assert run is not None
    assert run.self_evaluation == {"rule_evaluation": {"score": 1}}


def test_write_that_the_server_calls_off_for_a_deadlock_is_done_again(
    store: RunStore, operator: Connect, until: Callable[..., None]
) -> None:
    store.start_run("r1", question="q", session_id="s1")
    other, watcher = operator(), operator()
    watcher.autocommit = True
    other.execute("SET deadlock_timeout = '60s'")  # so that the store is the one who notices and gives way
    other.execute("LOCK TABLE diagnosis_run IN SHARE MODE")
    faults: list[BaseException] = []

    def start() -> None:
        try:
            store.start_run("r2", question="q", session_id="s2")
        except StorageError as error:
            faults.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    until(lambda: watcher.execute(waiting).fetchall() == [(1,)])
    other.execute("LOCK TABLE diagnosis_session IN SHARE MODE")
    other.rollback()
    thread.join(30)
    assert not faults
    assert store.count_runs("running") == 2
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    until(lambda: watcher.execute(deadlocks).fetchall() == [(1,)])


@pytest.mark.parametrize(("required", "outcome"), [("", pytest.skip.Exception), ("1", postgres.PostgresUnavailable)])
def test_machine_without_a_server_skips_with_the_package_to_install_or_fails_where_one_is_required(
    monkeypatch: pytest.MonkeyPatch, required: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setattr(postgres, "binaries", lambda: None)
    monkeypatch.setenv("SUPERBIZ_TEST_REQUIRE_POSTGRES", required)
    with pytest.raises(outcome, match="apt-get install postgresql"):
        next(postgres.session_server())
