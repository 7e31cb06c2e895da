"""Compiled program versions on disk: save, load, list, champion.

A version is a folder ``<name>/`` with ``program.json`` (the DSPy state, no model settings in it) and
``manifest.json`` (how it came about). The service loads versions through this module, so it imports no DSPy: a
program is anything with ``named_parameters``, ``dump_state`` and ``load_state``.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from optimize.manifest import (
    BASELINE,
    Facts,
    Manifest,
    StoredModel,
    VersionError,
    content_hash,
    differences,
    fingerprints,
    program_bytes,
    program_state,
)
from optimize.places import roots, source_checkout, write_json, write_root
from signatures.protocol import ProtocolError, strict_json_object

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
_NEXT = "compile it again with `superbiz optimize run`, or use version `baseline`"

__all__ = ["BASELINE", "Facts", "Manifest", "VersionError", "content_hash", "fingerprints", "program_state"]


class Stored(StoredModel):
    """One line of the list: a version, or a folder that cannot be used and why (``problem``)."""

    version: str
    folder: str | None
    manifest: Manifest | None = None
    problem: str | None = None


# --- save and read --------------------------------------------------------------------------------------------------


def _git_commit() -> str | None:
    source = source_checkout()
    if source is None:
        return None
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=source, capture_output=True, text=True, timeout=2, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def save(program: Any, facts: Facts, *, root: Path | None = None, now: datetime | None = None) -> Manifest:
    """Store a compiled program as a new version; the same program compiled twice keeps its first name.

    The folder appears whole or not at all.
    """
    root = root or write_root()
    body = program_bytes(program)
    digest = hashlib.sha256(body).hexdigest()
    for known in versions(root):
        if known.manifest and known.manifest.content_sha256 == digest and known.manifest.status == facts.status:
            return known.manifest
    now = now or datetime.now(UTC)
    stem = f"{facts.target}-{facts.optimizer}-{now:%Y%m%d}"
    length = 6
    while (root / f"{stem}-{digest[:length]}").exists():
        length += 2
    manifest = Manifest(
        **facts.model_dump(),
        version=f"{stem}-{digest[:length]}",
        content_sha256=digest,
        dspy_version=metadata.version("dspy"),
        git_commit=_git_commit(),
        created_at=now.isoformat(timespec="seconds"),
    )
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".tmp-", dir=root))
    try:
        folder.chmod(0o755)
        (folder / "program.json").write_bytes(body)
        write_json(folder / "manifest.json", manifest.model_dump(mode="json"))
        os.replace(folder, root / manifest.version)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return manifest


def _folder(version: str) -> Path:
    if _NAME.fullmatch(version):
        for root in roots():
            if (root / version).is_dir():
                return root / version
    names = [item.version for item in versions()]
    near = difflib.get_close_matches(version, names, 1, 0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise VersionError(f"no version {version!r}{hint} `superbiz optimize list` shows the {len(names)} there are")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return strict_json_object(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise VersionError(f"{path.parent.name}: {path.name} is missing (half-copied?); {_NEXT}") from None
    except (OSError, UnicodeDecodeError, ProtocolError) as error:
        raise VersionError(f"{path.parent.name}: {path.name} cannot be read: {error}; {_NEXT}") from None


def _read_manifest(folder: Path) -> Manifest:
    try:
        manifest = Manifest.model_validate(_read_json(folder / "manifest.json"))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise VersionError(f"{folder.name}: manifest.json, {where}: {first['msg']}; {_NEXT}") from None
    if manifest.version != folder.name:
        raise VersionError(f"{folder.name}: the manifest names version {manifest.version!r}; rename the folder back")
    return manifest


def manifest_of(version: str) -> Manifest:
    """The manifest of a stored version.

    Raises:
        VersionError: there is no such version, or its manifest cannot be used; ``baseline`` has none.
    """
    if version == BASELINE:
        raise VersionError("`baseline` is the uncompiled program: it has no manifest")
    return _read_manifest(_folder(version))


def versions(root: Path | None = None) -> tuple[Stored, ...]:
    """Every stored version, newest first, ``baseline`` last; broken folders are listed with their problem."""
    found: dict[str, Stored] = {}
    for place in (root,) if root else roots():
        for folder in sorted(place.iterdir()) if place.is_dir() else ():
            if not folder.is_dir() or folder.name in found or not _NAME.fullmatch(folder.name):
                continue
            try:
                stored = Stored(version=folder.name, folder=str(folder), manifest=_read_manifest(folder))
            except VersionError as error:
                stored = Stored(version=folder.name, folder=str(folder), problem=str(error))
            found[folder.name] = stored
    newest = sorted(found.values(), key=lambda s: s.manifest.created_at if s.manifest else "", reverse=True)
    return (*newest, Stored(version=BASELINE, folder=None))


# --- load -----------------------------------------------------------------------------------------------------------


def load_into(program: Any, version: str) -> Manifest | None:
    """Load a version into a freshly built program of its target; ``baseline`` leaves it as it is.

    All or nothing: on any difference the program stays unchanged (hostile input 19).

    Raises:
        VersionError: unknown, altered, half-copied, or made for another signature.
    """
    if version == BASELINE:
        return None
    folder = _folder(version)
    manifest = _read_manifest(folder)
    path = folder / "program.json"
    state = _read_json(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != manifest.content_sha256:
        raise VersionError(
            f"{version}: program.json was altered (SHA-256 {digest[:12]}, the manifest says "
            f"{manifest.content_sha256[:12]}); restore it, or {_NEXT}"
        )
    found = differences(program, manifest, state)
    if found:
        raise VersionError(f"{version} does not fit this program: {'; '.join(found)}; {_NEXT}")
    try:
        program.load_state(state)
    except Exception as error:
        raise VersionError(f"{version}: DSPy refuses its state: {error}; {_NEXT}") from error
    return manifest


# --- champion -------------------------------------------------------------------------------------------------------


class Promotion(StoredModel):
    """One change of champion. ``refusals``: what the gate said against it, overruled by ``why``."""

    kind: Literal["promote", "rollback"]
    version: str
    previous: str
    why: str
    at: str
    refusals: tuple[str, ...] = ()
    figures: dict[str, Any] = Field(default_factory=dict)


class Registry(StoredModel):
    champion: str = BASELINE
    history: tuple[Promotion, ...] = ()


def _registry_path() -> Path:
    existing = [root / "registry.json" for root in roots() if (root / "registry.json").is_file()]
    return existing[0] if existing else write_root() / "registry.json"


def read_registry() -> Registry:
    """The registry that decides: the user's, else the shipped one, else no promotion yet."""
    path = _registry_path()
    if not path.is_file():
        return Registry()
    try:
        return Registry.model_validate(_read_json(path))
    except ValidationError as error:
        raise VersionError(f"{path}: {error.errors()[0]['msg']}; restore or delete the file") from None


