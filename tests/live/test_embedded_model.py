"""The embedded model itself: constrained JSON, decision readout, prefix caching, an OpenAI-compatible door."""

from __future__ import annotations

import dspy
import pytest

from programs.lms.adapter import CompactJSONAdapter
from programs.lms.choice import RoleLMs, open_lms
from programs.lms.engine import TruncatedOutput
from programs.runtime import Meter
from programs.verifier import ClaimVerifier
from signatures.contracts import CLASSIFICATIONS
from signatures.planner import PlanEvidence, plan_signature

pytestmark = pytest.mark.live

EXCERPTS = "10:10:00 WARN replica-2: replica lag 340s\n10:00:00 INFO replica-2: replica lag 0s"


def test_a_plan_stays_within_the_choices_offered(lms: RoleLMs) -> None:
    choices = ("logs payment-gateway", "metrics payment-gateway", "runbook")
    with dspy.context(lm=lms.generate, adapter=CompactJSONAdapter(), disable_history=True):
        answer = dspy.Predict(PlanEvidence)(
            question="支付网关为什么大量 5xx？",
            services="payment-gateway（支付网关）",
            signature=plan_signature(choices),
        )
    assert answer.fetch and set(answer.fetch) <= set(choices)


def test_an_answer_cut_at_the_token_limit_is_refused(lms: RoleLMs) -> None:
    choices = ("logs payment-gateway", "metrics payment-gateway")
    with (
        dspy.context(lm=lms.generate, adapter=CompactJSONAdapter(), disable_history=True),
        pytest.raises(Exception, match="max_tokens") as raised,
    ):
        dspy.Predict(PlanEvidence)(
            question="支付网关为什么大量 5xx？",
            services="payment-gateway",
            signature=plan_signature(choices),
            config={"max_tokens": 3},
        )
    assert isinstance(raised.value, TruncatedOutput) or isinstance(raised.value.__cause__, TruncatedOutput)


def test_a_true_claim_is_more_probable_than_a_false_one_and_the_second_question_is_cheap(lms: RoleLMs) -> None:
    verifier, meter = ClaimVerifier(lms.decide), Meter()
    with meter.step("verify"):
        true = verifier(context="", claim="replica-2 的复制延迟到了 340 秒。", excerpts=EXCERPTS, findings="")
        false = verifier(context="", claim="replica-2 一直没有复制延迟。", excerpts=EXCERPTS, findings="")
    assert true.p_supported > false.p_supported
    assert sum(true.probabilities.values()) == pytest.approx(1.0, abs=0.01)
    (cost,) = meter.report()
    assert cost.decision_calls == 4 and cost.tokens_out == 0
    # Three of the four passes find almost all of their prompt cached.
    assert cost.tokens_cached > cost.tokens_in / 2


def test_the_same_engine_answers_as_an_openai_compatible_server(lms: RoleLMs, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lms.engine is not None
    monkeypatch.setenv("SUPERBIZ_LM_API_BASE", f"{lms.engine.address}/v1")
    remote = open_lms("openai/local")
    assert remote.decide is None
    meter = Meter()
    with (
        meter.step("verify"),
        dspy.context(lm=remote.generate, adapter=CompactJSONAdapter(), disable_history=True, **remote.context()),
    ):
        word = ClaimVerifier(remote.decide)(
            context="", claim="replica-2 的复制延迟到了 340 秒。", excerpts=EXCERPTS, findings=""
        )
    assert word.classification in CLASSIFICATIONS and word.probabilities == {}
    (cost,) = meter.report()
    assert cost.model_calls == 1 and cost.tokens_in > 0 and cost.tokens_out > 0
