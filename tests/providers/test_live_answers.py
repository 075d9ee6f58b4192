"""What comes back from each vendor's real SDK: text, calls, reasons to stop, tokens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.messages import Message, ToolCall, Usage
from dryfire_action.providers import make_provider
from dryfire_action.suite import ProviderEntry
from tests.providers.asking import ASKED_TWICE, HELLO, ask, request

if TYPE_CHECKING:
    from tests.providers.spoken import Spoken
    from tests.providers.wire_server import Wire


def test_a_text_is_an_answer(wire: Wire, spoke: Spoken) -> None:
    answer = ask(wire.plan(spoke.answer("Grüße, 3°", [])), request(spoke))
    assert (answer.text, answer.stop_reason, answer.tool_calls) == ("Grüße, 3°", "end_turn", ())
    assert (answer.usage, answer.model_served) == (Usage(10, 5), "served-1")
    assert answer.latency_ms > 0
    (asked,) = wire.asked
    assert "m-1" in (asked.body.get("model"), asked.path.rpartition("/")[2].partition(":")[0])


def test_parallel_calls_are_in_order_and_have_different_ids(wire: Wire, spoke: Spoken) -> None:
    wire.plan(
        spoke.answer("Let me see.", [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})])
    )
    answer = ask(wire, request(spoke))
    assert (answer.text, answer.stop_reason) == ("Let me see.", "tool_use")
    assert [(call.name, call.arguments) for call in answer.tool_calls] == [
        ("get_weather", {"city": "Oslo"}),
        ("get_weather", {"city": "Rome"}),
    ]
    first, second = (call.id for call in answer.tool_calls)
    assert first
    assert second
    assert first != second


def test_a_call_without_text_has_no_text(wire: Wire, spoke: Spoken) -> None:
    answer = ask(wire.plan(spoke.answer(None, [("get_weather", {})])), request(spoke))
    assert (answer.text, answer.tool_calls[0].arguments) == (None, {})


def test_arguments_that_are_no_object_are_kept_as_they_came(wire: Wire, spoke: Spoken) -> None:
    if not spoke.malformed:
        pytest.skip("this API hands out arguments as objects")
    answer = ask(wire.plan(spoke.answer(None, [("get_weather", '{"city": ')])), request(spoke))
    assert (answer.tool_calls[0].arguments, answer.tool_calls[0].malformed_arguments) == ({}, '{"city": ')


@pytest.mark.parametrize(
    ("how", "stop"), [("length", "max_tokens"), ("refusal", "refusal"), ("BRAND_NEW", "error")]
)
def test_the_reason_to_stop_is_told(wire: Wire, spoke: Spoken, how: str, stop: str) -> None:
    answer = ask(wire.plan(spoke.ended(how)), request(spoke))
    assert (answer.stop_reason, answer.text) == (stop, "So")


def test_tokens_that_a_gateway_does_not_count_are_none(wire: Wire, spoke: Spoken) -> None:
    for body in spoke.null_usage:
        answer = ask(wire.plan(body), request(spoke))
        assert (answer.text, answer.usage) == ("So", Usage())


def test_results_reach_the_calls_they_answer_whatever_their_ids_are(wire: Wire, spoke: Spoken) -> None:
    ask(wire.plan(spoke.answer("3 degrees", [])), request(spoke, ASKED_TWICE))
    (body,) = wire.bodies
    assert _exchanged(spoke, body) == [
        ({"city": "Oslo"}, '{"degrees": 3}', False),
        ({"city": "Rome"}, "no such city", True),
    ]


def _exchanged(spoke: Spoken, body: dict[str, Any]) -> list[tuple[Any, str, bool]]:
    """Each call's arguments with the text of its result and whether that is an error, read off the wire."""
    import json

    if spoke.name == "anthropic":
        calls = {block["id"]: block["input"] for block in body["messages"][1]["content"] if "input" in block}
        assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
        results = {
            block["tool_use_id"]: (block["content"], block.get("is_error", False))
            for block in body["messages"][2]["content"]
        }
    elif spoke.name == "openai":
        calls = {
            call["id"]: json.loads(call["function"]["arguments"])
            for message in body["messages"]
            for call in message.get("tool_calls", ())
        }
        results = {
            message["tool_call_id"]: _unprefixed(message["content"])
            for message in body["messages"]
            if message["role"] == "tool"
        }
    elif spoke.name == "openai-responses":
        items = body["input"]
        calls = {item["call_id"]: json.loads(item["arguments"]) for item in items if "arguments" in item}
        results = {item["call_id"]: _unprefixed(item["output"]) for item in items if "output" in item}
    else:
        # No ids: the order tells which result is whose, so the results stand in the order of the calls.
        asked = [
            part["functionCall"]["args"] for part in body["contents"][1]["parts"] if "functionCall" in part
        ]
        told = [part["functionResponse"]["response"] for part in body["contents"][2]["parts"]]
        calls = dict(enumerate(asked))
        results = {
            at: (value["error"], True) if "error" in value else (json.dumps(value), False)
            for at, value in enumerate(told)
        }
    return [(arguments, *results[call_id]) for call_id, arguments in calls.items()]


def _unprefixed(text: str) -> tuple[str, bool]:
    return text.removeprefix("[tool_error] "), text.startswith("[tool_error] ")


def test_a_teams_own_endpoint_gets_its_own_key_and_nothing_of_openai(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.providers.spoken import CHAT

    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-openai")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-openai")
    own = {"our-gateway": ProviderEntry(f"{wire.url}/llm/v1", "OUR_KEY")}
    wire.plan(CHAT.answer("Hi", []))
    made = make_provider("our-gateway", providers=own, environ={**wire.environ, "OUR_KEY": "our-own-key"})
    assert asyncio.run(made.complete(request("our-gateway"))).text == "Hi"
    (asked,) = wire.asked
    assert asked.path == "/llm/v1/chat/completions"
    assert asked.headers["authorization"] == "Bearer our-own-key"
    assert "openai" not in str({k: v for k, v in asked.headers.items() if k != "user-agent"}).lower()


def test_a_conversation_of_recorded_calls_goes_on_with_every_provider(wire: Wire, spoke: Spoken) -> None:
    """Recorded calls are named call_0, call_1, ...: every API gets ids that it takes and that fit together."""
    first = ask(wire.plan(spoke.answer(None, [("get_weather", {"city": "Oslo"})])), request(spoke))
    recorded = Message("assistant", first.text, (ToolCall("call_0", "get_weather", {"city": "Oslo"}),))
    from dryfire_action.messages import ToolResult

    answered = Message("tool", tool_results=(ToolResult("call_0", {"degrees": 3}),))
    ask(wire.plan(spoke.answer("3", [])), request(spoke, (*HELLO, recorded, answered)))
    assert _exchanged(spoke, wire.bodies[1]) == [({"city": "Oslo"}, '{"degrees": 3}', False)]
