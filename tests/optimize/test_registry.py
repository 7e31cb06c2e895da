"""Versions on disk: what is stored, what is refused, and that a refusal leaves the served program as it was."""

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from optimize import places, registry
from optimize.compilers import build
from optimize.manifest import DataUse, Facts, content_hash, fingerprints, program_bytes
from optimize.registry import VersionError


def compiled() -> Any:
    program = build("verifier")
    demo = {"context": "怎么了？", "claim": "池满", "excerpts": "pool exhausted", "findings": ""}
    example = dspy.Example(**demo, supported=True, classification="direct_observation", row_id="never stored")
    program.predictors()[0].demos = [example]
    return program


def facts(**changes: Any) -> Facts:
    given: dict[str, Any] = {
        "target": "verifier",
        "optimizer": "labeled",
        "optimizer_args": {"max_demos": 1},
        "seed": 0,
        "status": "complete",
        "task_model": {"name": "scripted"},
        "adapter": "none",
        "fingerprints": fingerprints(build("verifier")),
        "train": DataUse(name="train", sha256="0", rows=1, classes={"direct_observation": 1}),
    }
    return Facts(**{**given, **changes})


@pytest.fixture
def version() -> str:
    return registry.save(compiled(), facts()).version


def edit(path: Path, change: Any) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def edit_and_sign(folder: Path, change: Any) -> None:
    """Alter the program as someone does who also corrects the hash."""
    import hashlib

    edit(folder / "program.json", change)
    digest = hashlib.sha256((folder / "program.json").read_bytes()).hexdigest()
    edit(folder / "manifest.json", lambda manifest: manifest.update(content_sha256=digest))


def refused(version: str) -> str:
    """The refusal's message, after checking that the program did not change."""
    program = build("verifier")
    before = program_bytes(program)
    with pytest.raises(VersionError) as caught:
        registry.load_into(program, version)
    assert program_bytes(program) == before
    return str(caught.value)


def test_a_loaded_version_is_byte_for_byte_the_saved_program(version: str) -> None:
    program = build("verifier")
    manifest = registry.load_into(program, version)
    assert manifest is not None
    assert content_hash(program) == content_hash(compiled()) == manifest.content_sha256
    assert program.predictors()[0].demos[0]["claim"] == "池满"


def test_the_stored_state_holds_no_model_and_no_foreign_fields(version: str, compiled_dir: Path) -> None:
    text = (compiled_dir / version / "program.json").read_text()
    state = json.loads(text)
    assert [entry["lm"] for entry in state.values()] == [None]
    assert "never stored" not in text


def test_a_version_is_named_after_target_optimizer_day_and_content(version: str) -> None:
    manifest = registry.manifest_of(version)
    day = manifest.created_at[:10].replace("-", "")
    assert version == f"verifier-labeled-{day}-{manifest.content_sha256[:6]}"
    assert manifest.dspy_version == dspy.__version__


def test_the_same_program_compiled_twice_is_one_version(version: str) -> None:
    assert registry.save(compiled(), facts(seed=1)).version == version
    assert len(registry.versions()) == 2


def test_baseline_is_always_listed_and_loads_without_a_change() -> None:
    assert [item.version for item in registry.versions()] == ["baseline"]
    program = build("verifier")
    assert registry.load_into(program, "baseline") is None
    assert content_hash(program) == content_hash(build("verifier"))


def test_an_altered_program_is_refused(version: str, compiled_dir: Path) -> None:
    path = compiled_dir / version / "program.json"
    path.write_text(path.read_text().replace("池满", "池空"))
    assert "program.json was altered" in refused(version)


def test_a_removed_predictor_is_refused(version: str, compiled_dir: Path) -> None:
    edit_and_sign(compiled_dir / version, lambda state: state.pop(next(iter(state))))
    assert "is not in program.json" in refused(version)


def test_a_renamed_predictor_is_refused(version: str, compiled_dir: Path) -> None:
    edit_and_sign(compiled_dir / version, lambda state: state.update(other=state.pop(next(iter(state)))))
    message = refused(version)
    assert "is not in program.json" in message
    assert "predictor 'other' of program.json is not in this program" in message


