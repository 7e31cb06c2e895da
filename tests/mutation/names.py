"""Whether tests keep their ids when they are collected again: mutmut names the tests of a mutant by ids of before.

pytest escapes ``ids=`` that are not ASCII once more at every collection in one process. The test is then not found,
and mutmut takes pytest's refusal for a killed mutant.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest


class _Names:
    def __init__(self) -> None:
        self.found: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.found = [item.nodeid for item in items]


def _collected(files: Sequence[str]) -> list[str]:
    names = _Names()
    pytest.main(["--collect-only", "-qqq", "--rootdir=.", *files], plugins=[names])
    return names.found


def main(files: Sequence[str]) -> int:
    """Collect the files twice and print the tests whose id changed; 1 when there is one."""
    first, later = _collected(files), set(_collected(files))
    changed = [name for name in first if name not in later]
    for name in changed:
        print(f"id changes when collected again, leave out its ids=: {name}")
    return 1 if changed or not first else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
