"""The command line as a user meets it: clear refusals, exit codes, Ctrl-C."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"


def environment(home: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "SUPERBIZ_HOME": str(home), "PYTHONPATH": str(ROOT), **more}


def superbiz(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "api.cli", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env=environment(home, **more),
        cwd=home.parent,
    )


def refused(done: subprocess.CompletedProcess[str], code: int, told: str) -> None:
    """One clear line on standard error, nothing on standard output, no traceback."""
    assert done.returncode == code, done.stderr
    assert re.search(told, done.stderr), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_help_names_every_command_and_prints_its_time(home: Path) -> None:
    started = time.perf_counter()
    done = superbiz(home, "--help")
    print(f"superbiz --help: {time.perf_counter() - started:.2f} s")
    assert done.returncode == 0
    for command in ("ask", "verify", "serve", "model", "optimize", "data"):
        assert command in done.stdout


def test_help_loads_nothing_heavy(home: Path) -> None:
    heavy = {"dspy", "litellm", "fastapi", "uvicorn", "sqlmodel", "jieba", "drain3", "sklearn", "numpy", "xllamacpp"}
    script = (
        "import sys; sys.argv = ['superbiz', '--help']\n"
        "from api.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print('LOADED', sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment(home))
    assert "LOADED []" in done.stdout, done.stdout[-500:]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("", "question is empty"),
        ("  　", "question is empty"),
        ("长" * 20_000, "20,000 characters, the limit is 4,000"),
        ("\x1b]0;x\x07why", r"U\+001B at character 1"),
        ("\x01", r"U\+0001 at character 1"),
    ],
)
def test_unusable_question(home: Path, question: str, told: str) -> None:
    refused(superbiz(home, "ask", question), 2, told)
    assert not home.exists()


def test_question_that_is_no_utf8(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", "ask", b"caf\xe9 5xx"],
        capture_output=True,
        text=True,
        env=environment(home, PYTHONUTF8="1"),
    )
    refused(done, 2, "UTF-8 at character 4")


def test_unknown_option_and_missing_question_are_usage_errors(home: Path) -> None:
    assert superbiz(home, "ask").returncode == 2
    assert superbiz(home, "ask", QUESTION, "--nonsense").returncode == 2
    assert superbiz(home, "nonsense").returncode == 2


def test_unknown_scenario_is_named_with_what_there_is(home: Path) -> None:
    refused(superbiz(home, "ask", QUESTION, "--scenario", "nowhere"), 2, "unknown scenario 'nowhere'")


def test_broken_scenario_file_is_named_with_its_line(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    head = {
        "name": "mine",
        "clock": "2026-01-01T10:30:00+08:00",
        "timezone": "Asia/Shanghai",
        "window": {"start": "2026-01-01T09:30:00+08:00", "end": "2026-01-01T10:30:00+08:00"},
        "services": [{"name": "a"}],
    }
    (folder / "scenario.json").write_text(json.dumps(head))
    (folder / "logs.jsonl").write_text('{"timestamp": "2026-01-01T10:00:00+08:00", "level": "INFO", \n')
    refused(superbiz(home, "ask", QUESTION, "--scenario", str(folder)), 2, r"logs\.jsonl line 1")


def test_unknown_version(home: Path) -> None:
    refused(superbiz(home, "ask", QUESTION, "--version", "v9"), 2, "'v9'")


def test_unknown_model_is_exit_code_3_and_the_run_is_marked_failed(home: Path) -> None:
    refused(superbiz(home, "ask", QUESTION, "--lm", "nonsense"), 3, "unknown model 'nonsense'")
    with sqlite3.connect(home / "superbiz.db") as database:
        assert database.execute("SELECT status, failure_code FROM diagnosis_run").fetchall() == [
            ("failed", "MODEL_UNAVAILABLE")
        ]


def test_first_line_comes_before_anything_heavy_is_loaded(home: Path) -> None:
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "api.cli", "ask", QUESTION, "--lm", "nonsense"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=environment(home),
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline().decode()
        print(f"first progress line after {time.perf_counter() - started:.2f} s")
        process.communicate(timeout=60)
    assert "收到问题" in first


def test_unusable_store_is_exit_code_4(home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refused(superbiz(home, "ask", QUESTION, SUPERBIZ_DATABASE_URL=f"sqlite:///{tmp_path}/file/runs.db"), 4, "run store")


def test_fault_shows_its_traceback_only_when_asked(home: Path) -> None:
    done = superbiz(home, "ask", "", SUPERBIZ_DEBUG="1")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "8.8.8.8"])
def test_serve_refuses_to_listen_beyond_this_machine(home: Path, host: str) -> None:
    refused(superbiz(home, "serve", "--host", host), 2, "no access keys.*127.0.0.1")


def test_serve_names_the_port_that_is_in_use(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused(superbiz(home, "serve", "--port", str(port)), 2, f"port {port} on 127.0.0.1 is in use.*--port")


def test_bad_setting_is_named(home: Path) -> None:
    refused(superbiz(home, "serve", SUPERBIZ_PORT="http"), 2, "SUPERBIZ_PORT='http'")


def test_serve_answers_and_stops_on_ctrl_c(home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "api.cli", "serve", "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(home),
    )
    try:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
        assert found is not None
        with urllib.request.urlopen(f"{found.group()}/healthz", timeout=20) as answer:
            assert json.load(answer)["status"] == "ok"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        assert process.returncode == 0, told
        assert "Traceback" not in told
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read"),
        ("", "no case"),
        ('{"case_id": "a"}\n', "line 1: query is missing"),
        ("{broken\n", "line 1"),
    ],
)
def test_verify_names_the_broken_line(home: Path, tmp_path: Path, content: str | None, told: str) -> None:
    file = tmp_path / "cases.jsonl"
    if content is not None:
        file.write_text(content)
    refused(superbiz(home, "verify", str(file)), 2, told)
