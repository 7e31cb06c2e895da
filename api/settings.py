"""Settings of the service, read from the environment once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from api.errors import BadInput


@dataclass(frozen=True)
class Settings:
    """Where things are kept and how much runs at once.

    Attributes:
        home: folder of the database and the models (``SUPERBIZ_HOME``; default: the user's data folder).
        database_url: SQLAlchemy URL of the run store (``SUPERBIZ_DATABASE_URL``; default: SQLite in ``home``).
        lm: model specification (``SUPERBIZ_LM``); None means the embedded model.
        host, port: where ``serve`` listens (``SUPERBIZ_HOST``, ``SUPERBIZ_PORT``).
        run_deadline_s: seconds after which a run is stopped (``SUPERBIZ_RUN_DEADLINE``).
        max_running: runs that work at the same time (``SUPERBIZ_MAX_RUNNING``).
        max_waiting: runs that may wait for a place; one more is answered 429 (``SUPERBIZ_MAX_WAITING``).
    """

    home: Path
    database_url: str
    lm: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    run_deadline_s: float = 600.0
    max_running: int = 2
    max_waiting: int = 24


def _number(env: Mapping[str, str], name: str, default: float, low: float, high: float) -> float:
    text = env.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        raise BadInput(
            name, f"{name}={text!r} is not a number; unset it or give one from {low:g} to {high:g}"
        ) from None
    if not low <= value <= high:
        raise BadInput(name, f"{name}={text!r} is out of range; give a number from {low:g} to {high:g}")
    return value


def default_home() -> Path:
    """The user's data folder for this program."""
    import platformdirs

    return Path(platformdirs.user_data_dir("superbiz", appauthor=False))


def read_settings(env: Mapping[str, str] | None = None) -> Settings:
    """Settings from ``env`` (default: the process environment).

    Raises:
        BadInput: a variable holds a value that cannot be used; the message names it.
    """
    env = os.environ if env is None else env
    home = Path(env["SUPERBIZ_HOME"]).expanduser().absolute() if env.get("SUPERBIZ_HOME") else default_home()
    return Settings(
        home=home,
        database_url=env.get("SUPERBIZ_DATABASE_URL") or f"sqlite:///{(home / 'superbiz.db').as_posix()}",
        lm=env.get("SUPERBIZ_LM") or None,
        host=env.get("SUPERBIZ_HOST") or "127.0.0.1",
        port=int(_number(env, "SUPERBIZ_PORT", 8000, 0, 65535)),
        run_deadline_s=_number(env, "SUPERBIZ_RUN_DEADLINE", 600.0, 1, 86_400),
        max_running=int(_number(env, "SUPERBIZ_MAX_RUNNING", 2, 1, 64)),
        max_waiting=int(_number(env, "SUPERBIZ_MAX_WAITING", 24, 0, 10_000)),
    )
