"""The Composer: an answer from allowed material only.

The model writes one conclusion; everything else is rendered by code from checked claims. A conclusion that names
anything outside its material, or is no Chinese sentence, is replaced by the root-cause claim itself (G20).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import dspy

from programs.story import finished, tokens
from signatures.composer import WriteConclusion, conclusion_signature

_CJK = re.compile(r"[\u4e00-\u9fff]")
_CONTRACT_KEYS = re.compile(r"claim_|evidence_|answer_version|matched_text|raw_path|[{}]")

EXAMPLE = dspy.Example(
    question="登录为什么大量失败？",
    material=(
        "原因：config-center 把 auth-service 的 jwt.key-id 从 k7 改成 k9，导致 auth-service 验签失败。\n"
        "现象：login-gateway 出现 ERROR「HTTP 401 /login」"
    ),
    conclusion="jwt.key-id 从 k7 改成了 k9，auth-service 验签失败，所以登录大量返回 401。",
)


@dataclass(frozen=True)
class Composition:
    """The conclusion and how it came about: ``COMPLETED`` by the model, ``FALLBACK`` with a reason, or ``TEMPLATE``."""

    conclusion: str
    status: str
    reason: str = ""


class Composer(dspy.Module):
    def __init__(self) -> None:
        super().__init__()
        self.write = dspy.Predict(WriteConclusion)
        self.write.demos = [EXAMPLE]

    def forward(self, question: str, cause: str, facts: Sequence[str]) -> dspy.Prediction:
        """``composition``: a Composition over the verified cause and a few confirmed symptoms."""
        material = "\n".join(["原因：" + cause, *("现象：" + fact for fact in facts)])
        try:
            answer = self.write(
                question=question, material=material, signature=conclusion_signature(), config={"max_tokens": 130}
            )
        except Exception as error:
            return dspy.Prediction(composition=Composition(cause, "FALLBACK", f"{type(error).__name__}: {error}"[:200]))
        text, cut = finished(str(answer.conclusion))
        problem = "cut off" if cut else conclusion_problem(text, cause, material)
        if problem:
            return dspy.Prediction(composition=Composition(cause, "FALLBACK", problem))
        return dspy.Prediction(composition=Composition(text, "COMPLETED"))


def conclusion_problem(text: str, cause: str, material: str) -> str:
    """Why a written conclusion may not be shown; empty when it may (G20)."""
    # Names of services and metrics are long and Latin: words count here, not letters.
    if len(_CJK.findall(text)) < max(4, len(tokens(text))) or _CONTRACT_KEYS.search(text):
        return "not a readable Chinese sentence"
    allowed = {word for word, _ in tokens(material)}
    foreign = [word for word, _ in tokens(text) if word not in allowed]
    if foreign:
        return f"names {foreign[0]!r}, which is not in the material"
    key = {word for word, _ in tokens(cause)}
    if key and not key & {word for word, _ in tokens(text)}:
        return "does not state the verified cause"
    return ""
