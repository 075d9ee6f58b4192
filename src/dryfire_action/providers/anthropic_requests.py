"""Anthropic's Messages API, read the other way: a request's body as a provider-neutral request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.fingerprint import CACHE_MARKS
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec
from dryfire_action.providers.wire import arguments_from, maps, sealed_part
from dryfire_action.providers.wire_requests import WireRequest, one_text, with_schema, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.messages import JsonObject, JsonValue

_TEXT = frozenset({"text"})
_SHAPE = ("output_config", "format", "schema")
_PLAIN_SHAPE = {"output_config": {"format": {"type": "json_schema"}}}
# Blocks that name something which Anthropic keeps.
_KEPT = frozenset({"file", "container_upload"})


def from_request(body: JsonObject) -> WireRequest:
    """The request in the body of ``messages``."""
    params = without(body, "model", "messages", "system", "tools")
    schema = with_schema(params, _SHAPE)
    if schema is not None and {key: params[key] for key in _PLAIN_SHAPE} == _PLAIN_SHAPE:
        del params["output_config"]
    system = body.get("system")
    if isinstance(system, list):
        texts = [block["text"] for block in maps(system)]
        system = "\n\n".join(texts)
        if len(texts) > 1:
            params["system_blocks"] = len(texts)
    tools, options = [], {}
    for tool in body.get("tools") or ():
        spec, rest = _tool(tool)
        tools.append(spec)
        if rest:
            options[spec.name] = rest
    if options:
        params["tool_options"] = options
    messages = tuple(each for message in body["messages"] for each in _messages(message))
    elsewhere = tuple(name for name in ("container",) if params.get(name))
    sources = (block.get("source") for message in body["messages"] for block in maps(message.get("content")))
    if any(isinstance(source, dict) and source.get("type") in _KEPT for source in sources):
        elsewhere = (*elsewhere, "source.file_id")
    request = Request(
        "anthropic", body["model"], messages, system or None, tuple(tools), params, output_schema=schema
    )
    return WireRequest(request, "messages", elsewhere)


def _tool(tool: JsonObject) -> tuple[ToolSpec, JsonObject]:
    """A tool, and what else it says. A tool of Anthropic's own is described by all that it says."""
    if not isinstance(tool.get("input_schema"), dict):
        return ToolSpec(tool["name"], without(tool, "name", *CACHE_MARKS)), {}
    rest = without(tool, "name", "description", "input_schema", *CACHE_MARKS)
    if rest.get("type") == "custom":
        del rest["type"]
    return ToolSpec(tool["name"], tool["input_schema"], tool.get("description")), rest


def _messages(message: JsonObject) -> Iterator[Message]:
    content = message["content"]
    if isinstance(content, str):
        yield Message(message["role"], content)
        return
    blocks = [_clean(block) for block in content]
    if message["role"] == "assistant":
        yield _assistant(blocks)
        return
    results = [block for block in blocks if block["type"] == "tool_result"]
    rest = [block for block in blocks if block["type"] != "tool_result"]
    if results:
        yield Message("tool", tool_results=tuple(map(_result, results)))
    if rest or not results:
        yield Message(message["role"], one_text(rest, _TEXT))


def _assistant(blocks: list[JsonObject]) -> Message:
    calls = []
    for block in filter(_is_call, blocks):
        arguments, malformed = arguments_from(block.get("input"))
        calls.append(ToolCall(block["id"], block["name"], arguments, malformed))
    texts = [block for block in blocks if block["type"] == "text"]
    sealed = sealed_part(
        blocks, lambda block: block["type"] == "text", _is_call, lambda _, n: {"type": "tool_use", "call": n}
    )
    kinds = [block["type"] for block in blocks if block["type"] in ("text", "tool_use")]
    if not sealed and kinds != sorted(kinds):
        sealed = ({"type": "order", "order": kinds},)  # a call before a text is another conversation
    return Message("assistant", one_text(texts, _TEXT), tuple(calls), reasoning=sealed)


def _result(block: JsonObject) -> ToolResult:
    content: JsonValue = block.get("content")
    if isinstance(content, list):
        content = one_text([_clean(each) for each in content], _TEXT)
    return ToolResult(block["tool_use_id"], content or None, bool(block.get("is_error")))


def _clean(block: JsonObject) -> JsonObject:
    return without(block, *CACHE_MARKS)


def _is_call(block: JsonObject) -> bool:
    return bool(block["type"] == "tool_use")
