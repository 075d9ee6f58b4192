"""OpenAI's Responses API, through the ``openai`` SDK.

The whole conversation is sent with every call; nothing is looked up at OpenAI by the id of an earlier answer. Where a
suite sets ``reasoning``, the encrypted reasoning is asked for, so that it can be sent back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.errors import UsageError
from dryfire_action.messages import Response, StopReason, ToolCall, Usage, parse_arguments
from dryfire_action.providers.failures import failed_answer
from dryfire_action.providers.images import data_url, is_image
from dryfire_action.providers.openai_chat import OpenAIModel
from dryfire_action.providers.wire import (
    ERROR_PREFIX,
    arguments_text,
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
    from dryfire_action.providers.wire import Linked

_ENCRYPTED = "reasoning.encrypted_content"
# What a suite says in keys of its own, under the names that this API has for it.
_OWN = {
    "input": "write input: in the case",
    "instructions": "write system: in the suite",
    "previous_response_id": "the whole conversation is sent every time",
    "conversation": "the whole conversation is sent every time",
    "background": "a call waits for its answer",
}
_ENDED = ("response.completed", "response.incomplete", "response.failed")


class ResponsesModel(OpenAIModel):
    """OpenAI's models by the Responses API."""

    def _wire(self, request: Request) -> JsonObject:
        return to_wire(request)

    def _resource(self, client: Any) -> Any:
        return client.responses

    def _text_of(self, event: JsonObject) -> str:
        return _text_of(event)

    def _assembled(self, events: list[JsonObject]) -> JsonObject | None:
        return from_events(events)

    def _response(self, body: JsonObject) -> Response:
        return from_wire(body)


def to_wire(request: Request) -> JsonObject:
    """The arguments of ``responses.create`` for ``request``."""
    items: list[JsonObject] = []
    for link in linked(request.messages):
        items += _items(link)
    wire: JsonObject = {"model": request.model, "input": items}
    if request.system is not None:
        wire["instructions"] = request.system
    if request.tools:
        wire["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                **({} if tool.description is None else {"description": tool.description}),
                "parameters": tool.input_schema,
                # The API's own default would change the schema that the model sees.
                "strict": False,
            }
            for tool in request.tools
        ]
    wire = with_params(wire, request, own=_OWN)
    if "reasoning" in wire:
        wire.setdefault("include", [_ENCRYPTED])
    if request.output_schema is not None:
        shape = {"type": "json_schema", "name": "output", "schema": request.output_schema, "strict": True}
        if "format" in mapping(wire.get("text")):
            raise UsageError("params.text: the output schema says its format already")
        wire["text"] = {**mapping(wire.get("text")), "format": shape}
    return wire


def from_wire(body: JsonObject) -> Response:
    """The answer in a response of the API. Raises ``ProviderError`` for one that failed."""
    if body.get("status") == "failed" or (body.get("error") and not body.get("output")):
        raise failed_answer(mapping(body.get("error")))
    items = maps(body["output"])
    calls = []
    for item in items:
        if _is_call(item):
            written = item.get("arguments")
            arguments, malformed = parse_arguments(written) if written else ({}, None)
            calls.append(ToolCall(item.get("call_id") or "", item["name"], arguments, malformed))
    parts = [part for item in items if _is_text(item) for part in maps(item.get("content"))]
    texts = [part["text"] for part in parts if part.get("type") == "output_text"]
    refused = [part["refusal"] for part in parts if part.get("type") == "refusal"]
    usage = mapping(body.get("usage"))
    cached = count(mapping(usage.get("input_tokens_details")).get("cached_tokens"))
    return Response(
        text="".join(texts or refused) if texts or refused else None,
        tool_calls=tuple(calls),
        stop_reason="refusal" if refused else _stop(body, bool(calls)),
        reasoning=sealed_part(
            items, _is_text, _is_call, lambda _, call: {"type": "function_call", "call": call}
        ),
        usage=Usage(count(usage.get("input_tokens")), count(usage.get("output_tokens")), cached),
        model_served=body.get("model"),
        raw=body,
    )


def from_events(events: list[JsonObject]) -> JsonObject | None:
    """The response that the last event of a stream holds; None where the stream did not reach its end."""
    for event in reversed(events):
        if event.get("type") in _ENDED:
            body: JsonObject = event["response"]
            return body
        told = mapping(event.get("data")) or event  # older SDKs wrap what they have no name for
        if told.get("type") == "error":
            raise failed_answer(told)
    return None


def _stop(body: JsonObject, calls: bool) -> StopReason:
    if body.get("status") == "incomplete":
        reason = mapping(body.get("incomplete_details")).get("reason")
        known: dict[object, StopReason] = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}
        return known.get(reason, "error")
    if body.get("status") not in ("completed", None):
        return "error"
    return "tool_use" if calls else "end_turn"


def _items(link: Linked) -> list[JsonObject]:
    if link.message.role == "tool":
        return [
            {
                "type": "function_call_output",
                "call_id": f"call_{answered.number}",
                "output": ERROR_PREFIX * answered.result.is_error + result_text(answered.result.content),
            }
            for answered in link.results
        ]
    if link.message.role == "user":
        return [{"role": "user", "content": _content(link.message, "input_text")}]
    calls = [
        {
            "type": "function_call",
            "call_id": f"call_{number}",
            "name": call.name,
            "arguments": arguments_text(call),
        }
        for number, call in link.calls
    ]
    given: list[JsonObject] = []
    used: set[int] = set()
    for part in link.message.reasoning:
        if part.get("type") == "function_call" and isinstance(part.get("call"), int):
            used.add(part["call"])
            given.append(calls[part["call"]])
        else:
            given.append(part)
    content = _content(link.message, "output_text")
    if isinstance(content, str):
        content = rest_of(content, _texts(given))
    said = [{"role": "assistant", "content": content}] if content else []
    return [*given, *said, *(call for number, call in enumerate(calls) if number not in used)]


def _texts(items: list[JsonObject]) -> list[str]:
    parts = (part for item in items if _is_text(item) for part in maps(item.get("content")))
    return [part["text"] for part in parts if part.get("type") == "output_text"]


def _content(message: Message, kind: str) -> str | list[JsonObject]:
    """Text as it is; of a list, blocks written ``type: text`` become this API's own."""
    if not isinstance(message.content, list):
        return message.content or ""
    return [_block(block, kind) for block in message.content]


def _block(block: JsonObject, kind: str) -> JsonObject:
    if is_image(block):
        return {"type": "input_image", "image_url": data_url(block)}
    return {**block, "type": kind} if block.get("type") == "text" else block


def _is_text(item: JsonObject) -> bool:
    return item.get("type") == "message"


def _is_call(item: JsonObject) -> bool:
    return item.get("type") == "function_call"


def _text_of(event: JsonObject) -> str:
    return event["delta"] if event.get("type") == "response.output_text.delta" else ""
