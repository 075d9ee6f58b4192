"""Anthropic's Messages API, through the ``anthropic`` SDK.

``max_tokens`` is the one parameter that the API insists on: where a suite sets none, 4096 is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.messages import Response, StopReason, ToolCall, Usage, parse_arguments
from dryfire_action.providers.images import is_image
from dryfire_action.providers.live import TIMEOUT, ResourceModel
from dryfire_action.providers.wire import (
    arguments_from,
    arguments_object,
    count,
    linked,
    mapping,
    maps,
    rest_of,
    result_text,
    sealed_part,
    with_params,
)

if TYPE_CHECKING:
    from dryfire_action.messages import JsonObject, Message, Request
    from dryfire_action.providers.wire import Answered, Linked

MAX_TOKENS = 4096
_STOP: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "pause_turn": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "stop_sequence": "stop_sequence",
    "refusal": "refusal",
}


class AnthropicModel(ResourceModel):
    """Anthropic's models, by the Messages API."""

    sdk = "anthropic"
    module = "anthropic"
    extra = "anthropic"

    def _wire(self, request: Request) -> JsonObject:
        return to_wire(request)

    def _resource(self, client: Any) -> Any:
        return client.messages

    def _client(self, _: JsonObject, /) -> Any:
        return self._sdk.AsyncAnthropic(
            api_key=self._key, base_url=self._base_url, max_retries=0, timeout=TIMEOUT
        )

    def _text_of(self, event: JsonObject) -> str:
        return _text_of(event)

    def _assembled(self, events: list[JsonObject]) -> JsonObject | None:
        return from_events(events)

    def _response(self, body: JsonObject) -> Response:
        return from_wire(body)


def to_wire(request: Request) -> JsonObject:
    """The arguments of ``messages.create`` for ``request``."""
    wire: JsonObject = {
        "model": request.model,
        "messages": _messages(linked(request.messages)),
    }
    if request.system is not None:
        wire["system"] = request.system
    if request.tools:
        wire["tools"] = [
            {
                "name": tool.name,
                **({} if tool.description is None else {"description": tool.description}),
                "input_schema": tool.input_schema,
            }
            for tool in request.tools
        ]
    wire = {"max_tokens": MAX_TOKENS, **with_params(wire, request)}
    if request.output_schema is not None:
        shape = {"type": "json_schema", "schema": request.output_schema}
        wire["output_config"] = {**mapping(wire.get("output_config")), "format": shape}
    return wire


def from_wire(body: JsonObject) -> Response:
    """The answer in a message of the API. Tokens read from and written to the cache are part of the input tokens."""
    blocks = maps(body["content"])
    calls = []
    for block in blocks:
        if _is_call(block):
            arguments, malformed = arguments_from(block.get("input"))
            calls.append(ToolCall(block["id"], block["name"], arguments, malformed))
    texts = [block["text"] for block in blocks if _is_text(block)]
    usage = mapping(body.get("usage"))
    read, written = (
        count(usage.get("cache_read_input_tokens")),
        count(usage.get("cache_creation_input_tokens")),
    )
    return Response(
        text="".join(texts) if texts else None,
        tool_calls=tuple(calls),
        stop_reason=_STOP.get(body.get("stop_reason") or "", "error"),
        reasoning=sealed_part(blocks, _is_text, _is_call, lambda _, call: {"type": "tool_use", "call": call}),
        usage=Usage(
            count(usage.get("input_tokens")) + read + written,
            count(usage.get("output_tokens")),
            read,
            written,
        ),
        model_served=body.get("model"),
        raw=body,
    )


def from_events(events: list[JsonObject]) -> JsonObject | None:
    """The message that a stream's events make up; None where the stream did not reach its end."""
    body: JsonObject = {}
    pieces: dict[int, list[str]] = {}
    ended = False
    for event in events:
        kind, index = event.get("type"), event.get("index", 0)
        if kind == "message_start":
            body = {**event["message"], "content": []}
        elif kind == "content_block_start":
            body["content"].append(dict(event["content_block"]))
        elif kind == "content_block_delta":
            _add(body["content"][index], event["delta"], pieces.setdefault(index, []))
        elif kind == "message_delta":
            body.update({name: value for name, value in event["delta"].items() if value is not None})
            told = {name: value for name, value in mapping(event.get("usage")).items() if value is not None}
            body["usage"] = {**mapping(body.get("usage")), **told}
        elif kind == "message_stop":
            ended = True
    for index, parts in pieces.items():
        if parts and _is_call(body["content"][index]):
            arguments, malformed = parse_arguments("".join(parts))
            body["content"][index]["input"] = arguments if malformed is None else malformed
    return body if ended else None


def _add(block: JsonObject, delta: JsonObject, arguments: list[str]) -> None:
    kind = delta.get("type")
    if kind == "input_json_delta":
        if delta["partial_json"]:
            arguments.append(delta["partial_json"])
    elif kind == "citations_delta":
        block.setdefault("citations", []).append(delta["citation"])
    else:
        for name, value in delta.items():
            if name != "type" and isinstance(value, str):
                block[name] = (block.get(name) or "") + value


def _messages(links: list[Linked]) -> list[JsonObject]:
    found: list[JsonObject] = []
    for link in links:
        role = "assistant" if link.message.role == "assistant" else "user"
        content = _assistant(link) if role == "assistant" else _user(link)
        # All results of a turn go into one message of the user, together with what the user says next.
        if role == "user" and found and found[-1]["role"] == "user":
            found[-1]["content"] += content
        elif content:
            found.append({"role": role, "content": content})
    return found


def _user(link: Linked) -> list[JsonObject]:
    return [_result(answered) for answered in link.results] or _content(link.message)


def _assistant(link: Linked) -> list[JsonObject]:
    calls = [
        {"type": "tool_use", "id": f"call_{number}", "name": call.name, "input": arguments_object(call)}
        for number, call in link.calls
    ]
    given: list[JsonObject] = []
    used: set[int] = set()
    for part in link.message.reasoning:
        if part.get("type") == "tool_use" and isinstance(part.get("call"), int):
            used.add(part["call"])
            given.append(calls[part["call"]])
        else:
            given.append(part)
    texts = [block["text"] for block in given if _is_text(block)]
    content = link.message.content
    rest = (
        [{"type": "text", "text": rest_of(content, texts)}]
        if isinstance(content, str)
        else _content(link.message)
    )
    rest = [block for block in rest if block != {"type": "text", "text": ""}]
    return [*given, *rest, *(call for number, call in enumerate(calls) if number not in used)]


def _content(message: Message) -> list[JsonObject]:
    if isinstance(message.content, str):
        return [{"type": "text", "text": message.content}] if message.content else []
    return [_image(block) if is_image(block) else block for block in message.content or ()]


def _image(block: JsonObject) -> JsonObject:
    rest = {key: value for key, value in block.items() if key not in ("media_type", "data")}
    return {**rest, "source": {"type": "base64", "media_type": block["media_type"], "data": block["data"]}}


def _result(answered: Answered) -> JsonObject:
    found: JsonObject = {"type": "tool_result", "tool_use_id": f"call_{answered.number}"}
    if text := result_text(answered.result.content):
        found["content"] = text
    return {**found, "is_error": True} if answered.result.is_error else found


def _is_text(block: JsonObject) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _is_call(block: JsonObject) -> bool:
    return block.get("type") == "tool_use"


def _text_of(event: JsonObject) -> str:
    delta = mapping(event.get("delta"))
    return (
        delta["text"]
        if event.get("type") == "content_block_delta" and delta.get("type") == "text_delta"
        else ""
    )
