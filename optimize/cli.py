"""``superbiz optimize``: compile prompts, list, show, compare, promote, roll back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from optimize.terminal import clear_errors, print_json, progress_bar, say

if TYPE_CHECKING:
    from optimize.compare import Comparison
    from optimize.dataset import ClaimRow
    from programs.lms.choice import RoleLMs

app = typer.Typer(
    help="Compile prompts against labelled data, compare the versions, promote one.", no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object to stdout.")]
Model = Annotated[
    str | None, typer.Option("--lm", help="Model: embedded, embedded:FILE.gguf or provider/model [SUPERBIZ_LM].")
]
Threads = Annotated[int, typer.Option(min=1, max=64, help="Claims judged at once.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Ask the model again instead of using stored answers.")]
Limit = Annotated[int | None, typer.Option(min=2, help="Use at most N rows of each set, classes in turn.")]


@app.command("run")
def run(
    optimizer: Annotated[str, typer.Option(help="labeled, bootstrap or reanchor.")],
    target: Annotated[str, typer.Option(help="What to compile.")] = "verifier",
    train: Annotated[str, typer.Option(help="Split name or JSONL file to learn from.")] = "train",
    dev: Annotated[str, typer.Option(help="Split name or JSONL file to score the result on.")] = "dev",
    parent: Annotated[str, typer.Option("--from", help="Version to start from.")] = "baseline",
    lm: Model = None,
    seed: Annotated[int, typer.Option(help="Order of like rows among the demos.")] = 0,
    max_demos: Annotated[int, typer.Option(help="Demos in the prompt, 1 to 6.")] = 6,
    limit: Limit = None,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Compile a version, score it on dev, store it. Ctrl-C keeps what was compiled so far as a stopped version."""
    with clear_errors("nothing was saved; answers already given are kept, run the same command again"):
        from optimize import checks, compilers, runs
        from optimize.evaluate import AnswerStore, prepare

        # Names first: a typo must not cost a model start.
        checks.check_name("target", target, compilers.TARGETS)
        checks.check_name("optimizer", optimizer, compilers.OPTIMIZERS)
        job = compilers.Job(target=target, optimizer=optimizer, max_demos=max_demos, seed=seed)
        train_claims, dev_claims = _rows(train, limit), _rows(dev, limit)
        checks.check_labels(f"training set {train!r}", [row.label for row in train_claims])
        checks.check_labels(f"dev set {dev!r}", [row.label for row in dev_claims], least=1)
        train_rows, dev_rows = prepare(train_claims), prepare(dev_claims)
        checks.check_apart(train, [row.family for row in train_claims], dev, [row.family for row in dev_claims])
        # Cached answers make a repeated compile free, and ReAnchor refuses a model without a cache.
        lms = _open(lm, cache=True)
        before = runs.estimate(job, train_rows, dev_rows, lms)
        for use, name, classes in (("train on", train, before.train), ("score on", dev, before.dev)):
            say(f"{use} {name}: {sum(classes.values())} rows: {', '.join(f'{k} {v}' for k, v in classes.items())}")
        minutes = "unknown minutes" if before.minutes is None else f"about {before.minutes} minutes"
        say(f"{optimizer} on {lms.name}: at most {before.calls} calls, {before.tokens} tokens to read, {minutes}")
        if optimizer == "reanchor":
            say("the thresholds are then fitted on those answers: no further calls, about a minute without progress")
        with progress_bar(before.calls) as advance:
            manifest = runs.compile_version(
                job,
                train_rows,
                dev_rows,
                lms,
                AnswerStore(),
                train_name=train,
                dev_name=dev,
                parent=parent,
                threads=threads,
                on_compile=lambda done, row: advance(f"compile {row}"),
                on_dev=lambda outcome, reused: advance(f"dev {outcome.row_id}"),
            )
        if as_json:
            print_json(manifest.model_dump(mode="json"))
            return
        figures = manifest.figures
        say(f"saved {manifest.version} ({manifest.status}), {len(manifest.errors)} rows failed while compiling")
        if figures:
            say(
                f"on {dev}: supported balanced accuracy {figures['supported_balanced_accuracy']:.3f}, macro-F1 "
                f"{figures['macro_f1']:.3f}, {figures['unsafe']} unsafe, {figures['errors']} rows failed"
            )
        say(f"next: superbiz optimize compare baseline {manifest.version}")


@app.command("list")
def list_versions(as_json: AsJson = False) -> None:
    """Every stored version, newest first; * is the champion."""
    with clear_errors():
        from optimize import registry

        stored, champion = registry.versions(), registry.champion()
        if as_json:
            print_json({"champion": champion, "versions": [item.model_dump(mode="json") for item in stored]})
            return
        from optimize import report

        report.show(report.version_list(stored, champion))


