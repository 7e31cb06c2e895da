"""The Executor: facts by code, story by model, both as one executor_evidence_v2 contract.

Code writes the facts and their bindings. The model writes what code cannot: the causal sentence. Several candidates
are tried until one has no problem that code can see; the best one becomes a root-cause claim that the gate and the
Verifier treat like any other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from programs.fact_listing import listing, short
from programs.facts import Fact
from programs.failures import discarded_text
from programs.grounding import ground
from programs.story import LEAST_REWARD, Story, assess, bound_facts, finished
from signatures.contracts import ANSWER_VERSION, DiscardedText, EvidenceBinding, VerifiedEvidence
from signatures.executor import TellStory, story_signature

# (how many change events are shown, temperature) of each attempt
ATTEMPTS = ((2, 0.0), (1, 0.0), (1, 0.4))
GOOD_ENOUGH = 0.9
MAX_FACT_CLAIMS = 8

# One example of another system: without it a 1.5B model copies a fact instead of telling how one led to the next.
EXAMPLE = dspy.Example(
    question="登录为什么大量失败？",
    facts=(
        "e1 20:11:30 config-center 发布配置变更：「auth-service jwt.key-id k7 -> k9」\n"
        "e2 20:12:02 auth-service 出现 ERROR「signature verification failed: unknown kid k9」，共 980 条\n"
        "e3 20:12:40 login-gateway 出现 ERROR「HTTP 401 /login」，共 951 条\n"
        "e4 20:20:00 告警 DiskUsageHigh（warning）触发：backup-1 磁盘 91%"
    ),
    cause=(
        "config-center 把 auth-service 的 jwt.key-id 从 k7 改成 k9，"
        "导致 auth-service 验签失败，进而 login-gateway 大量返回 401。"
    ),
    handles=["e1", "e2", "e3"],
)


class Executor(dspy.Module):
    def __init__(self) -> None:
        super().__init__()
        self.story = dspy.Predict(TellStory)
        self.story.demos = [EXAMPLE]

    def forward(
        self,
        question: str,
        facts: Sequence[Fact],
        evidence_of: Callable[[Fact], Sequence[VerifiedEvidence]],
        healthy: bool,
        suggestions: Sequence[str] = (),
        missing: Sequence[str] = (),
        asked: Collection[str] = (),
    ) -> dspy.Prediction:
        """``contract``: the JSON text of executor_evidence_v2; ``story``: the chosen Story or None; ``discarded``: the
        model's texts that were no legal output.

        ``evidence_of`` gives a fact's excerpts as the gate would cut them, to ground a candidate before it is claimed.
        """
        discarded: list[DiscardedText] = []
        story = None if healthy or len(facts) < 2 else self._best_story(question, facts, evidence_of, asked, discarded)
        contract = {
            "answer_version": ANSWER_VERSION,
            "claims": [*_fact_claims(facts, story), *_cause_claims(story)],
            "hypotheses": [],
            "recommended_actions": list(suggestions),
            "missing_info": list(missing),
        }
        text = json.dumps(contract, ensure_ascii=False)
        return dspy.Prediction(contract=text, story=story, discarded=tuple(discarded))

    def _best_story(
        self,
        question: str,
        facts: Sequence[Fact],
        evidence_of: Callable[[Fact], Sequence[VerifiedEvidence]],
        asked: Collection[str],
        discarded: list[DiscardedText],
    ) -> Story | None:
        # dspy.BestOfN fixes the temperature at 1.0, where a 1.5B model writes nonsense, and prints to stdout. A smaller
        # choice of facts varies the story more usefully than chance does.
        best: Story | None = None
        for changes, temperature in ATTEMPTS:
            shown = listing(facts, changes)
            text = "\n".join(f"{fact.handle} {short(fact.text)}" for fact in shown)
            signature = story_signature(tuple(fact.handle for fact in shown))
            config: dict[str, Any] = {"temperature": temperature, "max_tokens": 220}
            if temperature:
                config["seed"] = 1
            try:
                word = self.story(question=question, facts=text, signature=signature, config=config)
            except AdapterParseError as error:
                discarded.append(discarded_text("executor", "invalid_output", error.lm_response or ""))
                continue
            story = _assessed(str(word.cause), list(word.handles), question, facts, evidence_of, asked)
            if best is None or story.reward > best.reward:
                best = story
            if best.reward >= GOOD_ENOUGH:
                break
        return best if best is not None and best.reward >= LEAST_REWARD else None


def _assessed(
    sentence: str,
    named: list[str],
    question: str,
    facts: Sequence[Fact],
    evidence_of: Callable[[Fact], Sequence[VerifiedEvidence]],
    asked: Collection[str],
) -> Story:
    text, _ = finished(sentence)
    excerpts = [item for fact in bound_facts(text, facts, named) for item in evidence_of(fact)]
    findings = ground(text, excerpts)
    conflicts = sum(item.status == "conflicting" and item.critical for item in findings)
    unseen = sum(item.status == "unseen" and item.critical for item in findings)
    return assess(sentence, question, facts, named, conflicts, unseen, asked)


def _fact_claims(facts: Sequence[Fact], story: Story | None) -> list[dict[str, Any]]:
    """The facts that an engineer needs: those of the story first, then by rank, shown in time order."""
    told = {fact.handle for fact in story.facts} if story else set()
    ranked = sorted(facts, key=lambda fact: (fact.handle not in told, -fact.score))
    chosen = {fact.handle for fact in ranked[:MAX_FACT_CLAIMS]}
    return [
        _claim(f"c{number}", fact.claim_type, fact.text, "direct", fact.bindings)
        for number, fact in enumerate((fact for fact in facts if fact.handle in chosen), start=1)
    ]


def _cause_claims(story: Story | None) -> list[dict[str, Any]]:
    if story is None or not story.facts:
        return []
    bindings = [binding for fact in story.facts for binding in fact.bindings]
    return [_claim("cause", "root_cause", story.text, "indirect", bindings)]


def _claim(
    claim_id: str, claim_type: str, text: str, support: str, bindings: Sequence[EvidenceBinding]
) -> dict[str, Any]:
    return {
        "claim_id": claim_id,
        "claim_type": claim_type,
        "claim_text": text,
        "support_level": support,
        "evidence_bindings": [binding.model_dump(exclude_none=True, mode="json") for binding in bindings],
    }
