"""A scripted decision client and small labelled files: the offline work end to end in seconds, without a model."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from signatures.contracts import CLASSIFICATIONS

CLAIMS = {
    "direct_observation": "{s} 的连接池已经耗尽。",
    "reasonable_inference": "{s} 的请求会在连接池外面排队。",
    "overstated": "{s} 的所有实例都完全不可用。",
    "unsupported": "{s} 的网卡在丢包。",
    "external_unknown": "{s} 的负责人昨天在休假。",
    "contradicted": "{s} 的连接池还很空闲。",
}
LABEL_OF = {text.replace("{s}", ""): label for label, text in CLAIMS.items()}


def label_of(claim: str) -> str:
    """The right class of a claim of these files."""
    return next(label for ending, label in LABEL_OF.items() if claim.endswith(ending))


def write_cases(path: Path, services: list[str]) -> Path:
    """One case a service, one claim a class; only the first two claims are critical in every second case."""
    lines = []
    for number, service in enumerate(services):
        message = f"{service} connection pool exhausted, active equals max, callers wait"
        output = {"logs": [{"service": service, "level": "ERROR", "message": message}]}
        claims = [
            {
                "claim_id": f"c{index}",
                "claim_type": "symptom",
                "claim_text": text.replace("{s}", service),
                "is_critical": index <= 1 or number % 2 == 0,
                "lang": "zh",
                "difficulty": "easy",
                "evidence": [
                    {
                        "source_invocation_id": "inv-1",
                        "tool_name": "query_logs",
                        "raw_path": "$.logs[0]",
                        "matched_text": json.dumps(output["logs"][0]),
                    }
                ],
                "label": label,
                "why": "scripted",
            }
            for index, (label, text) in enumerate(CLAIMS.items())
        ]
        invocations = [{"invocation_id": "inv-1", "tool_name": "query_logs", "output": output}]
        query = f"{service} 怎么了？"
        lines.append({"case_id": f"{service}-case", "query": query, "invocations": invocations, "claims": claims})
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def train_file(tmp_path: Path) -> Path:
    return write_cases(tmp_path / "train.jsonl", ["alpha", "bravo"])


@pytest.fixture
def dev_file(tmp_path: Path) -> Path:
    return write_cases(tmp_path / "dev.jsonl", ["kilo", "lima", "mike", "november"])


@pytest.fixture(autouse=True)
def compiled_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Versions of a test never land among the shipped ones."""
    folder = tmp_path / "compiled"
    monkeypatch.setenv("SUPERBIZ_COMPILED_DIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def memory_cache() -> Iterator[None]:
    """DSPy's response cache without its folder in the user's home."""
    import dspy
    from dspy.clients.cache import Cache

    before = dspy.cache
    dspy.cache = Cache(
        enable_disk_cache=False,
        enable_memory_cache=True,
        disk_cache_dir="",
        disk_size_limit_bytes=0,
        memory_max_entries=10_000,
    )
    yield
    dspy.cache = before


Script = Callable[[dict[str, Any]], str]


def distribution(winner: str, share: float = 0.75) -> dict[str, float]:
    """Six class probabilities with ``share`` on the winner."""
    rest = (1 - share) / (len(CLASSIFICATIONS) - 1)
    return {name: share if name == winner else rest for name in CLASSIFICATIONS}


def scripted_lms(script: Callable[[dict[str, Any]], Any], name: str) -> Any:
    """RoleLMs whose decision client answers by ``script(state)``: a class, or a class distribution."""
    from programs.lms.choice import RoleLMs
    from programs.lms.decision import EmbeddedDecider

    paid: list[dict[str, Any]] = []

    class ScriptedDecider(EmbeddedDecider):
        @property
        def asked(self) -> int:
            return len(paid)

        def copy(self, **changes: Any) -> EmbeddedDecider:
            return ScriptedDecider(self.engine, self.model, **changes)

        def _answer(self, state: dict[str, Any], questions: dict[str, dict[str, Any]]) -> dict[str, Any]:
            paid.append(state)
            said = script(state)
            classes = distribution(said) if isinstance(said, str) else said
            supported = classes["direct_observation"] + classes["reasonable_inference"]
            answers = {}
            for key, question in questions.items():
                if question["type"] == "noul":
                    answers[key] = {"noul": supported}
                else:
                    answers[key] = {"probabilities": classes, "confidence": max(classes.values())}
            return answers

    return RoleLMs(name, generate=None, decide=ScriptedDecider(None, name, cache=True))  # type: ignore[arg-type]


def learns_from_demos(state: dict[str, Any]) -> str:
    """Right once it sees demos; without any, everything is a direct observation to it."""
    return label_of(state["inputs"]["claim"]) if state.get("demos") else "direct_observation"


def leans_to_direct(state: dict[str, Any]) -> dict[str, float]:
    """Knows the right class second: the first place always goes to direct_observation."""
    label = label_of(state["inputs"]["claim"])
    if label == "direct_observation":
        return distribution(label, 0.9)
    return {**dict.fromkeys(CLASSIFICATIONS, 0.02), "direct_observation": 0.5, label: 0.42}


def interrupted_at(call: int) -> Script:
    """Ctrl-C during the given call, counted from 1."""
    calls = itertools.count(1)

    def script(state: dict[str, Any]) -> str:
        if next(calls) == call:
            raise KeyboardInterrupt
        return learns_from_demos(state)

    return script


@pytest.fixture
def scripted() -> Any:
    """The helpers of this file, as a namespace."""
    return SimpleNamespace(
        lms=scripted_lms,
        label_of=label_of,
        learns_from_demos=learns_from_demos,
        leans_to_direct=leans_to_direct,
        interrupted_at=interrupted_at,
        write_cases=write_cases,
    )


@pytest.fixture
def lms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The scripted model, also given to whoever opens one."""
    opened = scripted_lms(learns_from_demos, f"scripted/{request.node.name}")
    monkeypatch.setattr("programs.lms.choice.open_lms", lambda spec=None, **options: opened)
    return opened
