"""The embedded model: an lm15 engine over llama.cpp in this process (xllamacpp).

One engine per model file and process; one slot, because on a few cores reading prompts is compute-bound and a second
sequence would only evict the first one's cached prefix. The engine keeps the longest common prefix of the last
prompt, and a small RAM cache of earlier ones, so prompts put what repeats first and the claim last.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dspy.lm15 import Message, Request, Response, ServerError, TextPart, Usage

from programs.runtime import ACTIVE_METER

CONTEXT_TOKENS = 6144
PROMPT_CACHE_MIB = 128


class TruncatedOutput(ServerError):
    """The model stopped at the token limit: DSPy would silently repair the cut JSON, so it is refused here."""


class EmbeddedUnavailable(RuntimeError):
    """The engine package is missing or the file is no model it can load."""


@dataclass(frozen=True)
class Reading:
    """One forward pass: the most probable next tokens with natural-log probabilities, and what it cost."""

    top: tuple[tuple[str, float], ...]
    tokens_in: int
    tokens_cached: int
    seconds: float


def plain_text(text: str) -> str:
    """Text that cannot open or close a chat turn: control tokens such as ``<|im_end|>`` are broken up, lone
    surrogates replaced. Tool output is data, whatever it says."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("<|", "< |").replace("|>", "| >")


class EmbeddedEngine:
    """``complete(Request) -> Response`` for dspy.LM, plus ``read`` for decisions in one forward pass.

    Loads the model at the first call. Thread-safe: calls queue for the one slot.
    """

    supports_function_calling = False
    supports_reasoning = False
    supports_response_schema = True
    supported_params = frozenset({"temperature", "top_p", "max_tokens", "response_format", "stop", "seed"})

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        self.path = path
        self.threads = threads or int(os.environ.get("SUPERBIZ_THREADS", "0")) or min(os.cpu_count() or 2, 8)
        self._server: Any = None
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> EmbeddedEngine:
        # Binding an LM to a predictor deep-copies its engine; a second copy of the weights must not follow.
        return self

    def dump_state(self) -> dict[str, Any]:
        return {"file": self.path.name}

    def load(self) -> Any:
        """Load the model once; a few seconds.

        Raises:
            EmbeddedUnavailable: xllamacpp is not installed, or the file cannot be loaded.
        """
        with self._lock:
            if self._server is None:
                self._server = _start_server(self.path, self.threads)
        return self._server

    @property
    def address(self) -> str:
        """Loopback address of the engine's own OpenAI-compatible server (no key: never expose it)."""
        return str(self.load().listening_address)

    def complete(self, request: Request) -> Response:
        config = request.config
        body: dict[str, Any] = {
            "messages": _messages(request),
            "max_tokens": config.max_tokens or 256,
            "temperature": config.temperature if config.temperature is not None else 0.0,
            "cache_prompt": True,
        }
        if config.top_p is not None:
            body["top_p"] = config.top_p
        if config.seed is not None:
            body["seed"] = config.seed
        if config.stop:
            body["stop"] = list(config.stop)
        if config.response_format is not None:
            body["response_format"] = _response_format(config.response_format)
        answer, seconds = self._call(body)
        choice, usage = answer["choices"][0], answer["usage"]
        cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
        _charge(model_calls=1, usage=usage, cached=cached, seconds=seconds)
        if choice["finish_reason"] == "length":
            raise TruncatedOutput(
                f"the model stopped at max_tokens={body['max_tokens']} before its answer was complete"
            )
        return Response(
            id=answer.get("id"),
            model=request.model,
            message=Message.assistant([TextPart(choice["message"]["content"] or "")]),
            finish_reason="stop",
            usage=Usage(
                input_tokens=usage["prompt_tokens"],
                output_tokens=usage["completion_tokens"],
                cache_read_tokens=cached,
            ),
        )

    def read(self, system: str, user: str, lead: str, *, top: int = 60) -> Reading:
        """The next-token distribution after ``lead``, which opens the assistant's turn."""
        messages = [{"role": "system", "content": plain_text(system)}] if system else []
        messages += [{"role": "user", "content": plain_text(user)}, {"role": "assistant", "content": lead}]
        body = {
            "messages": messages,
            "max_tokens": 1,
            "temperature": 0.0,
            "logprobs": True,
            "top_logprobs": top,
            "cache_prompt": True,
        }
        answer, seconds = self._call(body)
        usage = answer["usage"]
        cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
        _charge(decision_calls=1, usage=usage, cached=cached, seconds=seconds)
        content = (answer["choices"][0].get("logprobs") or {}).get("content") or []
        if not content:
            raise ServerError("the engine returned no token probabilities")
        ranked = tuple((str(item["token"]), float(item["logprob"])) for item in content[0]["top_logprobs"])
        return Reading(top=ranked, tokens_in=usage["prompt_tokens"], tokens_cached=cached, seconds=seconds)

    def _call(self, body: dict[str, Any]) -> tuple[dict[str, Any], float]:
        server = self.load()
        with self._lock:
            started = time.perf_counter()
            answer = server.handle_chat_completions(body)
            seconds = time.perf_counter() - started
        if "error" in answer:
            raise ServerError(f"embedded model: {answer['error'].get('message', answer['error'])}")
        return answer, seconds


def _charge(
    *, usage: dict[str, Any], cached: int, seconds: float, model_calls: int = 0, decision_calls: int = 0
) -> None:
    meter = ACTIVE_METER.get()
    if meter is not None:
        meter.add(
            model_calls=model_calls,
            decision_calls=decision_calls,
            tokens_in=usage["prompt_tokens"],
            tokens_cached=cached,
            tokens_out=usage["completion_tokens"] if model_calls else 0,
            model_seconds=seconds,
        )


def _messages(request: Request) -> list[dict[str, str]]:
    messages = []
    if request.system is not None:
        system = request.system if isinstance(request.system, str) else "".join(p.text for p in request.system)
        messages.append({"role": "system", "content": plain_text(system)})
    messages.extend({"role": m.role, "content": plain_text(m.text or "")} for m in request.messages)
    return messages


def _response_format(declared: dict[str, Any]) -> dict[str, Any]:
    if declared["type"] == "json_object":
        return {"type": "json_object"}
    schema = {"name": declared.get("name", "answer"), "schema": declared["schema"], "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def _start_server(path: Path, threads: int) -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise EmbeddedUnavailable(
            "the embedded engine is not installed; run: pip install 'superbiz[local]', "
            "or set SUPERBIZ_LM to a remote model (e.g. openai/gpt-4o-mini)"
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.warmup = False
    params.verbosity = -1
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        raise EmbeddedUnavailable(f"cannot load {path}: {error}; check it with: superbiz model verify") from error


_ENGINES: dict[Path, EmbeddedEngine] = {}
_ENGINES_LOCK = threading.Lock()


def engine_for(path: Path) -> EmbeddedEngine:
    """The process's one engine for this file."""
    with _ENGINES_LOCK:
        return _ENGINES.setdefault(path.resolve(), EmbeddedEngine(path.resolve()))


class AsyncEmbeddedEngine:
    """Async counterpart: without it ``acall`` fails."""

    def __init__(self, engine: EmbeddedEngine) -> None:
        self.engine = engine

    def __deepcopy__(self, memo: dict[int, Any]) -> AsyncEmbeddedEngine:
        return self

    def dump_state(self) -> dict[str, Any]:
        return self.engine.dump_state()

    async def complete(self, request: Request) -> Response:
        import asyncio

        return await asyncio.to_thread(self.engine.complete, request)
