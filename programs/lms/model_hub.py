"""A model file from its official hub repository, through huggingface_hub (which resumes by itself).

A machine without a way to the hub must not wait for it: the hub is asked once, with a deadline, before any download.
"""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from programs.lms.model_files import ModelFile, file_sha256, require_space, tree_size

ANSWER_SECONDS = 4.0


class HubError(Exception):
    """The hub cannot deliver the file; the message says why."""


def hub_download(model: ModelFile, folder: Path, report: Callable[[int], None]) -> Path:
    """Download into ``folder`` and check; the verified file there. Raises ``HubError``, ``OSError`` (ENOSPC)."""
    try:
        import huggingface_hub
        from huggingface_hub import constants
        from huggingface_hub.utils import disable_progress_bars
    except ImportError:
        raise HubError("huggingface_hub is not installed") from None
    if constants.HF_HUB_OFFLINE:
        raise HubError("HF_HUB_OFFLINE is set")
    size = _size_on_hub(huggingface_hub, model)
    if size != model.size:
        raise HubError(f"{model.hub_repo} has {size} bytes, expected {model.size}")
    folder.mkdir(parents=True, exist_ok=True)
    require_space(folder, model.size - tree_size(folder))
    finished = threading.Event()

    def watch() -> None:
        while not finished.wait(0.3):
            report(min(tree_size(folder), model.size))

    disable_progress_bars()
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        here = Path(huggingface_hub.hf_hub_download(model.hub_repo, model.file, local_dir=folder))
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise HubError(_one_line(error)) from error
    finally:
        finished.set()
        watcher.join()
    digest = file_sha256(here, always_hash=True)
    if digest != model.sha256:
        shutil.rmtree(folder, ignore_errors=True)
        raise HubError(f"the file of {model.hub_repo} has SHA-256 {digest}, expected {model.sha256}")
    return here


def _size_on_hub(huggingface_hub: Any, model: ModelFile) -> int | None:
    """The file's size as the hub tells it; the deadline also covers name look-up, which ignores HTTP timeouts."""
    sizes: list[int | None] = []
    errors: list[Exception] = []

    def ask() -> None:
        try:
            url = huggingface_hub.hf_hub_url(model.hub_repo, model.file)
            sizes.append(huggingface_hub.get_hf_file_metadata(url, timeout=ANSWER_SECONDS).size)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(ANSWER_SECONDS)
    if errors:
        raise HubError(_one_line(errors[0]))
    if not sizes:
        raise HubError(f"no answer within {ANSWER_SECONDS:.0f} s")
    return sizes[0]


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
