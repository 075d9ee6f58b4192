"""OpenAI's two APIs, read the other way: the bodies of Chat Completions and of Responses as provider-neutral requests.

Messages of ``system`` and ``developer`` that come first are the system prompt; later ones stay where they are. Ids and
states of items are the provider's envelope and left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec, parse_arguments
from dryfire_action.providers.wire import ERROR_PREFIX, arguments_from
from dryfire_action.providers.wire_requests import WireRequest, one_text, with_schema, without

if TYPE_CHECKING:
    from dryfire_action.messages import JsonObject, JsonValue, Role

_TEXT = frozenset({"text", "input_text", "output_text"})
_LEADING = ("system", "developer")
_PLAIN_CHAT_SHAPE = {"type": "json_schema", "json_schema": {"name": "output", "strict": True}}
_PLAIN_SHAPE = {"format": {"type": "json_schema", "name": "output", "strict": True}}
# What OpenAI keeps and looks up: the rest of the conversation, a prompt of its site.
_LOOKED_UP = ("previous_response_id", "conversation", "prompt")
_ENVELOPE = ("id", "status")


def from_chat(body: JsonObject) -> WireRequest:
    """The request in the body of ``chat/completions``."""
    params = without(body, "model", "messages", "tools")
    schema = with_schema(params, ("response_format", "json_schema", "schema"))
    if schema is not None and params["response_format"] == _PLAIN_CHAT_SHAPE:
        del params["response_format"]
    system, rest = _system(body["messages"], params)
    messages: list[Message] = []
    for message in rest:
        if message["role"] == "tool":
            _add_result(messages, _result(message["tool_call_id"], message.get("content")))
        else:
            messages.append(_chat_message(message))
    tools = _tools(body.get("tools") or (), params, inner="function")
    request = Request("openai", body["model"], tuple(messages), system, tools, params, output_schema=schema)
    return WireRequest(request, "chat")


def from_responses(body: JsonObject) -> WireRequest:
    """The request in the body of ``responses``."""
    elsewhere = [name for name in _LOOKED_UP if body.get(name)]
    params = without(body, "model", "input", "instructions", "tools")
    schema = with_schema(params, ("text", "format", "schema"))
    if schema is not None and params["text"] == _PLAIN_SHAPE:
        del params["text"]
    items = body.get("input") or []
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    system = body.get("instructions")
    if system is None:
        system, items = _system(items, params)
    messages: list[Message] = []
    turn = _Turn()
    for item in items:
        kind = item.get("type") or "message"
        if kind in ("function_call_output", "custom_tool_call_output"):
            turn.end(messages)
            _add_result(messages, _result(item["call_id"], item.get("output")))
        elif kind == "message" and item["role"] != "assistant":
            turn.end(messages)
            messages.append(Message(_role(item), one_text(item["content"], _TEXT, _part)))
        else:
            if kind == "item_reference":
                elsewhere.append("item_reference")
            turn.add(item, kind)
    turn.end(messages)
    tools = _tools(body.get("tools") or (), params)
    model = body.get("model") or ""
    request = Request("openai-responses", model, tuple(messages), system, tools, params, output_schema=schema)
    return WireRequest(request, "responses", tuple(dict.fromkeys(elsewhere)))


class _Turn:
    """The items of one turn of the assistant, which are one message."""

    def __init__(self) -> None:
        self._items: list[tuple[str, JsonObject]] = []

    def add(self, item: JsonObject, kind: str) -> None:
        self._items.append((kind, item))

    def end(self, messages: list[Message]) -> None:
        """Put the turn into ``messages``, if there was one."""
        if not self._items:
            return
        calls: list[ToolCall] = []
        texts: list[Any] = []
        sealed: list[JsonObject] = []
        kinds = [kind for kind, _ in self._items]
        # Up to the last item of a kind of its own, the places of texts and calls are a part of what was said.
        last = max((n for n, kind in enumerate(kinds) if not _is_plain(kind)), default=-1)
        for number, (kind, item) in enumerate(self._items):
            if kind == "message":
                content = one_text(item["content"], _TEXT, _part)
                texts.append(content)
                if number < last:
                    sealed.append({"type": "message"})
            elif kind in ("function_call", "custom_tool_call"):
                if number < last:
                    sealed.append({"type": "function_call", "call": len(calls)})
                calls.append(_call(item["call_id"], item["name"], item.get("arguments", item.get("input"))))
            else:
                sealed.append(without(item, *_ENVELOPE))
        plain = [kind for kind in kinds if _is_plain(kind)]
        if last < 0 and plain != sorted(plain, key=lambda kind: kind != "message"):
            sealed.append({"type": "order", "order": plain})
        content = texts[0] if len(texts) == 1 else _joined(texts) if texts else None
        messages.append(Message("assistant", content or None, tuple(calls), reasoning=tuple(sealed)))
        self._items = []


def _is_plain(kind: str) -> bool:
    return kind in ("message", "function_call", "custom_tool_call")


def _joined(texts: list[Any]) -> list[JsonObject]:
    found: list[JsonObject] = []
    for text in texts:
        found += [{"type": "text", "text": text}] if isinstance(text, str) else text or []
    return found


def _system(messages: list[JsonObject], params: JsonObject) -> tuple[str | None, list[JsonObject]]:
    """The system prompt that the messages begin with, and the other messages."""
    if not messages or messages[0].get("role") not in _LEADING:
        return None, messages
    first = messages[0]
    content = one_text(first["content"], _TEXT, _part)
    if not isinstance(content, str) or without(first, "role", "content", "type"):
        return None, messages
    if first["role"] == "developer":
        params["system_role"] = "developer"
    return content, messages[1:]


def _chat_message(message: JsonObject) -> Message:
    rest = without(message, "role", "content", "tool_calls", *_ENVELOPE)
    calls = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or call["custom"]
        calls.append(_call(call["id"], function["name"], function.get("arguments", function.get("input"))))
    content = one_text(message.get("content"), _TEXT, _part)
    # Thinking that goes back, a name, a refusal: whatever else a message says reaches the model too.
    reasoning = tuple({name: value} for name, value in rest.items() if value not in ([], ""))
    return Message(_role(message), content or None, tuple(calls), reasoning=reasoning)


def _call(call_id: str, name: str, written: JsonValue) -> ToolCall:
    if not written:
        return ToolCall(call_id, name)
    arguments, malformed = parse_arguments(written) if isinstance(written, str) else arguments_from(written)
    return ToolCall(call_id, name, arguments, malformed)


def _result(call_id: str, content: JsonValue) -> ToolResult:
    content = one_text(content, _TEXT, _part)
    if isinstance(content, str) and content.startswith(ERROR_PREFIX):
        return ToolResult(call_id, content.removeprefix(ERROR_PREFIX) or None, is_error=True)
    return ToolResult(call_id, content or None)


def _add_result(messages: list[Message], result: ToolResult) -> None:
    """All results of a turn are one message."""
    if messages and messages[-1].role == "tool":
        messages[-1] = Message("tool", tool_results=(*messages[-1].tool_results, result))
    else:
        messages.append(Message("tool", tool_results=(result,)))


def _tools(tools: Any, params: JsonObject, inner: str = "") -> tuple[ToolSpec, ...]:
    """Functions by name, with their further settings in ``params``; tools that OpenAI runs by all that they say."""
    found: list[ToolSpec] = []
    options: JsonObject = {}
    for tool in tools:
        told = tool.get(inner) if inner else tool
        if tool.get("type") != "function" or not isinstance(told, dict):
            own = tool.get(tool["type"]) if isinstance(tool.get(tool["type"]), dict) else tool
            name = own.get("name") or tool.get("server_label") or tool["type"]
            while any(name == other.name for other in found):
                name += "'"
            found.append(ToolSpec(name, without(tool)))
            continue
        found.append(ToolSpec(told["name"], told.get("parameters") or {}, told.get("description")))
        rest = without(told, "type", "name", "description", "parameters")
        if rest.get("strict") is False:
            del rest[
                "strict"
            ]  # what both APIs take an absent one for, or what is sent where nothing was said
        if rest:
            options[told["name"]] = rest
    if options:
        params["tool_options"] = options
    return tuple(found)


def _part(part: JsonObject) -> JsonObject:
    """A part of a message; what an answer brought along with a text and says nothing is left out."""
    found = without(part)
    if found.get("type") in _TEXT:
        empty = [name for name in ("annotations", "logprobs") if name in found and not found[name]]
        found = without(found, *empty)
        if found.keys() == {"type", "text"}:
            return {"type": "text", "text": found["text"]}
    return found


def _role(message: JsonObject) -> Role:
    return cast("Role", message["role"])
