"""Which model answers: the embedded one, any GGUF file, or any DSPy provider string.

``SUPERBIZ_LM`` (or ``--lm``): ``embedded`` (default), ``embedded:0.5b``, ``embedded:FILE.gguf``, or a provider string
such as ``openai/gpt-4o-mini`` or ``ollama_chat/qwen2.5``; ``SUPERBIZ_LM_API_BASE`` and ``SUPERBIZ_LM_API_KEY`` point a
provider string at an OpenAI-compatible server (vLLM, llama.cpp, ...).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from programs.lms.engine import EmbeddedEngine

REMOTE_TIMEOUT_S = 60.0


class LMUnavailable(Exception):
    """No model can answer. The message names the cause and the next step."""


@dataclass(frozen=True)
class RoleLMs:
    """The models of a run: ``generate`` writes, ``decide`` answers typed questions with probabilities (or is None,
    and ``generate`` answers them as text)."""

    name: str
    generate: Any
    decide: Any | None = None
    engine: EmbeddedEngine | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def context(self) -> dict[str, Any]:
        """DSPy settings under which this model's calls are counted; the embedded engine counts its own."""
        if self.engine is not None:
            return {}
        from programs.lms.remote_meter import RemoteMeter

        meter = RemoteMeter()
        return {"usage_tracker": meter, "callbacks": [meter]}

    def describe(self) -> dict[str, Any]:
        """What a version's manifest records: model, file hash, decoding settings. No secrets."""
        return {"name": self.name, **self.details}


def open_lms(
    spec: str | None = None, *, cache: bool = False, on_progress: Callable[[int, int, str], None] | None = None
) -> RoleLMs:
    """Open the model named by ``spec`` or SUPERBIZ_LM; fetch the embedded one when it is not there yet.

    Raises:
        LMUnavailable: no file and no way to get it, no engine package, unknown provider, or a key is missing.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    name = (spec or os.environ.get("SUPERBIZ_LM") or "embedded").strip()
    if name == "embedded" or name.startswith("embedded:"):
        return _embedded(name, cache=cache, on_progress=on_progress)
    return _remote(name, cache=cache)


def _embedded(name: str, *, cache: bool, on_progress: Callable[[int, int, str], None] | None) -> RoleLMs:
    from programs.lms import fetch

    wanted = name.partition(":")[2] or "1.5b"
    try:
        import xllamacpp  # noqa: F401  (before a gigabyte is fetched for nothing)
    except ImportError:
        raise LMUnavailable(
            "the embedded engine is not installed. Next: pip install 'superbiz[local]', or name a remote model with "
            "--lm / SUPERBIZ_LM, e.g. openai/gpt-4o-mini"
        ) from None
    try:
        path = _model_file(wanted, on_progress)
    except fetch.ModelFileError as error:
        raise LMUnavailable(str(error)) from error
    from programs.lms.decision import EmbeddedDecider
    from programs.lms.engine import AsyncEmbeddedEngine, EmbeddedUnavailable, engine_for

    digest = fetch.file_sha256(path)
    engine = engine_for(path)
    try:
        engine.load()
    except EmbeddedUnavailable as error:
        raise LMUnavailable(str(error)) from error
    import dspy

    # DSPy's response-cache key does not include the engine, so the model string carries the file's hash.
    model = f"embedded/{path.stem}@{digest[:12]}"
    lm = dspy.LM(
        model,
        engine=engine,
        async_engine=AsyncEmbeddedEngine(engine),
        temperature=0.0,
        max_tokens=200,
        cache=cache,
        num_retries=0,
    )
    details = {"file": path.name, "sha256": digest, "temperature": 0.0, "max_tokens": 200, "engine": "xllamacpp"}
    return RoleLMs(model, lm, EmbeddedDecider(engine, model, cache=cache), engine, details)


def _model_file(wanted: str, on_progress: Callable[[int, int, str], None] | None) -> Path:
    from programs.lms import fetch

    if wanted in fetch.KNOWN:
        return fetch.fetch(wanted, on_progress=on_progress)
    return fetch.model_path(wanted)


def _remote(name: str, *, cache: bool) -> RoleLMs:
    if "/" not in name:
        raise LMUnavailable(
            f"unknown model {name!r}. Next: use `embedded`, `embedded:FILE.gguf`, or provider/model such as "
            "openai/gpt-4o-mini or ollama_chat/qwen2.5"
        )
    import dspy

    base = os.environ.get("SUPERBIZ_LM_API_BASE")
    key = os.environ.get("SUPERBIZ_LM_API_KEY") or ("not-needed" if base else None)
    options: dict[str, Any] = {"timeout": REMOTE_TIMEOUT_S}
    if base:
        options["api_base"] = base
    if key:
        options["api_key"] = key
    try:
        lm = dspy.LM(name, temperature=0.0, max_tokens=1000, cache=cache, num_retries=1, **options)
    except Exception as error:
        raise LMUnavailable(f"cannot use model {name!r}: {error}") from error
    return RoleLMs(name, lm, None, None, {"temperature": 0.0, "max_tokens": 1000, "api_base": bool(base)})
