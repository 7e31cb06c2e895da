"""The results file of ``superbiz verify --out``: one JSON object a line, written case by case, resumable.

The first line says what the results belong to. A line that was cut by a crash is dropped and its case judged again.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.errors import BadInput, StorageError
from api.jsontext import wire

FORMAT = "superbiz_verify"
_MARK = f'{{"{FORMAT}"'.encode()


@dataclass(frozen=True)
class Origin:
    """What a results file belongs to: the case file's SHA-256, the program version, the model."""

    file_sha256: str
    version: str
    lm: str

    def line(self) -> dict[str, Any]:
        return {FORMAT: 1, "file_sha256": self.file_sha256, "version": self.version, "lm": self.lm}


class ResultsFile:
    """The file at ``path``; ``done`` holds the results that stand in it already, by case id.

    Raises:
        BadInput: it is another kind of file, or belongs to another case file, version or model. It stays as it is.
        StorageError: it cannot be read or written.
    """

    def __init__(self, path: Path, origin: Origin) -> None:
        self.path = path
        self.done: dict[str, dict[str, Any]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            content = path.read_bytes() if path.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if content and not content.startswith(_MARK):
                raise BadInput(
                    "out", f"{path} holds something else than results of `superbiz verify`; name another --out"
                )
            if whole:
                self._read(whole, origin)
            if len(whole) < len(content):
                os.truncate(path, len(whole))
            if not whole:
                self._append(origin.line())
        except OSError as error:
            raise self._fault(error) from error

    def _read(self, content: bytes, origin: Origin) -> None:
        header, *lines = content.splitlines()
        found = self._parse(header, 1)
        for name, wanted in origin.line().items():
            if found.get(name) != wanted:
                raise BadInput(
                    "out",
                    f"{self.path} belongs to {name} {str(found.get(name))[:80]!r}, this call has {str(wanted)[:80]!r}; "
                    "name another --out, or delete the file to start again",
                )
        for number, line in enumerate(lines, 2):
            result = self._parse(line, number)
            self.done[str(result.get("case_id"))] = result

    def _parse(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise BadInput(
                "out", f"{self.path} line {number} is not a JSON object; delete the line, or name another --out"
            )
        return value

    def _fault(self, error: OSError) -> StorageError:
        return StorageError(
            f"{self.path}: {error.strerror or error}; choose another --out, or free space and call again"
        )

    def _append(self, value: dict[str, Any]) -> None:
        line = (wire(value) + "\n").encode()
        with open(self.path, "ab", buffering=0) as file:
            if file.write(line) != len(line):
                raise OSError("only a part of the line could be written (disk full?)")

    def add(self, result: dict[str, Any]) -> None:
        """Append one case's result.

        Raises:
            StorageError: it could not be written whole; what was written before stays.
        """
        try:
            self._append(result)
        except OSError as error:
            raise self._fault(error) from error
        self.done[str(result["case_id"])] = result
