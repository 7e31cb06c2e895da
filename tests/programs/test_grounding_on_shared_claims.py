"""Figures on real telemetry: what grounding says about hand-labelled claims. Prints aggregates only."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding, VerifiedEvidence

CLAIMS = Path(__file__).parents[2].parent / "shared" / "data" / "claims-dev.jsonl"


def _grounded() -> dict[str, list[tuple[LiteralFinding, ...]]]:
    out: dict[str, list[tuple[LiteralFinding, ...]]] = defaultdict(list)
    for line in CLAIMS.read_text(encoding="utf-8").splitlines():
        for claim in json.loads(line)["claims"]:
            excerpts = [
                VerifiedEvidence(binding_id=f"b{i}", run_id="r", claim_id=claim["claim_id"], **item)
                for i, item in enumerate(claim["evidence"])
            ]
            out[claim["label"]].append(ground(claim["claim_text"], excerpts))
    return out


@pytest.mark.skipif(not CLAIMS.is_file(), reason="the shared evaluation data are not beside this checkout")
def test_true_claims_hardly_ever_conflict(capsys: pytest.CaptureFixture[str]) -> None:
    grounded = _grounded()
    with capsys.disabled():
        print("\nlabel                  claims  found conflicting unseen  claims-with-conflict  unseen/critical")
        for label, claims in sorted(grounded.items()):
            status = Counter(f.status for findings in claims for f in findings)
            critical = [f for findings in claims for f in findings if f.critical]
            unseen = sum(f.status == "unseen" for f in critical)
            caught = sum(any(f.status == "conflicting" for f in findings) for findings in claims)
            print(
                f"{label:<22} {len(claims):>6} {status['found']:>6} {status['conflicting']:>11} {status['unseen']:>6}"
                f"  {caught:>20}  {unseen:>6}/{len(critical)}"
            )
    direct = [f.status for findings in grounded["direct_observation"] for f in findings]
    assert direct.count("conflicting") <= 0.02 * len(direct)
    contradicted = grounded["contradicted"]
    caught = sum(any(f.status == "conflicting" for f in findings) for findings in contradicted)
    assert caught >= 0.4 * len(contradicted)
