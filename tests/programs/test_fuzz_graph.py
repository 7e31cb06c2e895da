"""Any model output through the whole graph: an answer in readable Chinese, no crash, no verdict that nobody gave."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from programs.diagnosis import DiagnosisProgram
from programs.lms.choice import RoleLMs
from programs.raw_path import canonical_json
from programs.runtime import RunContext
from programs.tools.base import BoundCall, ToolOutput
from programs.tools.query_logs import QueryLogs
from programs.tools.query_metrics import QueryMetrics
from programs.tools.scenario import load_scenario
from signatures.contracts import CLASSIFICATIONS, DiagnosisResult
from tests.scripted.models import Reply, ScriptedDecider, ScriptedEngine, scripted_lms
from tests.spec.harness import CAUSE, QUESTION, REPLIES, ScriptedExecutor, binding, claim, contract
from tests.spec.test_zh import readable

ORDER = ("REJECT", "LOW_CONFID", "PASS")
SCENARIO = load_scenario("payment-pool")

WORDS = [
    "payment-gateway",
    "64",
    "8",
    "503",
    "e1",
    "e2",
    "导致",
    "连接池",
    "PASS",
    "</think>",
    "```json",
    "结论",
    "99999",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
SENTENCE = st.lists(st.sampled_from([*WORDS, CAUSE, "，", "。", " "]) | st.text(max_size=6), max_size=14).map("".join)
FAULT = st.sampled_from([TimeoutError("late"), ValueError("no"), RuntimeError("boom"), KeyError("x"), MemoryError()])
HANDLES = st.lists(st.sampled_from(["e1", "e2", "e3", "e9", ""]), max_size=5)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _reply(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    legal = st.fixed_dictionaries(fields).map(_text)
    cut = st.tuples(legal, st.integers(0, 60)).map(lambda pair: pair[0][: -pair[1] or None])
    broken = cut | JSON.map(_text) | st.text(max_size=60) | FAULT
    return st.integers(0, 3).flatmap(lambda turn: legal if turn else broken)


PLANNER = _reply(fetch=st.lists(st.sampled_from(["logs payment-gateway", "runbook", "logs x"]), max_size=5), words=JSON)
STORY = _reply(cause=st.just(CAUSE) | SENTENCE, handles=HANDLES)
COMPOSED = _reply(conclusion=st.just(CAUSE) | SENTENCE)
GAP = _reply(missing=SENTENCE, tool=st.sampled_from(["query_logs", "x"]), service=st.just("mysql-pay"), words=SENTENCE)
LABEL = st.sampled_from(CLASSIFICATIONS) | FAULT | st.text(max_size=8)

BINDING = st.builds(
    binding,
    st.sampled_from(["Connection is not available", "5xx", "", "x"]) | st.text(max_size=8),
    st.sampled_from(["$.logs[0]", "$.logs[1].message", "$.series[0]", "$", None]) | st.text(max_size=8),
    st.lists(st.sampled_from(["inv_234567_1", "inv_234567_2", "inv_234567_3"]) | st.text(max_size=6), max_size=2),
    tool_name=st.sampled_from(["query_logs", "query_metrics", "lookup_knowledge"]),
)
CLAIM = st.builds(
    claim,
    st.sampled_from(["c1", "c2", ""]),
    st.sampled_from(["root_cause", "error_event", "context", "negative_observation", "knowledge_reference", "x"]),
    claim_text=SENTENCE,
    evidence_bindings=st.lists(BINDING, max_size=2),
)
CONTRACT = (
    st.none()
    | st.none()
    | st.none()
    | st.lists(CLAIM | JSON, max_size=3).map(lambda claims: _text(contract(*claims)))
    | JSON.map(_text)
)


@pytest.fixture(scope="module", autouse=True)
def tools_answer_from_memory() -> Iterator[None]:
    """The real tools on the real incident, each distinct call run once: the models are what varies."""
    known: dict[str, ToolOutput] = {}
    patch = pytest.MonkeyPatch()
    for tool in (QueryLogs, QueryMetrics):
        bind = tool.bind

        def remembered(self: Any, params: Mapping[str, Any], bind: Any = bind, name: str = tool.__name__) -> BoundCall:
            call = bind(self, params)

            def run() -> ToolOutput:
                key = name + canonical_json(call.key)
                if key not in known:
                    known[key] = call.run()
                return known[key]

            return BoundCall(call.params, call.key, run)

        patch.setattr(tool, "bind", remembered)
    yield
    patch.undo()


def diagnose(label: Any, contract_text: str | None, **replies: Reply | list[Reply]) -> DiagnosisResult:
    def judge(_: dict[str, Any]) -> str:
        if isinstance(label, Exception):
            raise label
        return str(label)

    lms: RoleLMs = scripted_lms(ScriptedEngine(**{**REPLIES, **replies}), ScriptedDecider(judge))
    program = DiagnosisProgram(lms)
    if contract_text is not None:
        program.executor = ScriptedExecutor([contract_text], [])
    return program.diagnose(QUESTION, RunContext("run-1234567", SCENARIO))


@given(planner=PLANNER, story=STORY, composer=COMPOSED, gap=GAP, label=LABEL, contract_text=CONTRACT)
@example(
    {"fetch": [], "words": []}, {"cause": CAUSE, "handles": ["e1"]}, {"conclusion": "好"}, "", "contradicted", None
)
def test_any_model_output_ends_in_an_honest_answer(
    planner: Any, story: Any, composer: Any, gap: Any, label: Any, contract_text: str | None
) -> None:
    result = diagnose(label, contract_text, planner=planner, executor=story, composer=composer, gap=gap)
    evaluation = result.self_evaluation["verifier_evaluation"]
    event(f"{result.route} {result.fallback_origin or result.verdict}")
    assert readable(result.answer), result.answer
    stated = {"verdict", "effective_verdict", "model_verdict"} & evaluation.keys()
    if result.route == "fallback":
        assert result.verdict is None and not stated and result.fallback_origin
    else:
        assert evaluation["verifier_status"] == "COMPLETED" and len(stated) == 3
        assert result.verdict == evaluation["effective_verdict"]
        ranks = [ORDER.index(evaluation[key]) for key in ("effective_verdict", "verdict_ceiling", "model_verdict")]
        assert ranks[0] == min(ranks)
    places = {(e["source_invocation_id"], e["raw_path"]) for e in evaluation.get("verified_evidence", ())}
    for item in result.claims:
        assert {(ref.source_invocation_id, ref.raw_path) for ref in item.evidence_refs} <= places
    if result.verdict == "PASS":
        assert not [c for c in result.claims if c.is_critical and c.classification in ("unsupported", "contradicted")]
