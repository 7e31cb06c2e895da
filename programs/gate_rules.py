"""The single rules of the gate, in the order in which a binding meets them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from programs.excerpt import FoldedText, cut, fold, locate, shows
from programs.leaf_search import Leaves
from programs.raw_path import RawPathError, canonical_json, fits, leaves, resolve, storable, text_of
from signatures.contracts import ANSWER_VERSION, GateNote, QuestionType, ToolInvocation
from signatures.protocol import TOP_LEVEL

SCHEMA = "schema.executor_v2"
INVOCATION_REF = "evidence.invocation_ref"
USABLE = "evidence.usable"
RUNBOOK = "evidence.runbook_not_incident"
RAW_PATH = "evidence.raw_path"
EXCERPT = "evidence.excerpt_match"
RULES = (SCHEMA, INVOCATION_REF, USABLE, RUNBOOK, RAW_PATH, EXCERPT)

REMOVED_FIELDS = ("diagnosis_summary", "user_facing_answer")
KNOWLEDGE_TOOLS = frozenset({"lookup_knowledge"})
SUBTREE_LIMIT = 2048
MAX_ID = 128

WINDOW_MISSING = "claim.window_missing"
PARTIAL = "evidence.partial"

_WINDOW = re.compile(
    r"\d{1,2}[:：]\d{2}|\d+\s*(?:分钟|小时|天|秒|min|hour|day|[hms]\b)|窗口|时段|时间段|期间|这段时间|过去|最近|"
    r"window|period|\blast\b|\bpast\b|\bsince\b|\bbetween\b",
    re.IGNORECASE,
)


def shown(value: Any, limit: int = 60) -> str:
    """A value as a message may quote it: bounded, and storable."""
    text = storable(value if isinstance(value, str) else repr(value))
    return text if len(text) <= limit else text[:limit] + "…"


# --- schema.executor_v2 (G1) ------------------------------------------------------------------------------------------


def schema_notes(contract: Mapping[str, Any]) -> tuple[tuple[GateNote, ...], tuple[GateNote, ...]]:
    """Errors and warnings of the contract's shape. Any error refuses the whole contract (X11)."""
    # GK-02: a removed field counts even as null.
    errors = [f"{field} was removed from the contract" for field in REMOVED_FIELDS if field in contract]
    if contract.get("answer_version") != ANSWER_VERSION:
        errors.append(f"answer_version is {shown(contract.get('answer_version'))}, expected {ANSWER_VERSION}")
    errors += [f"{key} must be an array" for key in TOP_LEVEL[1:] if not isinstance(contract.get(key), list)]
    claims = contract.get("claims")
    seen: set[str] = set()
    for index, claim in enumerate(claims if isinstance(claims, list) else ()):
        errors += [f"claims[{index}]{problem}" for problem in _claim_problems(claim)]
        claim_id = claim.get("claim_id") if isinstance(claim, dict) else None
        if isinstance(claim_id, str):
            if claim_id in seen:
                errors.append(f"claims[{index}].claim_id {shown(claim_id)} occurs twice")
            seen.add(claim_id)
    unknown = [key for key in contract if key not in TOP_LEVEL and key not in REMOVED_FIELDS]
    return (
        tuple(GateNote(code=SCHEMA, message=message) for message in errors),
        tuple(GateNote(code="schema.unknown_key", message=f"top-level key {shown(key)} is ignored") for key in unknown),
    )


def _claim_problems(claim: Any) -> list[str]:
    if not isinstance(claim, dict):
        return [" must be an object"]
    problems = _unfilled(claim, ("claim_id", "claim_type", "claim_text"))
    claim_id = claim.get("claim_id")
    if isinstance(claim_id, str) and (len(claim_id) > MAX_ID or storable(claim_id) != claim_id):
        problems.append(f".claim_id must be at most {MAX_ID} ordinary characters")
    if claim.get("support_level") not in ("direct", "indirect"):
        problems.append(f".support_level is {shown(claim.get('support_level'))}, expected direct or indirect")
    bindings = claim.get("evidence_bindings")
    if not isinstance(bindings, list) or not bindings:
        return [*problems, ".evidence_bindings must be a non-empty array"]  # GK-03
    for index, binding in enumerate(bindings):
        problems += [f".evidence_bindings[{index}]{problem}" for problem in _binding_problems(binding)]
    return problems


