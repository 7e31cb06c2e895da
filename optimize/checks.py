"""What is refused before anything is compiled or scored: unknown names and sets that teach nothing."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence

from signatures.contracts import CLASSIFICATIONS


class CompileError(ValueError):
    """Nothing was compiled; the message says why, with the counts, and what to do."""


def check_name(what: str, name: str, known: Sequence[str]) -> None:
    """Refuse an unknown name and say the near one (hostile input 20)."""
    if name not in known:
        near = difflib.get_close_matches(name, known, 1, 0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise CompileError(f"unknown {what} {name!r}: {hint}there are {', '.join(known)}. Nothing was compiled")


def class_counts(labels: Sequence[str | None]) -> dict[str, int]:
    """Rows by class in the guide's order; ``(none)`` counts rows without a label."""
    counts = Counter(label or "(none)" for label in labels)
    return {name: counts[name] for name in (*CLASSIFICATIONS, "(none)") if counts[name]}


def check_labels(name: str, labels: Sequence[str | None], *, least: int = 2) -> None:
    """Refuse a set nothing can be learnt from: empty, unlabelled, a single row, a single class."""
    counts = class_counts(labels)
    shown = ", ".join(f"{key} {value}" for key, value in counts.items()) or "no rows"
    problem = (
        "has no rows"
        if not labels
        else f"has {counts['(none)']} of {len(labels)} rows without a label"
        if "(none)" in counts
        else f"has {len(labels)} row, at least {least} are needed"
        if len(labels) < least
        else "has rows of one class only"
        if least > 1 and len(counts) < 2
        else None
    )
    if problem:
        raise CompileError(f"{name} {problem} ({shown}). Nothing was compiled; `superbiz data check` names the lines")


def check_apart(train: str, train_families: Sequence[str], dev: str, dev_families: Sequence[str]) -> None:
    """Refuse sets that share an incident family: a score on trained incidents proves nothing."""
    shared = sorted(set(train_families) & set(dev_families))
    if shared:
        raise CompileError(
            f"{len(shared)} incident families are in both {train!r} and {dev!r} ({', '.join(shared[:3])}): a score on "
            "trained incidents proves nothing. Nothing was compiled; name another --dev"
        )
