"""lookup_knowledge: sections of the runbooks for a question in Chinese or English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from programs.tools.base import BoundCall, ToolOutput, ToolParams, given
from programs.tools.clean_text import clean, fitted, shorten
from programs.tools.knowledge_index import MAX_TEXT, KnowledgeIndex, Section
from programs.tools.scenario import Scenario
from programs.tools.service_names import mentions

_QUERY_SHOWN = 200


class KnowledgeParams(ToolParams):
    """``query``: a question or a few words."""

    query: Annotated[str, Field(min_length=1, max_length=2000)]
    limit: int = Field(default=3, ge=1, le=5)


@dataclass(frozen=True, eq=False)
class LookupKnowledge:
    """The runbook tool over one scenario."""

    scenario: Scenario
    name: str = "lookup_knowledge"
    kind: Literal["knowledge"] = "knowledge"

    @cached_property
    def _index(self) -> KnowledgeIndex:
        return KnowledgeIndex(self.scenario.runbooks)

    def bind(self, params: Mapping[str, Any]) -> BoundCall:
        asked = KnowledgeParams.model_validate(params)
        key = {"query": " ".join(asked.query.split()), "limit": asked.limit}
        return BoundCall(given(asked), key, lambda: self._run(asked))

    def _run(self, asked: KnowledgeParams) -> ToolOutput:
        found = self._index.search(self._with_names(asked.query), asked.limit)
        output = {
            "query": shorten(clean(asked.query), _QUERY_SHOWN),
            "chunks": [_chunk(section, high) for section, high in found],
        }
        if not found:
            return ToolOutput(output, 0, "none", "NO_HIT", "no section of the runbooks shares a word with the query")
        return ToolOutput(output, len(found), "strong" if any(high for _, high in found) else "weak")

    def _with_names(self, query: str) -> str:
        # A runbook may call a service by another of its names than the user does.
        named = {hit.service for hit in mentions(query, self.scenario.services)}
        names = [name for one in self.scenario.services if one.name in named for name in (one.name, *one.aliases)]
        return " ".join([query, *names])


def _chunk(section: Section, high: bool) -> dict[str, Any]:
    record = {
        "doc": shorten(section.doc, 60),
        "title": shorten(section.title, 60),
        "section": shorten(section.section, 40),
        "text": section.text,
        "relevance": "high" if high else "low",
    }
    return fitted(record, "text", MAX_TEXT)
