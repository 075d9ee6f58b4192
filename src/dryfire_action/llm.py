"""Requests and answers of models without any provider's own spelling, and models for tests that answer from a list.

A *client* is anything with ``complete(LLMRequest) -> LLMResponse``; an asynchronous one awaits it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dryfire_action.errors import UsageError
from dryfire_action.messages import NO_USAGE as NO_USAGE
from dryfire_action.messages import Hook as Hook
from dryfire_action.messages import Message as Message
from dryfire_action.messages import Request as Request
from dryfire_action.messages import Response as Response
from dryfire_action.messages import ToolCall as ToolCall
from dryfire_action.messages import ToolResult as ToolResult
from dryfire_action.messages import ToolSpec as ToolSpec
from dryfire_action.messages import Usage as Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dryfire_action.messages import JsonObject, ScriptStep, StopReason


class LLMRequest(Request):
    """A request to a model. ``messages`` is a list of messages, or a text: one message of the user."""

    __slots__ = ()

    def __init__(
        self,
        messages: str | Sequence[Message],
        *,
        model: str = "",
        provider: str = "",
        system: str | None = None,
        tools: Sequence[ToolSpec] = (),
        params: JsonObject | None = None,
        hooks: Sequence[Hook] = (),
        output_schema: JsonObject | None = None,
        script: ScriptStep | None = None,
    ) -> None:
        Request.__init__(
            self,
            provider,
            model,
            (Message("user", messages),) if isinstance(messages, str) else tuple(messages),
            system,
            tuple(tools),
            dict(params or {}),
            tuple(hooks),
            output_schema,
            script,
        )


class LLMResponse(Response):
    """An answer of a model: text, calls of tools, or both. ``stop_reason`` follows from the calls where it is not set.

    ``text`` is another name of ``content``.
    """

    __slots__ = ()

    def __init__(
        self,
        content: str | None = None,
        *,
        text: str | None = None,
        tool_calls: Sequence[ToolCall] = (),
        stop_reason: StopReason | None = None,
        reasoning: Sequence[JsonObject] = (),
        usage: Usage = NO_USAGE,
        latency_ms: int = 0,
        model_served: str | None = None,
        chunks: Sequence[str] = (),
        raw: JsonObject | None = None,
    ) -> None:
        Response.__init__(
            self,
            text if content is None else content,
            tuple(tool_calls),
            stop_reason or ("tool_use" if tool_calls else "end_turn"),
            tuple(reasoning),
            usage,
            latency_ms,
            model_served,
            tuple(chunks),
            raw,
        )

    @property
    def content(self) -> str | None:
        """The text of the answer; None where it only calls tools."""
        return self.text


class LLMClient(Protocol):
    """A model that is called."""

    def complete(self, request: LLMRequest, /) -> LLMResponse:
        """The answer to ``request``."""
        ...


class AsyncLLMClient(Protocol):
    """A model that is awaited."""

    async def complete(self, request: LLMRequest, /) -> LLMResponse:
        """The answer to ``request``."""
        ...


class MockLLM:
    """A model that answers its list in order: a text, a whole answer, or an exception that it raises.

    ``requests`` are those it was sent. One call more than it has answers raises ``UsageError``.
    """

    def __init__(self, answers: Iterable[str | Response | Exception]) -> None:
        self._answers = tuple(answers)
        self.requests: list[Request] = []

    def complete(self, request: Request) -> LLMResponse:
        """The next answer."""
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self._answers):
            raise UsageError(f"the mock holds {len(self._answers)} answers and was asked {number + 1} times")
        answer = self._answers[number]
        if isinstance(answer, Exception):
            raise answer
        return LLMResponse(answer) if isinstance(answer, str) else as_llm_response(answer)


class AsyncMockLLM:
    """``MockLLM`` to be awaited; ``name`` makes it a provider for an ``AgentRunner``."""

    def __init__(self, answers: Iterable[str | Response | Exception], *, name: str = "mock") -> None:
        self._mock = MockLLM(answers)
        self.name = name

    @property
    def requests(self) -> list[Request]:
        """The requests it was sent."""
        return self._mock.requests

    async def complete(self, request: Request) -> LLMResponse:
        """The next answer."""
        return self._mock.complete(request)


def as_llm_response(response: Response) -> LLMResponse:
    """``response`` as an ``LLMResponse``."""
    if isinstance(response, LLMResponse):
        return response
    return LLMResponse(
        response.text,
        tool_calls=response.tool_calls,
        stop_reason=response.stop_reason,
        reasoning=response.reasoning,
        usage=response.usage,
        latency_ms=response.latency_ms,
        model_served=response.model_served,
        chunks=response.chunks,
        raw=response.raw,
    )
