"""Verdict cases: labelled or unlabelled claims with the tool output they point at, one JSON object a line.

A case holds ``claims``, or the whole Executor contract of another assistant as ``executor_output``.

The reader is strict where a mistake would change a score (labels, identity, duplicate keys) and tolerant where a
newer file may carry more than it knows (extra keys are ignored).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, ValidationError

from signatures.contracts import CLASSIFICATIONS, Classification, FailureCode, QuestionType, Verdict
from signatures.protocol import VERDICTS, strict_json_object

SHOWN_VALUE = 80


class CaseFault(ValueError):
    """The first fault of a case: ``field`` is a path such as ``claims[2].label``, empty for the case as a whole."""

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(f"{field} {reason}" if field else reason)


class CaseFileError(ValueError):
    """A case file that cannot be used.

    ``line`` counts from 1 and is None when the file as a whole is at fault; ``field`` is a path such as
    ``claims[2].label`` and empty when the line as a whole is at fault.
    """

    def __init__(self, path: str | Path, line: int | None, field: str, reason: str) -> None:
        self.path, self.line, self.field, self.reason = Path(path), line, field, reason
        place = self.path.name if line is None else f"{self.path.name} line {line}"
        super().__init__(f"{place}: {field} {reason}" if field else f"{place}: {reason}")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


def _unicode(text: str) -> str:
    # Tool output may hold anything; what a case itself says is hashed, stored and shown.
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("holds a lone surrogate, which is not Unicode text")
    return text


Line = Annotated[str, AfterValidator(_unicode)]
Text = Annotated[Line, AfterValidator(_not_blank)]


class _CaseModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class VerdictEvidence(_CaseModel):
    """A pointer of a claim. ``matched_text`` is contained in the value at ``raw_path`` (or in its canonical JSON)."""

    source_invocation_id: Text
    tool_name: Text
    raw_path: str | None = None
    matched_text: str


class VerdictClaim(_CaseModel):
    """One claim. ``label`` is None in an unlabelled file; ``why`` is the labeller's reason in one sentence."""

    claim_id: Text
    claim_type: str
    claim_text: Text
    is_critical: StrictBool
    lang: str = ""
    difficulty: str = ""
    evidence: tuple[VerdictEvidence, ...]
    label: Classification | None = None
    why: str = ""


class CaseInvocation(_CaseModel):
    """One tool call of the case; ``$`` of a raw path is ``output``. ``run_id`` only when it is another run's call."""

    invocation_id: Text
    tool_name: Text
    output: Any
    params: dict[str, Any] = Field(default_factory=dict)
    success: StrictBool = True
    failure_code: FailureCode | None = None
    dedup_of: str | None = None
    run_id: str | None = None


class VerdictCase(_CaseModel):
    """One incident family with its tool output and claims. ``case_id`` is also the family: splits never share one.

    In the place of ``claims``, ``executor_output`` is a whole executor_evidence_v2 contract, as an object or as the
    text that a model wrote. ``verifier_outputs`` then replays one or two outputs of another Verifier, as its attempts
    (G17), and ``evidence_tools`` names tools beyond this program's own whose output may be cited.
    """

    case_id: Text
    source: str = ""
    query: Line
    question_type: QuestionType = "incident"
    invocations: tuple[CaseInvocation, ...]
    claims: tuple[VerdictClaim, ...] = ()
    executor_output: Any = None
    verifier_outputs: Annotated[tuple[Any, ...], Field(min_length=1, max_length=2)] | None = None
    evidence_tools: tuple[str, ...] = ()
    expected_verdict: Verdict | None = None


def read_cases(path: str | Path, require_labels: bool = False) -> list[VerdictCase]:
    """Read a UTF-8 JSONL file of verdict cases; blank lines are skipped.

    Without ``require_labels`` a missing or unknown label is not looked at (``label`` becomes None); with it, every
    claim needs one of the six classes. Raises CaseFileError for the first fault, naming line and field.
    """
    cases: list[VerdictCase] = []
    for _, item in scan_cases(path, require_labels):
        if isinstance(item, CaseFileError):
            raise item
        cases.append(item)
    return cases