def test_a_version_of_an_older_signature_is_refused_and_the_difference_named(version: str, compiled_dir: Path) -> None:
    def older(manifest: dict[str, Any]) -> None:
        (entry,) = manifest["fingerprints"].values()
        entry["fields"] = [field for field in entry["fields"] if field["name"] != "findings"]
        entry["fields"][0]["description"] = "another one"
        entry["instructions"] += " Old."

    edit(compiled_dir / version / "manifest.json", older)
    message = refused(version)
    assert "field 'findings' is new" in message
    assert "the description of field" in message
    assert "the instructions differ" in message
    assert "superbiz optimize run" in message


def test_reordered_fields_are_refused(version: str, compiled_dir: Path) -> None:
    def reorder(manifest: dict[str, Any]) -> None:
        (entry,) = manifest["fingerprints"].values()
        entry["fields"][0], entry["fields"][1] = entry["fields"][1], entry["fields"][0]

    edit(compiled_dir / version / "manifest.json", reorder)
    assert "stand in another order" in refused(version)


def test_model_settings_and_foreign_keys_in_a_program_are_refused(version: str, compiled_dir: Path) -> None:
    def smuggle(state: dict[str, Any]) -> None:
        (entry,) = state.values()
        entry["lm"] = {"api_base": "http://elsewhere.example"}

    edit_and_sign(compiled_dir / version, smuggle)
    assert "carries model settings" in refused(version)
    edit_and_sign(compiled_dir / version, lambda state: next(iter(state.values())).update(forward="x"))
    assert "not the state of a predictor" in refused(version)


def test_thresholds_dspy_does_not_accept_are_refused(version: str, compiled_dir: Path) -> None:
    fields = {"supported": {"threshold": 7}}
    edit_and_sign(compiled_dir / version, lambda state: next(iter(state.values())).update(fields=fields))
    assert "DSPy refuses its state" in refused(version)


def test_a_half_copied_version_is_refused_and_listed_with_its_problem(version: str, compiled_dir: Path) -> None:
    (compiled_dir / version / "program.json").unlink()
    assert "program.json is missing" in refused(version)
    (compiled_dir / version / "manifest.json").write_text("{")
    assert "manifest.json cannot be read" in refused(version)
    assert "cannot be read" in str(registry.versions()[0].problem)


def test_an_unknown_version_names_the_near_one(version: str) -> None:
    assert f"did you mean {version!r}?" in refused(version[:-1] + "x")
    assert "no version '../etc'" in refused("../etc")


def test_a_failed_save_leaves_nothing_behind(compiled_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, value: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(registry, "write_json", full)
    with pytest.raises(OSError, match="No space left"):
        registry.save(compiled(), facts())
    assert list(compiled_dir.iterdir()) == []


def test_promotions_are_kept_and_rolled_back_one_by_one(version: str) -> None:
    registry.promote(version, "better on dev")
    assert registry.champion() == version
    entry, _ = registry.rollback()
    assert (entry.kind, entry.version, registry.champion()) == ("rollback", "baseline", "baseline")
    assert registry.read_registry().history[0].why == "better on dev"
    with pytest.raises(VersionError, match="nothing to roll back to"):
        registry.rollback()


def test_promoting_what_does_not_exist_changes_nothing(compiled_dir: Path) -> None:
    with pytest.raises(VersionError, match="no version 'nope'"):
        registry.promote("nope", "why")
    assert not (compiled_dir / "registry.json").exists()


def test_the_users_champion_wins_over_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user, shipped = tmp_path / "user", tmp_path / "shipped"
    monkeypatch.setattr(registry, "roots", lambda: (user, shipped))
    places.write_json(shipped / "registry.json", {"champion": "shipped-one", "history": []})
    assert registry.champion() == "shipped-one"
    places.write_json(user / "registry.json", {"champion": "own-one", "history": []})
    assert registry.champion() == "own-one"


def test_a_source_checkout_writes_to_its_own_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SUPERBIZ_COMPILED_DIR")
    monkeypatch.setenv("SUPERBIZ_HOME", str(tmp_path))
    assert places.roots()[0] == tmp_path / "compiled"
    if places.source_checkout():
        assert places.write_root() == places.roots()[1]
    monkeypatch.setattr(places, "source_checkout", lambda: None)
    assert places.write_root() == tmp_path / "compiled"


def test_reading_versions_needs_no_dspy() -> None:
    import subprocess
    import sys

    code = "import sys, optimize.registry, optimize.cli; sys.exit('dspy' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
