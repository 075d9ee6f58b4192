"""Gemini's generateContent, read the other way: a request's body as a provider-neutral request.

Both spellings of names are read (``systemInstruction``, ``system_instruction``). Calls mostly have no ids here: a
result is taken for the answer to the first open call of its name in the turn before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec
from dryfire_action.providers.wire import arguments_from, mapping, maps
from dryfire_action.providers.wire_requests import WireRequest, one_text, without

if TYPE_CHECKING:
    from dryfire_action.messages import JsonObject, JsonValue

_TEXT = frozenset({"text"})
_SCHEMAS = ("responseJsonSchema", "responseSchema")


def from_request(body: JsonObject, model: str) -> WireRequest:
    """The request in the body of ``generateContent`` for ``model``."""
    said = {_camel(name): value for name, value in body.items()}
    settings = {
        _camel(name): value
        for name, value in (said.pop("generationConfig", None) or {}).items()
        if value is not None
    }
    schema = next((settings.pop(name) for name in _SCHEMAS if isinstance(settings.get(name), dict)), None)
    if schema is not None and settings.get("responseMimeType") == "application/json":
        del settings["responseMimeType"]
    tools, hosted = _tools(said.get("tools") or ())
    params = {**settings, **without(said, "model", "contents", "systemInstruction", "tools")}
    if hosted:
        params["tools"] = hosted
    system = said.get("systemInstruction")
    if isinstance(system, dict):
        system = "\n\n".join(part["text"] for part in maps(system.get("parts")))
    request = Request(
        "gemini",
        model.removeprefix("models/"),
        tuple(_messages(said["contents"])),
        system or None,
        tools,
        params,
        output_schema=schema,
    )
    elsewhere = tuple(name for name in ("cachedContent",) if said.get(name))
    return WireRequest(request, "generate_content", elsewhere)


def _messages(contents: Any) -> list[Message]:
    found: list[Message] = []
    open_calls: list[ToolCall] = []
    count = 0
    for content in contents if isinstance(contents, list) else [contents]:
        parts = [{_camel(name): value for name, value in part.items()} for part in maps(content.get("parts"))]
        if content.get("role") == "model":
            message = _model(parts, count)
            open_calls = list(message.tool_calls)
            count += len(open_calls)
            found.append(message)
            continue
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        rest = [part for part in parts if "functionResponse" not in part]
        if results:
            found.append(Message("tool", tool_results=tuple(_result(each, open_calls) for each in results)))
        if rest or not results:
            found.append(Message("user", one_text([_block(part) for part in rest], _TEXT)))
    return found


def _model(parts: list[JsonObject], count: int) -> Message:
    calls: list[ToolCall] = []
    texts: list[JsonObject] = []
    sealed: list[JsonObject] = []
    last = max((at for at, part in enumerate(parts) if not _is_plain(part)), default=-1)
    for at, part in enumerate(parts):
        rest = without(part, "text", "functionCall")
        if isinstance(part.get("functionCall"), dict):
            call = part["functionCall"]
            arguments, malformed = arguments_from(call.get("args") or {})
            number = len(calls)
            calls.append(
                ToolCall(call.get("id") or f"call_{count + number}", call["name"], arguments, malformed)
            )
            if at <= last:
                sealed.append({**rest, "functionCall": {"call": number}})
        elif isinstance(part.get("text"), str) and not part.get("thought"):
            texts.append({"type": "text", "text": part["text"]})
            if at <= last:
                sealed.append({**rest, "part": "text"})
        else:
            sealed.append(without(part))
    kinds = ["text" if "text" in part else "functionCall" for part in parts]
    if last < 0 and kinds != sorted(kinds, reverse=True):
        sealed.append({"order": kinds})
    return Message("assistant", one_text(texts, _TEXT), tuple(calls), reasoning=tuple(sealed))


def _is_plain(part: JsonObject) -> bool:
    return part.keys() in ({"text"}, {"functionCall"})


def _result(response: JsonObject, open_calls: list[ToolCall]) -> ToolResult:
    same = [call for call in open_calls if response.get("id") in (call.id,)]
    same = same or [call for call in open_calls if call.name == response.get("name")]
    if same:
        open_calls.remove(same[0])
    told: JsonValue = response.get("response")
    is_error = isinstance(told, dict) and told.keys() == {"error"}
    if isinstance(told, dict) and told.keys() in ({"error"}, {"result"}):
        told = told.get("error", told.get("result"))
    call_id = same[0].id if same else str(response.get("name"))
    return ToolResult(call_id, told, is_error)


def _tools(tools: Any) -> tuple[tuple[ToolSpec, ...], list[JsonObject]]:
    """Functions, and the tools that Google runs itself."""
    found: list[ToolSpec] = []
    hosted: list[JsonObject] = []
    for tool in tools:
        told = {_camel(name): value for name, value in tool.items()}
        for function in told.pop("functionDeclarations", None) or ():
            each = {_camel(name): value for name, value in function.items()}
            schema = each.get("parametersJsonSchema") or each.get("parameters") or {}
            found.append(ToolSpec(each["name"], mapping(schema), each.get("description")))
        if told:
            hosted.append(told)
    return tuple(found), hosted


def _block(part: JsonObject) -> JsonObject:
    return {"type": "text", **part} if part.keys() == {"text"} else part


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
