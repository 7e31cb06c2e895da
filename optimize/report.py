"""Comparisons and versions as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from optimize.compare import ChangedRow, Comparison, Interval, Pair
from optimize.registry import Manifest, Stored
from signatures.contracts import CLASSIFICATIONS

_SHOWN_ROWS = 12


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _interval(value: Interval) -> str:
    return f"{value.difference:+.3f}  [{value.low:+.3f}, {value.high:+.3f}]"


def comparison(found: Comparison) -> RenderableType:
    """Figures side by side, the paired tests, per-class F1, confusion, and the rows that changed."""
    parts: list[RenderableType] = [
        Text(f"{found.rows} claims of {found.cases} cases, split {found.split}; first version is the reference"),
        _figures(found),
    ]
    for pair in found.pairs:
        parts += [_pair(found, pair), _rows("worse", pair.worse), _rows("better", pair.better)]
    parts += [_classes(found), *_confusions(found)]
    return Group(*parts)


def _figures(found: Comparison) -> Table:
    table = Table(title="Versions")
    table.add_column("figure")
    for side in found.sides:
        table.add_column(side.version, justify="right", overflow="fold")
    lines: list[tuple[str, Callable[[Any], str]]] = [
        ("supported balanced accuracy", lambda s: _number(s.figures["supported_balanced_accuracy"])),
        ("macro-F1 (six classes)", lambda s: _number(s.figures["macro_f1"])),
        ("contradicted recall", lambda s: _number(s.figures["contradicted_recall"])),
        ("unsafe claims", lambda s: str(s.figures["unsafe"])),
        ("unsafe PASS (cases)", lambda s: str(len(s.unsafe_pass))),
        ("Brier, supported", lambda s: _number(s.figures["brier"])),
        ("mean price (0 best, 4 worst)", lambda s: _number(s.figures["mean_price"])),
        ("rows with an error", lambda s: str(s.figures["errors"])),
        ("seconds a claim", lambda s: _number(s.figures["seconds_a_row"], 2)),
        ("tokens in / out", lambda s: f"{s.tokens['tokens_in']} / {s.tokens['tokens_out']}"),
        ("answers paid now / reused", lambda s: f"{s.calls} / {s.reused}"),
    ]
    for name, shown in lines:
        table.add_row(name, *(shown(side) for side in found.sides))
    return table


def _pair(found: Comparison, pair: Pair) -> Table:
    table = Table(title=f"{pair.candidate} against {found.sides[0].version}", show_header=False)
    table.add_column("test")
    table.add_column("value")
    table.add_row("macro-F1 difference, 95% interval", _interval(pair.macro_f1))
    table.add_row("supported balanced accuracy difference", _interval(pair.supported_balanced_accuracy))
    test = pair.mcnemar
    table.add_row(
        "McNemar exact (supported or not)",
        f"only reference right {test.only_reference_right}, only candidate right {test.only_candidate_right}, "
        f"p {test.p:.4f}, Holm {test.p_holm:.4f}",
    )
    return table


def _rows(title: str, rows: Sequence[ChangedRow]) -> RenderableType:
    if not rows:
        return Text(f"no row got {title}")
    table = Table(title=f"{len(rows)} rows got {title}")
    for column in ("row", "label", "before", "after", "claim"):
        table.add_column(column, overflow="fold")
    for row in rows[:_SHOWN_ROWS]:
        claim = Text(row.claim_text)
        table.add_row(Text(row.row_id), row.label, row.before or "error", row.after or "error", claim)
    if len(rows) > _SHOWN_ROWS:
        table.caption = f"{len(rows) - _SHOWN_ROWS} more with --json"
    return table


def _classes(found: Comparison) -> Table:
    table = Table(title="Precision / recall / F1 by class")
    table.add_column("class")
    table.add_column("rows", justify="right")
    for side in found.sides:
        table.add_column(side.version, justify="right", overflow="fold")
    for name in CLASSIFICATIONS:
        entries = [side.figures["per_class"][name] for side in found.sides]
        cells = (f"{e['precision']:.2f} / {e['recall']:.2f} / {e['f1']:.2f}" for e in entries)
        table.add_row(name, str(entries[0]["rows"]), *cells)
    return table


def _confusions(found: Comparison) -> list[Table]:
    tables = []
    names = (*CLASSIFICATIONS, "error")
    for side in found.sides:
        table = Table(title=f"{side.version}: label (rows) against judged (columns)")
        table.add_column("label")
        for name in names:
            table.add_column(name.split("_")[0][:9], justify="right")
        for label, row in side.figures["confusion"].items():
            table.add_row(label, *(str(row.get(name, "")) for name in names))
        tables.append(table)
    return tables


def version_list(stored: Sequence[Stored], champion: str) -> Table:
    """One line a version; ``*`` marks the champion, a broken folder shows its problem."""
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        caption="dev rows of the compile: macro-F1; balanced accuracy of supported or not",
    )
    table.add_column("")
    table.add_column("version", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for column in ("F1", "b.acc.", "unsafe", "rows"):
        table.add_column(column, justify="right")
    for item in stored:
        mark = "*" if item.version == champion else ""
        if item.problem:
            table.add_row(mark, item.version, Text(item.problem, style="red"), "", "", "", "")
            continue
        manifest = item.manifest
        if manifest is None:
            table.add_row(mark, item.version, "uncompiled", "", "", "", "")
            continue
        figures = manifest.figures
        table.add_row(
            mark,
            item.version,
            manifest.status,
            _number(figures.get("macro_f1")),
            _number(figures.get("supported_balanced_accuracy")),
            str(figures.get("unsafe", "-")),
            str(figures.get("rows", "-")),
        )
    return table


def version_page(manifest: Manifest | None, state: dict[str, Any]) -> RenderableType:
    """How a version came about, and its prompts: instructions, thresholds, demos in order."""
    parts: list[RenderableType] = [_facts(manifest) if manifest else Text("baseline: the uncompiled program")]
    for name, predictor in state.items():
        parts += [Text(f"\n{name}", style="bold"), Text(predictor["signature"]["instructions"])]
        parts += [Text(f"{field}: {setting}") for field, setting in predictor.get("fields", {}).items()]
        for number, demo in enumerate(predictor["demos"], 1):
            kind = "bootstrapped" if demo.get("augmented") else "labelled"
            parts.append(Text(f"\ndemo {number} ({kind})", style="bold"))
            parts += [Text(f"  {key}: {value}") for key, value in demo.items() if key != "augmented"]
    return Group(*parts)


def _facts(manifest: Manifest) -> Table:
    facts = Table(show_header=False)
    facts.add_column("fact")
    facts.add_column("value", overflow="fold")
    for name, value in (
        ("version", manifest.version),
        ("status", manifest.status),
        ("made by", f"{manifest.optimizer} {manifest.optimizer_args}, seed {manifest.seed}, from {manifest.parent}"),
        ("model", str(manifest.task_model.get("name"))),
        ("trained on", f"{manifest.train.name}: {manifest.train.rows} rows {manifest.train.classes}"),
        ("demos", ", ".join(manifest.demos) or "none"),
        ("cost", f"{manifest.calls} compile calls, {manifest.tokens}, {manifest.seconds} s"),
        ("errors", "; ".join(manifest.errors) or "none"),
        ("created", f"{manifest.created_at}, dspy {manifest.dspy_version}, commit {manifest.git_commit or '-'}"),
        ("sha256", manifest.content_sha256),
    ):
        facts.add_row(name, Text(value))
    return facts


def show(renderable: RenderableType) -> None:
    Console().print(renderable)
