from __future__ import annotations

import itertools
from typing import Any, get_args

import pytest

from programs.routing import after_execute, after_gate, after_verify
from signatures.contracts import ExecutorStatus, Verdict, VerifierStatus


@pytest.mark.parametrize("status", get_args(ExecutorStatus))
def test_only_a_legal_contract_reaches_the_gate(status: Any) -> None:
    assert after_execute(status) == ("gate" if status == "COMPLETED" else "fallback")


@pytest.mark.parametrize(("ceiling", "node"), [("PASS", "verify"), ("LOW_CONFID", "verify"), ("REJECT", "fallback")])
def test_a_rejected_contract_never_reaches_the_verifier(ceiling: Any, node: str) -> None:
    assert after_gate(ceiling) == node


@pytest.mark.parametrize(
    ("effective", "ceiling", "gaps", "retries", "node"),
    [
        ("PASS", "PASS", 0, 0, "compose"),
        ("PASS", "PASS", 3, 0, "compose"),
        ("REJECT", "PASS", 3, 0, "compose_safe"),
        ("REJECT", "LOW_CONFID", 0, 1, "compose_safe"),
        ("LOW_CONFID", "PASS", 1, 0, "prepare_retry"),
        ("LOW_CONFID", "PASS", 0, 0, "compose"),
        ("LOW_CONFID", "PASS", 1, 1, "compose"),
        ("LOW_CONFID", "PASS", 1, 2, "compose"),
        ("LOW_CONFID", "LOW_CONFID", 1, 0, "compose"),
    ],
)
def test_route_after_a_completed_verification(effective: Any, ceiling: Any, gaps: int, retries: int, node: str) -> None:
    assert after_verify("COMPLETED", effective, ceiling, gaps, retries) == node


def test_without_a_completed_verification_there_is_only_the_fallback() -> None:
    unfinished = [status for status in get_args(VerifierStatus) if status != "COMPLETED"]
    for status, effective in itertools.product(unfinished, (None, *get_args(Verdict))):
        assert after_verify(status, effective, "PASS", 1, 0) == "fallback"
    assert after_verify("COMPLETED", None, "PASS", 1, 0) == "fallback"


def test_no_status_is_a_verdict() -> None:
    assert not {*get_args(VerifierStatus), *get_args(ExecutorStatus)} & set(get_args(Verdict))
