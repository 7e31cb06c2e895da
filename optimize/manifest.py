"""What a version's manifest says, and what a program is reduced to: its stored bytes and its fingerprints."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from signatures.catalog import PROMPTS

BASELINE = "baseline"
_STATE_KEYS = {"traces", "train", "demos", "signature", "lm", "fields"}


class VersionError(ValueError):
    """A version that cannot be used; the message names what differs and the next step."""


class StoredModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldPrint(StoredModel):
    name: str
    role: Literal["input", "output"]
    type: str
    description: str


class SignaturePrint(StoredModel):
    """What a predictor asked of the model before anything was compiled into it."""

    prompt: str
    prompt_version: str | None = None
    instructions: str
    fields: tuple[FieldPrint, ...]


class DataUse(StoredModel):
    """One labelled set as it was used: ``sha256`` is over the rows' canonical JSON."""

    name: str
    sha256: str
    rows: int
    classes: dict[str, int]


class RowScore(StoredModel):
    """One row's outcome (``score`` 0..1) or its error; ``model`` is the class before the literal guards."""

    row_id: str
    label: str
    classification: str | None = None
    model: str | None = None
    score: float | None = None
    error: str | None = None


class Facts(StoredModel):
    """How a version came about, as the compile run knows it. Seconds are wall time."""

    target: str
    optimizer: str
    optimizer_args: dict[str, Any]
    seed: int
    status: Literal["complete", "stopped"]
    parent: str = BASELINE
    task_model: dict[str, Any]
    teacher_model: dict[str, Any] | None = None
    adapter: str
    fingerprints: dict[str, SignaturePrint]
    train: DataUse
    dev: DataUse | None = None
    demos: tuple[str, ...] = ()
    report: dict[str, Any] = Field(default_factory=dict)
    scores: tuple[RowScore, ...] = ()
    figures: dict[str, Any] = Field(default_factory=dict)
    errors: tuple[str, ...] = ()
    calls: int = 0
    tokens: dict[str, int] = Field(default_factory=dict)
    seconds: float = 0.0


class Manifest(Facts):
    format: Literal[1] = 1
    version: str
    content_sha256: str
    dspy_version: str
    git_commit: str | None = None
    created_at: str


def _type_name(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _prompt_version(prompt: str) -> str | None:
    return next((version for _, name, version in PROMPTS if name == prompt), None)


def fingerprints(program: Any) -> dict[str, SignaturePrint]:
    """Each predictor's signature as it is declared; take it from a freshly built program."""
    found: dict[str, SignaturePrint] = {}
    for name, predictor in program.named_parameters():
        signature = predictor.signature
        fields = tuple(
            FieldPrint(
                name=field_name,
                role="input" if field_name in signature.input_fields else "output",
                type=" ".join([_type_name(field.annotation), *map(_type_name, field.metadata)]),
                description=str(field.json_schema_extra.get("desc", "")),
            )
            for field_name, field in signature.fields.items()
        )
        prompt = str(signature.__name__)
        found[name] = SignaturePrint(
            prompt=prompt,
            prompt_version=_prompt_version(prompt),
            instructions=signature.instructions,
            fields=fields,
        )
    return found


def program_state(program: Any) -> dict[str, Any]:
    """The program's state as it is stored: no LM, no traces, demos cut to the signature's fields in their order."""
    state: dict[str, Any] = program.dump_state(json_mode=True)
    for name, predictor in program.named_parameters():
        entry = state[name]
        entry.update(lm=None, traces=[], train=[])
        names = ["augmented", *predictor.signature.fields]
        entry["demos"] = [{key: demo[key] for key in names if key in demo} for demo in entry["demos"]]
    return state


def program_bytes(program: Any) -> bytes:
    """The bytes of ``program.json``."""
    return (json.dumps(program_state(program), ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def content_hash(program: Any) -> str:
    """SHA-256 of the stored form: two programs with this hash ask the model the same."""
    return hashlib.sha256(program_bytes(program)).hexdigest()


def _signature_differences(name: str, stored: SignaturePrint, current: SignaturePrint) -> list[str]:
    found: list[str] = []
    if stored.prompt_version != current.prompt_version:
        found.append(f"{name}: prompt version {stored.prompt_version} is now {current.prompt_version}")
    if stored.instructions != current.instructions:
        found.append(f"{name}: the instructions differ")
    old, new = {f.name: f for f in stored.fields}, {f.name: f for f in current.fields}
    found += [f"{name}: field {field!r} is gone" for field in old.keys() - new.keys()]
    found += [f"{name}: field {field!r} is new" for field in new.keys() - old.keys()]
    for field in old.keys() & new.keys():
        parts = [
            part for part in ("role", "type", "description") if getattr(old[field], part) != getattr(new[field], part)
        ]
        found += [f"{name}: the {part} of field {field!r} differs" for part in parts]
    if not found and list(old) != list(new):
        found.append(f"{name}: the fields stand in another order")
    return sorted(found)


def differences(program: Any, manifest: Manifest, state: dict[str, Any]) -> list[str]:
    current = fingerprints(program)
    stored = manifest.fingerprints
    found = [f"predictor {name!r} is not in program.json" for name in sorted(current.keys() - state.keys())]
    found += [
        f"predictor {name!r} of program.json is not in this program" for name in sorted(state.keys() - current.keys())
    ]
    found += [f"predictor {name!r} has no fingerprint" for name in sorted(current.keys() - stored.keys())]
    for name in sorted(current.keys() & stored.keys()):
        found += _signature_differences(name, stored[name], current[name])
    for name in sorted(current.keys() & state.keys()):
        entry = state[name]
        if not isinstance(entry, dict) or not {"demos", "signature", "lm"} <= entry.keys() <= _STATE_KEYS:
            found.append(f"predictor {name!r}: not the state of a predictor")
        elif entry["lm"] is not None:
            found.append(f"predictor {name!r} carries model settings")
    return found
