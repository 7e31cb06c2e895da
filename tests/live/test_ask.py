"""A real question through the command line with the real model: what the engineer on call sees."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from programs.lms.choice import RoleLMs

pytestmark = pytest.mark.live

TIMEOUT_S = 400


def ask(*arguments: str) -> tuple[dict[str, Any], str]:
    """The JSON object on stdout and the progress on stderr of one ``superbiz ask``."""
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", "ask", *arguments, "--json"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.timeout(TIMEOUT_S + 20)
def test_the_flagship_question_gets_the_true_cause_with_its_lines(own_store: Path) -> None:
    result, progress = ask("支付网关从 10:05 开始大量 5xx，为什么？")
    quotes = " ".join(item["quote"] for item in result["evidence"])
    assert "maximum-pool-size" in quotes and "Connection is not available" in quotes
    assert "pool" in result["answer"] and "503" in result["answer"]
    assert not re.search(r"(CPU|batch-03)[^。\n]{0,30}(导致|造成|引起)", result["answer"])
    assert {"plan", "execute", "gate", "verify"} <= {cost["step"] for cost in result["calls"]}
    assert "query_logs" in progress
    assert sum(cost["model_calls"] for cost in result["calls"]) > 0


@pytest.mark.timeout(TIMEOUT_S + 20)
def test_a_false_alarm_names_no_cause(own_store: Path) -> None:
    result, _ = ask("搜索服务报警 SearchErrorRateHigh，搜索出了什么故障？")
    assert "没有看到故障" in result["answer"]
    assert not [claim for claim in result["claims"] if claim["claim_type"] == "root_cause"]


@pytest.mark.timeout(TIMEOUT_S + 20)
def test_an_unanswerable_question_says_what_is_missing(own_store: Path) -> None:
    result, _ = ask("短信验证码服务 sms-service 从 10:05 开始发送失败，是什么原因？")
    assert result["verdict"] == "LOW_CONFID"
    assert any("sms-service" in gap for gap in result["evidence_gaps"])


@pytest.mark.timeout(TIMEOUT_S + 20)
def test_one_question_is_answered_through_an_openai_compatible_server(
    lms: RoleLMs, own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lms.engine is not None
    monkeypatch.setenv("SUPERBIZ_LM_API_BASE", f"{lms.engine.address}/v1")
    result, _ = ask(
        "订单消费者从 14:40 左右开始消费延迟一直在涨，是什么原因？", "--lm", "openai/local", "--version", "baseline"
    )
    assert result["lm"] == "openai/local"
    assert "No space left on device" in result["answer"]
    costs = {cost["step"]: cost for cost in result["calls"]}
    assert costs["execute"]["model_calls"] >= 1 and costs["verify"]["tokens_in"] > 0
