"""The mutants that may live, each with the reason why it is equivalent or harmless."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutant import Mutant

LIST = Path(__file__).with_name("survivors.toml")


@dataclass(frozen=True)
class Listed:
    """An entry of the list: one place and all the changes of it that the reason speaks of."""

    module: str
    function: str
    before: str
    after: tuple[str, ...]
    reason: str

    def covers(self, mutant: Mutant) -> bool:
        """Whether this is the mutant that the entry speaks of."""
        place = (mutant.module, mutant.function, mutant.before)
        return (self.module, self.function, self.before) == place and mutant.after in self.after


def listed(path: Path = LIST) -> tuple[Listed, ...]:
    """Read the list.

    Raises:
        ValueError: an entry without a reason, or with a field that is not known.
    """
    entries = tomllib.loads(path.read_text("utf-8")).get("survivor", [])
    for number, fields in enumerate(entries, start=1):
        if set(fields) != set(Listed.__annotations__) or not fields["reason"].strip():
            raise ValueError(f"{path.name}, entry {number}: needs {', '.join(Listed.__annotations__)}, got {fields}")
    return tuple(Listed(**{**fields, "after": tuple(fields["after"])}) for fields in entries)


def unlisted(mutants: Sequence[Mutant], entries: Sequence[Listed]) -> list[Mutant]:
    """The survivors that no entry explains."""
    return [mutant for mutant in survivors(mutants) if not any(entry.covers(mutant) for entry in entries)]


def stale(mutants: Sequence[Mutant], entries: Sequence[Listed]) -> list[tuple[Listed, str]]:
    """Listed changes, in the modules that were run, whose mutant died or is gone."""
    modules = {mutant.module for mutant in mutants}
    alive = {(mutant.module, mutant.function, mutant.before, mutant.after) for mutant in survivors(mutants)}
    return [
        (entry, after)
        for entry in entries
        for after in entry.after
        if entry.module in modules and (entry.module, entry.function, entry.before, after) not in alive
    ]


def survivors(mutants: Sequence[Mutant]) -> list[Mutant]:
    """The mutants that no test noticed."""
    return [mutant for mutant in mutants if mutant.status in ("survived", "no tests")]
