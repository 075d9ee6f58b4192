"""The agent under a cassette: recorded once, replayed without a key, a cost or a network."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from agent import lookup_order, support, support_streamed

# These recordings were made against a server on the author's machine that plays a model; their headers say so.
pytestmark = pytest.mark.cassette(metadata={"recorded against": "a server on this machine, no real model"})


@pytest.fixture
def client(cassette: Any) -> openai.OpenAI:
    """OpenAI's own client, whose calls go through the cassette of the test."""
    return openai.OpenAI(http_client=openai.DefaultHttpxClient(transport=cassette.http_transport()))


@pytest.mark.parametrize("number", ["1001", "2/2002"])
def test_the_customer_is_told_where_the_order_is(client: openai.OpenAI, number: str) -> None:
    assert "on its way" in support(client, f"Where is my order {number}?")


def test_the_order_is_looked_up_once(client: openai.OpenAI, cassette: Any) -> None:
    # A tool that is wrapped is recorded too, and its body does not run in a replay.
    support(client, "Where is my order 1001?", cassette.wrap_tool(lookup_order))
    assert [call.name for call in cassette.calls if call.kind == "tool"] == ["lookup_order"]


def test_a_streamed_answer_keeps_its_pieces(client: openai.OpenAI) -> None:
    pieces = support_streamed(client, "Do you open on Sundays?")
    assert "".join(pieces) == "No, we are closed on Sundays."
    assert len(pieces) > 2
