"""An agent of a framework under a cassette: the fixture sees the clients that the framework builds."""

from __future__ import annotations

import asyncio

import pytest
from agent import agent

# These recordings were made against a server on the author's machine that plays a model; their headers say so.
pytestmark = [
    pytest.mark.cassette(metadata={"recorded against": "a server on this machine, no real model"}),
    pytest.mark.usefixtures("cassette"),
]

QUESTION = "Where is my order 1001?"


def test_the_customer_is_told_where_the_order_is() -> None:
    assert "on its way" in agent.run_sync(QUESTION).output


def test_the_answer_can_be_streamed() -> None:
    async def pieces() -> list[str]:
        async with agent.run_stream(QUESTION) as answer:
            return [piece async for piece in answer.stream_text(delta=True, debounce_by=None)]

    found = asyncio.run(pieces())
    assert "".join(found) == "Your order 1001 is on its way with Hermes."
    assert len(found) > 2
