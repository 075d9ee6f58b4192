"""Requests and answers of the library are those of the engine, and mocks answer from their list."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from dryfire_action.errors import ProviderError, UsageError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.llm import AsyncMockLLM, LLMRequest, LLMResponse, Message, MockLLM, Response, ToolCall


def test_a_text_is_one_message_of_the_user() -> None:
    listed = LLMRequest([Message("user", "hi")])
    assert LLMRequest("hi") == listed
    assert fingerprint_of(LLMRequest("hi")).key == fingerprint_of(listed).key


def test_requests_and_answers_can_be_replaced() -> None:
    assert replace(LLMRequest("hi", model="a"), model="b") == LLMRequest("hi", model="b")
    assert replace(LLMResponse("hi"), text="ho").content == "ho"


def test_calls_decide_why_an_answer_stopped() -> None:
    assert LLMResponse("hi").stop_reason == "end_turn"
    answer = LLMResponse(tool_calls=[ToolCall("c", "lookup")])
    assert (answer.stop_reason, answer.content) == ("tool_use", None)


def test_a_mock_answers_in_order_and_keeps_the_requests() -> None:
    mock = MockLLM(["a", Response("b"), ProviderError("busy", status=503)])
    assert [mock.complete(LLMRequest(text)).content for text in "xy"] == ["a", "b"]
    with pytest.raises(ProviderError):
        mock.complete(LLMRequest("z"))
    assert [request.messages[0].content for request in mock.requests] == ["x", "y", "z"]


def test_a_mock_that_is_asked_too_often_says_how_many_it_holds() -> None:
    mock = AsyncMockLLM([])
    with pytest.raises(UsageError, match="holds 0 answers and was asked 1 times"):
        asyncio.run(mock.complete(LLMRequest("x")))
    assert (mock.name, len(mock.requests)) == ("mock", 1)
