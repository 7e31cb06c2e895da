"""Requests at the same time, over a real server: none is lost, none gets what belongs to another."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.program_source import ProgramSource
from api.settings import read_settings
from api.store.repository import RunStore
from programs.lms import choice
from tests.scripted.models import ScriptedDecider, ScriptedEngine, scripted_lms
from tests.spec.harness import REPLIES
from tests.support.postgres import ON_BOTH
from tests.support.serving import half_request, serving
from tests.support.workers import run_threads

QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"
SETTINGS = {"SUPERBIZ_HOME": "unused", "SUPERBIZ_MAX_RUNNING": "4"}


def ask(url: str, **body: Any) -> dict[str, Any]:
    response = httpx.post(f"{url}/api/chat", json={"question": QUESTION, **body}, timeout=60)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


# --- hostile 21 -------------------------------------------------------------------------------------------------------


@ON_BOTH
def test_twenty_chats_while_one_streams_lose_nothing(
    store: RunStore, scripted: Callable[..., Any], sql: Callable[..., list[Any]]
) -> None:
    go, first = threading.Event(), threading.Lock()

    def before_step(step: str) -> None:
        if step == "gate" and first.acquire(blocking=False):
            go.wait(60)

    app = create_app(read_settings(SETTINGS), store=store, programs=scripted(before_step=before_step))
    answers: dict[int, dict[str, Any]] = {}

    def chat(number: int) -> None:
        answers[number] = ask(url, question=f"{QUESTION} {number}", session_id=f"s-{number % 3}")

    with (
        serving(app) as url,
        httpx.stream("POST", f"{url}/api/chat/stream", json={"question": QUESTION}, timeout=60) as s,
    ):
        lines = s.iter_lines()
        next(line for line in lines if '"node": "gate"' in line)
        assert run_threads([lambda number=number: chat(number) for number in range(20)]) == []
        go.set()
        streamed = [line for line in lines if line.startswith(("event:", "data:"))]
    assert [line for line in streamed if line.startswith("event:")] == ["event: step"] * 3 + ["event: answer"]
    last = json.loads(streamed[-1].removeprefix("data: "))
    expected = {last["run_id"]: QUESTION} | {answers[n]["run_id"]: f"{QUESTION} {n}" for n in range(20)}
    assert len(expected) == 21
    for run_id, question in expected.items():
        run = store.get_run(run_id)
        assert run is not None
        assert (run.status, run.question, len(run.events)) == ("finished", question, 6)
        assert [item.run_id for item in run.invocations] == [run_id]
        assert set(run.self_evaluation) == {"rule_evaluation", "verifier_evaluation"}
    assert sql("SELECT count(*) FROM diagnosis_run") == [(21,)]
    assert sql("SELECT count(*) FROM tool_invocation") == [(21,)]
    assert sql("SELECT count(*) FROM orchestration_event") == [(21 * 6,)]


# --- the real graph, with scripted models -----------------------------------------------------------------------------


@pytest.fixture
def one_scenario() -> None:
    """The shipped scenarios, not the file-less one of the other tests."""


class HeldModels(ScriptedEngine):
    """Scripted models whose calls stop at ``before(role)``."""

    def __init__(self, before: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(**REPLIES)
        self.before = before
        self.decider = ScriptedDecider(self._label)

    def complete(self, request: Any) -> Any:
        answer = super().complete(request)
        self.before(next(reversed(self.calls)))
        return answer

    def _label(self, _: dict[str, Any]) -> str:
        self.before("verifier")
        return "reasonable_inference"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> HeldModels:
    """What the real program source opens in the place of a language model."""
    engine = HeldModels()
    monkeypatch.setattr(choice, "open_lms", lambda *_, **__: scripted_lms(engine, engine.decider))
    return engine


@pytest.fixture
def url(store: RunStore, models: HeldModels, one_scenario: None) -> Iterator[str]:
    with serving(create_app(read_settings(SETTINGS), store=store, programs=ProgramSource())) as address:
        yield address


# --- hostile 18 -------------------------------------------------------------------------------------------------------


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A version whose Verifier has one example in its prompt."""
    import dspy

    from optimize import registry
    from optimize.compilers import build
    from optimize.manifest import DataUse, Facts, fingerprints

    monkeypatch.setenv("SUPERBIZ_COMPILED_DIR", str(tmp_path / "compiled"))
    program = build("verifier")
    fields = {"context": "怎么了？", "claim": "示例里的池满", "excerpts": "pool exhausted", "findings": ""}
    program.predictors()[0].demos = [dspy.Example(**fields, supported=True, classification="direct_observation")]
    facts = Facts(
        target="verifier",
        optimizer="labeled",
        optimizer_args={},
        seed=0,
        status="complete",
        task_model={"name": "scripted"},
        adapter="none",
        fingerprints=fingerprints(build("verifier")),
        train=DataUse(name="train", sha256="0", rows=1, classes={"direct_observation": 1}),
    )
    return registry.save(program, facts).version


def test_requests_that_name_different_versions_at_once_each_use_and_record_their_own(
    url: str, models: HeldModels, compiled: str, store: RunStore
) -> None:
    meet = {role: threading.Barrier(2) for role in ("planner", "executor", "composer")}
    models.before = lambda role: meet[role].wait(30) and None if role in meet else None
    questions = {version: f"{version}：{QUESTION}" for version in ("baseline", compiled)}
    answers: dict[str, dict[str, Any]] = {}

    def chat(version: str) -> None:
        answers[version] = ask(url, question=questions[version], version=version)

    assert run_threads([lambda version=version: chat(version) for version in questions]) == []
    for version, question in questions.items():
        run = store.get_run(answers[version]["run_id"])
        assert run is not None
        assert (answers[version]["version"], run.version, run.question) == (version, version, question)
        assert {item.run_id for item in run.invocations} == {run.run_id}
        judged = [state for state in models.decider.states if question in str(state["inputs"])]
        assert judged
        assert {"示例里的池满" in json.dumps(state, ensure_ascii=False) for state in judged} == {version == compiled}


# --- hostile 23 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/chat/stream", "/api/chat"])
@pytest.mark.parametrize("held", ["planner", "executor", "verifier", "composer"])
def test_client_that_hangs_up_during_a_model_call_stops_every_later_call(
    url: str, models: HeldModels, store: RunStore, sql: Any, until: Callable[..., None], path: str, held: str
) -> None:
    asked: list[str] = []
    begun, go = threading.Event(), threading.Event()

    def before(role: str) -> None:
        asked.append(role)
        if role == held:
            begun.set()
            go.wait(20)

    models.before = before
    with half_request(url, path, {"question": QUESTION}) as connection:
        if path.endswith("stream"):
            received = b""
            while b"event: run" not in received:
                received += connection.recv(4096)
        assert begun.wait(20)
        before_it = list(asked)
        calls = sql("SELECT count(*) FROM tool_invocation")
    threading.Event().wait(0.6)  # the model call that was at work when the client hung up takes a while
    go.set()
    until(lambda: store.count_runs("cancelled") == 1)
    assert asked == before_it
    assert sql("SELECT count(*) FROM tool_invocation") == calls
    ((status, answer),) = sql("SELECT status, answer FROM diagnosis_run")
    assert (status, answer) == ("cancelled", None)