def _binding_problems(binding: Any) -> list[str]:
    if not isinstance(binding, dict):
        return [" must be an object"]
    problems = _unfilled(binding, ("source_type", "tool_name", "evidence_excerpt"))
    ids = binding.get("source_invocation_ids")
    # EX-13: a source_id without an invocation of this run is no evidence.
    if not isinstance(ids, list) or not ids or not all(isinstance(item, str) and item for item in ids):
        problems.append(".source_invocation_ids must be a non-empty array of strings")
    return problems + [
        f".{field} must be a string or absent"
        for field in ("raw_path", "source_id")
        if not isinstance(binding.get(field), str | None)
    ]


def _unfilled(value: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    return [
        f".{field} must be a non-empty string"
        for field in fields
        if not isinstance(value.get(field), str) or not shows(value[field])
    ]


# --- evidence.* -------------------------------------------------------------------------------------------------------


class BindingFailed(Exception):
    """A binding that broke a rule. ``code`` says how; the message names ids and paths, never tool or claim text."""

    def __init__(self, rule: str, code: str, message: str) -> None:
        super().__init__(message)
        self.rule, self.code, self.message = rule, code, message


@dataclass(frozen=True)
class PassedBinding:
    """Where the excerpt was found, the text kept, and warnings as (code, message)."""

    raw_path: str
    matched_text: str
    warnings: tuple[tuple[str, str], ...]
    no_hit: bool


class BindingRules:
    """The evidence rules over one run's invocations. Remembers what it read of big outputs: they are cited often."""

    def __init__(
        self, invocations: Sequence[ToolInvocation], run_id: str, evidence_tools: Collection[str], kind: QuestionType
    ) -> None:
        self._rows = {row.invocation_id: row for row in reversed(invocations) if row.run_id == run_id}
        self._evidence_tools = evidence_tools
        self._kind = kind
        self._folded: dict[tuple[str, str], FoldedText] = {}
        self._leaves: dict[str, Leaves] = {}

    def check(self, claim: Mapping[str, Any], invocation_id: str, binding: Mapping[str, Any]) -> PassedBinding:
        """Apply all rules to one (binding, invocation).

        Raises:
            BindingFailed: the first rule that does not hold.
        """
        row = self._invocation(invocation_id, binding["tool_name"])
        warnings = self._usable(row, claim)
        self._no_runbook_fact(row, claim)
        path, excerpt = binding.get("raw_path"), binding["evidence_excerpt"]
        if path is None:
            path = self._inferred_path(row, excerpt)
            warnings += (("evidence.raw_path_inferred", f"raw path taken as {shown(path, 200)}, its only place"),)
        try:
            value = resolve(row.output, path)
        except RawPathError as error:
            raise BindingFailed(RAW_PATH, "PATH_NOT_FOUND", shown(str(error), 300)) from None
        if not isinstance(value, str) and not fits(value, SUBTREE_LIMIT):
            message = f"{shown(path, 200)} holds more than {SUBTREE_LIMIT} characters: name one record or field"
            raise BindingFailed(RAW_PATH, "VALUE_TOO_LARGE", message)
        kept = self._matched_text(invocation_id, path, value, excerpt)
        return PassedBinding(path, kept, warnings, no_hit=row.failure_code == "NO_HIT")

    def _invocation(self, invocation_id: str, tool_name: str) -> ToolInvocation:
        # GK-04, GK-05: ids are opaque and compared as they are (G29).
        row = self._rows.get(invocation_id)
        if row is None:
            message = f"this run has no invocation {shown(invocation_id)}"
            raise BindingFailed(INVOCATION_REF, "UNKNOWN_INVOCATION", message)
        if row.tool_name != tool_name:
            message = f"{shown(invocation_id)} is a call of {shown(row.tool_name)}, not of {shown(tool_name)}"
            raise BindingFailed(INVOCATION_REF, "TOOL_MISMATCH", message)
        return row

    def _usable(self, row: ToolInvocation, claim: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Warnings of an invocation that may be cited (G5, G6, D9)."""
        where = f"{row.invocation_id} ({row.tool_name})"
        negative = claim["claim_type"] == "negative_observation"
        if row.tool_name not in self._evidence_tools:
            raise BindingFailed(USABLE, "HELPER_TOOL", f"{where} is not an evidence tool")
        if row.dedup_of is not None or row.failure_code == "DEDUPED":
            message = f"{where} repeats {row.dedup_of or 'an earlier call'} and brought nothing new"
            raise BindingFailed(USABLE, "DEDUPED_NO_NEW_EVIDENCE", message)
        if row.failure_code == "NO_HIT":
            if not negative:
                message = f"{where} found nothing: that supports only a negative_observation"
                raise BindingFailed(USABLE, "NO_HIT", message)
            named = _WINDOW.search(claim["claim_text"]) is not None
            return () if named else ((WINDOW_MISSING, "a negative claim must say for which time it holds"),)
        if not row.success or row.failure_code not in (None, "PARTIAL"):
            raise BindingFailed(USABLE, row.failure_code or "TOOL_ERROR", f"{where} failed")
        if row.failure_code == "PARTIAL" and negative:
            return ((PARTIAL, f"{where} saw only part of the data, which does not show absence"),)
        return ()

    def _no_runbook_fact(self, row: ToolInvocation, claim: Mapping[str, Any]) -> None:
        # G4: what a runbook says in general is no fact of this incident.
        if row.tool_name not in KNOWLEDGE_TOOLS or self._kind == "knowledge":
            return
        if claim["claim_type"] != "knowledge_reference":
            message = f"a runbook cannot support a claim of type {shown(claim['claim_type'])}"
            raise BindingFailed(RUNBOOK, "RUNBOOK_NOT_INCIDENT", message)

    def _inferred_path(self, row: ToolInvocation, excerpt: str) -> str:
        if row.invocation_id not in self._leaves:
            self._leaves[row.invocation_id] = Leaves(row.output)
        hits = self._leaves[row.invocation_id].holding(fold(excerpt))
        if len(hits) != 1:
            message = f"raw path missing, and the excerpt is found at {'several' if hits else 'no'} places"
            raise BindingFailed(RAW_PATH, "PATH_AMBIGUOUS" if hits else "PATH_MISSING", message)
        return hits[0]

    def _matched_text(self, invocation_id: str, path: str, value: Any, excerpt: str) -> str:
        text = text_of(value)
        folded_text = self._folded.setdefault((invocation_id, path), FoldedText(text))
        found, source = folded_text.locate(excerpt), text
        if found is None and not isinstance(value, str):
            source, found = _in_record(value, text, excerpt)
        if found is None:
            raise BindingFailed(EXCERPT, "EXCERPT_NOT_FOUND", f"the excerpt is not in the value at {shown(path, 200)}")
        folded = fold(excerpt)
        if not shows(folded, 2) and not folded_text.is_folded(folded):
            raise BindingFailed(EXCERPT, "EXCERPT_TOO_SHORT", "an excerpt of one character shows nothing")
        kept = cut(source, found)
        if kept is None:
            raise BindingFailed(EXCERPT, "EXCERPT_TOO_LONG", f"an excerpt of {found[1] - found[0]} characters")
        return kept


def _in_record(value: Any, text: str, excerpt: str) -> tuple[str, tuple[int, int] | None]:
    """An excerpt of a record in another JSON spelling, or out of one string of it, which canonical JSON escapes."""
    with_other_spelling = _respelled(excerpt)
    if with_other_spelling and (found := locate(text, with_other_spelling)):
        return text, found
    for _, leaf in leaves(value):
        if isinstance(leaf, str) and (found := locate(leaf, excerpt)):
            # The record as a whole is kept when it fits; the span only matters for a window.
            whole = cut(text, (0, 0)) == text
            return (text, (0, 0)) if whole else (leaf, found)
    return text, None


def _respelled(excerpt: str) -> str | None:
    if not excerpt.lstrip().startswith(("{", "[")) or len(excerpt) > 2 * SUBTREE_LIMIT:
        return None
    try:
        return canonical_json(json.loads(excerpt))
    except (ValueError, RecursionError):
        return None
