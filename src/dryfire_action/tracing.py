"""Traces: the calls of models and tools that happened inside a run, each a span.

Tracing goes outside of a cassette, so that a call that is played back leaves the same span as a live one. It keeps to
itself: outside a run it does nothing, and what goes wrong in it never reaches the traced code.
"""

from __future__ import annotations

import functools
import inspect
import time
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from dryfire_action.call_values import bound_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dryfire_action.llm import AsyncLLMClient, LLMClient, LLMRequest, LLMResponse

SpanKind = Literal["llm", "tool", "span"]
Tool = TypeVar("Tool", bound="Callable[..., Any]")


@dataclass(slots=True)
class Span:
    """One call, or one part of a run. ``request`` is what was asked (an ``LLMRequest``; of a tool its arguments by
    name), ``response`` what came back, ``error`` what was raised; ``parent`` is the index of the span it stands in.
    """

    kind: SpanKind
    name: str
    index: int
    parent: int | None = None
    request: Any = None
    response: Any = None
    error: BaseException | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    duration_ms: float = 0.0


@dataclass(slots=True)
class Trace:
    """One run: its spans in the order in which they began, and what is said of it as a whole."""

    name: str
    spans: list[Span] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)

    def of_kind(self, kind: SpanKind) -> list[Span]:
        """The spans of one kind, in order."""
        return [span for span in self.spans if span.kind == kind]


_trace: ContextVar[Trace | None] = ContextVar("dryfire_trace", default=None)
_span: ContextVar[Span | None] = ContextVar("dryfire_span", default=None)


def current_trace() -> Trace | None:
    """The trace of the run that this code is in; None outside of one."""
    return _trace.get()


def current_span() -> Span | None:
    """The innermost span that this code is in; None outside of one."""
    return _span.get()


@contextmanager
def run(name: str) -> Iterator[Trace]:
    """A run: ``with run("support") as trace:``. Spans inside attach to its trace, those of tasks begun in it too."""
    trace = Trace(name)
    tokens = _trace.set(trace), _span.set(None)
    try:
        yield trace
    finally:
        _trace.reset(tokens[0])
        _span.reset(tokens[1])


@contextmanager
def span(name: str, kind: SpanKind = "span", request: Any = None) -> Iterator[Span]:
    """A span of the current run; outside of one it is kept nowhere."""
    trace, outer = _trace.get(), _span.get()
    found = Span(kind, name, len(trace.spans) if trace else 0, outer.index if outer else None, request)
    if trace is not None:
        trace.spans.append(found)
    token = _span.set(found)
    began = time.perf_counter()
    try:
        yield found
    except BaseException as error:
        found.error = error
        raise
    finally:
        found.duration_ms = (time.perf_counter() - began) * 1000
        _span.reset(token)


@overload
def wrap_llm(client: LLMClient) -> LLMClient: ...
@overload
def wrap_llm(client: AsyncLLMClient) -> AsyncLLMClient: ...
def wrap_llm(client: Any) -> Any:
    """A client that does what ``client`` does and leaves a span of every call."""
    return _AsyncTraced(client) if inspect.iscoroutinefunction(client.complete) else _Traced(client)


def wrap_tool(tool: Tool) -> Tool:
    """A function that does what ``tool`` does, with its name and signature, and leaves a span of every call."""
    name = getattr(tool, "__name__", type(tool).__name__)

    def around(args: Any, kwargs: Any) -> Any:
        return span(name, "tool", _copy(lambda: bound_arguments(tool, args, kwargs)))

    if inspect.iscoroutinefunction(tool):

        @functools.wraps(tool)
        async def traced_async(*args: Any, **kwargs: Any) -> Any:
            with around(args, kwargs) as found:
                result = await tool(*args, **kwargs)
                found.response = _copy(lambda: result)
                return result

        return cast("Tool", traced_async)

    @functools.wraps(tool)
    def traced(*args: Any, **kwargs: Any) -> Any:
        with around(args, kwargs) as found:
            result = tool(*args, **kwargs)
            found.response = _copy(lambda: result)
            return result

    return cast("Tool", traced)


class _Traced:
    def __init__(self, client: LLMClient) -> None:
        self._client = client

    def complete(self, request: LLMRequest) -> LLMResponse:
        with span(getattr(request, "model", ""), "llm", request) as found:
            found.response = response = self._client.complete(request)
            return response


class _AsyncTraced:
    def __init__(self, client: AsyncLLMClient) -> None:
        self._client = client

    async def complete(self, request: LLMRequest) -> LLMResponse:
        with span(getattr(request, "model", ""), "llm", request) as found:
            found.response = response = await self._client.complete(request)
            return response


def _copy(value: Callable[[], Any]) -> Any:
    """The value as it is now; the thing itself where it cannot be copied, None where there is none to be had."""
    try:
        found = value()
    except Exception:
        return None
    try:
        return deepcopy(found)
    except Exception:
        return found
