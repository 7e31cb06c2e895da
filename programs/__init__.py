"""How a diagnosis runs. Heavy parts load on first use: ``superbiz --help`` must not import a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from programs.diagnosis import DiagnosisProgram as DiagnosisProgram
    from programs.verify import verify_claims as verify_claims

__all__ = ["DiagnosisProgram", "verify_claims"]


def __getattr__(name: str) -> Any:
    if name == "DiagnosisProgram":
        from programs.diagnosis import DiagnosisProgram

        return DiagnosisProgram
    if name == "verify_claims":
        from programs.verify import verify_claims

        return verify_claims
    raise AttributeError(name)
