"""Many at the same time, and programs that do not fit: no cross-talk, nothing lost."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dspy
import pytest

from api.program_source import load_version
from api.store.repository import open_store
from optimize.manifest import VersionError
from programs.verifier import ClaimVerifier
from tests.scripted.models import ScriptedDecider, ScriptedEngine
from tests.spec.harness import (
    QUESTION,
    REPLIES,
    ScriptedSource,
    Spec,
)


def test_hostile_18_concurrent_versions_do_not_mix(spec: Spec) -> None:
    meet = threading.Barrier(2, timeout=20)

    def label(_: dict[str, Any]) -> str:
        meet.wait()
        return "reasonable_inference"

    source = ScriptedSource(ScriptedEngine(**REPLIES), ScriptedDecider(label))
    client = spec.client_of(source)

    def ask(version: str) -> dict[str, Any]:
        found: dict[str, Any] = client.post("/api/chat", json={"question": QUESTION, "version": version}).json()
        return found

    with ThreadPoolExecutor(2) as pool:
        bodies = dict(zip(("v1", "v2"), pool.map(ask, ("v1", "v2")), strict=True))
    for version, body in bodies.items():
        stored = client.get(f"/api/runs/{body['run_id']}").json()
        assert body["version"] == stored["version"] == version and body["verdict"] == "PASS"
        assert {item["run_id"] for item in stored["self_evaluation"]["verifier_evaluation"]["verified_evidence"]} == {
            body["run_id"]
        }


def test_hostile_19_a_version_that_does_not_fit_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERBIZ_COMPILED_DIR", str(tmp_path))
    program = dspy.Module()
    program.verifier = ClaimVerifier()
    before = json.dumps(program.verifier.dump_state(), sort_keys=True, default=str)
    broken = tmp_path / "verifier-labeled-20260101-abcdef"
    broken.mkdir()
    (broken / "manifest.json").write_text("{}")
    (broken / "program.json").write_text("{}")
    with pytest.raises(VersionError):
        load_version(program, broken.name)
    assert json.dumps(program.verifier.dump_state(), sort_keys=True, default=str) == before


def test_hostile_21_twenty_chats_at_once(spec: Spec) -> None:
    client = spec.client_of(ScriptedSource(ScriptedEngine(**REPLIES), ScriptedDecider("reasonable_inference")))

    def ask(_: int) -> Any:
        return client.post("/api/chat", json={"question": QUESTION})

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    assert [answer.status_code for answer in answers] == [200] * 20
    ids = {answer.json()["run_id"] for answer in answers}
    stored = [client.get(f"/api/runs/{run_id}").json() for run_id in ids]
    assert len(stored) == 20
    assert {(run["status"], len(run["invocations"])) for run in stored} == {("finished", len(stored[0]["invocations"]))}


def test_hostile_22_both_channels_at_once(database: Path) -> None:
    turn = threading.Barrier(2, timeout=20)
    store = open_store(f"sqlite:///{database}", stale_after_s=600)
    for number in range(20):
        run_id = f"r{number}"
        store.start_run(run_id, question="q", session_id="s")

        def write(name: str, run_id: str = run_id) -> None:
            turn.wait()
            store.update_self_evaluation(run_id, name, {"from": name})

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, ("rule_evaluation", "verifier_evaluation")))
        run = store.get_run(run_id)
        assert run is not None and set(run.self_evaluation) == {"rule_evaluation", "verifier_evaluation"}
    store.close()
