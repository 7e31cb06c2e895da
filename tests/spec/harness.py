"""Drives the service through its public HTTP entrances, with scripted answers in the place of the models.

``ask``: ``POST /api/chat`` on a shipped incident with the real tools, then ``GET /api/runs/{id}``. ``judge``:
``POST /api/verify`` with a whole contract from outside and the tool output that it cites.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dspy
from fastapi.testclient import TestClient

from programs.diagnosis import DiagnosisProgram
from programs.verifier import ClaimVerifier
from programs.verify import verify_claims
from tests.scripted.models import Reply, ScriptedDecider, ScriptedEngine, scripted_lms

QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"
CAUSE = (
    "config-center 把 payment-gateway 的 datasource.pool.maximum-pool-size 从 64 改成 8，"
    "导致 HikariPool-pay 连接池耗尽，进而 payment-gateway 大量返回 HTTP 503。"
)
REPLIES: dict[str, Reply | list[Reply]] = {
    "planner": {"fetch": ["logs payment-gateway"], "words": ["5xx"]},
    "executor": {"cause": CAUSE, "handles": ["e1", "e2"]},
    "composer": {"conclusion": "config-center 把连接池上限从 64 改成 8，连接池耗尽，payment-gateway 大量返回 503。"},
    "gap": {"missing": "缺少连接池的指标", "tool": "query_logs", "service": "mysql-pay", "words": "pool"},
}
RUN = "case-1"

# --- material of an external contract: two records and what is said of them -------------------------------------------

ERROR_LINE = {
    "timestamp": "2026-03-11T10:04:07.120+08:00",
    "level": "ERROR",
    "service": "payment-gateway",
    "message": "HikariPool-pay - Connection is not available, request timed out after 3000ms (total=8, active=8)",
}
CHANGE_LINE = {
    "timestamp": "2026-03-11T10:02:13.000+08:00",
    "level": "INFO",
    "service": "payment-gateway",
    "message": "config changed keys=[datasource.pool.maximum-pool-size] old=64 new=8",
}
LOGS: dict[str, Any] = {
    "invocation_id": "inv_1",
    "tool_name": "query_logs",
    "params": {"service": ["payment-gateway"]},
    "output": {"logs": [CHANGE_LINE, ERROR_LINE]},
}
METRICS: dict[str, Any] = {
    "invocation_id": "inv_2",
    "tool_name": "query_metrics",
    "output": {
        "alerts": [
            {
                "alertname": "PaymentGateway5xxHigh",
                "service": "payment-gateway",
                "state": "active",
                "severity": "critical",
            }
        ],
        "series": [
            {"metric": "http_5xx_percent", "labels": {"service": "payment-gateway"}, "points": [["10:05:30", 38.84]]}
        ],
    },
}
KNOWLEDGE: dict[str, Any] = {
    "invocation_id": "inv_3",
    "tool_name": "lookup_knowledge",
    "output": {"chunks": [{"chunk_id": "k1", "title": "连接池", "text": "连接池耗尽时先看 maximum-pool-size。"}]},
}
EXCERPT = "Connection is not available, request timed out after 3000ms"


def binding(
    excerpt: str = EXCERPT, raw_path: str | None = "$.logs[1]", ids: Sequence[str] = ("inv_1",), **changes: Any
) -> dict[str, Any]:
    """One evidence binding; a change to None leaves the field out."""
    fields = {
        "source_type": "log",
        "tool_name": "query_logs",
        "source_invocation_ids": list(ids),
        "evidence_excerpt": excerpt,
        "raw_path": raw_path,
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


def claim(claim_id: str = "c1", claim_type: str = "error_event", **changes: Any) -> dict[str, Any]:
    """One claim about the error line."""
    return {
        "claim_id": claim_id,
        "claim_type": claim_type,
        "claim_text": "payment-gateway 的连接池拿不到连接，请求在 3000ms 后超时",
        "support_level": "direct",
        "evidence_bindings": [binding()],
        **changes,
    }


def contract(*claims: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """An executor_evidence_v2 contract; one claim about the error line when none is given."""
    return {
        "answer_version": "executor_evidence_v2",
        "claims": list(claims) or [claim()],
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
        **changes,
    }


def check(claim_id: str = "c1", classification: str = "direct_observation", **changes: Any) -> dict[str, Any]:
    """One claim check of a Verifier output."""
    ref = {"source_invocation_id": "inv_1", "tool_name": "query_logs", "raw_path": "$.logs[1]"}
    return {
        "claim_id": claim_id,
        "classification": classification,
        "is_critical": True,
        "detail": "",
        "evidence_refs": [ref],
        **changes,
    }


def output(*checks: Mapping[str, Any], verdict: str = "PASS", **changes: Any) -> dict[str, Any]:
    """A Verifier output in the one-object protocol; one direct check when none is given."""
    return {"verdict": verdict, "claim_checks": list(checks) or [check()], "rationale": "see the checks", **changes}


# --- what comes back --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A question's answer as a client sees it, the stored run, and what the scripted models were asked."""

    body: dict[str, Any]
    stored: dict[str, Any]
    engine: ScriptedEngine
    decider: ScriptedDecider
    kwargs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def answer(self) -> str:
        return str(self.body["answer"])

    @property
    def container(self) -> dict[str, Any]:
        found: dict[str, Any] = self.stored["self_evaluation"]
        return found

    @property
    def evaluation(self) -> dict[str, Any]:
        found: dict[str, Any] = self.container["verifier_evaluation"]
        return found

    @property
    def nodes(self) -> list[str]:
        """The nodes that started, in order."""
        return [event["node"] for event in self.stored["events"] if event["kind"] == "node_started"]

    @property
    def judged(self) -> list[dict[str, Any]]:
        """The inputs of each claim that the Verifier's model was asked about."""
        return [state["inputs"] for state in self.decider.states]

    def calls(self, role: str) -> int:
        """How often the model of a role was asked (planner, executor, composer, gap, verifier)."""
        return len(self.decider.states) if role == "verifier" else self.engine.calls.get(role, 0)


