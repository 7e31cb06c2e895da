"""``superbiz verify``: judge the claims of a file of verdict cases."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.console import FetchLines, Timed, say, tell
from api.interrupt import Interruptible
from api.verify_file import Origin, ResultsFile

if TYPE_CHECKING:
    from signatures.verdict_case import VerdictCase


class Verifying:
    """One call of ``verify``: ``results`` by case id, those of an earlier call included."""

    def __init__(self, file: Path, out: Path | None, version: str | None, lm: str | None) -> None:
        self.file = file
        self.out = out
        self.version = version
        self.lm = lm
        self.total = 0
        self.results: dict[str, dict[str, Any]] = {}

    def judge(self, cases: list[VerdictCase], progress: Timed, cancelled: Callable[[], bool]) -> None:
        """Judge what is not judged yet, keeping each result as it comes."""
        from api.program_source import ProgramSource
        from api.settings import read_settings
        from api.verdict_report import result_object

        source = ProgramSource(self.lm or read_settings().lm, FetchLines(progress))
        self.version = source.resolve(self.version)
        progress.line("打开模型……")
        self.lm = source.lms().name
        kept = None
        if self.out is not None:
            digest = hashlib.sha256(self.file.read_bytes()).hexdigest()
            kept = ResultsFile(self.out, Origin(digest, self.version, self.lm))
            self.results |= kept.done
            if kept.done:
                progress.line(f"{self.out} 已有 {len(kept.done)} 例，继续")
        left = [case for case in cases if case.case_id not in self.results]

        def on_claim(case_id: str, claim_id: str, classification: str) -> None:
            progress.line(f"  {case_id} {claim_id} {classification}")
            if cancelled():
                raise KeyboardInterrupt

        for result in source.verify(left, self.version, on_claim):
            judged = result_object(result)
            if kept is not None:
                kept.add(judged)
            self.results[result.case_id] = judged
            progress.line(f"{_bar(len(self.results), len(cases))} {result.case_id} {judged.get('effective_verdict')}")
            if cancelled():
                raise KeyboardInterrupt

    def told_so_far(self) -> None:
        """What an interrupted call leaves behind."""
        where = f"，已写入 {self.out}，用同一 --out 再次运行即可继续" if self.out else "（没有 --out，结果不保留）"
        tell(f"已完成 {len(self.results)}/{self.total} 例{where}")


def _bar(done: int, total: int, width: int = 20) -> str:
    filled = width * done // max(total, 1)
    return f"[{'█' * filled}{'·' * (width - filled)}] {done}/{total}"


def run_verify(file: Path, *, as_json: bool, out: Path | None, version: str | None, lm: str | None) -> None:
    """Judge and print; raises what stops it, ``api.cli.main`` tells it."""
    progress = Timed()
    progress.line("读取案例……")
    from signatures.verdict_case import read_cases

    cases = read_cases(file)
    verifying = Verifying(file, out, version, lm)
    verifying.total = len(cases)
    started = time.monotonic()
    Interruptible(lambda stop: verifying.judge(cases, progress, stop), verifying.told_so_far).run()
    seconds = time.monotonic() - started
    results = [verifying.results[case.case_id] for case in cases]
    figures = _figures(cases, results)
    if as_json:
        from api.jsontext import wire

        head = {"file": str(file), "version": verifying.version, "lm": verifying.lm, "seconds": round(seconds, 3)}
        say(wire({**head, "cases": results, "figures": figures}, indent=2))
        return
    _print(results, figures)


def _figures(cases: list[VerdictCase], results: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The figures against the labels, when there are any."""
    if not any(claim.label for case in cases for claim in case.claims):
        return None
    from programs.case_result import CaseResult, figures

    found: dict[str, Any] = figures(cases, [CaseResult.model_validate(result) for result in results])
    return found


def _print(results: list[dict[str, Any]], figures: dict[str, Any] | None) -> None:
    from api.verdict_report import figure_lines, result_lines

    for result in results:
        for line in result_lines(result):
            say(line)
    if figures is not None:
        say()
        for line in figure_lines(figures):
            say(line)
