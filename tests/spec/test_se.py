"""SE: self_evaluation holds several channels, and no writer loses another's."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.store.repository import RunStore, open_store
from tests.spec.harness import Spec

CHANNELS = ("rule_evaluation", "aiops_rule_evaluation", "verifier_evaluation")


@pytest.fixture
def store(database: Path) -> Iterator[RunStore]:
    opened = open_store(f"sqlite:///{database}", stale_after_s=600)
    opened.start_run("r1", question="为什么 5xx？", session_id="s1")
    yield opened
    opened.close()


def _container(store: RunStore, run_id: str = "r1") -> Any:
    run = store.get_run(run_id)
    assert run is not None
    return run.self_evaluation


def test_se_01_one_object_holds_the_channels_by_name(spec: Spec) -> None:
    container = spec.ask().container
    assert isinstance(container, dict)
    assert {"rule_evaluation", "verifier_evaluation"} <= set(container) <= set(CHANNELS)


def test_se_02_the_rule_score_is_written_under_rule_evaluation(spec: Spec) -> None:
    asked = spec.ask()
    found = asked.container["rule_evaluation"]
    assert 0 <= found["score"] <= 100 and found["grade"] in "ABCD"
    assert sum(found["tools"].values()) == len(asked.stored["invocations"])


@pytest.mark.parametrize("order", [CHANNELS, CHANNELS[::-1]])
def test_se_03_writing_the_rule_score_keeps_the_verifier_channel(store: RunStore, order: tuple[str, ...]) -> None:
    for name in order:
        store.update_self_evaluation("r1", name, {"from": name})
    assert _container(store) == {name: {"from": name} for name in CHANNELS}


def test_se_04_the_verifier_result_is_written_under_verifier_evaluation(spec: Spec) -> None:
    asked = spec.ask()
    assert asked.container["verifier_evaluation"]["verdict"] == asked.body["verdict"] == "PASS"


def test_se_05_writing_it_keeps_the_rule_score_byte_for_byte(store: RunStore, database: Path) -> None:
    store.update_self_evaluation("r1", "rule_evaluation", {"score": 0.1 + 0.2, "中": "文"})
    before = _raw(database)["rule_evaluation"]
    store.update_self_evaluation("r1", "verifier_evaluation", {"verdict": "PASS"})
    assert _raw(database)["rule_evaluation"] == before


def _raw(database: Path) -> dict[str, str]:
    with sqlite3.connect(database) as raw:
        (text,) = raw.execute("SELECT self_evaluation FROM diagnosis_run WHERE id = 'r1'").fetchone()
    return {name: json.dumps(value) for name, value in json.loads(text).items()}


def test_se_06_fifty_writers_at_once_lose_nothing(store: RunStore) -> None:
    barrier, faults = threading.Barrier(50), []

    def write(number: int) -> None:
        barrier.wait()
        try:
            store.update_self_evaluation("r1", f"channel_{number}", {"n": number})
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert _container(store) == {f"channel_{number}": {"n": number} for number in range(50)}


@pytest.mark.parametrize(
    ("old", "kept"),
    [
        ('{"third_channel": {"a": 1}}', {"third_channel": {"a": 1}}),
        ("0.8", {"legacy_value": 0.8}),
        ("not json", {"legacy_value": "not json"}),
        (None, {}),
        ("null", {}),
    ],
)
def test_se_07_what_was_there_is_never_replaced(store: RunStore, database: Path, old: Any, kept: Any) -> None:
    with sqlite3.connect(database) as raw:
        raw.execute("UPDATE diagnosis_run SET self_evaluation = ?", (old,))
    store.update_self_evaluation("r1", "rule_evaluation", {"score": 9})
    assert _container(store) == {**kept, "rule_evaluation": {"score": 9}}
