"""Run events as lines a person reads while the run works."""

from __future__ import annotations

from api.jsontext import wire
from programs.templates import CLASS_WORDS
from signatures.contracts import RunEvent

_NODES = {
    "plan": "规划",
    "execute": "取证",
    "gate": "校验",
    "verify": "核查",
    "compose": "作答",
    "compose_safe": "降级作答",
    "prepare_retry": "补充取证",
    "fallback": "兜底",
    "persist": "保存",
    "route": "分流",
}
MAX_DATA = 600
MAX_CLAIM = 90


def event_line(event: RunEvent) -> str | None:
    """One line, or None for an event that tells the reader nothing new."""
    if event.kind == "run_finished" or not event.message:
        return None
    seconds = event.data.get("seconds") if event.kind == "node_finished" else None
    took = f"（{seconds:.1f} s）" if isinstance(seconds, int | float) else ""
    if event.kind == "claim_checked":
        return _claim_line(event)
    mark = "✓ " if event.kind == "node_finished" else ""
    return f"{_NODES.get(event.node, event.node)}  {mark}{event.message}{took}"


def _claim_line(event: RunEvent) -> str:
    """A judged claim: its class, how it was proven, the seconds, the claim itself."""
    words = {str(label): word for label, word in CLASS_WORDS.items()}
    label = words.get(str(event.data.get("classification")), "?")
    seconds = event.data.get("seconds")
    took = f" {seconds:.1f} s" if isinstance(seconds, int | float) else ""
    how = "按原始记录重写核对" if event.data.get("basis") == "rendered" else f"模型判断{took}"
    text = event.message if len(event.message) <= MAX_CLAIM else event.message[: MAX_CLAIM - 1] + "…"
    return f"{_NODES['verify']}  {label}（{how}）：{text}"


def trace_line(event: RunEvent) -> str:
    """The event with everything in it, cut at 600 characters of data."""
    data = wire(event.data)
    shown = data if len(data) <= MAX_DATA else f"{data[:MAX_DATA]}… ({len(data)} characters)"
    return f"#{event.seq} {event.node}/{event.kind} {event.message} {shown if event.data else ''}"
