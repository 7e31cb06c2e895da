"""Names, versions and fingerprints of the prompts: what ``prompt_audit`` records instead of prompt text (OB-14..17).

Changing a signature's instructions or fields means a new version here; the fingerprint makes a forgotten bump show
up as a refused compiled program.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from signatures.contracts import PromptAudit, PromptEntry

CATALOG_VERSION = "2026.12.1"
PROMPTS: tuple[tuple[str, str, str], ...] = (
    ("planner", "PlanEvidence", "1"),
    ("executor", "TellStory", "1"),
    ("verifier", "CheckClaim", "1"),
    ("composer", "WriteConclusion", "1"),
)


def prompt_audit() -> PromptAudit:
    """The four prompts of a run by name and version; never their text."""
    return PromptAudit(
        version=CATALOG_VERSION,
        prompts=tuple(PromptEntry(node=node, name=name, version=version) for node, name, version in PROMPTS),
    )


def fingerprint(signature: Any) -> str:
    """SHA-256 over a signature's instructions and its fields in order with type and description.

    DSPy shifts field descriptions silently when fields were added or reordered since a program was saved; a
    different fingerprint is the reason to refuse it.
    """
    fields = [
        [name, str(field.annotation), str((field.json_schema_extra or {}).get("desc", ""))]
        for name, field in signature.fields.items()
    ]
    text = json.dumps([signature.instructions, fields], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
