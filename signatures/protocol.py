"""Strict parsers of the two JSON protocols: the Executor's contract and the Verifier's result.

A model's text is untrusted. Duplicate keys, NaN, trailing text or two objects are refused, never repaired: a
repaired contract would be a claim nobody made (hostile inputs 1-7).
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from signatures.contracts import ANSWER_VERSION, CLASSIFICATIONS

TOP_LEVEL = ("answer_version", "claims", "hypotheses", "recommended_actions", "missing_info")
VERDICTS = ("PASS", "LOW_CONFID", "REJECT")
SHOWN_CHARS = 80


class ProtocolError(ValueError):
    """Text that is not the protocol. ``code`` is stable and stored; the message names the offending value."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _shown(value: Any) -> str:
    """The offending value, short: messages are stored, a model's raw text is not (X12)."""
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ProtocolError("duplicate_key", f"key {_shown(key)} occurs twice in one object")
        seen[key] = value
    return seen


def _refuse_constant(name: str) -> NoReturn:
    raise ProtocolError("not_a_number", f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ProtocolError("not_a_number", f"{_shown(text)} is too large for a number")
    return value


def strict_json_object(text: str) -> dict[str, Any]:
    """Parse exactly one JSON object and nothing around it; raise ProtocolError otherwise (VJ-05, VJ-06)."""
    try:
        value = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise ProtocolError("not_json", f"not one JSON object: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise ProtocolError("not_json", "nested too deeply") from None
    except ProtocolError:
        raise
    except ValueError as error:
        # An integer of more than 4,300 digits is valid JSON that Python refuses to convert.
        raise ProtocolError("not_a_number", str(error)[:SHOWN_CHARS]) from None
    if not isinstance(value, dict):
        raise ProtocolError("not_an_object", f"expected a JSON object, got {type(value).__name__}")
    return value


_FENCE_HEADS = ("```json\n", "```\n")


def model_object(text: str, *, fence: bool = False) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The one object in a model's text, and what was taken off around it (``reasoning``, ``fence``).

    The text as a whole comes first: a tag inside a string of a valid object is text. Only when that fails, what follows
    the last ``</think>`` is the answer; behind an opening tag alone no answer ever came. With ``fence`` one Markdown
    fence around the object is tolerated (G15).

    Raises:
        ProtocolError: no JSON object, or more than one.
    """
    _, tag, answer = text.rpartition("</think>")
    try:
        return _unfenced_object(text.strip(), fence)
    except ProtocolError:
        if not tag:
            raise
    value, taken_off = _unfenced_object(answer.strip(), fence)
    return value, ("reasoning", *taken_off)


def _unfenced_object(body: str, fence: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    head = next((head for head in _FENCE_HEADS if body.startswith(head)), None)
    if fence and head is not None and body.endswith("\n```"):
        return strict_json_object(body[len(head) : -len("\n```")].strip()), ("fence",)
    return strict_json_object(body), ()


def parse_executor_output(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The Executor's contract as a raw dict and the warnings raised while reading it (G1, G15).

    Checks only what makes it *legal*: one object, the version, five top-level keys of the right JSON type, every
    claim an object. What is inside is the gate's rule ``schema.executor_v2``. A contract inside one extra object is
    unwrapped once.

    Raises:
        ProtocolError: the text is no legal contract; the graph goes to Fallback with INVALID_OUTPUT.
    """
    if not text.strip():
        raise ProtocolError("empty", "the Executor returned no text")
    contract, taken_off = model_object(text, fence=True)
    warnings = [f"executor.{thing}_stripped" for thing in taken_off]
    if "answer_version" not in contract and len(contract) == 1:
        (inner,) = contract.values()
        if isinstance(inner, dict) and "answer_version" in inner:
            contract = inner
            warnings.append("executor.wrapper_removed")
    if contract.get("answer_version") != ANSWER_VERSION:
        raise ProtocolError(
            "answer_version", f"answer_version is {_shown(contract.get('answer_version'))}, expected {ANSWER_VERSION!r}"
        )
    for key in TOP_LEVEL[1:]:
        if key not in contract:
            raise ProtocolError("missing_key", f"top-level key {key!r} is missing")
        if not isinstance(contract[key], list):
            raise ProtocolError("wrong_type", f"{key} must be an array, got {type(contract[key]).__name__}")
    for index, claim in enumerate(contract["claims"]):
        if not isinstance(claim, dict):
            raise ProtocolError("wrong_type", f"claims[{index}] must be an object, got {type(claim).__name__}")
    return contract, tuple(warnings)


def parse_verifier_output(text: str) -> dict[str, Any]:
    """The one reader of the Verifier's JSON protocol (VJ rows): recorded, external or replayed results.

    Returns the raw object after its types were checked; verdict and score in it are never trusted upwards, the
    caller recomputes both (X7, G10).

    Raises:
        ProtocolError: invalid output; the graph makes one technical retry with the same bytes.
    """
    raw, _ = model_object(text)
    if raw.get("verdict") not in VERDICTS:
        raise ProtocolError(
            "verdict", f"verdict is {_shown(raw.get('verdict'))}, expected one of {', '.join(VERDICTS)}"
        )
    if not isinstance(raw.get("rationale"), str):
        raise ProtocolError("rationale", "rationale must be a string")
    if "groundedness_score" in raw:
        score = raw["groundedness_score"]
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
            raise ProtocolError("groundedness_score", f"groundedness_score is {_shown(score)}, expected 0..1")
    checks = raw.get("claim_checks")
    if not isinstance(checks, list):
        raise ProtocolError("claim_checks", "claim_checks must be an array")
    for index, check in enumerate(checks):
        _check_claim_check(index, check)
    return raw


def _check_claim_check(index: int, check: Any) -> None:
    if not isinstance(check, dict) or not isinstance(check.get("claim_id"), str):
        raise ProtocolError("claim_checks", f"claim_checks[{index}] has no claim_id")
    if check.get("classification") not in CLASSIFICATIONS:
        raise ProtocolError(
            "claim_checks", f"claim_checks[{index}].classification is {_shown(check.get('classification'))}"
        )
    if not isinstance(check.get("evidence_refs"), list):
        raise ProtocolError("claim_checks", f"claim_checks[{index}].evidence_refs must be an array")
