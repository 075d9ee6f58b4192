"""Providers, tools and hooks for tests of the agent's loop, and a way to run it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from dryfire_action.agent import AgentRunner, Run, UnmockedTool
from dryfire_action.ambient import FakeClock, SequentialIds
from dryfire_action.errors import ProviderError
from dryfire_action.messages import (
    Request,
    Response,
    StopReason,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.made_requests import conversation, said

if TYPE_CHECKING:
    pass

START = conversation(said("Where is ord_1001?"))
BUSY = ProviderError("busy", kind="Overloaded", status=503)


def calling(*names: str, text: str | None = None) -> Response:
    """An answer that calls tools of these names; their ids are the names."""
    calls = tuple(ToolCall(name, name, {"id": 1}) for name in names)
    return Response(text, calls, "tool_use", usage=Usage(10, 2))


def done(text: str = "done", stop_reason: StopReason = "end_turn") -> Response:
    return Response(text, stop_reason=stop_reason, usage=Usage(5, 1, 3))


class Provider:
    """Gives its outcomes one after the other and keeps the requests."""

    name = "openai"

    def __init__(self, *outcomes: Response | Exception) -> None:
        self._outcomes = iter(outcomes)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Response:
        self.requests.append(request)
        outcome = next(self._outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class Tools:
    """Answers every call but those of ``unmocked``."""

    def __init__(self, *unmocked: str) -> None:
        self._unmocked = unmocked
        self.answered: list[str] = []

    async def answer(self, call: ToolCall) -> ToolResult:
        if call.name in self._unmocked:
            raise UnmockedTool(call, f"nothing answers {call.name}")
        self.answered.append(call.name)
        return ToolResult(call.id, f"{call.name} says ok")


class Slow(Tools):
    """The earlier a call, the later its result is ready."""

    async def answer(self, call: ToolCall) -> ToolResult:
        await asyncio.sleep({"a": 0.02, "b": 0.01}.get(call.name, 0.0))
        return await super().answer(call)


class Rewriting:
    """A hook that puts a note before the conversation; nothing where the note is empty."""

    def __init__(self, name: str, note: str, version: str = "1") -> None:
        self.name, self.version, self._note = name, version, note

    def __call__(self, request: Request) -> Request:
        if not self._note:
            return request
        return replace(request, system=f"{request.system or ''}{self._note}")


def run(
    *outcomes: Response | Exception, tools: Tools | None = None, request: Request = START, **options: Any
) -> tuple[Run, Provider]:
    provider = Provider(*outcomes)
    settings = {"clock": FakeClock(), "ids": SequentialIds(), "jitter": Random(1), **options}
    runner = AgentRunner(provider=provider, tools=tools if tools is not None else Tools(), **settings)
    return asyncio.run(runner.run(request)), provider
