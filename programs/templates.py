"""Every fixed Chinese text that a user reads, and the one form of an answer (TP, ZH, DG rows).

Written for someone who was woken up: short, concrete, no words of the program's own insides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signatures.contracts import Classification, FallbackOrigin, ToolInvocation, Verdict

# TP-02: stands before a LOW_CONFID answer, once.
DISCLAIMER = "注意：证据还不完整。“已确认”里的内容有数据为证，其余请先核实再动手。"
# RT-11
DEGRADED = "现有证据不足以得出可靠的结论，这次不判断根因。"

# How a claim's class reads.
CLASS_WORDS: dict[Classification, str] = {
    "direct_observation": "直接证实",
    "reasonable_inference": "合理推断",
    "overstated": "说过头",
    "unsupported": "没有证据",
    "external_unknown": "超出可查范围",
    "contradicted": "与证据矛盾",
}

NO_CONCLUSION = "查到的数据还说明不了问题出在哪里。"

_CONFIRMED_ONLY = "以下是有数据为证的情况。"
TOOL_NAMES = {"query_logs": "日志", "query_metrics": "指标和告警", "lookup_knowledge": "处置手册"}
_FALLBACK: dict[FallbackOrigin, str] = {
    "planner": "没能排出要查哪些数据，这次诊断没有开始。",
    "executor": "数据查过了，但整理出来的内容不完整，没法逐条核对，所以不给结论。",
    "gatekeeper": "数据查过了，但没有一条结论能在原始数据里找到出处，所以不给结论。",
    "verifier": "数据查过了，但结论没能核对完，所以不给结论。",
}
_RAW_OBSERVATIONS = 5
_CHUNKS = 3


@dataclass(frozen=True)
class AnswerBlocks:
    """The material of an answer, each kind apart (RT-06, LC-01).

    ``confirmed``: sentences with their evidence mark (``e1``; empty when there is none). ``directions`` are unproven,
    ``suggestions`` were never verified (G28).
    """

    conclusion: str = ""
    confirmed: tuple[tuple[str, str], ...] = ()
    directions: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


def render_answer(blocks: AnswerBlocks, verdict: Verdict) -> str:
    """The answer in light Markdown. Empty sections are left out, 结论 never is.

    REJECT shows confirmed facts, gaps and suggestions only: neither the conclusion nor directions (TP-05, RT-13).
    """
    rejected = verdict == "REJECT"
    sections = [
        "## 结论\n" + (DEGRADED if rejected else _conclusion(blocks)),
        _section("已确认", [f"{_flat(text)}{_marked(mark)}" for text, mark in blocks.confirmed]),
        _section("可能方向（未证实）", [] if rejected else [_flat(text) for text in blocks.directions]),
        _section("证据缺口", [_flat(text) for text in blocks.gaps]),
        _section("建议（未经验证）", [_flat(text) for text in blocks.suggestions]),
    ]
    body = "\n\n".join(section for section in sections if section)
    return f"{DISCLAIMER}\n\n{body}" if verdict == "LOW_CONFID" else body


def fallback(
    origin: FallbackOrigin,
    run_id: str,
    tools_ran: Sequence[ToolInvocation],
    gaps: Sequence[str] = (),
    raw_observations: Sequence[str] = (),
) -> str:
    """What the user reads when no verified answer exists (G25). The same input gives the same text (DG-03).

    ``gaps`` are shown once a legal contract existed (gatekeeper, verifier), ``raw_observations`` only when the gate
    had passed them (verifier, at most five).
    """
    sections = ["## 结论\n" + _FALLBACK[origin], _section("查过的数据", _tool_lines(tools_ran))]
    if origin in ("gatekeeper", "verifier"):
        sections.append(_section("证据缺口", [_flat(gap) for gap in gaps]))
    if origin == "verifier":
        quoted = [_flat(text) for text in raw_observations[:_RAW_OBSERVATIONS]]
        sections.append(_section("原始记录（未经核对）", quoted))
    sections.append(f"可以过一会儿再问一次，或者换个说法、补上服务名和时间。反馈问题时请带上运行编号：{_flat(run_id)}")
    return "\n\n".join(section for section in sections if section)


def greeting() -> str:
    """The answer to a greeting: what to ask and how."""
    return (
        "你好，我帮你查故障。告诉我现象、服务名和大概的时间就行，比如：“支付网关从 10:05 开始大量 5xx，为什么？”\n"
        "我会去查日志、指标、告警和处置手册，每条结论都附上出处；查不清的地方会直说。"
    )


def knowledge_answer(chunks: Sequence[Mapping[str, Any]]) -> str:
    """Runbook passages as they stand, at most three; those of high relevance shut out the others."""
    high = [chunk for chunk in chunks if chunk.get("relevance") == "high"]
    shown = (high or list(chunks))[:_CHUNKS]
    if not shown:
        return "处置手册里没有找到相关内容。换个说法，或者写上组件名再试试。"
    lead = "处置手册里是这样写的：" if high else "处置手册里没有正好对上的内容，下面这些可能有关："
    passages = [f"**{_source(chunk)}**\n{_flat(str(chunk.get('text', '')))}" for chunk in shown]
    return "\n\n".join([lead, *passages, "以上是手册的一般说明，不代表当前系统的状态。"])


def _conclusion(blocks: AnswerBlocks) -> str:
    if blocks.conclusion.strip():
        return _flat(blocks.conclusion)
    return _CONFIRMED_ONLY if blocks.confirmed else NO_CONCLUSION


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"## {title}", *(f"- {line}" for line in lines)]) if lines else ""


def _flat(text: str) -> str:
    # Quoted text must not open a heading or a list of its own.
    return " ".join(text.split()).lstrip("#> ")


def _marked(mark: str) -> str:
    return f" [{mark}]" if mark else ""


def _source(chunk: Mapping[str, Any]) -> str:
    names = [str(chunk[key]) for key in ("title", "section") if chunk.get(key)]
    return _flat(" · ".join(names) or str(chunk.get("doc", "手册")))


def _tool_lines(invocations: Sequence[ToolInvocation]) -> list[str]:
    outcomes: dict[str, Counter[str]] = {}
    for row in invocations:
        outcomes.setdefault(row.tool_name, Counter())[_outcome(row)] += 1
    return [
        f"{TOOL_NAMES.get(name, _flat(name))}："
        + "，".join(f"{counts[word]} 次{word}" for word in _OUTCOMES if counts[word])
        for name, counts in outcomes.items()
    ]


_OUTCOMES = ("有结果", "没查到内容", "失败", "重复")


def _outcome(row: ToolInvocation) -> str:
    if row.dedup_of or row.failure_code == "DEDUPED":
        return "重复"
    if row.failure_code == "NO_HIT":
        return "没查到内容"
    return "有结果" if row.success else "失败"
