"""``superbiz verify``: results are kept case by case, and a second call goes on where the first stopped."""

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api import program_source
from api.cli_verify import run_verify
from api.errors import BadInput
from api.verify_file import Origin, ResultsFile
from programs.lms import choice
from programs.lms.choice import RoleLMs

ORIGIN = Origin("sha", "baseline", "scripted")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.jsonl"
    claim = {"claim_id": "c1", "claim_type": "context", "claim_text": "t", "is_critical": True, "evidence": []}
    lines = [{"case_id": f"k{n}", "query": "q", "invocations": [], "claims": [claim]} for n in range(3)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch, scripted: Callable[..., Any]) -> Any:
    built = scripted()
    monkeypatch.setattr(program_source, "ProgramSource", lambda *_: built)
    return built


def verify(file: Path, out: Path | None = None, **options: Any) -> None:
    run_verify(file, **{"as_json": True, "out": out, "version": None, "lm": None, **options})


def test_json_holds_each_case_in_the_order_of_the_file(
    cases: Path, programs: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    verify(cases)
    shown = json.loads(capsys.readouterr().out)
    assert [case["case_id"] for case in shown["cases"]] == ["k0", "k1", "k2"]
    assert (shown["version"], shown["lm"], shown["figures"]) == ("baseline", "scripted", None)
    wanted = {"case_id", "claims", "model_verdict", "effective_verdict", "groundedness_score", "gatekeeper_result"}
    assert wanted <= shown["cases"][0].keys()


def test_text_shows_verdict_and_claims(cases: Path, programs: Any, capsys: pytest.CaptureFixture[str]) -> None:
    verify(cases, as_json=False)
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "k0  LOW_CONFID  (model PASS, groundedness 0.60, gate pass)"
    assert second == "  c1  overstated"


def test_stopped_call_goes_on_with_the_cases_that_are_left(
    cases: Path, programs: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results.jsonl"

    def crash(case_id: str) -> None:
        if case_id == "k1":
            raise ConnectionError("the model went away")

    programs.before_case = crash
    with pytest.raises(ConnectionError):
        verify(cases, out)
    with out.open("a") as file:
        file.write('{"case_id": "k1", "cla')  # what a killed process leaves
    programs.before_case = lambda _: None
    programs.judged.clear()
    verify(cases, out)
    assert programs.judged == ["k1", "k2"]
    assert [json.loads(line).get("case_id") for line in out.read_text().splitlines()] == [None, "k0", "k1", "k2"]
    assert len(json.loads(capsys.readouterr().out)["cases"]) == 3
    programs.judged.clear()
    verify(cases, out)
    assert programs.judged == []


def test_ctrl_c_keeps_the_cases_that_are_done(
    cases: Path, programs: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results.jsonl"

    def press(case_id: str) -> None:
        if case_id == "k1":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)

    programs.before_case = press
    with pytest.raises(KeyboardInterrupt):
        verify(cases, out)
    origin = Origin(hashlib.sha256(cases.read_bytes()).hexdigest(), "baseline", "scripted")
    assert list(ResultsFile(out, origin).done) == ["k0"]
    assert "已完成 1/3 例" in capsys.readouterr().err


def test_claim_that_points_at_nothing_is_refused_by_the_real_gate_without_a_model(
    cases: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    no_model = RoleLMs(name="none", generate=None)
    monkeypatch.setattr(choice, "open_lms", lambda *_, **__: no_model)
    monkeypatch.setenv("SUPERBIZ_COMPILED_DIR", str(tmp_path / "no-versions"))
    labelled = cases.read_text().replace('"is_critical": true', '"is_critical": true, "label": "unsupported"')
    cases.write_text(labelled)
    for _ in range(2):  # the second call reads the results back
        verify(cases, tmp_path / "results.jsonl")
        shown = json.loads(capsys.readouterr().out)
        assert [case["claims"][0]["classification"] for case in shown["cases"]] == ["unsupported"] * 3
        assert [case["effective_verdict"] for case in shown["cases"]] == [None] * 3
        assert (shown["figures"]["claims"], shown["figures"]["unsafe_pass"]) == (3, 0)


def test_results_of_another_version_or_file_are_not_mixed(cases: Path, programs: Any, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    verify(cases, out)
    before = out.read_bytes()
    with pytest.raises(BadInput, match="version 'baseline', this call has 'v2'"):
        verify(cases, out, version="v2")
    cases.write_text(cases.read_text().replace("k2", "k9"))
    with pytest.raises(BadInput, match="file_sha256"):
        verify(cases, out)
    assert out.read_bytes() == before


def test_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes, no line end")
    with pytest.raises(BadInput, match=r"notes\.txt holds something else"):
        ResultsFile(notes, ORIGIN)
    assert notes.read_text() == "my notes, no line end"


def test_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    ResultsFile(out, ORIGIN).add({"case_id": "k0"})
    out.write_text(out.read_text() + "garbage\n" + '{"case_id": "k2"}\n')
    with pytest.raises(BadInput, match="line 3"):
        ResultsFile(out, ORIGIN)


def test_cut_header_starts_the_file_again(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    out.write_text('{"superbiz_verify": 1, "file_sh')
    ResultsFile(out, ORIGIN).add({"case_id": "k0"})
    assert list(ResultsFile(out, ORIGIN).done) == ["k0"]


def test_number_that_json_lacks_is_written_as_text(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    ResultsFile(out, ORIGIN).add({"case_id": "k0", "score": float("nan"), "text": "\ud800"})
    assert ResultsFile(out, ORIGIN).done["k0"] == {"case_id": "k0", "score": "NaN", "text": "\ud800"}
