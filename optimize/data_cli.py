"""``superbiz data``: look at labelled files before anything is compiled or scored with them."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

app = typer.Typer(help="Check and count labelled verdict cases (JSONL).", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback()
def main() -> None:
    """Check and count labelled verdict cases (JSONL)."""


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="A JSONL file of labelled cases.", metavar="FILE")],
    as_json: AsJson = False,
) -> None:
    """Name every fault of a labelled FILE by line and field; exit code 1 if there is one."""
    from dataclasses import asdict

    from optimize.dataset import check_file

    problems = check_file(file)
    if as_json:
        found = {"file": file, "ok": not problems, "problems": [asdict(item) for item in problems]}
        typer.echo(json.dumps(found, ensure_ascii=False))
    elif problems:
        for item in problems:
            place = file if item.line is None else f"{file} line {item.line}"
            typer.echo(f"{place}: {item.field + ' ' if item.field else ''}{item.reason}", err=True)
        typer.echo(f"{len(problems)} problem(s). Correct these lines and run the check again.", err=True)
    else:
        typer.echo(f"{file}: no problem found")
    raise typer.Exit(1 if problems else 0)


@app.command()
def stats(
    source: Annotated[
        str, typer.Argument(help="A JSONL file, or a shipped split: train, dev.", metavar="FILE|train|dev")
    ],
    as_json: AsJson = False,
) -> None:
    """Count the claims of a labelled set by class, language, difficulty, type and tool."""
    from optimize.dataset import load_split
    from optimize.dataset import stats as count
    from signatures.verdict_case import CaseFileError

    try:
        counts: dict[str, Any] = count(load_split(source))
    except CaseFileError as error:
        typer.echo(f"{error}. Run `superbiz data check FILE` to list every fault.", err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(json.dumps(counts, ensure_ascii=False))
        return
    for name, value in counts.items():
        if isinstance(value, dict):
            typer.echo(f"{name}:")
            for key, number in value.items():
                typer.echo(f"  {key:<22}{number:>5}")
        else:
            typer.echo(f"{name:<24}{value:>5}")
