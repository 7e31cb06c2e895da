"""A DSPy adapter whose prompts are short: every token of prompt costs reading time on the free model.

DSPy's JSONAdapter spends about 250 tokens on describing its own layout. With constrained decoding the layout is
enforced by the schema, so the prompt holds the instructions, one line a field, and the inputs.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

import dspy
from dspy.adapters.utils import serialize_for_json
from dspy.utils.exceptions import AdapterParseError
from pydantic import ConfigDict, create_model

from signatures.protocol import ProtocolError, model_object


class CompactJSONAdapter(dspy.JSONAdapter):
    """Instructions and field lines as system text, inputs as ``name: value`` lines, one JSON object back."""

    def _prepare_response_format(self, lm: Any, lm_kwargs: dict[str, Any], signature: Any) -> None:
        # DSPy builds its schema from bare annotations and drops Field bounds (maxLength, maxItems), which are what
        # keeps a small model's answer short.
        if "response_format" not in lm.supported_params:
            return
        if not lm.supports_response_schema:
            lm_kwargs["response_format"] = {"type": "json_object"}
            return
        schema = {"name": signature.__name__, "schema": output_schema(signature), "strict": True}
        lm_kwargs["response_format"] = {"type": "json_schema", "json_schema": schema}

    def format(self, signature: Any, demos: list[dict[str, Any]], inputs: dict[str, Any]) -> list[dict[str, Any]]:
        messages = [{"role": "system", "content": _system(signature)}]
        for demo in demos:
            if all(name in demo for name in signature.output_fields):
                answer = {name: demo[name] for name in signature.output_fields}
                messages.append({"role": "user", "content": _lines(signature, demo)})
                messages.append({"role": "assistant", "content": _json(answer)})
        messages.append({"role": "user", "content": _lines(signature, inputs)})
        return messages

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """Strict where DSPy repairs: a completion that is no JSON object is an error, not half an answer."""
        try:
            value, _ = model_object(completion, fence=True)
        except ProtocolError as error:
            raise AdapterParseError(
                adapter_name="CompactJSONAdapter", signature=signature, lm_response=completion, message=str(error)
            ) from error
        parsed: dict[str, Any] = super().parse(signature, json.dumps(value, ensure_ascii=False))
        return parsed


def output_schema(signature: Any) -> dict[str, Any]:
    """Closed JSON schema of the signature's outputs, field bounds included."""
    fields: dict[str, Any] = {
        name: (Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation, ...)
        for name, field in signature.output_fields.items()
    }
    model = create_model("Answer", __config__=ConfigDict(extra="forbid"), **fields)
    schema: dict[str, Any] = model.model_json_schema()
    return schema


def _system(signature: Any) -> str:
    fields = "\n".join(
        f"- {name}: {field.json_schema_extra.get('desc', '')}" for name, field in signature.output_fields.items()
    )
    return f"{signature.instructions.strip()}\n只输出一个 JSON 对象，字段：\n{fields}"


def _lines(signature: Any, values: dict[str, Any]) -> str:
    shown = ((name, values[name]) for name in signature.input_fields if values.get(name) not in (None, "", []))
    return "\n".join(f"{name}: {value if isinstance(value, str) else _json(value)}" for name, value in shown)


def _json(value: Any) -> str:
    return json.dumps(serialize_for_json(value), ensure_ascii=False)
