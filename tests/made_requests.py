"""A request in which every kind of field is set, and ways to change one of them; for tests of fingerprints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dryfire_action.field_changes import changes_between
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import Hook, Message, Request, ScriptStep, ToolCall, ToolResult, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOKUP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "kind": {"enum": ["order", "invoice"]},
        "limit": {"type": "integer", "default": 1},
    },
    "required": ["id", "kind"],
}


def rich_request() -> Request:
    """A conversation of eight messages: images, parallel calls, an error result, reasoning, malformed arguments."""
    return Request(
        provider="anthropic",
        model="small-1",
        system="Be brief.\nAnswer in French: café.",
        params={
            "max_tokens": 512,
            "temperature": 0,
            "top_p": 0.5,
            "stop_sequences": ["END", "STOP"],
            "tool_choice": {"type": "auto"},
            "num_ctx": 2048,
        },
        hooks=(Hook("mask", "1"), Hook("date", "2")),
        output_schema={"type": "object", "properties": {"ok": {"type": "boolean"}}},
        tools=(
            ToolSpec("lookup", LOOKUP_SCHEMA, "Look up an order."),
            ToolSpec("refund", {"type": "object"}, "Refund an order."),
            ToolSpec("notify", {"type": "object"}),
        ),
        messages=(
            Message("user", "Where is ord_1001?"),
            Message(
                "assistant",
                "Let me look.",
                (
                    ToolCall("a", "lookup", {"id": "ord_1001", "limit": 1}),
                    ToolCall("b", "lookup", {"id": "ord_2002", "next": None}),
                ),
                reasoning=({"type": "thinking", "thinking": "Two orders.", "signature": "c2ln"},),
                raw={"id": "msg_1"},
            ),
            Message(
                "tool",
                tool_results=(
                    ToolResult("a", {"id": "cust_7", "total": 780, "lines": [1, 2]}),
                    ToolResult("b", "FAILED", is_error=True),
                ),
            ),
            Message("assistant", None, (ToolCall("c", "refund", {}, '{"id": 1'),)),
            Message("tool", tool_results=(ToolResult("c", "the arguments are no JSON"),)),
            Message("assistant", "One moment."),
            Message(
                "user",
                [
                    {"type": "text", "text": "What is on the picture?"},
                    {"type": "image", "source": {"type": "url", "url": "https://example.org/cat.png"}},
                ],
            ),
            Message("user", "And hurry."),
        ),
        script=ScriptStep(3, {"text": "A cat."}),
    )


def with_message(index: int, **changes: Any) -> Request:
    """The rich request with fields of one message changed."""
    request = rich_request()
    messages = list(request.messages)
    messages[index] = replace(messages[index], **changes)
    return replace(request, messages=tuple(messages))


def with_messages(*messages: Message) -> Request:
    """The rich request with another conversation."""
    return replace(rich_request(), messages=messages)


def with_call(message: int, index: int, **changes: Any) -> Request:
    """The rich request with fields of one call changed."""
    calls = list(rich_request().messages[message].tool_calls)
    calls[index] = replace(calls[index], **changes)
    return with_message(message, tool_calls=tuple(calls))


def with_result(message: int, index: int, **changes: Any) -> Request:
    """The rich request with fields of one result changed."""
    results = list(rich_request().messages[message].tool_results)
    results[index] = replace(results[index], **changes)
    return with_message(message, tool_results=tuple(results))


def with_tool(index: int, **changes: Any) -> Request:
    """The rich request with fields of one tool changed."""
    tools = list(rich_request().tools)
    tools[index] = replace(tools[index], **changes)
    return replace(rich_request(), tools=tuple(tools))


def with_schema(**changes: Any) -> Request:
    """The rich request with keywords of the first tool's schema changed."""
    return with_tool(0, input_schema={**LOOKUP_SCHEMA, **changes})


def with_params(**changes: Any) -> Request:
    """The rich request with parameters set."""
    return replace(rich_request(), params={**rich_request().params, **changes})


def without_param(name: str) -> Request:
    """The rich request without one parameter."""
    kept = {key: value for key, value in rich_request().params.items() if key != name}
    return replace(rich_request(), params=kept)


def with_(**changes: Any) -> Request:
    """The rich request with whole parts replaced."""
    return replace(rich_request(), **changes)


def conversation(*messages: Message) -> Request:
    """A request that holds little else than a conversation."""
    return Request("openai", "small-1", messages)


def said(text: str) -> Message:
    """A message of the user."""
    return Message("user", text)


def calling(*calls: ToolCall) -> Message:
    """A message of the assistant that only makes calls."""
    return Message("assistant", tool_calls=calls)


def answering(*results: ToolResult) -> Message:
    """The results of a turn's calls."""
    return Message("tool", tool_results=results)


def key_of(request: Request) -> str:
    """The request's key."""
    return fingerprint_of(request).key


def changed(old: Request, new: Request) -> list[str]:
    """The field changes from ``old`` to ``new`` as ``change path``."""
    found = changes_between(fingerprint_of(old), fingerprint_of(new))
    return [f"{each.change} {each.path}" for each in found]


def shuffled(value: Any) -> Any:
    """The same JSON value with the keys of every mapping in another order."""
    if isinstance(value, dict):
        return {key: shuffled(item) for key, item in reversed(value.items())}
    if isinstance(value, list):
        return [shuffled(item) for item in value]
    return value


def swapped(items: Sequence[Any], first: int = 0, second: int = 1) -> tuple[Any, ...]:
    """``items`` with two of them swapped."""
    found = list(items)
    found[first], found[second] = found[second], found[first]
    return tuple(found)


def long_conversation(turns: int) -> list[Request]:
    """The requests of a conversation of so many turns."""
    messages: tuple[Message, ...] = (said("begin"),)
    found = []
    for turn in range(turns):
        found.append(with_(hooks=(), messages=messages))
        call = ToolCall(f"c{turn}", "lookup", {"id": f"ord_{turn:04}"})
        messages = (*messages, calling(call), answering(ToolResult(call.id, f"found {turn:04}")))
    return found
