"""The wire format of the Responses API, both ways."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.errors import ProviderError, UsageError
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec, Usage, answer_message
from dryfire_action.providers.openai_responses import from_wire, to_wire

HELLO = Message("user", "hi")
PLAIN = Request("openai-responses", "m", (HELLO,))
SCHEMA: dict[str, Any] = {"type": "object"}
SENT_HELLO = {"role": "user", "content": "hi"}
FORMAT = {"type": "json_schema", "name": "output", "schema": SCHEMA, "strict": True}

WIRES: dict[str, tuple[Request, dict[str, Any]]] = {
    "the least": (PLAIN, {"model": "m", "input": [SENT_HELLO]}),
    "system, tools and parameters": (
        replace(PLAIN, system="s", tools=(ToolSpec("a", SCHEMA, "A"),), params={"max_output_tokens": 9}),
        {
            "model": "m",
            "input": [SENT_HELLO],
            "instructions": "s",
            "tools": [
                {"type": "function", "name": "a", "description": "A", "parameters": SCHEMA, "strict": False}
            ],
            "max_output_tokens": 9,
        },
    ),
    "an output schema beside the verbosity": (
        replace(PLAIN, output_schema=SCHEMA, params={"text": {"verbosity": "low"}}),
        {"model": "m", "input": [SENT_HELLO], "text": {"verbosity": "low", "format": FORMAT}},
    ),
    "a model that reasons hands out what can be sent back": (
        replace(PLAIN, params={"reasoning": {"effort": "low"}}),
        {
            "model": "m",
            "input": [SENT_HELLO],
            "reasoning": {"effort": "low"},
            "include": ["reasoning.encrypted_content"],
        },
    ),
    "unless the suite says what to include": (
        replace(PLAIN, params={"reasoning": {}, "include": []}),
        {"model": "m", "input": [SENT_HELLO], "reasoning": {}, "include": []},
    ),
    "blocks of text and an image": (
        replace(
            PLAIN,
            messages=(
                Message(
                    "user",
                    [
                        {"type": "text", "text": "x"},
                        {"type": "image", "media_type": "image/png", "data": "aGk="},
                        {"type": "input_file", "file_id": "f"},
                    ],
                ),
                Message("assistant", [{"type": "text", "text": "y"}]),
                Message("assistant", "z"),
            ),
        ),
        {
            "model": "m",
            "input": [
                {
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": "x"},
                        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
                        {"type": "input_file", "file_id": "f"},
                    ],
                },
                {"role": "assistant", "content": [{"type": "output_text", "text": "y"}]},
                {"role": "assistant", "content": "z"},
            ],
        },
    ),
}


@pytest.mark.parametrize(("request_", "wire"), WIRES.values(), ids=WIRES.keys())
def test_a_request_on_the_wire(request_: Request, wire: dict[str, Any]) -> None:
    assert to_wire(request_) == wire


def test_calls_and_results_each_have_their_item() -> None:
    talk = (
        HELLO,
        Message("assistant", None, (ToolCall("x", "a", {"k": 1}), ToolCall("y", "a", {}, '{"k": '))),
        Message("tool", tool_results=(ToolResult("y", "bad", is_error=True), ToolResult("x", {"k": "v"}))),
    )
    assert to_wire(replace(PLAIN, messages=talk))["input"][1:] == [
        {"type": "function_call", "call_id": "call_0", "name": "a", "arguments": '{"k": 1}'},
        {"type": "function_call", "call_id": "call_1", "name": "a", "arguments": '{"k": '},
        {"type": "function_call_output", "call_id": "call_1", "output": "[tool_error] bad"},
        {"type": "function_call_output", "call_id": "call_0", "output": '{"k": "v"}'},
    ]


@pytest.mark.parametrize(
    "name", ["input", "instructions", "previous_response_id", "conversation", "background"]
)
def test_what_would_hide_a_part_of_the_conversation_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"params.{name}"):
        to_wire(replace(PLAIN, params={name: "x"}))


def body(*output: Any, status: str | None = "completed", **more: Any) -> dict[str, Any]:
    return {"model": "served", "status": status, "output": list(output), **more}


def said(text: str, item: str = "msg_1") -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": item, "role": "assistant", "content": [part]}


CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c",
    "name": "a",
    "arguments": "{}",
    "status": "completed",
}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}


@pytest.mark.parametrize(
    ("answer", "reason", "text"),
    [
        (body(said("x")), "end_turn", "x"),
        (body(said("x", "m1"), said("y", "m2")), "end_turn", "xy"),
        (body(said("x"), CALL), "tool_use", "x"),
        (body(status="completed"), "end_turn", None),
        (
            body(said("x"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "max_tokens",
            "x",
        ),
        (
            body(CALL, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "max_tokens",
            None,
        ),
        (body(status="incomplete", incomplete_details={"reason": "content_filter"}), "refusal", None),
        (body(status="incomplete", incomplete_details=None), "error", None),
        (body(said("x"), status="cancelled"), "error", "x"),
        (
            body({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}),
            "refusal",
            "no",
        ),
    ],
)
def test_reasons_to_stop(answer: dict[str, Any], reason: str, text: str | None) -> None:
    found = from_wire(answer)
    assert (found.stop_reason, found.text) == (reason, text)


def test_a_failed_response_is_a_failure_in_its_own_words() -> None:
    failed = body(status="failed", error={"code": "rate_limit_exceeded", "message": "slow down"})
    with pytest.raises(ProviderError) as caught:
        from_wire(failed)
    assert (caught.value.kind, caught.value.message, caught.value.retryable) == (
        "rate_limit_exceeded",
        "slow down",
        True,
    )


def test_usage_with_nulls_in_it() -> None:
    assert from_wire(body(said("x"), usage=None)).usage == Usage()
    details = {"input_tokens": 7, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 5}}
    assert from_wire(body(said("x"), usage=details)).usage == Usage(7, 2, 5)


ECHOES: dict[str, list[dict[str, Any]]] = {
    "reasoning first": [THOUGHT, CALL],
    "reasoning between calls": [THOUGHT, CALL, {**THOUGHT, "id": "rs_2"}, CALL],
    "items of a kind of its own": [{"type": "web_search_call", "id": "ws_1"}, CALL],
}


@pytest.mark.parametrize("output", ECHOES.values(), ids=ECHOES.keys())
def test_an_answer_goes_back_as_it_came_but_for_ids(output: list[dict[str, Any]]) -> None:
    answer = from_wire(body(*output))
    calls = tuple(replace(call, id=f"call_{at}") for at, call in enumerate(answer.tool_calls))
    sent = to_wire(replace(PLAIN, messages=(HELLO, answer_message(replace(answer, tool_calls=calls)))))[
        "input"
    ][1:]
    ids = iter(range(9))
    expected = [
        {"type": "function_call", "call_id": f"call_{next(ids)}", "name": "a", "arguments": "{}"}
        if item["type"] == "function_call"
        else item
        for item in output
    ]
    assert sent == expected


def test_text_that_came_before_reasoning_is_not_sent_twice() -> None:
    answer = from_wire(body(said("A", "m1"), THOUGHT, said("B", "m2")))
    sent = to_wire(replace(PLAIN, messages=(HELLO, answer_message(answer))))["input"][1:]
    assert sent == [said("A", "m1"), THOUGHT, {"role": "assistant", "content": "B"}]
