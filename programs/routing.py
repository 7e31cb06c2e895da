"""The edges of the diagnosis graph: pure functions of explicit status and verdict (RT-01).

No score and no setting takes part (RT-08).
"""

from __future__ import annotations

from typing import Literal

from signatures.contracts import ExecutorStatus, Verdict, VerifierStatus

Node = Literal["plan", "execute", "gate", "verify", "compose", "compose_safe", "prepare_retry", "fallback", "persist"]

MAX_RETRIES = 1


def after_execute(status: ExecutorStatus) -> Literal["gate", "fallback"]:
    """No legal contract: neither gate nor Verifier runs (FC-12, DG-03, DG-04)."""
    return "gate" if status == "COMPLETED" else "fallback"


def after_gate(ceiling: Verdict) -> Literal["verify", "fallback"]:
    """GK-08, SV-02: nothing passed, so there is nothing to judge."""
    return "fallback" if ceiling == "REJECT" else "verify"


def after_verify(
    status: VerifierStatus,
    effective: Verdict | None,
    ceiling: Verdict,
    valid_critical_gaps: int,
    retries: int,
) -> Literal["compose", "compose_safe", "prepare_retry", "fallback"]:
    """The route table. ``retries`` counts the evidence-gap cycles already begun in this run."""
    if status != "COMPLETED" or effective is None:
        return "fallback"  # RT-14
    if effective == "REJECT":
        return "compose_safe"  # RT-09, RT-10
    if effective == "PASS":
        return "compose"  # RT-02
    if ceiling == "PASS" and valid_critical_gaps > 0 and retries < MAX_RETRIES:
        return "prepare_retry"  # RT-07
    return "compose"  # RT-05
