"""Runs of an agent as values, for tests of what judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.agent import Run, Turn
from dryfire_action.messages import Response, ToolCall, ToolResult, Usage

if TYPE_CHECKING:
    from dryfire_action.agent import Termination


def call(name: str, arguments: object = None, *, id: str = "c") -> ToolCall:
    """A call; ``arguments`` that are text are malformed ones."""
    if isinstance(arguments, str):
        return ToolCall(id, name, {}, arguments)
    return ToolCall(id, name, dict(arguments or {}))  # type: ignore[call-overload]


def turn(*calls: ToolCall, results: tuple[object, ...] | None = None, latency_ms: int = 0) -> Turn:
    """A turn that made ``calls``; every result is a content or a whole ``ToolResult``."""
    answers = tuple(
        result if isinstance(result, ToolResult) else ToolResult("c", result)
        for result in (results if results is not None else ("ok",) * len(calls))
    )
    return Turn(0, 1, Response(tool_calls=calls, stop_reason="tool_use", latency_ms=latency_ms), answers)


def last(text: str | None, *, usage: Usage | None = None, latency_ms: int = 0) -> Turn:
    """A turn that ends a run with ``text``."""
    return Turn(0, 1, Response(text=text, usage=usage or Usage(), latency_ms=latency_ms))


def run_of(*turns: Turn, termination: Termination = "end_turn", error: str = "") -> Run:
    """A run of these turns."""
    return Run("run_1", termination, turns, (), (), error)


def run_calling(*names: str, termination: Termination = "end_turn") -> Run:
    """A run that makes one call a turn, and then ends with a text."""
    return run_of(*(turn(call(name)) for name in names), last("done"), termination=termination)
