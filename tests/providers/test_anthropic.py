"""Anthropic's wire format, both ways."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.errors import UsageError
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec, Usage, answer_message
from dryfire_action.providers.anthropic import from_events, from_wire, to_wire

HELLO = Message("user", "hi")
PLAIN = Request("anthropic", "m", (HELLO,))
SCHEMA: dict[str, Any] = {"type": "object"}


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


WIRES: dict[str, tuple[Request, dict[str, Any]]] = {
    "the least": (PLAIN, {"model": "m", "max_tokens": 4096, "messages": [user(said("hi"))]}),
    "the suite's max_tokens count": (
        replace(PLAIN, params={"max_tokens": 5, "top_p": 0.5, "stop_sequences": ["x"], "seed": None}),
        {
            "model": "m",
            "max_tokens": 5,
            "top_p": 0.5,
            "stop_sequences": ["x"],
            "messages": [user(said("hi"))],
        },
    ),
    "system and tools": (
        replace(PLAIN, system="s", tools=(ToolSpec("a", SCHEMA), ToolSpec("b", SCHEMA, ""))),
        {
            "model": "m",
            "max_tokens": 4096,
            "system": "s",
            "tools": [
                {"name": "a", "input_schema": SCHEMA},
                {"name": "b", "description": "", "input_schema": SCHEMA},
            ],
            "messages": [user(said("hi"))],
        },
    ),
    "an output schema beside the effort": (
        replace(PLAIN, output_schema=SCHEMA, params={"output_config": {"effort": "low"}}),
        {
            "model": "m",
            "max_tokens": 4096,
            "messages": [user(said("hi"))],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
        },
    ),
}


@pytest.mark.parametrize(("request_", "wire"), WIRES.values(), ids=WIRES.keys())
def test_a_request_on_the_wire(request_: Request, wire: dict[str, Any]) -> None:
    assert to_wire(request_) == wire


CALLS = Message("assistant", "", (ToolCall("x", "a", {"k": 1}), ToolCall("y", "a", {}, '{"k": ')))
TALKS: dict[str, tuple[tuple[Message, ...], list[dict[str, Any]]]] = {
    "results, errors and what the user says next are one message": (
        (
            HELLO,
            CALLS,
            Message("tool", tool_results=(ToolResult("y", "bad", is_error=True),)),
            Message("tool", tool_results=(ToolResult("x", {"é": None}),)),
            Message("user", "and?"),
        ),
        [
            user(said("hi")),
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "call_0", "name": "a", "input": {"k": 1}},
                    {"type": "tool_use", "id": "call_1", "name": "a", "input": {"INVALID_JSON": '{"k": '}},
                ],
            },
            user(
                {"type": "tool_result", "tool_use_id": "call_1", "content": "bad", "is_error": True},
                {"type": "tool_result", "tool_use_id": "call_0", "content": '{"é": null}'},
                said("and?"),
            ),
        ],
    ),
    "an empty result has no content": (
        (
            HELLO,
            Message("assistant", None, (ToolCall("x", "a"),)),
            Message("tool", tool_results=(ToolResult("x"),)),
        ),
        [
            user(said("hi")),
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "call_0", "name": "a", "input": {}}],
            },
            user({"type": "tool_result", "tool_use_id": "call_0"}),
        ],
    ),
    "an id that turns share means the latest": (
        (
            HELLO,
            Message("assistant", None, (ToolCall("x", "a"),)),
            Message("tool", tool_results=(ToolResult("x", "1"),)),
            Message("assistant", "So", (ToolCall("x", "a"),)),
            Message("tool", tool_results=(ToolResult("x", "2"),)),
        ),
        [
            user(said("hi")),
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "call_0", "name": "a", "input": {}}],
            },
            user({"type": "tool_result", "tool_use_id": "call_0", "content": "1"}),
            {
                "role": "assistant",
                "content": [said("So"), {"type": "tool_use", "id": "call_1", "name": "a", "input": {}}],
            },
            user({"type": "tool_result", "tool_use_id": "call_1", "content": "2"}),
        ],
    ),
    "blocks of the API's own pass through": (
        (
            Message(
                "user",
                [said("x"), {"type": "document", "source": {}, "cache_control": {"type": "ephemeral"}}],
            ),
        ),
        [user(said("x"), {"type": "document", "source": {}, "cache_control": {"type": "ephemeral"}})],
    ),
    "an image with its content": (
        (Message("user", [{"type": "image", "media_type": "image/png", "data": "aGk="}]),),
        [user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}})],
    ),
    "the envelope of an earlier answer is not sent": (
        (HELLO, Message("assistant", "So", raw={"content": [said("Other")]}), HELLO),
        [user(said("hi")), {"role": "assistant", "content": [said("So")]}, user(said("hi"))],
    ),
}


@pytest.mark.parametrize(("messages", "wire"), TALKS.values(), ids=TALKS.keys())
def test_a_conversation_on_the_wire(messages: tuple[Message, ...], wire: list[dict[str, Any]]) -> None:
    assert to_wire(replace(PLAIN, messages=messages))["messages"] == wire


REFUSED: dict[str, tuple[Message, str]] = {
    "a result that answers nothing": (
        Message("tool", tool_results=(ToolResult("q"),)),
        "messages[1].tool_results[0]",
    ),
    "calls of the user": (Message("user", "x", (ToolCall("x", "a"),)), "messages[1]: only"),
    "results of the assistant": (Message("assistant", "x", (), (ToolResult("q"),)), "messages[1]: only"),
    "text beside results": (Message("tool", "x"), "messages[1]: a message with the role tool"),
}


@pytest.mark.parametrize(("message", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_no_provider_takes_is_refused_with_its_place(message: Message, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        to_wire(replace(PLAIN, messages=(HELLO, message)))
    assert caught.value.message.startswith(reason)


def body(*content: Any, stop: str = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"model": "served", "content": list(content), "stop_reason": stop, "usage": usage}


CALL = {"type": "tool_use", "id": "toolu_1", "name": "a", "input": {"k": 1}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
SEARCH = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}

ECHOES: dict[str, list[dict[str, Any]]] = {
    "text and calls": [said("So"), CALL],
    "thinking first": [THOUGHT, {"type": "redacted_thinking", "data": "eA=="}, said("So"), CALL],
    "thinking between calls": [THOUGHT, CALL, THOUGHT, {**CALL, "id": "toolu_2", "input": {}}],
    "text before thinking and after": [said("A"), THOUGHT, said("B"), CALL],
    "parts of a kind of its own": [
        said("A"),
        SEARCH,
        {"type": "web_search_tool_result", "content": []},
        said("B"),
    ],
    "nothing but thinking": [THOUGHT],
}


@pytest.mark.parametrize("content", ECHOES.values(), ids=ECHOES.keys())
def test_an_answer_goes_back_on_the_wire_as_it_came_but_for_ids(content: list[dict[str, Any]]) -> None:
    answer = from_wire(body(*content, stop="tool_use"))
    recorded = replace(
        answer, tool_calls=tuple(replace(call, id=f"call_{at}") for at, call in enumerate(answer.tool_calls))
    )
    sent = to_wire(replace(PLAIN, messages=(HELLO, answer_message(recorded))))["messages"][1]["content"]
    ids = iter(range(9))
    assert sent == [{**b, "id": f"call_{next(ids)}"} if b["type"] == "tool_use" else b for b in content]


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("end_turn", "end_turn"),
        ("pause_turn", "end_turn"),
        ("tool_use", "tool_use"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("stop_sequence", "stop_sequence"),
        ("refusal", "refusal"),
        ("brand_new", "error"),
        (None, "error"),
    ],
)
def test_1_11_reasons_to_stop(stop: str, reason: str) -> None:
    assert from_wire(body(said("x"), stop=stop)).stop_reason == reason


def test_tokens_of_the_cache_are_part_of_the_input() -> None:
    usage = {
        "input_tokens": 1,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 300,
        "output_tokens": 4,
    }
    assert from_wire(body(said("x"), **usage)).usage == Usage(321, 4, 20, 300)


def test_a_stream_of_thinking_keeps_its_signature() -> None:
    def delta(index: int, **delta: Any) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": delta}

    events = [
        {"type": "message_start", "message": {**body(), "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        delta(0, type="thinking_delta", thinking="h"),
        delta(0, type="thinking_delta", thinking="m"),
        delta(0, type="signature_delta", signature="c2ln"),
        {"type": "content_block_start", "index": 1, "content_block": {**CALL, "input": {}}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}},
    ]
    assert from_events(events) is None
    assert from_events([*events, {"type": "message_stop"}]) == body(
        THOUGHT, {**CALL, "input": {}}, stop="tool_use", output_tokens=3
    )
