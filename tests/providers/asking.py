"""Asking a real provider through its real SDK, which is pointed at the loopback server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec
from dryfire_action.providers import make_provider

if TYPE_CHECKING:
    from dryfire_action.messages import Response
    from tests.providers.spoken import Spoken
    from tests.providers.wire_server import Wire

WEATHER = ToolSpec(
    "get_weather", {"type": "object", "properties": {"city": {"type": "string"}}}, "Tells the weather."
)
HELLO = (Message("user", "Oslo and Rome?"),)
# A turn with two calls, one of which failed; the ids are a suite's own and fit for no provider.
ASKED_TWICE = (
    *HELLO,
    Message(
        "assistant",
        "Let me see.",
        (
            ToolCall("oslo/1", "get_weather", {"city": "Oslo"}),
            ToolCall("rome/1", "get_weather", {"city": "Rome"}),
        ),
    ),
    Message(
        "tool",
        tool_results=(
            ToolResult("rome/1", "no such city", is_error=True),
            ToolResult("oslo/1", {"degrees": 3}),
        ),
    ),
)


def request(spoke: Spoken | str, messages: tuple[Message, ...] = HELLO, **more: Any) -> Request:
    """A request to the provider of a wire format."""
    name = spoke if isinstance(spoke, str) else spoke.name
    return Request(name, "m-1", messages, **{"system": "Be brief.", "tools": (WEATHER,), **more})


def ask(wire: Wire, asked: Request, **more: Any) -> Response:
    """The answer of the provider that ``asked`` names."""
    return asyncio.run(make_provider(asked.provider, environ=wire.environ, **more).complete(asked))