@app.command("show")
def show(version: str, as_json: AsJson = False) -> None:
    """How a version came about, and its compiled prompts as a person reads them."""
    with clear_errors():
        from optimize import compilers, registry

        program = compilers.build("verifier")
        manifest = registry.load_into(program, version)
        state = registry.program_state(program)
        if as_json:
            print_json({"manifest": manifest.model_dump(mode="json") if manifest else None, "program": state})
            return
        from optimize import report

        report.show(report.version_page(manifest, state))


@app.command("compare")
def compare(
    versions: Annotated[list[str], typer.Argument(help="Two or more versions; the first is the reference.")],
    split: Annotated[str, typer.Option(help="Split name or JSONL file.")] = "dev",
    lm: Model = None,
    limit: Limit = None,
    threads: Threads = 1,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Paired comparison on the same rows: intervals, McNemar, per class, changed rows, unsafe PASS, cost."""
    with clear_errors("answers already given are kept, run the same command again"):
        found = _compare(versions, split, lm, limit, threads, fresh)
        if as_json:
            print_json(found.to_json())
            return
        from optimize import report

        report.show(report.comparison(found))


@app.command("promote")
def promote(
    version: str,
    why: Annotated[str | None, typer.Option(help="Stored reason; needed when the gate refuses.")] = None,
    split: Annotated[str, typer.Option(help="Split or file the gate compares on.")] = "dev",
    lm: Model = None,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Make a version the champion. The gate compares it with the present one and refuses what is not better."""
    with clear_errors("the champion is unchanged"):
        from optimize import compilers, registry
        from optimize.compare import gate

        present = registry.champion()
        if version == present:
            raise registry.VersionError(f"{version} is the champion already; nothing was changed")
        registry.load_into(compilers.build("verifier"), version)
        status = "complete" if version == registry.BASELINE else registry.manifest_of(version).status
        reference = present
        refusals: tuple[str, ...] = ()
        try:
            registry.load_into(compilers.build("verifier"), present)
        except registry.VersionError as error:
            reference = registry.BASELINE
            say(f"the champion cannot be loaded, comparing with {reference}: {error}")
        figures: dict[str, Any] = {}
        if reference != version:
            found = _compare([reference, version], split, lm, None, threads, False)
            refusals = gate(found, status=status)
            figures = {"split": split, "reference": reference, **found.to_json()["pairs"][0]}
            figures = {name: value for name, value in figures.items() if name not in ("better", "worse")}
        reason = (why or "").strip()
        if refusals and not reason:
            raise registry.VersionError(
                f"{version} was not promoted: {'; '.join(refusals)}. The champion stays {present}. "
                'To promote it all the same, say why: --why "..."'
            )
        entry, path = registry.promote(version, reason, refusals=refusals, figures=figures)
        if as_json:
            print_json({**entry.model_dump(mode="json"), "file": str(path)})
            return
        say(f"champion: {present} -> {version} (recorded in {path})")
        for refusal in refusals:
            say(f"against the gate: {refusal}")


@app.command("rollback")
def rollback(as_json: AsJson = False) -> None:
    """Bring back the champion before the present one."""
    with clear_errors():
        from optimize import registry

        entry, path = registry.rollback()
        if as_json:
            print_json({**entry.model_dump(mode="json"), "file": str(path)})
            return
        say(f"champion: {entry.previous} -> {entry.version} (recorded in {path})")


# --- shared ---------------------------------------------------------------------------------------------------------


def _rows(split: str, limit: int | None) -> list[ClaimRow]:
    from itertools import zip_longest

    from optimize import checks
    from optimize.dataset import claim_rows, load_split
    from signatures.verdict_case import CaseFileError, read_cases

    try:
        rows = claim_rows(load_split(split))
    except CaseFileError as error:
        if error.field.endswith("label"):
            # The reader names the first line; how many labels are missing decides what to do next.
            labels = [claim.label for case in read_cases(error.path) for claim in case.claims]
            checks.check_labels(f"{error}; {split!r}", labels)
        raise
    if limit is None or len(rows) <= limit:
        return rows
    by_class: dict[str, list[ClaimRow]] = {}
    for row in rows:
        by_class.setdefault(row.label, []).append(row)
    turns = [row for turn in zip_longest(*by_class.values()) for row in turn if row is not None]
    return turns[:limit]


def _open(spec: str | None, *, cache: bool = False) -> RoleLMs:
    from programs.lms.choice import open_lms

    return open_lms(spec, cache=cache)


def _compare(
    versions: list[str], split: str, lm: str | None, limit: int | None, threads: int, fresh: bool
) -> Comparison:
    from optimize import compilers, registry, runs
    from optimize.evaluate import AnswerStore

    for name in versions:
        registry.load_into(compilers.build("verifier"), name)
    rows = _rows(split, limit)
    lms = _open(lm)
    with progress_bar(len(rows) * len(versions)) as advance:
        return runs.compare_versions(
            versions,
            rows,
            lms,
            AnswerStore(),
            split=split,
            threads=threads,
            fresh=fresh,
            on_row=lambda version, outcome, reused: advance(f"{version} {outcome.row_id}"),
        )