@dataclass(frozen=True)
class Judged:
    """The answer of ``POST /api/verify`` to a contract."""

    body: dict[str, Any]
    decider: ScriptedDecider
    engine: ScriptedEngine

    @property
    def diagnosis(self) -> dict[str, Any]:
        found: dict[str, Any] = self.body["diagnosis"]
        return found

    @property
    def answer(self) -> str:
        return str(self.diagnosis["answer"])

    @property
    def route(self) -> str:
        return str(self.diagnosis["route"])

    @property
    def evaluation(self) -> dict[str, Any]:
        found: dict[str, Any] = self.diagnosis["self_evaluation"]["verifier_evaluation"]
        return found

    @property
    def gate(self) -> dict[str, Any]:
        found: dict[str, Any] = self.evaluation["gatekeeper_result"]
        return found

    @property
    def verdict(self) -> str | None:
        found: str | None = self.body["effective_verdict"]
        return found

    @property
    def classes(self) -> dict[str, str]:
        """Claim id to the class that counts."""
        return {item["claim_id"]: item["classification"] for item in self.evaluation.get("claim_checks", ())}

    @property
    def judged(self) -> list[dict[str, Any]]:
        return [state["inputs"] for state in self.decider.states]


# --- the service under test -------------------------------------------------------------------------------------------

Label = str | Mapping[str, str] | Callable[[dict[str, Any]], str]
Contract = str | dict[str, Any] | Callable[[Sequence[Any]], str | dict[str, Any]]


def _labeller(label: Label) -> str | Callable[[dict[str, Any]], str]:
    if not isinstance(label, Mapping):
        return label
    words = dict(label)

    def told(state: dict[str, Any]) -> str:
        text = state["inputs"]["claim"]
        return next(label for word, label in words.items() if word in text)

    return told


class ScriptedExecutor:
    """In the place of the Executor: hands over the given contracts, one a cycle, the last one again."""

    def __init__(self, contracts: Sequence[Contract], kwargs: list[dict[str, Any]]) -> None:
        self.contracts = list(contracts)
        self.kwargs = kwargs

    def __call__(self, **given: Any) -> Any:
        chosen = self.contracts[min(len(self.kwargs), len(self.contracts) - 1)]
        self.kwargs.append(given)
        made = chosen(given["facts"]) if callable(chosen) else chosen
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        return dspy.Prediction(contract=text, story=None, discarded=())


@dataclass
class ScriptedSource:
    """`api.program_source.Programs` over scripted models."""

    engine: ScriptedEngine
    decider: ScriptedDecider
    executor: ScriptedExecutor | None = None

    def resolve(self, version: str | None) -> str:
        return version or "baseline"

    def program(self, version: str) -> DiagnosisProgram:
        program = DiagnosisProgram(scripted_lms(self.engine, self.decider), version=version)
        if self.executor is not None:
            program.executor = self.executor
        return program

    def verify(self, cases: Any, version: str, on_claim: Any) -> Iterator[Any]:
        return verify_claims(cases, ClaimVerifier(), scripted_lms(self.engine, self.decider), on_claim=on_claim)


class Spec:
    """The entrances; ``client_of`` opens the service over the given programs."""

    def __init__(self, client_of: Callable[[Any], TestClient]) -> None:
        self.client_of = client_of

    def ask(
        self,
        question: str = QUESTION,
        scenario: str | None = None,
        *,
        label: Label = "reasonable_inference",
        contracts: Sequence[Contract] = (),
        **replies: Reply | list[Reply],
    ) -> Asked:
        """Ask a question.

        Args:
            label: what the Verifier's model says of each claim it is asked about; a mapping goes by words of the claim.
            contracts: raw outputs of the Executor in the place of its own (text, object, or made from the facts).
            replies: what the model of a role writes; text stands for itself, an exception is raised.
        """
        engine, decider = ScriptedEngine(**{**REPLIES, **replies}), ScriptedDecider(_labeller(label))
        kwargs: list[dict[str, Any]] = []
        executor = ScriptedExecutor(contracts, kwargs) if contracts else None
        client = self.client_of(ScriptedSource(engine, decider, executor))
        response = client.post("/api/chat", json={"question": question, "scenario": scenario})
        assert response.status_code == 200, response.text
        body = response.json()
        stored = client.get(f"/api/runs/{body['run_id']}").json()
        return Asked(body, stored, engine, decider, kwargs)

    def judge(
        self,
        executor_output: Any = None,
        *,
        invocations: Sequence[Mapping[str, Any]] = (LOGS, METRICS, KNOWLEDGE),
        label: Label = "direct_observation",
        query: str = "支付网关为什么超时？",
        **fields: Any,
    ) -> Judged:
        """Judge a contract (the default one when None). ``fields``: ``verifier_outputs``, ``question_type``, ..."""
        engine, decider = ScriptedEngine(**REPLIES), ScriptedDecider(_labeller(label))
        case = {
            "case_id": RUN,
            "query": query,
            "invocations": list(invocations),
            "executor_output": contract() if executor_output is None else executor_output,
            **fields,
        }
        body = json.dumps(case, ensure_ascii=False)
        response = self.client_of(ScriptedSource(engine, decider)).post("/api/verify", content=body.encode())
        assert response.status_code == 200, response.text
        return Judged(response.json(), decider, engine)
