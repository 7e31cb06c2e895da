"""A scripted program in the place of the model, and a store on either kind of database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel
from sqlalchemy import NullPool, create_engine, text

from api.chat_service import ChatService
from api.program_source import OnClaim
from api.store.repository import RunStore, open_store
from programs.runtime import EventLog, RunContext
from programs.tools import scenario as scenarios
from signatures.contracts import DiagnosisResult, EvidenceItem, ReportedClaim, StepCost, ToolInvocation
from signatures.verdict_case import VerdictCase
from tests.support.postgres import PostgresServer, session_server

ZONE = ZoneInfo("Asia/Shanghai")


class ScriptedProgram:
    """Walks the graph's steps without a model.

    ``before_step`` is called with each step's name; it may sleep, raise, or wait for the test.
    """

    def __init__(self, before_step: Callable[[str], None] = lambda _: None, version: str = "baseline") -> None:
        self.before_step = before_step
        self.version = version
        self.steps: list[str] = []

    def diagnose(self, question: str, context: RunContext) -> DiagnosisResult:
        log = EventLog(context.on_event)
        for step in ("plan", "execute", "gate", "verify", "compose"):
            context.check_cancelled()
            log.emit(step, "node_started", f"{step} 开始")
            self.before_step(step)
            self.steps.append(step)
            if step == "execute":
                context.on_invocation(self._invocation(context.run_id))
        log.emit("compose", "run_finished", "完成", score=float("nan"))
        return self._result(question, context)

    def _invocation(self, run_id: str) -> ToolInvocation:
        return ToolInvocation(
            invocation_id=f"inv_{run_id[:6]}_1",
            run_id=run_id,
            tool_name="query_logs",
            success=True,
            evidence_level="strong",
            hit_count=1,
            output={"logs": [{"message": "pool \x1b[31mexhausted", "value": float("nan")}]},
            output_summary="pool exhausted",
            started_at="2026-01-01T10:05:00+08:00",
            duration_ms=1.0,
        )

    def _result(self, question: str, context: RunContext) -> DiagnosisResult:
        invocation = f"inv_{context.run_id[:6]}_1"
        return DiagnosisResult(
            run_id=context.run_id,
            question=question,
            answer="结论\n连接池耗尽 [证1]",
            route="composer",
            verdict="PASS",
            groundedness_score=1.0,
            claims=(
                ReportedClaim(
                    claim_id="c1",
                    claim_type="error_event",
                    claim_text="连接池耗尽",
                    is_critical=True,
                    classification="direct_observation",
                    basis="model",
                ),
            ),
            evidence=(
                EvidenceItem(
                    mark="证1",
                    claim_ids=("c1",),
                    source_invocation_id=invocation,
                    tool_name="query_logs",
                    raw_path="$.logs[0]",
                    time="2026-01-01T10:05:00.120+08:00",
                    source="payment-gateway",
                    quote="pool \x1b[31mexhausted",
                ),
            ),
            calls=(StepCost(step="plan", model_calls=1, tokens_in=10, tokens_out=2, seconds=0.1),),
            seconds=0.5,
            version=self.version,
            lm="scripted",
            scenario=context.scenario.name,
            self_evaluation={"verifier_evaluation": {"verdict": "PASS", "groundedness_score": 1.0}},
        )


class ScriptedPrograms:
    """Hands out scripted programs by version, as `api.program_source.ProgramSource` does real ones."""

    def __init__(self, *programs: ScriptedProgram) -> None:
        self.by_version = {program.version: program for program in programs}
        self.judged: list[str] = []
        self.before_case: Callable[[str], None] = lambda _: None

    def resolve(self, version: str | None) -> str:
        from optimize.manifest import VersionError

        named = version or "baseline"
        if named not in self.by_version:
            raise VersionError(f"no version {named!r}")
        return named

    def program(self, version: str) -> ScriptedProgram:
        return self.by_version[version]

    def lms(self) -> Any:
        return SimpleNamespace(name="scripted")

    def verify(self, cases: Sequence[VerdictCase], version: str, on_claim: OnClaim) -> Iterator[Any]:
        for case in cases:
            self.judged.append(case.case_id)
            self.before_case(case.case_id)
            for claim in case.claims:
                on_claim(case.case_id, claim.claim_id, "overstated")
            yield ScriptedResult(
                case_id=case.case_id,
                claims=[{"claim_id": claim.claim_id, "classification": "overstated"} for claim in case.claims],
                model_verdict="PASS",
                effective_verdict="LOW_CONFID",
                groundedness_score=0.6,
                gatekeeper_result={"status": "pass"},
            )


class ScriptedResult(BaseModel):
    """A judged case with the fields that the command prints."""

    case_id: str
    claims: list[dict[str, Any]]
    model_verdict: str
    effective_verdict: str
    groundedness_score: float
    gatekeeper_result: dict[str, Any]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("SUPERBIZ_HOME", str(folder))
    for name in ("SUPERBIZ_DATABASE_URL", "SUPERBIZ_LM", "SUPERBIZ_PORT", "SUPERBIZ_HOST", "SUPERBIZ_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(autouse=True)
def one_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    """One scenario without files: these tests are about the service, not about telemetry."""
    now = datetime(2026, 1, 1, 10, 30, tzinfo=ZONE)
    shown = scenarios.Scenario(
        name="pool",
        title="连接池",
        default=True,
        clock=now,
        zone=ZONE,
        window=scenarios.Window(now, now),
        services=(),
        hosts=(),
        folder=Path("."),
        runbook_folder=None,
    )

    def load(name: str) -> scenarios.Scenario:
        if name != "pool":
            raise scenarios.ScenarioError(f"unknown scenario {name!r}: available are pool")
        return shown

    monkeypatch.setattr(scenarios, "load_scenario", load)
    monkeypatch.setattr(scenarios, "pick_scenario", lambda _: (shown, "默认场景"))
    monkeypatch.setattr(scenarios, "scenario_names", lambda: ("pool",))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    yield from session_server()


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database: SQLite, or each kind in turn for a test that is marked ON_BOTH."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield f"sqlite:///{tmp_path / 'runs.db'}"
        return
    with request.getfixturevalue("postgres_server").database() as url:
        yield url


@pytest.fixture
def store(database_url: str) -> Iterator[RunStore]:
    opened = open_store(database_url, stale_after_s=600)
    yield opened
    opened.close()


@pytest.fixture
def sql(database_url: str) -> Callable[..., list[Any]]:
    """``sql(statement, **values)``: run it beside the store, as an operator would; returns the rows."""

    def run(statement: str, **values: Any) -> list[Any]:
        engine = create_engine(database_url, poolclass=NullPool)
        with engine.begin() as connection:
            done = connection.execute(text(statement), values)
            return [tuple(row) for row in done] if done.returns_rows else []

    return run


@pytest.fixture
def scripted() -> Callable[..., ScriptedPrograms]:
    """``scripted(before_step=...)``: programs that follow the script, version ``baseline`` and ``v2``."""

    def build(**options: Any) -> ScriptedPrograms:
        return ScriptedPrograms(ScriptedProgram(**options), ScriptedProgram(**options, version="v2"))

    return build


@pytest.fixture
def service(store: RunStore, scripted: Callable[..., ScriptedPrograms]) -> ChatService:
    return ChatService(store, scripted())


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait for a condition; fail after ten seconds."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true within 10 s"
            time.sleep(0.02)

    return wait
