"""The key by which the public runner dryfire, 0.2 to 0.4, finds a recording: so that its recordings can be taken over.

It is a digest over a reduced request in which every text under a key that looks like an id is replaced. These are its
rules and not ours; nothing but the import uses them.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from dryfire_action.fingerprint import quoted
from dryfire_action.visible import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.messages import JsonObject, JsonValue, Message, Request

_ID_KEYS = frozenset({"id", "call_id", "tool_call_id", "tool_use_id"})


def reduced(request: Request) -> JsonObject:
    """What that runner keeps of ``request``, ids replaced by the order in which they appear."""
    temperature = request.params.get("temperature")
    return {
        "schema_version": 1,
        "provider": request.provider,
        "model": request.model,
        "system": request.system,
        "messages": _with_numbered_ids([_message(message) for message in request.messages], {}),
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for tool in request.tools
        ],
        "params": {
            "temperature": float(temperature or 0.0),
            "top_p": None,
            "max_tokens": None,
            "stop_sequences": [],
        },
    }


def key_of(request: JsonObject, run: int = 0) -> str:
    """The key of a reduced request in the ``run``-th repetition of its case (from 0).

    Raises ``ValueError`` for NaN and infinities, which that runner refuses.
    """
    text = json.dumps(
        _composed(request), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    key = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{key}#{run}" if run else key


def differences(old: JsonObject, new: JsonObject) -> list[str]:
    """The fields in which two reduced requests differ, as paths; tools go by name. Composed letters are equal."""
    return [*_differing(_named(_composed(old)), _named(_composed(new)), "")]


def _message(message: Message) -> JsonObject:
    return {
        "role": message.role,
        "content": message.content,
        "tool_calls": [
            {
                "id": call.id,
                "name": call.name,
                "arguments": call.arguments,
                "malformed_arguments": call.malformed_arguments,
            }
            for call in message.tool_calls
        ],
        "tool_results": [
            {"call_id": result.call_id, "content": result.content, "is_error": result.is_error}
            for result in message.tool_results
        ],
    }


def _with_numbered_ids(value: JsonValue, numbers: dict[str, str]) -> JsonValue:
    """``value`` with each text under an id's key replaced, in the order in which mappings hold their keys."""
    if isinstance(value, list):
        return [_with_numbered_ids(item, numbers) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: numbers.setdefault(item, f"call_{len(numbers)}")
        if key in _ID_KEYS and isinstance(item, str)
        else _with_numbered_ids(item, numbers)
        for key, item in value.items()
    }


def _composed(value: JsonValue) -> JsonValue:
    """``value`` with all texts, keys among them, in Unicode's composed form."""
    if isinstance(value, str):
        return normal_form("NFC", value)
    if isinstance(value, list):
        return [_composed(item) for item in value]
    if isinstance(value, dict):
        return {normal_form("NFC", str(key)): _composed(item) for key, item in value.items()}
    return value


def _named(request: JsonObject) -> JsonObject:
    """A reduced request whose tools are a mapping by name, so that one more tool is one difference."""
    tools = request.get("tools")
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        return request
    return {
        **request,
        "tools": {tool.get("name"): tool for tool in tools},
        "tools.order": [tool.get("name") for tool in tools],
    }


def _differing(old: JsonValue, new: JsonValue, path: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            inner = f"{path}[{quoted(key)}]" if path == "tools" else f"{path}.{key}".lstrip(".")
            if (key in old) != (key in new):
                yield inner
            else:
                yield from _differing(old[key], new[key], inner)
    elif path == "messages" and isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (first, second) in enumerate(zip(old, new, strict=True)):
            yield from _differing(first, second, f"{path}[{number}]")
    elif json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):
        yield path
