"""The wire format of Chat Completions, both ways."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.errors import UsageError
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec, Usage, answer_message
from dryfire_action.providers.openai_chat import from_wire, to_wire

HELLO = Message("user", "hi")
PLAIN = Request("openai", "m", (HELLO,))
SCHEMA: dict[str, Any] = {"type": "object"}
SENT_HELLO = {"role": "user", "content": "hi"}

WIRES: dict[str, tuple[Request, dict[str, Any]]] = {
    "the least": (PLAIN, {"model": "m", "messages": [SENT_HELLO]}),
    "system, tools and parameters": (
        replace(
            PLAIN,
            system="s",
            tools=(ToolSpec("a", SCHEMA), ToolSpec("b", SCHEMA, "B")),
            params={"temperature": 0, "tool_choice": "required", "user": "u", "seed": None},
        ),
        {
            "model": "m",
            "messages": [{"role": "system", "content": "s"}, SENT_HELLO],
            "tools": [
                {"type": "function", "function": {"name": "a", "parameters": SCHEMA}},
                {"type": "function", "function": {"name": "b", "description": "B", "parameters": SCHEMA}},
            ],
            "temperature": 0,
            "tool_choice": "required",
            "user": "u",
        },
    ),
    "an output schema": (
        replace(PLAIN, output_schema=SCHEMA),
        {
            "model": "m",
            "messages": [SENT_HELLO],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "output", "schema": SCHEMA, "strict": True},
            },
        },
    ),
    "a stream asks OpenAI what it costs": (
        replace(PLAIN, params={"stream": True}),
        {"model": "m", "messages": [SENT_HELLO], "stream": True, "stream_options": {"include_usage": True}},
    ),
    "a stream of somebody else does not": (
        replace(PLAIN, provider="xai", params={"stream": True}),
        {"model": "m", "messages": [SENT_HELLO], "stream": True},
    ),
}


@pytest.mark.parametrize(("request_", "wire"), WIRES.values(), ids=WIRES.keys())
def test_a_request_on_the_wire(request_: Request, wire: dict[str, Any]) -> None:
    assert to_wire(request_) == wire


def test_1_11_calls_and_results_each_have_their_place() -> None:
    talk = (
        HELLO,
        Message("assistant", "", (ToolCall("x", "a", {"é": 1}), ToolCall("y", "a", {}, '{"k": '))),
        Message("tool", tool_results=(ToolResult("y", "bad", is_error=True), ToolResult("x", None))),
    )
    assert to_wire(replace(PLAIN, messages=talk))["messages"][1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call00000", "type": "function", "function": {"name": "a", "arguments": '{"é": 1}'}},
                {"id": "call00001", "type": "function", "function": {"name": "a", "arguments": '{"k": '}},
            ],
        },
        {"role": "tool", "tool_call_id": "call00001", "content": "[tool_error] bad"},
        {"role": "tool", "tool_call_id": "call00000", "content": ""},
    ]


def test_an_image_is_sent_as_a_data_url() -> None:
    content = [{"type": "text", "text": "x"}, {"type": "image", "media_type": "image/png", "data": "aGk="}]
    (sent,) = to_wire(replace(PLAIN, messages=(Message("user", content),)))["messages"]
    assert sent["content"] == [
        {"type": "text", "text": "x"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"params": {"n": 2}}, "params.n"),
        ({"params": {"messages": []}}, "params.messages"),
        ({"params": {"response_format": {}}, "output_schema": SCHEMA}, "params.response_format"),
    ],
)
def test_what_has_no_meaning_here_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        to_wire(replace(PLAIN, **changes))


def body(finish: str | None = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    return {"model": "served", "choices": [{"finish_reason": finish, "message": message}], "usage": usage}


CALL = {"id": "x", "type": "function", "function": {"name": "a", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("finish", "message", "reason"),
    [
        ("stop", {"content": "x"}, "end_turn"),
        ("length", {"content": "x"}, "max_tokens"),
        ("content_filter", {"content": None}, "refusal"),
        ("stop", {"refusal": "no"}, "refusal"),
        ("tool_calls", {"tool_calls": [CALL]}, "tool_use"),
        ("function_call", {"tool_calls": [CALL]}, "tool_use"),
        ("stop", {"tool_calls": [CALL]}, "tool_use"),  # a forced choice of the tool
        ("length", {"tool_calls": [CALL]}, "max_tokens"),
        ("tool_calls", {"content": "x"}, "error"),
        ("brand_new", {"content": "x"}, "error"),
        (None, {"content": "x"}, "error"),
    ],
)
def test_1_11_reasons_to_stop(finish: str | None, message: dict[str, Any], reason: str) -> None:
    assert from_wire(body(finish, **message)).stop_reason == reason


@pytest.mark.parametrize(
    ("arguments", "read", "malformed"),
    [
        ('{"k": 1}', {"k": 1}, None),
        ("", {}, None),
        (None, {}, None),
        ("[1]", {}, "[1]"),
        ('{"k": 1, "k": 2}', {}, '{"k": 1, "k": 2}'),
        ('{"k": NaN}', {}, '{"k": NaN}'),
        ({"k": 1}, {"k": 1}, None),
        ([1], {}, "[1]"),
    ],
)
def test_arguments_as_gateways_write_them(
    arguments: Any, read: dict[str, Any], malformed: str | None
) -> None:
    call = {"id": "x", "function": {"name": "a", "arguments": arguments}}
    (found,) = from_wire(body("tool_calls", tool_calls=[call])).tool_calls
    assert (found.arguments, found.malformed_arguments) == (read, malformed)


def test_a_refusal_is_the_text() -> None:
    assert from_wire(body(content=None, refusal="I will not")).text == "I will not"


def test_2_23_usage_with_nulls_in_it() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": None, "prompt_tokens_details": {"cached_tokens": None}}
    assert from_wire(body(content="x", usage=usage)).usage == Usage(7, 0)
    cached = {"prompt_tokens": 7, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 5}}
    assert from_wire(body(content="x", usage=cached)).usage == Usage(7, 1, 5)


@pytest.mark.parametrize(
    "thinking",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.encrypted", "data": "eA=="}]},
    ],
)
def test_thinking_goes_back_as_it_came(thinking: dict[str, Any]) -> None:
    answer = from_wire(body("tool_calls", tool_calls=[CALL], content=None, **thinking))
    sent = to_wire(replace(PLAIN, messages=(HELLO, answer_message(answer))))["messages"][1]
    assert {name: sent[name] for name in thinking} == thinking
