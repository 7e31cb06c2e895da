"""Counts what remote model calls cost: DSPy reports their usage to whatever stands in ``settings.usage_tracker``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from dspy.utils.callback import BaseCallback

from programs.runtime import ACTIVE_METER


class RemoteMeter(BaseCallback):
    """Usage tracker and LM callback in one; charges the active meter's current step."""

    def __init__(self) -> None:
        super().__init__()
        self._started: dict[str, float] = {}

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        self._started[call_id] = time.perf_counter()

    def on_lm_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        meter = ACTIVE_METER.get()
        started = self._started.pop(call_id, None)
        if meter is not None and started is not None:
            meter.add(model_calls=1, model_seconds=time.perf_counter() - started)

    def add_usage(self, model: str, usage: Mapping[str, Any]) -> None:
        meter = ACTIVE_METER.get()
        if meter is not None:
            meter.add(
                tokens_in=int(usage.get("prompt_tokens") or 0), tokens_out=int(usage.get("completion_tokens") or 0)
            )

    def get_total_tokens(self) -> dict[str, dict[str, Any]]:
        return {}
