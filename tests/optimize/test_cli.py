"""A prompt engineer's day on the command line, with a scripted model: run, list, show, compare, promote, roll back."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from optimize.cli import app


def superbiz(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def as_json(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def version(train_file: Path, dev_file: Path, lms: Any) -> str:
    options = ("--train", train_file, "--dev", dev_file, "--json")
    return str(as_json(superbiz("run", "--optimizer", "bootstrap", *options))["version"])


def test_the_whole_day(train_file: Path, dev_file: Path, lms: Any) -> None:
    made = superbiz("run", "--optimizer", "labeled", "--train", train_file, "--dev", dev_file)
    assert made.exit_code == 0, made.output
    assert "12 rows: direct_observation 2, reasonable_inference 2" in made.stderr
    assert "at most 24 calls" in made.stderr

    listed = as_json(superbiz("list", "--json"))
    version = listed["versions"][0]["version"]
    assert listed["champion"] == "baseline"
    manifest = listed["versions"][0]["manifest"]
    assert (manifest["status"], manifest["parent"], len(manifest["scores"])) == ("complete", "baseline", 24)
    assert manifest["figures"]["errors"] == 0

    shown = superbiz("show", version)
    assert "demo 6 (labelled)" in shown.stdout

    compared = as_json(superbiz("compare", "baseline", version, "--split", dev_file, "--json"))
    assert compared["pairs"][0]["macro_f1"]["low"] > 0
    assert compared["sides"][1]["reused"] == 24
    table = superbiz("compare", "baseline", version, "--split", dev_file)
    assert "McNemar exact" in table.stdout

    promoted = superbiz("promote", version, "--split", dev_file)
    assert promoted.exit_code == 0, promoted.output
    assert as_json(superbiz("list", "--json"))["champion"] == version
    assert lms.decide.asked == 48

    assert as_json(superbiz("rollback", "--json"))["version"] == "baseline"
    assert as_json(superbiz("list", "--json"))["champion"] == "baseline"


def test_json_output_is_one_object_although_dspy_prints(version: str) -> None:
    assert version.startswith("verifier-bootstrap-")


def test_a_version_that_is_not_better_needs_a_reason(version: str, dev_file: Path) -> None:
    assert superbiz("promote", version, "--split", dev_file).exit_code == 0
    refused = superbiz("promote", "baseline", "--split", dev_file)
    assert refused.exit_code == 1
    assert f"not better than {version}" in refused.stderr
    assert f"The champion stays {version}" in refused.stderr
    assert as_json(superbiz("list", "--json"))["champion"] == version

    reason = "demo weights licence under review"
    forced = as_json(superbiz("promote", "baseline", "--split", dev_file, "--why", reason, "--json"))
    assert (forced["why"], forced["version"]) == (reason, "baseline")
    assert "not better" in forced["refusals"][0]
    assert forced["figures"]["macro_f1"]["difference"] < 0


def test_promoting_the_champion_again_changes_nothing(dev_file: Path) -> None:
    again = superbiz("promote", "baseline", "--split", dev_file)
    assert again.exit_code == 1
    assert "is the champion already" in again.stderr


def test_an_altered_version_is_neither_shown_nor_compared_nor_promoted(
    version: str, dev_file: Path, compiled_dir: Path
) -> None:
    path = compiled_dir / version / "program.json"
    path.write_text(path.read_text().replace("pool", "pond"))
    for command in (("show", version), ("compare", "baseline", version), ("promote", version, "--why", "x")):
        result = superbiz(*command)
        assert result.exit_code == 1
        assert "program.json was altered" in result.stderr


def test_a_champion_that_cannot_be_loaded_can_be_replaced(version: str, dev_file: Path, compiled_dir: Path) -> None:
    assert superbiz("promote", version, "--split", dev_file).exit_code == 0
    (compiled_dir / version / "program.json").unlink()
    result = superbiz("promote", "baseline", "--split", dev_file)
    assert result.exit_code == 0, result.output
    assert "the champion cannot be loaded" in result.stderr


def test_a_typo_in_the_optimizer_starts_no_model(train_file: Path, dev_file: Path, compiled_dir: Path) -> None:
    result = superbiz("run", "--optimizer", "labelled", "--train", train_file, "--dev", dev_file)
    assert result.exit_code == 1
    assert "did you mean 'labeled'?" in result.stderr
    assert not compiled_dir.exists()


def test_a_file_without_labels_is_refused_with_the_counts(train_file: Path, dev_file: Path, lms: Any) -> None:
    case = json.loads(train_file.read_text().splitlines()[0])
    for claim in case["claims"]:
        claim["label"] = ""
    train_file.write_text(json.dumps(case))
    result = superbiz("run", "--optimizer", "labeled", "--train", train_file, "--dev", dev_file)
    assert result.exit_code == 1
    assert "6 of 6 rows without a label" in result.stderr
    assert "line 1" in result.stderr


def test_one_row_is_refused(train_file: Path, dev_file: Path, lms: Any) -> None:
    case = json.loads(train_file.read_text().splitlines()[0])
    case["claims"] = case["claims"][:1]
    train_file.write_text(json.dumps(case))
    result = superbiz("run", "--optimizer", "labeled", "--train", train_file, "--dev", dev_file)
    assert result.exit_code == 1
    assert "1 row, at least 2 are needed (direct_observation 1)" in result.stderr


def test_incidents_in_both_sets_are_refused(train_file: Path, lms: Any) -> None:
    result = superbiz("run", "--optimizer", "labeled", "--train", train_file, "--dev", train_file)
    assert result.exit_code == 1
    assert "2 incident families are in both" in result.stderr


def test_a_stop_before_anything_was_compiled_says_so(
    train_file: Path, dev_file: Path, monkeypatch: pytest.MonkeyPatch, compiled_dir: Path, scripted: Any
) -> None:
    def stop(state: dict[str, Any]) -> str:
        raise KeyboardInterrupt

    stopped = scripted.lms(stop, "scripted/cli-stop")
    monkeypatch.setattr("programs.lms.choice.open_lms", lambda spec=None, **options: stopped)
    result = superbiz("run", "--optimizer", "bootstrap", "--train", train_file, "--dev", dev_file)
    assert result.exit_code == 130
    assert "stopped: nothing was saved" in result.stderr
    assert not compiled_dir.exists()


def test_a_stop_while_scoring_saves_the_compiled_program_as_stopped(
    train_file: Path, dev_file: Path, monkeypatch: pytest.MonkeyPatch, scripted: Any
) -> None:
    def stop_on_dev(state: dict[str, Any]) -> str:
        if state["inputs"]["claim"].startswith("mike"):
            raise KeyboardInterrupt
        return str(scripted.learns_from_demos(state))

    stopped = scripted.lms(stop_on_dev, "scripted/cli-stop-dev")
    monkeypatch.setattr("programs.lms.choice.open_lms", lambda spec=None, **options: stopped)
    made = superbiz("run", "--optimizer", "labeled", "--train", train_file, "--dev", dev_file, "--json")
    assert as_json(made)["status"] == "stopped"


def test_limit_takes_classes_in_turn(train_file: Path, dev_file: Path, lms: Any) -> None:
    options = ("--train", train_file, "--dev", dev_file, "--limit", 6, "--json")
    manifest = as_json(superbiz("run", "--optimizer", "labeled", *options))
    assert list(manifest["train"]["classes"].values()) == [1] * 6
    assert manifest["dev"]["rows"] == 6


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = superbiz("run", "--optimizer", "labeled", "--train", tmp_path / "none.jsonl")
    assert result.exit_code == 1
    assert "none.jsonl" in result.stderr


def test_an_unsafe_version_is_refused_although_its_figures_are_better(
    tmp_path: Path, train_file: Path, monkeypatch: pytest.MonkeyPatch, scripted: Any
) -> None:
    dev = scripted.write_cases(tmp_path / "dev.jsonl", [f"svc{letter}" for letter in "abcdefgh"])
    lines = [json.loads(line) for line in dev.read_text().splitlines()]
    lines[0]["claims"] = [
        claim for claim in lines[0]["claims"] if claim["label"] in ("direct_observation", "unsupported")
    ]
    dev.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def script(state: dict[str, Any]) -> str:
        if not state.get("demos"):
            return "unsupported"
        claim = state["inputs"]["claim"]
        return "direct_observation" if claim.startswith("svca") else str(scripted.learns_from_demos(state))

    opened = scripted.lms(script, "scripted/unsafe")
    monkeypatch.setattr("programs.lms.choice.open_lms", lambda spec=None, **options: opened)
    made = as_json(superbiz("run", "--optimizer", "labeled", "--train", train_file, "--dev", dev, "--json"))
    result = superbiz("promote", made["version"], "--split", dev)
    assert result.exit_code == 1
    assert "1 more unsafe case(s): svca-case" in result.stderr
    assert "not better" not in result.stderr
