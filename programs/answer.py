"""What each section of an answer may hold, by the claims' classes (G20, G21, G27, RT-06, LC rows)."""

from __future__ import annotations

import re

from programs.fact_listing import short
from programs.facts_render import sentences
from programs.material import parsed_records
from programs.state import State
from programs.story import finished, tokens
from programs.templates import AnswerBlocks
from programs.tools.scenario import Scenario
from signatures.contracts import SUPPORTED, ClaimCheck, EvidenceItem, VerifiedEvidence

RAW_OBSERVATIONS = 5
QUOTE_CHARS = 240
_MISSING_CHARS = 60
_CAPS = {
    "answer.no_cause": "还没有一条核对得上的因果，能把变更或故障和所问的现象连起来",
    "answer.symptom_not_reached": "这条因果没有说到所问的现象，中间还缺一环",
}
_CUT_WORD = re.compile(r"(?<![\w.-])[\w.-]{1,30}$", re.ASCII)
_WORD_GOES_ON = re.compile(r"[\w.-]", re.ASCII)
_ALERT_NAME = re.compile(r"(?<=告警 )[A-Za-z0-9_]+")


def marks(state: State) -> dict[tuple[str, str], str]:
    """A mark (证1, 证2, ...) for each place that a shown claim cites, in the claims' order."""
    found: dict[tuple[str, str], str] = {}
    result = state.verifier_result
    if result is None:
        return found
    for check in result.claim_checks:
        if check.classification in SUPPORTED:
            for ref in check.evidence_refs:
                found.setdefault((ref.source_invocation_id, ref.raw_path or ""), f"证{len(found) + 1}")
    return found


def blocks_of(state: State) -> tuple[AnswerBlocks, str]:
    """The answer's sections and the verified root cause ("" when none).

    Under REJECT only direct observations that are no root cause, and gaps that repeat no dropped claim (G21, RT-13,
    TP-06). Gaps come from the checks, the Verifier and what code saw fail, never from the Executor's words (TP-03).
    """
    result = state.verifier_result
    assert result is not None  # only asked for after a completed verify
    rejected = result.effective_verdict == "REJECT"
    shown = {"direct_observation"} if rejected else SUPPORTED
    claims = {claim.claim_id: claim for claim in state.gate_outcome.projection.claims}
    places = marks(state)
    confirmed: list[tuple[str, str]] = []
    directions: list[str] = []
    gaps: list[str] = []
    unsupported: list[str] = []
    cause = ""
    for check in result.claim_checks:
        claim = claims[check.claim_id]
        if check.classification == "contradicted" or (rejected and claim.claim_type == "root_cause"):
            continue  # G27, RT-13: withheld, recorded in the audit
        if claim.claim_type == "root_cause":
            if check.classification in SUPPORTED:
                cause = claim.claim_text
                continue
            if check.classification == "overstated" or _entities_hold(check):
                directions.append(claim.claim_text)
                gaps.append("可能方向里的因果还没有直接证据：没有哪条日志或指标说明前者引起了后者")
            else:
                gaps.append(f"还没有直接证据证明这条因果：{_short(claim.claim_text)}")
        elif check.classification in shown:
            confirmed.append((claim.claim_text, " ".join(_cited(check, places))))
        elif check.is_critical and check.classification not in SUPPORTED:
            unsupported.append(_short(claim.claim_text))
    if rejected and unsupported:
        gaps.append(f"另有 {len(unsupported)} 条说法没有证据支持，没有列出")
    else:
        gaps += [f"没有证据支持：{text}" for text in unsupported]
    codes = {note.code for note in state.gate_outcome.result.warnings}
    gaps += [text for code, text in _CAPS.items() if code in codes and not state.absent]
    gaps += [finished(gap.missing)[0] for gap in state.gaps if gap.missing]
    gaps += state.missing
    if cause and result.effective_verdict != "PASS":
        directions.insert(0, cause)
        cause = ""
    actions = _actions(state)
    blocks = AnswerBlocks(
        conclusion=_conclusion(state, cause, bool(directions)),
        confirmed=tuple(confirmed),
        directions=tuple(directions),
        gaps=tuple(dict.fromkeys(gaps)),
        # Under REJECT nothing that is tied to the rejected cause (G21).
        suggestions=tuple(item for item in actions if "手册" in item) if rejected else actions,
    )
    return blocks, cause


def missing_topics(state: State) -> tuple[str, ...]:
    """What a run without a verdict may name as missing: what code saw fail, and what an Executor that claims nothing
    says it does not know (G9). Beside claims that failed, its words are shown no more than they are (G25).
    """
    admitted = () if state.contract.get("claims") else state.contract.get("missing_info", ())
    return tuple(dict.fromkeys([*state.missing, *(finished(str(item))[0] for item in admitted)]))


def impact_of(state: State) -> tuple[str, ...]:
    """The two strongest confirmed symptoms, short: what the Composer may add to the cause."""
    kinds = ("error_event", "metric_value")
    result = state.verifier_result
    confirmed = {c.claim_id for c in result.claim_checks if c.classification in SUPPORTED} if result else set()
    texts = {c.claim_text for c in state.gate_outcome.projection.claims if c.claim_id in confirmed}
    symptoms = [fact for fact in state.facts if fact.claim_type in kinds and fact.text in texts]
    return tuple(short(fact.text) for fact in sorted(symptoms, key=lambda fact: -fact.score)[:2])


