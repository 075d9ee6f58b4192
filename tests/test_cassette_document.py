"""What of a cassette's JSON has another shape is named by its place."""

from __future__ import annotations

from typing import Any

import pytest

from dryfire_action.cassette_document import check_exchange, check_header

HEADER = {"format": "f", "suite": "s", "case": "c", "provider": "p", "model": "m"}
ANSWER = {
    "text": None,
    "reasoning": [{"type": "thinking"}],
    "tool_calls": [{"id": "call_0", "name": "lookup", "arguments": {"n": 1}}],
    "stop_reason": "tool_use",
}
ERROR = {"kind": "Overloaded", "message": "busy", "status": 529, "retry_after": 1.5, "retryable": True}
EXCHANGE = {
    "key": "k",
    "run": 1,
    "head": {"model": "d", "tools.order": ["lookup"], "system": None},
    "messages": [{"role": "d", "content": "d"}],
    "answer": ANSWER,
    "from_request": {"[redacted:email:1]": "messages[0].content[16:26]"},
    "cuts": [1, 4],
    "reasoning_altered": False,
    "usage": {"input_tokens": 10},
    "latency_ms": 4,
    "served": "m-1",
    "recorded": "2026-01-31",
    "digest": "d",
}


def failed(**changed: Any) -> dict[str, Any]:
    return {
        **{name: value for name, value in EXCHANGE.items() if name != "answer"},
        "error": ERROR,
        **changed,
    }


def test_what_a_recorder_writes_has_the_shape() -> None:
    assert check_exchange(EXCHANGE) is EXCHANGE
    assert check_exchange(failed())["error"] == ERROR
    ignore = [{"path": "system", "pattern": "x"}]
    assert check_header({**HEADER, "scripted": True, "ignore": ignore})["ignore"] == ignore


@pytest.mark.parametrize(
    ("exchange", "message"),
    [
        (None, "must be an object"),
        ([], "must be an object"),
        ({**EXCHANGE, "head": {"a.b": 1}}, "head.a.b: must be a text"),
        ({**EXCHANGE, "head": {"tools.order": ["a", 1]}}, "head.tools.order.1: must be a text"),
        ({**EXCHANGE, "messages": {}}, "messages: must be a list"),
        ({**EXCHANGE, "messages": [{"role": None}]}, "messages.0.role: must be a text"),
        ({**EXCHANGE, "run": True}, "run: must be a whole number, not below 0"),
        ({**EXCHANGE, "run": 2**63}, "run: must be a whole number, not below 0"),
        ({**EXCHANGE, "turn": 1.0}, "turn: must be a whole number, not below 0"),
        ({**EXCHANGE, "cuts": [0, -1]}, "cuts.1: must be a whole number, not below 0"),
        ({**EXCHANGE, "reasoning_altered": 1}, "reasoning_altered: must be true or false"),
        ({**EXCHANGE, "usage": {"tokens": 1}}, "usage.tokens: is not known here"),
        ({**EXCHANGE, "note": "hi"}, "note: is not known here"),
        ({**EXCHANGE, "n\n" * 100: 1}, "n\\nn\\n"),
        ({**EXCHANGE, "from_request": {"plain": "a[0:1]"}}, "from_request.plain: must be a marker"),
        (
            {**EXCHANGE, "from_request": {"[redacted:email:1]": "a[0:x]"}},
            "from_request.[redacted:email:1]: must",
        ),
        ({**EXCHANGE, "answer": {"text": None}}, "answer.stop_reason: is missing"),
        ({**EXCHANGE, "answer": {**ANSWER, "text": 1}}, "answer.text: must be a text"),
        (
            {**EXCHANGE, "answer": {**ANSWER, "stop_reason": []}},
            "answer.stop_reason: must be one of end_turn,",
        ),
        ({**EXCHANGE, "answer": {**ANSWER, "reasoning": ["x"]}}, "answer.reasoning.0: must be an object"),
        (
            {**EXCHANGE, "answer": {**ANSWER, "tool_calls": [{"id": "a"}]}},
            "answer.tool_calls.0.name: is missing",
        ),
        (failed(error={**ERROR, "retry_after": True}), "error.retry_after: must be a number"),
        (failed(error={**ERROR, "retryable": None}), "error.retryable: must be true or false"),
        (failed(answer=ANSWER), "it must hold either an answer or an error"),
        ({name: value for name, value in EXCHANGE.items() if name != "answer"}, "it must hold either"),
    ],
)
def test_the_first_thing_that_is_wrong_with_an_exchange_is_named(exchange: object, message: str) -> None:
    with pytest.raises(ValueError, match=r"must|missing|known") as raised:
        check_exchange(exchange)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({name: value for name, value in HEADER.items() if name != "model"}, "model: is missing"),
        ({**HEADER, "sdk": None}, "sdk: must be a text"),
        ({**HEADER, "scripted": "yes"}, "scripted: must be true or false"),
        ({**HEADER, "ignore": [{"path": "system"}]}, "ignore.0.pattern: is missing"),
        ({**HEADER, "exchange": []}, "exchange: is not known here"),
    ],
)
def test_the_first_thing_that_is_wrong_with_a_header_is_named(header: object, message: str) -> None:
    with pytest.raises(ValueError, match=r"must|missing|known") as raised:
        check_header(header)
    assert str(raised.value) == message
