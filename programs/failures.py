"""What went wrong with a model call, as a stable code and a sentence; and whether asking again may help (G18)."""

from __future__ import annotations

import hashlib

from signatures.contracts import DiscardedText

_BY_NAME = (
    ("timeout", "timeout"),
    ("auth", "auth"),
    ("permission", "auth"),
    ("billing", "budget"),
    ("ratelimit", "rate_limit"),
    ("contextlength", "context_length"),
    ("contextwindow", "context_length"),
    ("unsupportedmodel", "unknown_model"),
    ("unknownmodel", "unknown_model"),
    ("notfound", "unknown_model"),
    ("contentfilter", "content_filter"),
    ("contentpolicy", "content_filter"),
    ("notconfigured", "configuration"),
    ("configuration", "configuration"),
    ("invalidrequest", "bad_request"),
    ("badrequest", "bad_request"),
    ("truncated", "truncated"),
    ("parse", "invalid_output"),
    ("protocol", "invalid_output"),
    ("transport", "connection"),
    ("connection", "connection"),
)
_FINAL = frozenset(
    {"auth", "budget", "context_length", "unknown_model", "content_filter", "configuration", "bad_request"}
)
# The model answered, but not with what was asked: code can go on without it.
INVALID = frozenset({"invalid_output", "truncated"})
_NEXT_STEP = {
    "auth": "检查 API key（SUPERBIZ_LM_API_KEY 或供应商自己的变量）",
    "configuration": "检查 SUPERBIZ_LM 和供应商的 API key",
    "unknown_model": "检查 SUPERBIZ_LM 里的模型名",
    "connection": "检查 SUPERBIZ_LM_API_BASE 指向的服务是否在运行",
    "timeout": "模型服务没有在期限内回答，检查它的负载",
    "rate_limit": "稍后再试，或者换一个模型",
    "budget": "检查账户额度",
}
REASON_CHARS = 300


def failure_of(error: BaseException) -> tuple[str, str]:
    """(code, reason). The reason is one line without the request's content."""
    code = "model_error"
    for kind in type(error).__mro__ if not isinstance(error, TimeoutError) else (TimeoutError,):
        name = kind.__name__.lower().replace("_", "")
        found = next((code for part, code in _BY_NAME if part in name), None)
        if found:
            code = found
            break
    first = (str(error).strip().splitlines() or [""])[0]
    return code, f"{type(error).__name__}: {first}"[:REASON_CHARS]


def discarded_text(node: str, code: str, text: str) -> DiscardedText:
    """What is kept of a model text that was no legal output (X12)."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return DiscardedText(node=node, failure_code=code, sha256=digest, length=len(text))


def is_retryable(code: str) -> bool:
    """Whether the same bytes may succeed on a second try (G18)."""
    return code not in _FINAL


def next_step(code: str) -> str:
    """What to do about a model that could not answer (Chinese)."""
    return _NEXT_STEP.get(code, "看上面的原因") + "；也可以用 --lm embedded 换成内置模型"
