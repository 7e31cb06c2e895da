"""The HTTP service through its routes: answers, and every fault as a problem document."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.body_limit import MAX_BODY_BYTES
from api.errors import StorageError
from api.routes.verify import read_case
from api.settings import read_settings
from api.store.repository import RunStore
from programs.lms.choice import LMUnavailable

QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"
Client = Callable[..., TestClient]


@pytest.fixture
def client(store: RunStore, scripted: Callable[..., Any]) -> Iterator[Client]:
    opened: list[TestClient] = []

    def build(env: dict[str, str] | None = None, programs: Any = None, **options: Any) -> TestClient:
        settings = read_settings({"SUPERBIZ_HOME": "unused", **(env or {})})
        app = create_app(settings, store=store, programs=programs or scripted(**options))
        entered = TestClient(app, raise_server_exceptions=False).__enter__()
        opened.append(entered)
        return entered

    yield build
    for one in opened:
        one.__exit__()


def problem(response: Any, status: int) -> dict[str, Any]:
    """The problem document of a refused request; fails when it is something else."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(response.text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert {"type", "title", "status", "detail"} <= document.keys()
    assert document["status"] == status
    assert "Traceback" not in response.text
    assert ".py" not in response.text
    return document


def strict(response: Any) -> Any:
    return json.loads(response.text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_chat_answers_and_the_run_can_be_read_afterwards(client: Client) -> None:
    http = client()
    response = http.post("/api/chat", json={"question": QUESTION, "session_id": "s-1"})
    answer = strict(response)
    assert response.status_code == 200
    assert (answer["verdict"], answer["session_id"], answer["scenario"]) == ("PASS", "s-1", "pool")
    assert "self_evaluation" not in answer
    stored = http.get(f"/api/runs/{answer['run_id']}")
    run = strict(stored)
    assert (run["status"], run["answer"], run["question"]) == ("finished", answer["answer"], QUESTION)
    assert set(run["self_evaluation"]) == {"rule_evaluation", "verifier_evaluation"}
    assert run["events"][-1]["data"] == {"score": "NaN"}
    assert run["claims"] == answer["claims"]
    assert "output" not in run["invocations"][0]


def test_stream_sends_each_step_and_then_the_answer(client: Client) -> None:
    with client().stream("POST", "/api/chat/stream", json={"question": QUESTION}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        names = [line[7:] for line in response.iter_lines() if line.startswith("event: ")]
    assert names == ["run", *["step"] * 6, "answer"]


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"question": ""}, 422, "empty"),
        ({"question": "长" * 20_000}, 422, "20,000 characters, the limit is 4,000"),
        ({"question": "a\u0000b"}, 422, "U+0000 at character 2"),
        ({"question": 5}, 422, "question"),
        ({}, 422, "question"),
        ([], 422, "body"),
        ({"question": QUESTION, "scenario": "nowhere"}, 422, "pool"),
        ({"question": QUESTION, "scenario": "/etc"}, 422, "unknown scenario '/etc'"),
        ({"question": QUESTION, "version": "v9"}, 422, "v9"),
        ({"question": QUESTION, "session_id": "a b"}, 422, "a b"),
        ({"question": QUESTION, "lm": "openai/x"}, 422, "lm"),
    ],
)
@pytest.mark.parametrize("path", ["/api/chat", "/api/chat/stream"])
def test_bad_request_is_a_problem_document_that_names_the_value(
    client: Client, path: str, body: Any, status: int, told: str
) -> None:
    http = client()
    assert told in problem(http.post(path, json=body), status)["detail"]
    assert http.get("/healthz").json()["running"] == 0


@pytest.mark.parametrize("raw", [b"{", b"\xff\xfe", b'{"question": NaN}', b'{"question": "\\ud800"}', b""])
def test_broken_body_is_a_problem_document(client: Client, raw: bytes) -> None:
    response = client().post("/api/chat", content=raw, headers={"content-type": "application/json"})
    problem(response, response.status_code)
    assert response.status_code in (400, 422)


def test_wrong_paths_and_methods_are_problem_documents(client: Client) -> None:
    http = client()
    problem(http.get("/nowhere"), 404)
    problem(http.get("/api/chat"), 405)
    assert "no-such-run" in problem(http.get("/api/runs/no-such-run"), 404)["detail"]


