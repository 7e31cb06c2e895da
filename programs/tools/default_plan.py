"""The evidence every diagnosis looks at, whatever the Planner thought of."""

from __future__ import annotations

import re

from programs.tools.scenario import Scenario
from programs.tools.service_names import behind, mentions
from signatures.contracts import PlanStep

MAX_DEPENDENCIES = 12
MAX_UNKNOWN = 2
_QUERY = 2000
# Only endings that name a part of a system: "out-of-memory" and "read-only" are no services.
_LATIN_NAME = re.compile(
    r"(?<![A-Za-z0-9_-])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*[-_](?:service|svc|api|gateway|server|db|mysql|redis|kafka|"
    r"consumer|producer|worker|job|batch|proxy|broker|cache|store|center|adapter|bff|app|web|queue|sentinel|scheduler)"
    r"(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
_CHINESE_NAME = re.compile(r"[\u4e00-\u9fff]{2,8}?(?:服务|系统|网关|平台|集群|中心|接口)")
# Words that stand before "service" without naming one.
_FILLER = re.compile(
    r"为什么|为何|怎么|什么|哪个|哪些|请问|请|帮我|看看|这个|那个|我们的?|你们的?|所有的?|全部|整个|线上|生产|后端|前端|业务|核心|"
    r"其他|相关|的|了|是|在|有|从|和|与|到|被|对|让|把|现在|今天|昨天|目前|突然|一直|开始|出现|调用|访问|依赖|下游|上游|微"
)


def asked_services(question: str, scenario: Scenario) -> tuple[str, ...]:
    """The services that the question names, in its order."""
    return tuple(hit.service for hit in mentions(question, scenario.services))


def unknown_names(question: str, scenario: Scenario) -> tuple[str, ...]:
    """Names in the question that look like services and are none here: ``sms-service``, 短信服务.

    Names that the data know in another way (hosts, metrics) are left out.
    """
    rest = question
    for hit in sorted(mentions(question, scenario.services), key=lambda hit: -len(hit.word)):
        rest = re.sub(re.escape(hit.word), " ", rest, flags=re.IGNORECASE)
    names = [name for name in _LATIN_NAME.findall(rest) if not _is_data_name(name, scenario)]
    if not names and not asked_services(question, scenario):
        names = [match[0] for match in _CHINESE_NAME.finditer(_FILLER.sub(" ", rest))]
    return tuple(dict.fromkeys(names))[:MAX_UNKNOWN]


def _is_data_name(name: str, scenario: Scenario) -> bool:
    metrics = [one.metric for one in scenario.series] if scenario.has("metrics.json") else []
    return any(name.casefold() in known.casefold() for known in (*metrics, *scenario.hosts))


def default_plan(question: str, scenario: Scenario) -> tuple[PlanStep, ...]:
    """Logs, metrics and alerts of the asked services and what they depend on, changes everywhere, runbooks.

    Without a named service: the same over everything.
    """
    asked = list(asked_services(question, scenario))
    needed = list(behind(asked, scenario.services))[:MAX_DEPENDENCIES]
    unknown = unknown_names(question, scenario)
    steps = []
    if unknown:
        steps.append(_step("query_logs", "所问名称的日志", service=list(unknown)))
        steps.append(_step("query_logs", "提到所问名称的日志", contains=" ".join(unknown)))
        steps.append(_step("query_metrics", "所问名称的指标与告警", service=list(unknown)))
    if asked:
        steps.append(_step("query_logs", "所问服务的告警与错误日志", service=asked, min_level="WARN"))
    if needed:
        steps.append(_step("query_logs", "所依赖服务的告警与错误日志", service=needed, min_level="WARN"))
    steps.append(_step("query_logs", "全部服务的变更与错误", min_level="WARN"))
    if asked:
        steps.append(_step("query_metrics", "所问服务及其依赖的指标", service=asked + needed))
        steps.append(_step("query_metrics", "全部告警", metric="ALERTS"))
    else:
        steps.append(_step("query_metrics", "全部指标与告警"))
    if question.strip():
        steps.append(_step("lookup_knowledge", "相关处置手册", query=question.strip()[:_QUERY]))
    return tuple(steps)


def _step(tool: str, reason: str, **params: object) -> PlanStep:
    return PlanStep(tool=tool, params=params, reason=reason, origin="default")
