"""TP: the fixed forms of LOW_CONFID and REJECT answers."""

from __future__ import annotations

import pytest

from programs.templates import DEGRADED, DISCLAIMER
from tests.spec.harness import EXCERPT, Spec, binding, check, claim, contract, output

LOW = """注意：证据还不完整。“已确认”里的内容有数据为证，其余请先核实再动手。

## 结论
原因还没有查实；已经确认的情况写在下面。

## 已确认
- payment-gateway 的连接池拿不到连接，请求在 3000ms 后超时 [证1]

## 证据缺口
- 没有证据支持：payment-gateway 在 10:04:07 出现 HikariPool-pay 错误

## 建议（未经验证）
- 先看连接池"""
REJECTED = """## 结论
现有证据不足以得出可靠的结论，这次不判断根因。

## 已确认
- payment-gateway 的连接池拿不到连接，请求在 3000ms 后超时 [证1]

## 证据缺口
- 另有 1 条说法没有证据支持，没有列出"""
OTHER = "payment-gateway 在 10:04:07 出现 HikariPool-pay 错误"


def _low(spec: Spec, **changes: object) -> str:
    given = contract(claim(), claim("c2", claim_text=OTHER), recommended_actions=["先看连接池"], **changes)
    return spec.judge(given, verifier_outputs=[output(check(), check("c2", "unsupported"))]).answer


def _rejected(spec: Spec, **changes: object) -> str:
    claims = [claim(), claim("c2", claim_text=OTHER), claim("c3", claim_text="请求在 3000ms 后超时")]
    checks = [check(), check("c2", "unsupported"), check("c3", "contradicted")]
    given = contract(*claims, recommended_actions=["先看连接池"], **changes)
    return spec.judge(given, verifier_outputs=[output(*checks)]).answer


def test_tp_01_low_confid_and_reject_have_one_fixed_form_each(spec: Spec) -> None:
    assert _low(spec) == LOW
    assert _rejected(spec) == REJECTED


def test_tp_02_the_disclaimer_stands_before_the_answer_once(spec: Spec) -> None:
    answer = _low(spec)
    assert answer.startswith(DISCLAIMER) and answer.count(DISCLAIMER) == 1
    assert DISCLAIMER not in spec.judge().answer and DISCLAIMER not in _rejected(spec)


def test_tp_03_gaps_come_from_the_checks_and_never_from_the_executors_words(spec: Spec) -> None:
    gap = {"gap_id": "g1", "missing": "缺少数据库的日志", "suggested_tool": "query_logs"}
    given = contract(claim(), missing_info=["执行器自己说的缺口"])
    judged = spec.judge(given, verifier_outputs=[output(check(classification="overstated", evidence_gap=gap))])
    gaps = judged.answer.split("## 证据缺口")[1]
    assert "缺少数据库的日志" in gaps and "执行器自己说的缺口" not in judged.answer


def test_tp_04_reject_is_the_degraded_template(spec: Spec) -> None:
    assert _rejected(spec).startswith(f"## 结论\n{DEGRADED}\n")


def test_tp_05_it_holds_confirmed_facts_gaps_and_next_steps_only(spec: Spec) -> None:
    answer = _rejected(spec, hypotheses=["也许是网络"])
    titles = [line for line in answer.splitlines() if line.startswith("## ")]
    assert set(titles) <= {"## 结论", "## 已确认", "## 证据缺口", "## 建议（未经验证）"}
    assert "也许是网络" not in answer


@pytest.mark.parametrize("length", [6, 10])
def test_tp_06_nothing_of_a_dropped_claim_is_in_it(spec: Spec, length: int) -> None:
    dropped = "运维同学昨天误删了整个机房的核心交换机配置"
    claims = [claim(), claim("c2", "root_cause", claim_text=dropped), claim("c3", claim_text=dropped[::-1])]
    checks = [check(), check("c2", "contradicted"), check("c3", "unsupported")]
    lost = claim("c4", claim_text=dropped[3:] + dropped[:3], evidence_bindings=[binding(EXCERPT, "$.logs[9]")])
    answer = spec.judge(contract(*claims, lost), verifier_outputs=[output(*checks)]).answer
    assert "这次不判断根因" in answer
    for text in (dropped, dropped[::-1], lost["claim_text"]):
        grams = {text[at : at + length] for at in range(len(text) - length + 1)}
        assert not [gram for gram in grams if gram in answer]
