"""LC: a LOW_CONFID answer never dresses up what is not confirmed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spec.harness import CAUSE, Spec, check, claim, contract, output

TITLE = "## 已确认"


def _judged(spec: Spec, label: str) -> Any:
    given = contract(claim(), claim("c2", claim_text="payment-gateway 出现 HikariPool-pay 的错误"))
    return spec.judge(given, verifier_outputs=[output(check(), check("c2", label))])


def _confirmed(answer: str) -> str:
    return answer.split(TITLE)[1].split("\n## ")[0]


@pytest.mark.parametrize("label", ["unsupported", "external_unknown", "overstated"])
def test_lc_01_what_is_not_supported_is_not_formatted_as_confirmed(spec: Spec, label: str) -> None:
    judged = _judged(spec, label)
    assert judged.verdict == "LOW_CONFID"
    assert "请求在 3000ms 后超时" in _confirmed(judged.answer)
    assert "HikariPool-pay" not in _confirmed(judged.answer)


def test_lc_01_nor_is_an_unproven_cause(spec: Spec) -> None:
    answer = spec.ask(label="unsupported").answer
    assert CAUSE not in _confirmed(answer) and "## 证据缺口" in answer


@pytest.mark.parametrize("label", ["unsupported", "external_unknown", "overstated"])
def test_lc_02_each_critical_claim_without_support_has_a_gap_line(spec: Spec, label: str) -> None:
    gaps = _judged(spec, label).answer.split("## 证据缺口")[1]
    assert "没有证据支持：payment-gateway 出现 HikariPool-pay 的错误" in gaps


def test_lc_03_it_is_no_conclusion_either(spec: Spec) -> None:
    answer = _judged(spec, "unsupported").answer
    assert "HikariPool-pay" not in answer.split("## 结论")[1].split("\n## ")[0]
