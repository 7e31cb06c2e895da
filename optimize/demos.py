"""Which rows become demos, and in which order: each class in turn, short rows first."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from typing import Any

import dspy

from optimize.evaluate import PreparedRow
from signatures.contracts import CLASSIFICATIONS, SUPPORTED

# The embedded model reads every demo at 35-45 tokens a second, so a short row teaches cheaper: rows above this many
# input characters become demos only when their class has no shorter one.
DEMO_CHARS = 300
_LENGTH_STEP = 100


def input_chars(inputs: dict[str, Any]) -> int:
    """Length of a row as a demo shows it, in characters."""
    return sum(len(value) if isinstance(value, str) else len(json.dumps(value)) for value in inputs.values())


def demo_order(rows: Sequence[PreparedRow], *, limit: int = DEMO_CHARS, seed: int = 0) -> list[PreparedRow]:
    """Rows fit to be demos: class after class in turn, short ones first, like lengths shuffled by ``seed``."""
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    by_class: dict[str, list[PreparedRow]] = {}
    for row in sorted(shuffled, key=lambda item: input_chars(item.inputs) // _LENGTH_STEP):
        by_class.setdefault(row.row.label, []).append(row)
    queues = []
    for name in (name for name in CLASSIFICATIONS if name in by_class):
        short = [row for row in by_class[name] if input_chars(row.inputs) <= limit]
        queues.append(short or by_class[name][:1])
    rounds = itertools.zip_longest(*queues)
    return [row for turn in rounds for row in turn if row is not None]


def example(item: PreparedRow) -> Any:
    """The row as DSPy's optimisers take it: the program's inputs and the right outputs."""
    label = item.row.label
    return dspy.Example(**item.inputs, supported=label in SUPPORTED, classification=label).with_inputs(*item.inputs)