def chunked() -> Iterator[bytes]:
    for _ in range(10):
        yield b"x" * (MAX_BODY_BYTES // 8)


@pytest.mark.parametrize("content", [b"x" * (MAX_BODY_BYTES + 1), chunked()])
def test_huge_body_is_refused_whether_its_length_is_told_or_not(client: Client, content: Any) -> None:
    response = client().post("/api/verify", content=content, headers={"content-type": "application/json"})
    problem(response, 413)


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (LMUnavailable("no model file. Next: superbiz model fetch"), 503, "superbiz model fetch"),
        (StorageError("/secret/path is full"), 503, "log"),
        (ZeroDivisionError("/secret/path"), 500, "log"),
    ],
)
def test_fault_of_the_service_shows_no_internals(client: Client, error: Exception, status: int, told: str) -> None:
    def before_step(_: str) -> None:
        raise error

    http = client(before_step=before_step)
    document = problem(http.post("/api/chat", json={"question": QUESTION}), status)
    assert told in document["detail"]
    assert "secret" not in json.dumps(document)
    with http.stream("POST", "/api/chat/stream", json={"question": QUESTION}) as response:
        lines = list(response.iter_lines())
    assert "event: error" in lines
    assert json.loads(lines[lines.index("event: error") + 1].removeprefix("data: "))["status"] == status


def test_more_runs_than_places_are_told_to_come_back(client: Client, until: Callable[..., None]) -> None:
    go = threading.Event()
    env = {"SUPERBIZ_MAX_RUNNING": "1", "SUPERBIZ_MAX_WAITING": "1"}
    http = client(env, before_step=lambda _: go.wait(10) and None)
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(http.post("/api/chat", json={"question": QUESTION}).status_code))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    until(lambda: http.get("/healthz").json() == {"status": "ok", "running": 1, "waiting": 1})
    refused = http.post("/api/chat/stream", json={"question": QUESTION})
    problem(refused, 429)
    assert int(refused.headers["retry-after"]) >= 1
    go.set()
    for thread in threads:
        thread.join()
    assert answers == [200, 200]


def test_twenty_chats_at_once_lose_nothing(client: Client, store: RunStore) -> None:
    http = client()
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(http.post("/api/chat", json={"question": QUESTION})))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [200] * 20
    assert store.count_runs("finished") == 20


def test_page_is_one_file_that_inserts_no_html(client: Client) -> None:
    response = client().get("/")
    assert response.status_code == 200
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "支付网关" in response.text
    assert "innerHTML" not in response.text
    assert "http://" not in response.text.replace("http://www.w3.org", "")


CASE = {
    "case_id": "k1",
    "query": "q",
    "invocations": [{"invocation_id": "i1", "tool_name": "query_logs", "output": {"a": 1}}],
    "claims": [
        {
            "claim_id": "c1",
            "claim_type": "context",
            "claim_text": "t",
            "is_critical": True,
            "evidence": [],
            "label": "no such label",
        }
    ],
}


def test_labels_of_a_verdict_case_are_not_looked_at() -> None:
    assert read_case(json.dumps(CASE).encode()).claims[0].label is None


def test_verdict_case_is_judged_by_the_named_version(client: Client) -> None:
    answer = client().post("/api/verify?version=v2", json=CASE)
    judged = strict(answer)
    assert (judged["case_id"], judged["version"], judged["effective_verdict"]) == ("k1", "v2", "LOW_CONFID")
    assert judged["claims"][0]["claim_id"] == "c1"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"[]", "object"),
        (b'{"case_id":"a","case_id":"b"}', "twice"),
        (b'{"case_id": NaN}', "NaN"),
        (b"\xff", "UTF-8"),
        (json.dumps({**CASE, "claims": [{"claim_id": "c1"}]}).encode(), "claims[0].claim_type"),
    ],
)
def test_broken_verdict_case_is_refused_with_its_field(client: Client, raw: bytes, told: str) -> None:
    assert told in problem(client().post("/api/verify", content=raw), 422)["detail"]
