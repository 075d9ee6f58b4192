"""Answers in pieces: the same answer in the end, its pieces, and streams that die."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dryfire_action.errors import ProviderError
from dryfire_action.messages import Usage
from tests.providers.asking import ask, request
from tests.providers.wire_server import Reply

if TYPE_CHECKING:
    from tests.providers.spoken import Spoken
    from tests.providers.wire_server import Wire

PIECES = ["3 de", "grees", " in Oslo, ✓"]
STREAM = {"stream": True}


def test_a_streamed_text_has_its_pieces(wire: Wire, spoke: Spoken) -> None:
    answer = ask(wire.plan(spoke.stream(PIECES)), request(spoke, params=STREAM))
    assert (answer.text, answer.stop_reason) == ("".join(PIECES), "end_turn")
    assert answer.chunks == tuple(PIECES)
    assert (answer.usage, answer.model_served) == (Usage(10, 5), "served-1")


@pytest.mark.parametrize("arguments", [{"city": "Oslo"}, {}, {"a": {"b": [1, 2.5, None]}}])
def test_a_streamed_answer_is_the_same_as_one_in_a_piece(
    wire: Wire, spoke: Spoken, arguments: dict[str, object]
) -> None:
    calls = [("get_weather", arguments), ("get_weather", {"city": "Rome"})]
    streamed = ask(wire.plan(spoke.stream(["Let me ", "see."], calls)), request(spoke, params=STREAM))
    plain = ask(wire.plan(spoke.answer("Let me see.", calls)), request(spoke))
    assert [(c.name, c.arguments) for c in streamed.tool_calls] == [
        (c.name, c.arguments) for c in plain.tool_calls
    ]
    same = {"raw": None, "latency_ms": 0, "chunks": (), "tool_calls": ()}
    assert replace(streamed, **same) == replace(plain, **same)  # type: ignore[arg-type]


def test_malformed_arguments_survive_a_stream(wire: Wire, spoke: Spoken) -> None:
    if not spoke.malformed:
        pytest.skip("this API hands out arguments as objects")
    answer = ask(
        wire.plan(spoke.stream([], [("get_weather", '{"city": "Os')])), request(spoke, params=STREAM)
    )
    assert answer.tool_calls[0].malformed_arguments == '{"city": "Os'


@pytest.mark.parametrize("cut", [True, False], ids=["dies", "closes"])
def test_a_stream_that_ends_midway_says_how_far_it_came(wire: Wire, spoke: Spoken, cut: bool) -> None:
    # the opening event, where there is one, and two pieces of text
    keep = {"anthropic": 4, "openai": 3, "openai-responses": 3, "gemini": 2}[spoke.name]
    with pytest.raises(ProviderError) as caught:
        ask(wire.plan(spoke.stream(PIECES, keep=keep, cut=cut)), request(spoke, params=STREAM))
    assert (caught.value.kind, caught.value.status, caught.value.retryable) == (
        "StreamInterrupted",
        None,
        True,
    )
    assert "broke off after 9 characters" in caught.value.message
    assert len(wire.asked) == 1


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ("openai", {"error": {"type": "server_error", "message": "Overloaded", "code": None}}),
        (
            "openai-responses",
            {
                "type": "error",
                "code": "server_error",
                "message": "Overloaded",
                "param": None,
                "sequence_number": 3,
            },
        ),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_told_in_the_providers_words(
    wire: Wire, name: str, event: dict[str, object]
) -> None:
    from tests.providers.spoken import ALL

    spoke = next(each for each in ALL if each.name == name)
    events = (*spoke.events(PIECES, [])[:3], event)
    with pytest.raises(ProviderError) as caught:
        ask(wire.plan(Reply(events=events, named=spoke.named)), request(spoke, params=STREAM))
    assert caught.value.kind in ("overloaded_error", "server_error")
    assert "Overloaded" in caught.value.message
    assert caught.value.retryable


def test_a_stream_that_is_refused_is_an_ordinary_failure(wire: Wire, spoke: Spoken) -> None:
    wire.plan(Reply(spoke.error(429, "rate_limit_error", "slow down"), 429, {"retry-after": "3"}))
    with pytest.raises(ProviderError) as caught:
        ask(wire, request(spoke, params=STREAM))
    assert (caught.value.status, caught.value.retry_after, caught.value.message) == (429, 3.0, "slow down")
