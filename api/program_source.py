"""Opens the model and the program versions, once for a process."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from programs.runtime import RunContext
from signatures.contracts import Classification, DiagnosisResult

if TYPE_CHECKING:
    from programs.case_result import CaseResult
    from signatures.verdict_case import VerdictCase

FetchProgress = Callable[[int, int, str], None]
OnClaim = Callable[[str, str, Classification], None]


class Program(Protocol):
    """What answers a question."""

    def diagnose(self, question: str, context: RunContext) -> DiagnosisResult: ...


class Programs(Protocol):
    """Where programs come from, by version."""

    def resolve(self, version: str | None) -> str:
        """The version that will serve: the named one, else the champion. Raises VersionError for an unknown one."""
        ...

    def program(self, version: str) -> Program:
        """The program of a version, ready to answer. Raises LMUnavailable or VersionError."""
        ...

    def verify(self, cases: Sequence[VerdictCase], version: str, on_claim: OnClaim) -> Iterator[CaseResult]:
        """The judgement of each case, in order, by the verifier of a version; ``on_claim`` may raise to stop it."""
        ...


class ProgramSource:
    """Programs over one model. The model is opened at the first use, every version is loaded once.

    Args:
        lm: model specification; None means SUPERBIZ_LM or the embedded model.
        on_progress: told (done bytes, total bytes, source) while the embedded model is fetched.
    """

    def __init__(self, lm: str | None = None, on_progress: FetchProgress | None = None) -> None:
        self._lm = lm
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._lms: Any = None
        self._programs: dict[str, Program] = {}

    def resolve(self, version: str | None) -> str:
        from optimize import registry

        named = version or registry.champion()
        if named != registry.BASELINE:
            registry.manifest_of(named)
        return named

    def lms(self) -> Any:
        """The opened model (RoleLMs). Raises LMUnavailable."""
        with self._lock:
            return self._open()

    def _open(self) -> Any:
        if self._lms is None:
            from programs.lms.choice import open_lms

            self._lms = open_lms(self._lm, on_progress=self._on_progress)
            # What is loaded by now stays; every full collection of garbage would walk through all of it again.
            gc.collect()
            gc.freeze()
        return self._lms

    def program(self, version: str) -> Program:
        with self._lock:
            if version not in self._programs:
                lms = self._open()
                from programs.diagnosis import DiagnosisProgram

                program = DiagnosisProgram(lms, version=version)
                load_version(program, version)
                self._programs[version] = program
            return self._programs[version]

    def verify(self, cases: Sequence[VerdictCase], version: str, on_claim: OnClaim) -> Iterator[CaseResult]:
        from optimize import registry
        from programs.verifier import ClaimVerifier
        from programs.verify import verify_claims

        verifier = ClaimVerifier()
        registry.load_into(verifier, version)
        lms = self.lms()
        yield from verify_claims(cases, verifier=verifier, lms=lms, on_claim=on_claim)


def load_version(program: Any, version: str) -> None:
    """Load a version into the part of the program that it was compiled for."""
    from optimize import registry

    if version == registry.BASELINE:
        return
    target = registry.manifest_of(version).target
    part = getattr(program, target, None)
    if part is None:
        raise registry.VersionError(
            f"{version} was compiled for {target!r}, which this program has not; use `baseline`"
        )
    registry.load_into(part, version)
