"""`superbiz model` as a user runs it: what is printed where, and the exit code."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from api.model_cli import app
from programs.lms import fetch as fetching
from programs.lms import model_files

REPO = Path(__file__).parents[2]
CONTENT = b"GGUF" + bytes(range(256)) * 40
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def tiny_model(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = fetching.ModelFile("tiny", "tiny.gguf", len(CONTENT), SHA256, "Someone/Tiny", "superbiz-test-none", "1", 1)
    monkeypatch.setitem(model_files.KNOWN, "tiny", tiny)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "mine.gguf"
    file.write_bytes(CONTENT)
    return file


def superbiz_model(*args: str | Path) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def test_fetch_path_and_verify_of_a_named_file(source: Path) -> None:
    fetched = superbiz_model("fetch", "tiny", "--from", source)
    target = fetching.models_dir() / "tiny.gguf"
    assert (fetched.exit_code, fetched.stdout) == (0, f"{target}\n")
    assert str(source) in fetched.stderr
    assert superbiz_model("path", "tiny").stdout == f"{target}\n"
    verified = superbiz_model("verify", "tiny")
    assert verified.exit_code == 0
    assert SHA256 in verified.stdout


def test_each_command_prints_one_json_object(source: Path) -> None:
    fetched = json.loads(superbiz_model("fetch", "tiny", "--from", source, "--json").stdout)
    target = str(fetching.models_dir() / "tiny.gguf")
    assert fetched == {"ok": True, "name": "tiny", "path": target, "size": len(CONTENT), "sha256": SHA256}
    assert json.loads(superbiz_model("path", "tiny", "--json").stdout) == {"ok": True, "name": "tiny", "path": target}
    assert json.loads(superbiz_model("verify", "tiny", "--json").stdout) == {
        "ok": True,
        "path": target,
        "size": len(CONTENT),
        "sha256": SHA256,
        "expected": SHA256,
        "reason": "is model tiny",
    }


def test_a_missing_model_fails_with_the_next_step() -> None:
    for command in ("path", "verify"):
        result = superbiz_model(command, "tiny")
        assert result.exit_code == 1
        assert result.stdout == ""
        assert "no model file at" in result.stderr
    result = superbiz_model("path", "tiny")
    assert "superbiz model fetch tiny" in result.stderr
    assert json.loads(superbiz_model("path", "tiny", "--json").stdout)["ok"] is False


def test_a_cut_file_fails_verify_with_both_sizes(source: Path) -> None:
    superbiz_model("fetch", "tiny", "--from", source)
    (fetching.models_dir() / "tiny.gguf").write_bytes(CONTENT[:100])
    result = superbiz_model("verify", "tiny", "--json")
    assert result.exit_code == 1
    assert f"is cut short: 100 bytes, model tiny has {len(CONTENT)}" in json.loads(result.stdout)["reason"]


def test_any_gguf_can_be_verified_by_its_path(source: Path) -> None:
    result = superbiz_model("verify", source)
    assert result.exit_code == 0
    assert SHA256 in result.stdout
    assert "not a model with a known SHA-256" in result.stdout


def test_a_wrong_file_and_an_unknown_name_fail_in_one_line(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"GGUF")
    for args in (("fetch", "tiny", "--from", wrong), ("fetch", "7b"), ("path", "7b"), ("verify", "7b")):
        result = superbiz_model(*args)
        assert result.exit_code == 1
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1


def test_an_interrupted_fetch_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **kwargs: object) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "fetch", interrupted)
    result = superbiz_model("fetch", "tiny")
    assert result.exit_code == 130
    assert "`superbiz model fetch tiny` goes on from there" in result.stderr


def test_help_lists_the_three_commands() -> None:
    result = superbiz_model("--help")
    assert result.exit_code == 0
    for command in ("fetch", "path", "verify"):
        assert command in result.stdout


def test_the_commands_load_no_model_code_at_import() -> None:
    code = (
        "import sys, api.model_cli; "
        "print([m for m in ('dspy', 'xllamacpp', 'huggingface_hub', 'programs', 'rich.progress') if m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=REPO, env=dict(os.environ), capture_output=True, text=True, timeout=60
    )
    assert answer.stdout == "[]\n", answer.stderr