def healthy_conclusion(state: State, scenario: Scenario) -> str:
    """Nothing abnormal: said with the window that was looked at, never as "there is no problem"."""
    window = f"{scenario.window.start:%H:%M} 到 {scenario.window.end:%H:%M}"
    fired = [fact for fact in state.facts if fact.claim_type == "alert_state"]
    text = f"在 {window} 的日志和指标里没有看到故障"
    if fired:
        text += "，告警虽然在响，但没有对应的错误或指标异常，先怀疑告警规则本身"
    names = {word for fact in fired for word in _ALERT_NAME.findall(fact.text)}
    changed = [f for f in state.facts if f.claim_type == "change_event" and any(name in f.text for name in names)]
    if changed:
        text += f"（{changed[-1].time:%H:%M:%S} 改过这条规则）"
    return text + "。"


def raw_observations(state: State) -> tuple[str, ...]:
    """Up to five matched excerpts, for a run whose Verifier failed after the gate had passed them (G25)."""
    if state.gate is None or state.fallback_origin != "verifier":
        return ()
    texts = dict.fromkeys(item.matched_text[:QUOTE_CHARS] for item in state.gate.projection.evidence)
    return tuple(texts)[:RAW_OBSERVATIONS]


def evidence_items(state: State) -> tuple[EvidenceItem, ...]:
    """The evidence list: each cited place once, with time, source and the quoted line."""
    places = marks(state)
    result = state.verifier_result
    if result is None:
        return ()
    by_place: dict[tuple[str, str], list[VerifiedEvidence]] = {}
    for item in state.gate_outcome.projection.evidence:
        by_place.setdefault((item.source_invocation_id, item.raw_path), []).append(item)
    texts = frozenset(claim.claim_text for claim in state.gate_outcome.projection.claims)
    return tuple(_item(mark, by_place[place], texts) for place, mark in places.items() if place in by_place)


def _item(mark: str, cited: list[VerifiedEvidence], claimed: frozenset[str]) -> EvidenceItem:
    first = cited[0]
    records = parsed_records([first])
    value = records[0][2] if records else None
    time, source, quote = None, "", first.matched_text
    if isinstance(value, dict):
        time = next(
            (str(value[k]) for k in ("timestamp", "first_seen", "change_at", "startsAt", "start") if value.get(k)), None
        )
        source = _name(value.get("service")) or _name(value.get("metric"))
        quote = str(value.get("message") or value.get("summary") or _told(first, value, claimed))
    return EvidenceItem(
        mark=mark,
        claim_ids=tuple(dict.fromkeys(item.claim_id for item in cited)),
        source_invocation_id=first.source_invocation_id,
        tool_name=first.tool_name,
        raw_path=first.raw_path,
        time=time,
        source=source,
        quote=quote[:QUOTE_CHARS],
    )


def _actions(state: State) -> tuple[str, ...]:
    """Suggestions; those of an external contract only when they name nothing that the evidence does not (G28)."""
    stated = tuple(str(item) for item in state.contract.get("recommended_actions", ()))
    if not state.external:
        return stated
    known = " ".join([state.question, *(item.matched_text for item in state.gate_outcome.projection.evidence)])
    words = {word for word, _ in tokens(known)}
    return tuple(item for item in stated if all(word in words for word, _ in tokens(item)))


def _name(value: object) -> str:
    return "、".join(str(item) for item in value) if isinstance(value, list) else str(value or "")


def _told(item: VerifiedEvidence, value: dict[str, object], claimed: frozenset[str]) -> str:
    """A record without a message of its own: the claimed sentence that it proves, else its fields."""
    told = sentences(item.tool_name, item.raw_path, value)
    if told:
        return next((text for text in told if text in claimed), told[0])
    return "，".join(f"{key}={field}" for key, field in value.items() if field not in (None, "", []))


def _cited(check: ClaimCheck, places: dict[tuple[str, str], str]) -> list[str]:
    names = (places.get((ref.source_invocation_id, ref.raw_path or "")) for ref in check.evidence_refs)
    return list(dict.fromkeys(name for name in names if name))


def _entities_hold(check: ClaimCheck) -> bool:
    """Whether everything a hypothesis names occurs in its evidence (G20)."""
    return all(item.status == "found" for item in check.literal_findings if item.critical)


def _conclusion(state: State, cause: str, has_direction: bool) -> str:
    if state.absent:
        return f"没有查到 {'、'.join(state.absent)} 的任何日志和指标，判断不了原因。"
    if cause:
        return cause
    if has_direction:
        return "现象已经确认，原因还不能下结论；最可能的方向写在下面，请先核实。"
    return "" if state.healthy else "原因还没有查实；已经确认的情况写在下面。"


def _short(text: str) -> str:
    """The head of a claim, cut between words: half a name would be another name."""
    if len(text) <= _MISSING_CHARS:
        return text
    head = text[: _MISSING_CHARS - 1]
    return (_CUT_WORD.sub("", head) if _WORD_GOES_ON.match(text, len(head)) else head).rstrip() + "…"
