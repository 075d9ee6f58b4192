"""Tools for tests: plain functions by name, which answer an agent's calls and keep what they were asked."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import DryfireError
from dryfire_action.messages import ToolResult, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from dryfire_action.messages import JsonObject, JsonValue, ToolCall


class ToolExecutionError(DryfireError):
    """A registry was asked for a tool that it does not hold."""

    slug = "tool-execution"


class FakeToolRegistry:
    """Functions by name, plain or async; hand it to ``AgentRunner(tools=)``.

    ``declarations`` say how tools are offered to the model, ``parallel_safe`` names those whose neighbouring calls may
    run together. ``calls`` lists every call as ``(name, arguments)``.
    """

    def __init__(
        self,
        tools: Mapping[str, Callable[..., Any]] | None = None,
        declarations: Iterable[ToolSpec] = (),
        *,
        parallel_safe: Collection[str] = (),
    ) -> None:
        self._tools = dict(tools or {})
        self._declared = {tool.name: tool for tool in declarations}
        self._parallel_safe = frozenset(parallel_safe)
        self.calls: list[tuple[str, JsonObject]] = []

    def declarations(self) -> tuple[ToolSpec, ...]:
        """The tools as they are offered, in the order they were given; without a declaration with an empty schema."""
        return tuple(self._declared.get(name, ToolSpec(name, {})) for name in self._tools)

    def parallel_safe(self, name: str) -> bool:
        """Whether neighbouring calls of this tool may run together."""
        return name in self._parallel_safe

    async def invoke(self, name: str, arguments: JsonObject) -> JsonValue:
        """What the function ``name`` returns. Raises ``ToolExecutionError`` where there is none, and what it raises."""
        self.calls.append((name, arguments))
        if name not in self._tools:
            raise ToolExecutionError(f"no tool is called {name!r}")
        result = self._tools[name](**arguments)
        return await result if inspect.isawaitable(result) else result

    async def answer(self, call: ToolCall) -> ToolResult:
        """The result of ``call``; an exception becomes an error that the model is told."""
        try:
            return ToolResult(call.id, await self.invoke(call.name, dict(call.arguments)))
        except Exception as error:
            return ToolResult(call.id, f"{type(error).__name__}: {error}", is_error=True)
