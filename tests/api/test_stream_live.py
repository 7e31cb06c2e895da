"""The stream over a real socket: steps come while the run works, and closing it stops the run."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import uvicorn

from api.app import create_app
from api.settings import read_settings
from api.store.repository import RunStore

QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"


class Steps:
    """Lets the scripted program take one step after the other, when the test says so."""

    def __init__(self) -> None:
        self.allowed = threading.Semaphore(0)
        self.begun: list[str] = []

    def __call__(self, step: str) -> None:
        self.begun.append(step)
        self.allowed.acquire(timeout=10)


@pytest.fixture
def steps() -> Steps:
    return Steps()


@pytest.fixture
def url(store: RunStore, scripted: Callable[..., Any], steps: Steps) -> Iterator[str]:
    settings = read_settings({"SUPERBIZ_HOME": "unused", "SUPERBIZ_MAX_RUNNING": "1"})
    app = create_app(settings, store=store, programs=scripted(before_step=steps))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    steps.allowed.release(100)
    thread.join(15)


def test_a_step_arrives_before_the_next_one_begins(url: str, steps: Steps, until: Callable[..., None]) -> None:
    with httpx.stream("POST", f"{url}/api/chat/stream", json={"question": QUESTION}, timeout=20) as response:
        lines = response.iter_lines()
        for wanted in ("plan", "execute", "gate", "verify", "compose"):
            data = next(line for line in lines if line.startswith("data:") and '"node"' in line)
            assert f'"node": "{wanted}"' in data
            until(lambda wanted=wanted: steps.begun[-1:] == [wanted])
            steps.allowed.release()
        assert any(line == "event: answer" for line in lines)


@pytest.mark.parametrize("path", ["/api/chat/stream", "/api/chat"])
def test_client_that_hangs_up_cancels_its_run(
    url: str, steps: Steps, store: RunStore, until: Callable[..., None], path: str
) -> None:
    with socket.create_connection(url.removeprefix("http://").split(":")) as connection:  # type: ignore[arg-type]
        body = '{"question": "why?"}'
        head = (
            f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        connection.sendall((head + body).encode())
        until(lambda: steps.begun == ["plan"])
    hung_up = time.monotonic()
    time.sleep(0.6)
    steps.allowed.release()
    until(lambda: store.count_runs("cancelled") == 1)
    assert steps.begun == ["plan"]
    print(f"cancelled {time.monotonic() - hung_up:.2f} s after the client hung up")


def test_run_that_waits_is_cancelled_too_when_its_client_hangs_up(
    url: str, steps: Steps, store: RunStore, until: Callable[..., None]
) -> None:
    first = threading.Thread(target=lambda: httpx.post(f"{url}/api/chat", json={"question": QUESTION}, timeout=20))
    first.start()
    until(lambda: steps.begun == ["plan"])
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{url}/api/chat", json={"question": "the second"}, timeout=0.3)
    time.sleep(0.6)
    steps.allowed.release(100)
    first.join()
    until(lambda: store.count_runs("cancelled") == 1)
    assert store.count_runs("finished") == 1
    assert steps.begun.count("plan") == 1