def scan_cases(path: str | Path, require_labels: bool = False) -> Iterator[tuple[int, VerdictCase | CaseFileError]]:
    """Yield (line number, case or its first fault) for every line that is not blank, going on after a fault.

    Raises CaseFileError when the file cannot be read or holds no case.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise CaseFileError(path, None, "", f"cannot be read: {error.strerror or error}") from None
    first_seen: dict[str, int] = {}
    for number, raw in enumerate(content.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            case = _parse_line(path, number, raw, require_labels)
            if case.case_id in first_seen:
                reason = f"{_shown(case.case_id)} was already used in line {first_seen[case.case_id]}"
                raise CaseFileError(path, number, "case_id", reason)
        except CaseFileError as error:
            yield number, error
            continue
        first_seen[case.case_id] = number
        yield number, case
    if not content.strip():
        raise CaseFileError(path, None, "", "holds no case; expected one JSON object a line")


def _parse_line(path: str | Path, number: int, raw: bytes, require_labels: bool) -> VerdictCase:
    try:
        return parse_case(raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw, require_labels)
    except CaseFault as fault:
        raise CaseFileError(path, number, fault.field, fault.reason) from None


def parse_case(raw: bytes, require_labels: bool = False) -> VerdictCase:
    """One case from UTF-8 JSON; see `read_cases` for ``require_labels``.

    Raises:
        CaseFault: the first fault.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8: byte 0x{raw[error.start]:02x} at position {error.start}; save the file as UTF-8"
        raise CaseFault("", reason) from None
    try:
        value = strict_json_object(text)
    except ValueError as error:
        # ProtocolError, and Python's own refusal of an integer with thousands of digits.
        raise CaseFault("", str(error)) from None
    if require_labels:
        _require_labels(value)
    else:
        value = _without_wrong_labels(value)
    try:
        case = VerdictCase.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise CaseFault(_field(first["loc"]), _reason(dict(first))) from None
    if "claims" not in value and value.get("executor_output") is None:
        raise CaseFault("claims", "is missing")
    if "claims" in value and value.get("executor_output") is not None:
        raise CaseFault("executor_output", "stands beside claims; a case has the one or the other")
    _require_unique("invocations", "invocation_id", [item.invocation_id for item in case.invocations])
    _require_unique("claims", "claim_id", [item.claim_id for item in case.claims])
    return case


def _require_labels(value: dict[str, Any]) -> None:
    claims = value.get("claims")
    if "executor_output" in value:
        raise CaseFault("executor_output", "has no labels; a labelled case needs claims")
    if claims == []:
        raise CaseFault("claims", "is empty; a labelled case needs at least one claim")
    for index, claim in enumerate(claims if isinstance(claims, list) else []):
        if not isinstance(claim, dict):
            continue
        if claim.get("label") is None:
            reason = f"is missing, expected one of {', '.join(CLASSIFICATIONS)}"
            raise CaseFault(f"claims[{index}].label", reason)


def _without_wrong_labels(value: dict[str, Any]) -> dict[str, Any]:
    """The same case with labels and expected verdict dropped where they are unknown words."""
    claims = value.get("claims")
    cleaned = dict(value)
    if value.get("expected_verdict") not in VERDICTS:
        cleaned.pop("expected_verdict", None)
    if isinstance(claims, list):
        cleaned["claims"] = [
            {key: item for key, item in claim.items() if key != "label" or item in CLASSIFICATIONS}
            if isinstance(claim, dict)
            else claim
            for claim in claims
        ]
    return cleaned


def _require_unique(group: str, key: str, values: Sequence[str]) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            reason = f"{_shown(value)} is already the {key} of {group}[{values.index(value)}]"
            raise CaseFault(f"{group}[{index}].{key}", reason)


def _field(location: Sequence[int | str]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _reason(error: dict[str, Any]) -> str:
    kind = error["type"]
    if kind == "missing":
        return "is missing"
    if kind == "literal_error":
        expected = str(error["ctx"]["expected"]).replace("'", "").replace(" or ", ", ")
        return f"is {_shown(error['input'])}, expected one of {expected}"
    if kind == "value_error":
        return str(error["ctx"]["error"])
    if kind == "string_unicode":
        return "holds a lone surrogate, which is not Unicode text"
    return f"is {_shown(error['input'])}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_VALUE else text[: SHOWN_VALUE - 1] + "…"
