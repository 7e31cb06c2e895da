"""The command ``superbiz``. Nothing heavy is imported before a command needs it: ``--help`` must be quick."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from api.console import report, set_up_streams

app = typer.Typer(
    help="Evidence-verified incident diagnosis: answers only what this run's tool output supports.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Lm = Annotated[
    str | None,
    typer.Option(
        "--lm", metavar="SPEC", help="Model: embedded, embedded:FILE.gguf or provider/model. Default: SUPERBIZ_LM."
    ),
]
Version = Annotated[
    str | None, typer.Option("--version", metavar="V", help="Program version. Default: the promoted one.")
]


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question, in Chinese or English.")],
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="NAME|PATH", help="Incident data. Default: chosen by the question."),
    ] = None,
    as_json: Json = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show every event and what each step cost.")] = False,
    version: Version = None,
    lm: Lm = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Session the run belongs to.")] = None,
) -> None:
    """Answer a question with verified evidence.

    Progress goes to standard error, the answer to standard output. Exit code 0 for any honest answer, also one that
    says the evidence is not enough; 2 bad input, 3 no model, 4 run store, 130 interrupted.
    """
    from api.cli_ask import run_ask

    run_ask(question, scenario=scenario, as_json=as_json, trace=trace, version=version, lm=lm, session=session)


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Verdict cases, one a line.")],
    as_json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="F", help="Append each case's result to this file; a second call goes on there."),
    ] = None,
    version: Version = None,
    lm: Lm = None,
) -> None:
    """Check claims against the tool output that they cite.

    Runs the gate, literal grounding, verifier and scoring over every case; labels in the file are not used for the
    judgement, only for the figures at the end.
    """
    from api.cli_verify import run_verify

    run_verify(file, as_json=as_json, out=out, version=version, lm=lm)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address of this machine only. Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port. Default: 8000; 0 takes a free one.")] = None,
) -> None:
    """Serve the HTTP interface and the chat page."""
    from api.cli_serve import run_serve

    run_serve(host, port)


for _name, _module in (("model", "api.model_cli"), ("optimize", "optimize.cli"), ("data", "optimize.data_cli")):
    app.add_typer(import_module(_module).app, name=_name)


def main() -> None:
    """Entry point. A fault ends in one clear line and an exit code, never in a bare traceback."""
    set_up_streams()
    try:
        app(prog_name="superbiz")
    except BrokenPipeError:
        sys.stderr.close()  # the reader (head, less) has gone: nothing to tell
        sys.exit(0)
    except Exception as error:
        sys.exit(report(error))


if __name__ == "__main__":
    main()
