"""The terminal side of the commands: progress on stderr, one JSON object on stdout, errors in one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer


def say(text: str) -> None:
    typer.echo(text, err=True)


def print_json(value: Any) -> None:
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on the stderr of now: the optimisers' own printing is redirected while they run."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield _lines(total, console.file)
        return
    progress = Progress(*columns, console=console, redirect_stdout=False, redirect_stderr=False, transient=True)
    with progress:
        task = progress.add_task("", total=max(total, 1))
        yield lambda text: progress.update(task, advance=1, description=text)


def _lines(total: int, file: Any) -> Callable[[str], None]:
    """Progress for a log file: one line every tenth of the way."""
    done, step = 0, max(1, total // 10)

    def advance(text: str) -> None:
        nonlocal done
        done += 1
        if done % step == 0:
            print(f"{done}/{total} {text}", file=file, flush=True)

    return advance


@contextmanager
def clear_errors(on_interrupt: str = "nothing was changed") -> Iterator[None]:
    """Bad input and stops end with one sentence and an exit code, never with a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        _fail(f"stopped: {on_interrupt}", 130)
    except (ValueError, OSError) as error:
        _fail(str(error), 1)
    except Exception as error:
        from programs.lms.choice import LMUnavailable

        if not isinstance(error, LMUnavailable):
            raise
        _fail(str(error), 1)


def _fail(message: str, code: int) -> NoReturn:
    say(message)
    raise typer.Exit(code)
