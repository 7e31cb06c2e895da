"""Tables of the run store.

Times are ISO 8601 text with a zone: SQLite keeps no zone of its own. JSON columns are text written by
`api.jsontext.lossless`, because the JSON types of the databases refuse NaN and lone surrogates, and tools return both.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ForeignKey, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from api.jsontext import from_lossless, lossless, storable


class PlainText(TypeDecorator[str]):
    """Text to be read by people: characters that a column cannot hold become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class JsonText(TypeDecorator[Any]):
    """Any JSON value, read back exactly as it was written."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return lossless(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else from_lossless(value)


def _run_key(*, primary: bool) -> Column[str]:
    link = ForeignKey("diagnosis_run.id", ondelete="CASCADE")
    return Column(Text, link, primary_key=primary, index=not primary, nullable=False)


class DiagnosisSession(SQLModel, table=True):
    """A conversation: one or more runs."""

    __tablename__ = "diagnosis_session"

    id: str = Field(primary_key=True)
    created_at: str


class DiagnosisRun(SQLModel, table=True):
    """One question and what came of it.

    ``status``: running, finished, cancelled, failed, interrupted (its process died).
    ``self_evaluation`` is the container of the evaluation channels (SE-01), raw text so that a value of an older
    format can be kept; ``self_evaluation_version`` counts its writes (G24).
    """

    __tablename__ = "diagnosis_run"

    id: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="diagnosis_session.id", index=True)
    status: str = Field(index=True)
    question: str = Field(sa_column=Column(PlainText, nullable=False))
    scenario: str | None = None
    answer: str | None = Field(default=None, sa_column=Column(PlainText))
    verdict: str | None = None
    score: float | None = None
    route: str | None = None
    version: str | None = None
    lm: str | None = Field(default=None, sa_column=Column(PlainText))
    failure_code: str | None = None
    failure_reason: str | None = Field(default=None, sa_column=Column(PlainText))
    started_at: str
    finished_at: str | None = None
    seconds: float | None = None
    owner: str = Field(sa_column=Column(PlainText, nullable=False))
    result: Any = Field(default=None, sa_column=Column(JsonText))
    self_evaluation: str | None = Field(default=None, sa_column=Column(Text))
    self_evaluation_version: int = 0


class ToolInvocationRow(SQLModel, table=True):
    """One tool call. Invocation ids are unique within their run only, hence the two-part key."""

    __tablename__ = "tool_invocation"

    run_id: str = Field(sa_column=_run_key(primary=True))
    invocation_id: str = Field(primary_key=True)
    tool_name: str = Field(sa_column=Column(PlainText, nullable=False))
    params: Any = Field(sa_column=Column(JsonText, nullable=False))
    success: bool
    failure_code: str | None = None
    failure_reason: str | None = Field(default=None, sa_column=Column(PlainText))
    evidence_level: str
    new_evidence: bool
    dedup_of: str | None = None
    hit_count: int
    output: Any = Field(default=None, sa_column=Column(JsonText))
    output_summary: str = Field(default="", sa_column=Column(PlainText, nullable=False))
    started_at: str
    duration_ms: float
    injection_flags: Any = Field(sa_column=Column(JsonText, nullable=False))


class OrchestrationEvent(SQLModel, table=True):
    """One step event of a run, in the order in which it was recorded."""

    __tablename__ = "orchestration_event"

    id: int | None = Field(default=None, primary_key=True)
    run_id: str = Field(sa_column=_run_key(primary=False))
    seq: int
    at: str
    node: str
    kind: str
    message: str = Field(sa_column=Column(PlainText, nullable=False))
    data: Any = Field(sa_column=Column(JsonText, nullable=False))
