"""What is said when the database cannot do it: which one, what it said, what to do. Never a password."""

from __future__ import annotations

from sqlalchemy.engine import URL

from api.errors import StorageError

_ELSEWHERE = "or point SUPERBIZ_DATABASE_URL elsewhere"
_DRIVERS = {"psycopg": "the driver psycopg is not installed: pip install 'superbiz[postgres]'"}


def storage_error(url: URL, error: BaseException) -> StorageError:
    """The fault as a user is told it."""
    cause = " ".join(str(getattr(error, "orig", None) or error).split())
    if isinstance(error, ModuleNotFoundError):
        cause = _DRIVERS.get(error.name or "", f"the driver {error.name} is not installed: pip install {error.name}")
        return StorageError(f"run store {_shown(url)}: {cause}, {_ELSEWHERE}")
    if url.get_backend_name() == "sqlite":
        advice = "check that the folder exists, is writable and has space, or point SUPERBIZ_DATABASE_URL or "
        return StorageError(f"run store {_shown(url)}: {cause}; {advice}SUPERBIZ_HOME elsewhere")
    advice = "check that the server runs, that the database exists and that this user may create tables in it, "
    return StorageError(f"run store {_shown(url)}: {cause}; {advice}{_ELSEWHERE}")


def _shown(url: URL) -> str:
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.set(query={}).render_as_string(hide_password=True)


def is_conflict(error: BaseException) -> bool:
    """Whether PostgreSQL called a transaction off for the sake of another one: it may simply be run again."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state in ("40001", "40P01")  # serialization failure, deadlock
