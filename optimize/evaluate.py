"""Run a program over labelled rows: every row ends as an outcome or an error, and paid answers are kept on disk."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from optimize.dataset import ClaimRow
from optimize.manifest import content_hash
from optimize.metrics import Outcome
from optimize.places import home
from programs.grounding import ground
from programs.lms.choice import RoleLMs
from programs.runtime import Meter
from programs.verifier import claim_inputs, guard
from signatures.contracts import LiteralFinding

ADAPTER = "CompactJSONAdapter"


@dataclass(frozen=True)
class PreparedRow:
    """A row with the program's inputs and the literal findings its guards need."""

    row: ClaimRow
    inputs: dict[str, Any]
    findings: tuple[LiteralFinding, ...]


@dataclass(frozen=True)
class Evaluation:
    """Outcomes in the order of the rows. ``calls`` were paid now, ``reused`` came from the store.

    ``tokens`` and the outcomes' seconds are what the answers cost when they were paid; ``wall_seconds`` is now.
    """

    outcomes: tuple[Outcome, ...]
    calls: int
    reused: int
    tokens: dict[str, int]
    wall_seconds: float


def prepare(rows: Sequence[ClaimRow]) -> tuple[PreparedRow, ...]:
    """Ground every claim and build the program's inputs."""
    prepared = []
    for row in rows:
        findings = ground(row.claim, row.evidence)
        inputs = claim_inputs(row.query, row.claim, row.evidence, findings)
        prepared.append(PreparedRow(row, inputs, tuple(findings)))
    return tuple(prepared)


@contextmanager
def model_context(lms: RoleLMs) -> Iterator[None]:
    """DSPy's settings for offline work: the decision client when there is one, else the writing model."""
    import dspy

    from programs.lms.adapter import CompactJSONAdapter

    lm = lms.generate if lms.decide is None else lms.decide
    with dspy.context(lm=lm, adapter=CompactJSONAdapter(), disable_history=True):
        yield


def uncached(lms: RoleLMs) -> RoleLMs:
    """The same models without the response cache, whose hits would be measured as answers of no time and no tokens."""
    return replace(
        lms,
        generate=lms.generate and lms.generate.copy(cache=False),
        decide=lms.decide and lms.decide.copy(cache=False),
    )


class AnswerStore:
    """Answers on disk, keyed by model, program and inputs, so that a run repeated after a stop pays nothing twice."""

    def __init__(self, path: Path | None = None) -> None:
        path = path or home() / "answers.sqlite3"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, value TEXT NOT NULL)")

    def get(self, key: str) -> dict[str, Any] | None:
        with self._lock:
            found = self._db.execute("SELECT value FROM answer WHERE key = ?", (key,)).fetchone()
        return json.loads(found[0]) if found else None

    def put(self, key: str, value: dict[str, Any]) -> None:
        with self._lock:
            self._db.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?)", (key, json.dumps(value, ensure_ascii=False))
            )

    def close(self) -> None:
        self._db.close()


def answer_key(model: dict[str, Any], program_sha256: str, inputs: dict[str, Any]) -> str:
    """Key of one stored answer: the same model, compiled program and inputs give the same answer."""
    text = json.dumps([ADAPTER, model, program_sha256, inputs], ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def evaluate(
    program: Any,
    rows: Sequence[ClaimRow] | Sequence[PreparedRow],
    lms: RoleLMs,
    *,
    store: AnswerStore | None,
    threads: int = 1,
    fresh: bool = False,
    on_row: Callable[[Outcome, bool], None] | None = None,
) -> Evaluation:
    """The program's outcome on every row, guards included; errors are not stored and count as a row's outcome.

    ``fresh`` pays for every answer again; without a ``store`` nothing is kept. ``on_row`` hears each outcome and
    whether it was reused, on this thread. A KeyboardInterrupt passes through; answers given until then are stored.
    """
    started = time.perf_counter()
    prepared = [row if isinstance(row, PreparedRow) else prepare([row])[0] for row in rows]
    program_sha256, model = content_hash(program), lms.describe()

    def judge(item: PreparedRow) -> tuple[Outcome, dict[str, Any], bool]:
        key = answer_key(model, program_sha256, item.inputs)
        answer = store.get(key) if store and not fresh else None
        reused = answer is not None
        if answer is None:
            try:
                answer = _ask(program, item.inputs, lms)
            except Exception as error:
                return _failed(item, error), {}, False
            if store:
                store.put(key, answer)
        return _outcome(item, answer), answer, reused

    found: dict[int, tuple[Outcome, dict[str, Any], bool]] = {}
    pool = ThreadPoolExecutor(max_workers=max(1, threads))
    try:
        waiting = {pool.submit(judge, item): index for index, item in enumerate(prepared)}
        for done in as_completed(waiting):
            found[waiting[done]] = done.result()
            if on_row:
                outcome, _, reused = found[waiting[done]]
                on_row(outcome, reused)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    results = [found[index] for index in range(len(prepared))]
    tokens = {name: sum(answer.get(name, 0) for _, answer, _ in results) for name in ("tokens_in", "tokens_out")}
    return Evaluation(
        outcomes=tuple(outcome for outcome, _, _ in results),
        calls=sum(not reused for *_, reused in results),
        reused=sum(reused for *_, reused in results),
        tokens=tokens,
        wall_seconds=round(time.perf_counter() - started, 3),
    )


def _ask(program: Any, inputs: dict[str, Any], lms: RoleLMs) -> dict[str, Any]:
    meter = Meter()
    started = time.perf_counter()
    with meter.step("row"), model_context(lms):
        prediction = program(**inputs)
    seconds = time.perf_counter() - started
    costs = meter.report()
    return {
        "classification": prediction.classification,
        "supported": bool(prediction.supported),
        "probabilities": {str(name): float(p) for name, p in (prediction.probabilities or {}).items()},
        "supported_probability": None if prediction.p_supported is None else float(prediction.p_supported),
        "tokens_in": sum(cost.tokens_in for cost in costs),
        "tokens_out": sum(cost.tokens_out for cost in costs),
        "seconds": round(seconds, 4),
    }


def _outcome(item: PreparedRow, answer: dict[str, Any]) -> Outcome:
    row = item.row
    classification, reason = guard(answer["classification"], item.findings)
    return Outcome(
        row_id=row.row_id,
        case_id=row.family,
        claim_text=row.claim,
        label=row.label,
        is_critical=row.is_critical,
        classification=classification,
        model_classification=answer["classification"],
        supported_probability=answer["supported_probability"],
        reason=reason,
        seconds=answer["seconds"],
        probabilities=answer["probabilities"],
    )


def _failed(item: PreparedRow, error: Exception) -> Outcome:
    row = item.row
    return Outcome(
        row_id=row.row_id,
        case_id=row.family,
        claim_text=row.claim,
        label=row.label,
        is_critical=row.is_critical,
        error=f"{type(error).__name__}: {error}",
    )