def champion() -> str:
    """The version that serves when none is named."""
    return read_registry().champion


def promote(
    version: str, why: str, *, refusals: tuple[str, ...] = (), figures: Mapping[str, Any] | None = None
) -> tuple[Promotion, Path]:
    """Make a version the champion and record why; returns the record and the file it stands in.

    The promotion gate is the caller's (``optimize.compare.gate``); what it refused is stored with the reason.
    """
    if version != BASELINE:
        manifest_of(version)
    return _record("promote", version, why, refusals, figures or {})


def rollback() -> tuple[Promotion, Path]:
    """Bring back the champion before the present one.

    Raises:
        VersionError: nothing was promoted before.
    """
    registry = read_registry()
    made = [entry for entry in registry.history if entry.kind == "promote" and entry.version == registry.champion]
    if not made:
        raise VersionError(f"nothing to roll back to: the champion is {registry.champion!r} and no promotion led to it")
    previous = made[-1].previous
    if previous != BASELINE:
        manifest_of(previous)
    return _record("rollback", previous, f"rolled back from {registry.champion}", (), {})


def _record(
    kind: Literal["promote", "rollback"], version: str, why: str, refusals: tuple[str, ...], figures: Mapping[str, Any]
) -> tuple[Promotion, Path]:
    registry = read_registry()
    entry = Promotion(
        kind=kind,
        version=version,
        previous=registry.champion,
        why=why,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        refusals=refusals,
        figures=dict(figures),
    )
    path = _registry_path()
    write_json(path, Registry(champion=version, history=(*registry.history, entry)).model_dump(mode="json"))
    return entry, path
