"""Where stored things live on this machine, and how a file is written whole."""

from __future__ import annotations

import json
import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any


def home() -> Path:
    """The user's own folder: ``$SUPERBIZ_HOME``, else the platform's data folder."""
    given = os.environ.get("SUPERBIZ_HOME")
    if given:
        return Path(given).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("superbiz"))


def roots() -> tuple[Path, ...]:
    """Folders versions are read from, the deciding one first: ``$SUPERBIZ_COMPILED_DIR`` alone, else user, shipped."""
    given = os.environ.get("SUPERBIZ_COMPILED_DIR")
    if given:
        return (Path(given).expanduser(),)
    return (home() / "compiled", Path(str(resources.files("data"))) / "compiled")


def source_checkout() -> Path | None:
    """The repository this package runs from; None when it is installed."""
    checkout = Path(str(resources.files("data"))).parent
    return checkout if (checkout / "pyproject.toml").is_file() else None


def write_root() -> Path:
    """Where new versions go: the source checkout's ``data/compiled`` when there is one, else the user's folder."""
    found = roots()
    if len(found) > 1 and source_checkout() and os.access(found[-1].parent, os.W_OK):
        return found[-1]
    return found[0]


def write_json(path: Path, value: Any) -> None:
    """Write through a temporary file, so that a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".tmp-", delete=False) as file:
        file.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
