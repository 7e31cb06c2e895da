"""Compile a program against labelled rows with DSPy's own optimisers.

``labeled``: dspy.LabeledFewShot. ``bootstrap``: dspy.BootstrapFewShot. ``reanchor``: dspy.experimental.ReAnchor, which
fits the decision thresholds and class weights on answers already given.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import dspy
from dspy.experimental import ReAnchor
from dspy.utils.callback import BaseCallback

from optimize.checks import CompileError, check_labels, check_name
from optimize.demos import DEMO_CHARS, demo_order, example
from optimize.evaluate import Evaluation, PreparedRow, evaluate, model_context
from optimize.metrics import score, verdict_metric
from programs.lms.choice import RoleLMs
from programs.runtime import Meter
from programs.verifier import guard

TARGETS = ("verifier",)
OPTIMIZERS = ("labeled", "bootstrap", "reanchor")
MAX_DEMOS = 6


@dataclass(frozen=True)
class Job:
    """What to compile and how. ``max_demos`` 1..6."""

    target: str
    optimizer: str
    max_demos: int = MAX_DEMOS
    seed: int = 0
    demo_chars: int = DEMO_CHARS

    def arguments(self) -> dict[str, Any]:
        if self.optimizer == "reanchor":
            return {"num_threads": 1, "require_cache": True}
        return {"max_demos": self.max_demos, "demo_chars": self.demo_chars}


@dataclass(frozen=True)
class Compiled:
    """A compiled program and what it cost. ``demos``: row ids in prompt order; ``seconds`` wall time."""

    program: Any
    status: Literal["complete", "stopped"]
    demos: tuple[str, ...]
    report: dict[str, Any]
    errors: tuple[str, ...]
    calls: int
    tokens: dict[str, int]
    seconds: float


def build(target: str) -> Any:
    """The uncompiled program of a target."""
    check_name("target", target, TARGETS)
    from programs.verifier import ClaimVerifier

    return ClaimVerifier()


# --- watching -------------------------------------------------------------------------------------------------------


def _key(inputs: dict[str, Any]) -> str:
    return json.dumps(inputs, ensure_ascii=False, sort_keys=True, default=str)


@dataclass
class _Watch(BaseCallback):
    """Hears every call of the program inside an optimiser: DSPy itself only logs rows that fail."""

    kind: type
    rows: dict[str, str]
    on_progress: Callable[[int, str], None]
    done: int = 0
    errors: list[str] = field(default_factory=list)
    _open: dict[str, str] = field(default_factory=dict)

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        if type(instance) is self.kind:
            named = {**inputs, **inputs.get("kwargs", {})}
            key = _key({name: value for name, value in named.items() if name not in ("args", "kwargs")})
            self._open[call_id] = self.rows.get(key, "?")

    def on_module_end(self, call_id: str, outputs: Any | None, exception: Exception | None = None) -> None:
        row = self._open.pop(call_id, None)
        if row is None:
            return
        self.done += 1
        if exception is not None:
            self.errors.append(f"{row}: {type(exception).__name__}: {exception}")
        self.on_progress(self.done, row)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    # The optimisers print to stdout, where --json promises one object, and draw their own bars.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


# --- compile --------------------------------------------------------------------------------------------------------


def _ignore(done: int, row: str) -> None:
    return None


def compile_program(
    student: Any,
    rows: Sequence[PreparedRow],
    job: Job,
    lms: RoleLMs,
    *,
    on_progress: Callable[[int, str], None] = _ignore,
) -> Compiled:
    """Compile a copy of ``student`` on the rows; ``on_progress`` hears (program calls so far, row id).

    Raises:
        CompileError: bad job or data, or the optimiser found nothing; nothing was compiled.
        KeyboardInterrupt: stopped before there was anything to keep. With demos found, a ``stopped`` result returns.
    """
    check_name("optimizer", job.optimizer, OPTIMIZERS)
    check_labels("the training set", [item.row.label for item in rows])
    if not 1 <= job.max_demos <= MAX_DEMOS:
        raise CompileError(f"max-demos is {job.max_demos}, expected 1..{MAX_DEMOS}. Nothing was compiled")
    names = {_key(item.inputs): item.row.row_id for item in rows}
    watch = _Watch(type(student), names, on_progress)
    meter, started = Meter(), time.perf_counter()
    status: Literal["complete", "stopped"] = "complete"
    report: dict[str, Any] = {}
    first: Evaluation | None = None
    with meter.step("compile"), model_context(lms):
        if job.optimizer == "labeled":
            program = _labeled(student, rows, job)
        elif job.optimizer == "bootstrap":
            with dspy.context(callbacks=[watch]):
                program, status = _bootstrap(student, rows, job, watch)
        else:
            first = _answer_all(student, rows, lms, on_progress)
            program, report = _reanchor(student, rows)
    thaw(program)
    costs = meter.report()
    tokens = {"tokens_in": sum(c.tokens_in for c in costs), "tokens_out": sum(c.tokens_out for c in costs)}
    fields = list(rows[0].inputs)
    demos = [demo for predictor in program.predictors() for demo in predictor.demos]
    return Compiled(
        program=program,
        status=status,
        demos=tuple(names.get(_key({field: demo.get(field) for field in fields}), "?") for demo in demos),
        report=report,
        errors=tuple(watch.errors),
        calls=first.calls if first else watch.done,
        tokens=first.tokens if first else tokens,
        seconds=round(time.perf_counter() - started, 3),
    )


def thaw(program: Any) -> None:
    """DSPy hides the predictors of a compiled sub-module, so its state would be missing from what is saved."""
    for _, module in program.named_sub_modules():
        if hasattr(module, "_compiled"):
            module._compiled = False


def _labeled(student: Any, rows: Sequence[PreparedRow], job: Job) -> Any:
    pool = [example(item) for item in demo_order(rows, limit=job.demo_chars, seed=job.seed)]
    with _quiet():
        return dspy.LabeledFewShot(k=job.max_demos).compile(student, trainset=pool, sample=False)


def _bootstrap(
    student: Any, rows: Sequence[PreparedRow], job: Job, watch: _Watch
) -> tuple[Any, Literal["complete", "stopped"]]:
    ordered = [example(item) for item in demo_order(rows, limit=job.demo_chars, seed=job.seed)]
    present = {one.classification for one in ordered}
    quota = -(-job.max_demos // len(present))
    taken: Counter[str] = Counter()

    def metric(one: Any, prediction: Any, trace: Any = None) -> float:
        right = verdict_metric(one, prediction, trace)
        if right < 1.0 or taken[one.classification] >= quota:
            return 0.0
        taken[one.classification] += 1
        return right

    # DSPy takes any non-zero score for true unless a threshold is set, and with max_labeled_demos it fills the
    # demos up at random; ours are filled below, one of each class the model got wrong.
    optimizer = dspy.BootstrapFewShot(
        metric=metric, metric_threshold=1.0, max_bootstrapped_demos=job.max_demos, max_labeled_demos=0, max_rounds=1
    )
    teacher = _labeled(student, rows, job)
    status: Literal["complete", "stopped"] = "complete"
    try:
        with _quiet():
            program = optimizer.compile(student, teacher=teacher, trainset=ordered)
    except KeyboardInterrupt:
        found: dict[str, list[Any]] = getattr(optimizer, "name2traces", {})
        if not any(found.values()):
            raise
        program, status = student.reset_copy(), "stopped"
        for name, predictor in program.named_predictors():
            predictor.demos = list(found[name])[: job.max_demos]
    except Exception as error:
        listed = "; ".join(watch.errors[:3])
        raise CompileError(f"{len(watch.errors)} rows failed ({listed}). Nothing was compiled") from error
    for predictor in program.predictors():
        lacking: dict[str, Any] = {}
        for one in ordered:
            if one.classification not in {demo["classification"] for demo in predictor.demos}:
                lacking.setdefault(one.classification, one)
        predictor.demos += list(lacking.values())[: job.max_demos - len(predictor.demos)]
    return program, status


def _answer_all(
    student: Any,
    rows: Sequence[PreparedRow],
    lms: RoleLMs,
    on_progress: Callable[[int, str], None],
) -> Evaluation:
    """Fill the model's response cache. ReAnchor gives up at the first failing row without naming it."""
    done = itertools.count(1)
    first = evaluate(student, rows, lms, store=None, on_row=lambda outcome, _: on_progress(next(done), outcome.row_id))
    failed = [f"{outcome.row_id}: {outcome.error}" for outcome in first.outcomes if outcome.error]
    if failed:
        raise CompileError(
            f"{len(failed)} of {len(rows)} rows failed ({'; '.join(failed[:3])}). ReAnchor needs every row; nothing "
            "was compiled. Run it again: answered rows are kept"
        )
    return first


def _reanchor(student: Any, rows: Sequence[PreparedRow]) -> tuple[Any, dict[str, Any]]:
    findings = {_key(item.inputs): item.findings for item in rows}

    def metric(one: Any, prediction: Any, trace: Any = None) -> float:
        guarded, _ = guard(prediction.classification, findings[_key(one.inputs().toDict())])
        return score(one.classification, guarded)

    optimizer = ReAnchor(metric=metric, num_threads=1, require_cache=True)
    try:
        with _quiet():
            program = optimizer.compile(student, trainset=[example(item) for item in rows])
    except ValueError as error:
        raise CompileError(f"ReAnchor: {error} Nothing was compiled") from error
    fitted = optimizer.report["fitted"]
    if not any(entry["observed"]["calls"] for entry in fitted):
        raise CompileError("ReAnchor saw no probabilities: this model answers without them. Nothing was compiled")
    if all("skipped" in entry for entry in fitted):
        raise CompileError(
            "ReAnchor found no threshold or weight that holds across folds "
            f"(train score stays {optimizer.report['train_score_before']}). Nothing was compiled"
        )
    return program, optimizer.report
