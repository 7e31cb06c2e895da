"""The two things a prompt engineer starts: a compile that ends as a stored version, and a comparison of versions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from optimize import compilers, registry
from optimize.checks import check_labels, class_counts
from optimize.compare import Comparison, compare
from optimize.compilers import Compiled, Job
from optimize.dataset import ClaimRow
from optimize.demos import input_chars
from optimize.evaluate import ADAPTER, AnswerStore, Evaluation, PreparedRow, evaluate, prepare, uncached
from optimize.manifest import DataUse, Facts, Manifest, RowScore, fingerprints
from optimize.metrics import Outcome, figures, score
from programs.lms.choice import RoleLMs
from programs.scoring import effective_verdict, verdict_matrix
from signatures.contracts import Verdict

CHARS_PER_TOKEN = 2.5
# What the embedded 1.5B reads on two cores; a remote model's speed is not ours to guess.
EMBEDDED_TOKENS_PER_SECOND = 45.0


@dataclass(frozen=True)
class Estimate:
    """What a compile will cost at most, before it starts. ``minutes`` is None for a model of unknown speed."""

    train: dict[str, int]
    dev: dict[str, int]
    calls: int
    tokens: int
    minutes: float | None


def estimate(job: Job, train: Sequence[PreparedRow], dev: Sequence[PreparedRow], lms: RoleLMs) -> Estimate:
    """Upper bound of calls and input tokens: the compile, then the dev rows with the compiled prompt."""
    compile_rows = () if job.optimizer == "labeled" else train
    asked = [*compile_rows, *dev]
    tokens = sum(input_chars(item.inputs) for item in asked) / CHARS_PER_TOKEN
    return Estimate(
        train=class_counts([item.row.label for item in train]),
        dev=class_counts([item.row.label for item in dev]),
        calls=len(asked),
        tokens=round(tokens),
        minutes=None if lms.engine is None else round(tokens / EMBEDDED_TOKENS_PER_SECOND / 60, 1),
    )


def compile_version(
    job: Job,
    train: Sequence[PreparedRow],
    dev: Sequence[PreparedRow],
    lms: RoleLMs,
    store: AnswerStore,
    *,
    train_name: str = "train",
    dev_name: str = "dev",
    parent: str = registry.BASELINE,
    threads: int = 1,
    on_compile: Callable[[int, str], None] = lambda done, row: None,
    on_dev: Callable[[Outcome, bool], None] = lambda outcome, reused: None,
) -> Manifest:
    """Compile, score on dev, save. Stopped by Ctrl-C after something was compiled, it saves that as ``stopped``.

    Raises:
        CompileError: nothing was compiled, nothing was saved.
        KeyboardInterrupt: stopped before there was anything to save.
    """
    student = compilers.build(job.target)
    declared = fingerprints(student)
    registry.load_into(student, parent)
    if dev:
        check_labels("the dev set", [item.row.label for item in dev], least=1)
    compiled = compilers.compile_program(student, train, job, lms, on_progress=on_compile)
    evaluation, status = None, compiled.status
    if dev and status == "complete":
        try:
            evaluation = evaluate(compiled.program, dev, uncached(lms), store=store, threads=threads, on_row=on_dev)
        except KeyboardInterrupt:
            status = "stopped"
    facts = _facts(job, compiled, evaluation, lms, train, dev, train_name, dev_name)
    return registry.save(
        compiled.program, facts.model_copy(update={"status": status, "parent": parent, "fingerprints": declared})
    )


def _facts(
    job: Job,
    compiled: Compiled,
    evaluation: Evaluation | None,
    lms: RoleLMs,
    train: Sequence[PreparedRow],
    dev: Sequence[PreparedRow],
    train_name: str,
    dev_name: str,
) -> Facts:
    outcomes = evaluation.outcomes if evaluation else ()
    dev_tokens = evaluation.tokens if evaluation else {}
    return Facts(
        target=job.target,
        optimizer=job.optimizer,
        optimizer_args=job.arguments(),
        seed=job.seed,
        status=compiled.status,
        task_model=lms.describe(),
        teacher_model=lms.describe() if job.optimizer == "bootstrap" else None,
        adapter=ADAPTER,
        fingerprints={},
        train=data_use(train_name, train),
        dev=data_use(dev_name, dev) if dev else None,
        demos=compiled.demos,
        report=json.loads(json.dumps(compiled.report, default=str)),
        scores=tuple(
            RowScore(
                row_id=o.row_id,
                label=o.label,
                classification=o.classification,
                model=o.model_classification,
                score=None if o.error else score(o.label, o.classification),
                error=o.error,
            )
            for o in outcomes
        ),
        figures=figures(outcomes) if outcomes else {},
        errors=compiled.errors,
        calls=compiled.calls,
        tokens={name: compiled.tokens.get(name, 0) + dev_tokens.get(name, 0) for name in ("tokens_in", "tokens_out")},
        seconds=round(compiled.seconds + sum(o.seconds for o in outcomes), 3),
    )


def data_use(name: str, rows: Sequence[PreparedRow]) -> DataUse:
    """The rows as the manifest records them; the hash covers inputs and labels, not the file's layout."""
    text = json.dumps(
        [[item.row.row_id, item.inputs, item.row.label] for item in rows], ensure_ascii=False, default=str
    )
    counts = class_counts([item.row.label for item in rows])
    return DataUse(name=name, sha256=hashlib.sha256(text.encode()).hexdigest(), rows=len(rows), classes=counts)


def case_verdict(claims: Sequence[Outcome]) -> Verdict:
    """Verdict of a case from its critical claims' outcomes, as a run computes it: the lower of the model's own
    classes and the guarded ones. A claim without a judgement counts as unsupported."""
    critical = [outcome for outcome in claims if outcome.is_critical]
    said = verdict_matrix(outcome.model_classification or "unsupported" for outcome in critical)
    guarded = verdict_matrix(outcome.classification or "unsupported" for outcome in critical)
    return effective_verdict(said, guarded, "PASS")


def compare_versions(
    names: Sequence[str],
    rows: Sequence[ClaimRow],
    lms: RoleLMs,
    store: AnswerStore,
    *,
    split: str,
    target: str = "verifier",
    threads: int = 1,
    fresh: bool = False,
    seed: int = 0,
    on_row: Callable[[str, Outcome, bool], None] = lambda version, outcome, reused: None,
) -> Comparison:
    """Score each version on the rows (from the store where it can) and compare; the first is the reference."""
    check_labels(f"split {split!r}", [row.label for row in rows], least=1)
    programs: dict[str, Any] = {}
    for name in names:
        programs[name] = compilers.build(target)
        registry.load_into(programs[name], name)
    prepared = prepare(rows)
    evaluations = {
        name: evaluate(
            program,
            prepared,
            lms,
            store=store,
            threads=threads,
            fresh=fresh,
            on_row=lambda outcome, reused, name=name: on_row(name, outcome, reused),  # type: ignore[misc]
        )
        for name, program in programs.items()
    }
    return compare(evaluations, split=split, case_verdict=case_verdict, seed=seed)
