"""Google's wire format, both ways."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.errors import ProviderError, UsageError
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec, Usage, answer_message
from dryfire_action.providers.gemini import from_events, from_wire, to_wire

HELLO = Message("user", "hi")
PLAIN = Request("gemini", "m", (HELLO,))
SCHEMA: dict[str, Any] = {"type": "object"}
SENT_HELLO = {"role": "user", "parts": [{"text": "hi"}]}

WIRES: dict[str, tuple[Request, dict[str, Any]]] = {
    "the least": (PLAIN, {"model": "m", "contents": [SENT_HELLO], "config": {}}),
    "system, tools and parameters": (
        replace(
            PLAIN,
            system="s",
            tools=(ToolSpec("a", SCHEMA, "A"), ToolSpec("b", SCHEMA)),
            params={"temperature": 0},
        ),
        {
            "model": "m",
            "contents": [SENT_HELLO],
            "config": {
                "system_instruction": "s",
                "tools": [
                    {
                        "function_declarations": [
                            {"name": "a", "description": "A", "parameters_json_schema": SCHEMA},
                            {"name": "b", "parameters_json_schema": SCHEMA},
                        ]
                    }
                ],
                "temperature": 0,
            },
        },
    ),
    "an output schema": (
        replace(PLAIN, output_schema=SCHEMA),
        {
            "model": "m",
            "contents": [SENT_HELLO],
            "config": {"response_mime_type": "application/json", "response_json_schema": SCHEMA},
        },
    ),
}


@pytest.mark.parametrize(("request_", "wire"), WIRES.values(), ids=WIRES.keys())
def test_a_request_on_the_wire(request_: Request, wire: dict[str, Any]) -> None:
    assert to_wire(request_) == wire


def test_1_11_results_stand_in_the_order_of_the_calls_because_nothing_else_ties_them() -> None:
    talk = (
        HELLO,
        Message("assistant", "So", (ToolCall("x", "a", {"k": 1}), ToolCall("y", "b", {}, '{"k": '))),
        Message("tool", tool_results=(ToolResult("y", "bad", is_error=True), ToolResult("x", {"k": "v"}))),
        Message(
            "user", [{"type": "text", "text": "and?"}, {"inlineData": {"mimeType": "a/b", "data": "eA=="}}]
        ),
    )
    assert to_wire(replace(PLAIN, messages=talk))["contents"] == [
        SENT_HELLO,
        {
            "role": "model",
            "parts": [
                {"text": "So"},
                {"functionCall": {"name": "a", "args": {"k": 1}}},
                {"functionCall": {"name": "b", "args": {"INVALID_JSON": '{"k": '}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "a", "response": {"k": "v"}}},
                {"functionResponse": {"name": "b", "response": {"error": "bad"}}},
                {"text": "and?"},
                {"inlineData": {"mimeType": "a/b", "data": "eA=="}},
            ],
        },
    ]


@pytest.mark.parametrize(("content", "response"), [("text", {"result": "text"}), (None, {"result": None})])
def test_1_11_a_result_that_is_no_map_stands_under_result(content: Any, response: Any) -> None:
    talk = (
        HELLO,
        Message("assistant", None, (ToolCall("x", "a"),)),
        Message("tool", None, (), (ToolResult("x", content),)),
    )
    sent = to_wire(replace(PLAIN, messages=talk))["contents"][2]["parts"][0]["functionResponse"]
    assert sent["response"] == response


@pytest.mark.parametrize(
    "params",
    [
        {"candidate_count": 2},
        {"candidateCount": 2},
        {"system_instruction": "x"},
        {"contents": []},
        {"automatic_function_calling": {}},
    ],
)
def test_what_a_suite_says_elsewhere_is_refused(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"params\."):
        to_wire(replace(PLAIN, params=params))


def body(*parts: Any, finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}
    return {"candidates": [candidate], "modelVersion": "served", **more}


CALL = {"functionCall": {"name": "a", "args": {"k": 1}}}


@pytest.mark.parametrize(
    ("answer", "reason", "text"),
    [
        (body({"text": "x"}, {"text": "y"}), "end_turn", "xy"),
        (body({"text": "hm", "thought": True}, {"text": "y"}), "end_turn", "y"),
        (body(CALL), "tool_use", None),
        (body({"functionCall": {"name": "a"}}), "tool_use", None),
        (body({"text": "x"}, finish="MAX_TOKENS"), "max_tokens", "x"),
        (body(CALL, finish="MAX_TOKENS"), "max_tokens", None),
        (body(finish="MALFORMED_FUNCTION_CALL"), "error", None),
        (body({"text": "x"}, finish=None), "error", "x"),
        ({"candidates": [{"finishReason": "SAFETY"}]}, "refusal", None),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "refusal", None),
        ({"candidates": []}, "error", None),
        *(
            (body(finish=finish), "refusal", None)
            for finish in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")
        ),
    ],
)
def test_1_11_reasons_to_stop(answer: dict[str, Any], reason: str, text: str | None) -> None:
    found = from_wire(answer)
    assert (found.stop_reason, found.text) == (reason, text)


def test_tokens_of_thinking_are_output_and_those_of_the_cache_input() -> None:
    usage = {
        "promptTokenCount": 10,
        "toolUsePromptTokenCount": 3,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 20,
        "cachedContentTokenCount": 4,
    }
    assert from_wire(body({"text": "x"}, usageMetadata=usage)).usage == Usage(13, 25, 4)


def test_an_error_in_the_place_of_an_answer_is_a_failure() -> None:
    with pytest.raises(ProviderError) as caught:
        from_wire({"error": {"code": 503, "status": "UNAVAILABLE", "message": "busy"}})
    assert (caught.value.status, caught.value.kind, caught.value.retryable) == (503, "UNAVAILABLE", True)


SIGNED = {"thoughtSignature": "c2ln"}
ECHOES: dict[str, list[dict[str, Any]]] = {
    "a signed call": [{**CALL, **SIGNED}],
    "only the first of two calls is signed": [
        {**CALL, **SIGNED},
        {"functionCall": {"name": "b", "args": {}}},
    ],
    "a thought, a text, a signed call": [{"text": "hm", "thought": True}, {"text": "So"}, {**CALL, **SIGNED}],
    "a signed text": [{"text": "So", **SIGNED}],
    "text on both sides of a signed call": [{"text": "A"}, {**CALL, **SIGNED}, {"text": "B"}],
    "a part of a kind of its own": [{"executableCode": {"code": "1"}}, {"text": "So"}],
    "nothing signed": [{"text": "So"}, CALL],
}


@pytest.mark.parametrize("parts", ECHOES.values(), ids=ECHOES.keys())
def test_an_answer_goes_back_with_its_signatures_where_they_were(parts: list[dict[str, Any]]) -> None:
    sent = to_wire(replace(PLAIN, messages=(HELLO, answer_message(from_wire(body(*parts))))))["contents"][1]
    assert sent == {"role": "model", "parts": parts}


def test_a_signed_text_is_not_kept_twice() -> None:
    assert from_wire(body({"text": "So", **SIGNED})).reasoning == ({"part": "whole", **SIGNED},)


def test_pieces_of_a_stream_are_one_answer() -> None:
    pieces = [
        {"candidates": [{"content": {"parts": [{"text": "hm", "thought": True}]}}]},
        {
            "candidates": [{"content": {"parts": [{"text": "3 de"}]}}],
            "usageMetadata": {"promptTokenCount": 1},
        },
        {"candidates": [{"content": {"parts": [{"text": "grees", "thoughtSignature": None}]}}]},
    ]
    assert from_events(pieces) is None
    last = {"candidates": [{"content": {"parts": [{"text": "", **SIGNED}]}, "finishReason": "STOP"}]}
    found = from_events([*pieces, last])
    assert found is not None
    assert found["candidates"][0]["content"]["parts"] == [
        {"text": "hm", "thought": True},
        {"text": "3 degrees", **SIGNED},
    ]
    assert found["usageMetadata"] == {"promptTokenCount": 1}
