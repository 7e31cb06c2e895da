"""``superbiz ask``: one question, live progress, the answer with its evidence."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from api.console import NO_MODEL, FetchLines, Timed, clean, say, tell
from api.interrupt import Interruptible
from api.progress import event_line, trace_line
from api.question import valid_question, valid_session

if TYPE_CHECKING:
    from api.store.repository import RunStore
    from signatures.contracts import DiagnosisResult, EvidenceItem, RunEvent


class Asking:
    """One call of ``ask``. The store and the run id are known only once they exist; Ctrl-C may come before."""

    def __init__(self, question: str, scenario: str | None, session: str | None, version: str | None) -> None:
        self.question = question
        self.scenario = scenario
        self.session = session
        self.version = version
        self.store: RunStore | None = None
        self.run_id: str | None = None
        self.events: list[RunEvent] = []

    def answer(self, lm: str | None, progress: Timed, trace: bool, cancelled: Callable[[], bool]) -> DiagnosisResult:
        """Open the store, then the model, then run: the run has its row before the slow part begins."""
        from api.chat_service import ChatService
        from api.program_source import ProgramSource
        from api.settings import read_settings
        from api.store.repository import open_store

        settings = read_settings()
        self.store = open_store(settings.database_url, stale_after_s=settings.run_deadline_s + 60)
        programs = ProgramSource(lm or settings.lm, FetchLines(progress))
        service = ChatService(self.store, programs, deadline_s=settings.run_deadline_s)
        accepted = service.accept(self.question, self.scenario, self.session, self.version)
        self.run_id = accepted.run_id
        chosen = accepted.scenario_reason or f"场景 {accepted.scenario.name}（{accepted.scenario.title}）"
        progress.line(f"{chosen}，版本 {accepted.version}，运行 {accepted.run_id}")
        progress.line("打开模型……")

        def on_event(event: RunEvent) -> None:
            self.events.append(event)
            shown = trace_line(event) if trace else event_line(event)
            if shown:
                progress.line(shown)

        return service.run(accepted, on_event, cancelled)

    def cancel(self) -> None:
        """Mark the run as cancelled, whatever its thread is doing."""
        if self.store is not None and self.run_id is not None:
            with contextlib.suppress(Exception):
                self.store.cancel_run(self.run_id, "interrupted by Ctrl-C")


def run_ask(
    question: str,
    *,
    scenario: str | None,
    as_json: bool,
    trace: bool,
    version: str | None,
    lm: str | None,
    session: str | None,
) -> None:
    """Ask and print. Raises what ends a run without an answer; ``api.cli.main`` tells it."""
    progress = Timed()
    valid_question(question)
    valid_session(session)
    progress.line("收到问题，正在准备……")
    asking = Asking(question, scenario, session, version)
    result = Interruptible(lambda stop: asking.answer(lm, progress, trace, stop), asking.cancel).run()
    if as_json:
        _print_json(result, asking.events if trace else None)
    else:
        _print_answer(result)
        if trace:
            tell(cost_table(result))
    _refuse_without_model(result)


def _refuse_without_model(result: DiagnosisResult) -> None:
    """A run that ended because no model could answer is a fault, however honest its text."""
    from programs.failures import INVALID, next_step

    code = result.failure_code
    if code and result.route == "fallback" and result.fallback_origin != "gatekeeper" and code not in INVALID:
        tell(f"模型 {result.lm} 没能回答。下一步：{next_step(code)}")
        raise typer.Exit(NO_MODEL)


def _print_json(result: DiagnosisResult, events: list[RunEvent] | None) -> None:
    from api.answer import answer_object
    from api.jsontext import wire

    shown: dict[str, Any] = answer_object(result)
    if events is not None:
        shown["events"] = [event.model_dump() for event in events]
    say(wire(shown, indent=2))


def evidence_line(item: EvidenceItem) -> str:
    """``[证1] 10:04:12 payment-gateway(query_logs) 「quoted line」``."""
    mark = item.mark.strip("[]【】")
    when = item.time or ""
    clock = when.partition("T")[2][:8] or when
    source = f"{item.source}({item.tool_name})" if item.source else item.tool_name
    return clean(" ".join(part for part in (f"[{mark}]", clock, source, f"「{item.quote}」") if part), one_line=True)


def _print_answer(result: DiagnosisResult) -> None:
    say(clean(result.answer).rstrip())
    if result.evidence:
        say("\n证据")
        for item in result.evidence:
            say(evidence_line(item))
    score = "" if result.groundedness_score is None else f"，依据度 {result.groundedness_score:.2f}"
    verdict = f"结论级别 {result.verdict}{score}，" if result.verdict else ""
    if result.failure_reason:
        tell(f"\n未能完成：{clean(f'{result.failure_code} {result.failure_reason}', one_line=True)[:500]}")
    tell(f"\n{verdict}路径 {result.route}，{result.seconds:.1f} s，运行 {result.run_id}")


def cost_table(result: DiagnosisResult) -> str:
    """What each step cost: calls, tokens (read, of these from the cache, written), seconds."""
    head = ("步骤", "生成", "判断", "读入", "缓存", "写出", "秒", "模型秒", "工具秒")
    rows = [
        (
            cost.step,
            *(str(count) for count in (cost.model_calls, cost.decision_calls)),
            *(str(count) for count in (cost.tokens_in, cost.tokens_cached, cost.tokens_out)),
            *(f"{seconds:.2f}" for seconds in (cost.seconds, cost.model_seconds, cost.tool_seconds)),
        )
        for cost in result.calls
    ]
    return "\n".join("\t".join(row) for row in (head, *rows))
