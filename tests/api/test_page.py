"""The page's own stream reader on the server's own bytes: what the server sends is what the page shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import read_settings
from api.store.repository import RunStore

QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"
NODE = shutil.which("node")

DRIVER = """
const size = Number(process.argv[1]);
const bytes = require("fs").readFileSync(0);
const body = new ReadableStream({
  start(sink) {
    for (let at = 0; at < bytes.length; at += size) sink.enqueue(bytes.subarray(at, at + size));
    sink.close();
  },
});
(async () => {
  const seen = [];
  for await (const event of serverEvents(body)) seen.push(event);
  console.log(JSON.stringify(seen));
})();
"""


def page_reader() -> str:
    """The function ``serverEvents`` as the page has it."""
    page = files("api").joinpath("web/index.html").read_text(encoding="utf-8")
    found = re.search(r"^async function\* serverEvents.*?^}$", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[0]


@pytest.mark.skipif(NODE is None, reason="node is not installed: it runs the page's script")
@pytest.mark.parametrize("size", [1, 2, 7, 1_000_000])
@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
def test_every_event_of_the_stream_reaches_the_page(
    store: RunStore, scripted: Callable[..., Any], size: int, ending: bytes
) -> None:
    settings = read_settings({"SUPERBIZ_HOME": "unused"})
    client = TestClient(create_app(settings, store=store, programs=scripted()))
    sent = client.post("/api/chat/stream", json={"question": QUESTION}).content
    assert NODE is not None
    done = subprocess.run(
        [NODE, "-e", page_reader() + DRIVER, str(size)],
        input=sent.replace(b"\r\n", b"\n").replace(b"\n", ending),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    names = [name for name, _ in json.loads(done.stdout)]
    assert names[0] == "run" and names[-1] == "answer" and "step" in names
    assert json.loads(done.stdout)[-1][1]["answer"]
