"""Fake tools, and how an agent's loop treats those that may run together."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dryfire_action.fake_tools import FakeToolRegistry, ToolExecutionError
from dryfire_action.messages import ToolCall, ToolSpec
from tests.made_agents import calling, done, run


async def late(id: int) -> str:
    order.append("late begins")
    await asyncio.sleep(0.01)
    order.append("late ends")
    return "late"


def soon(id: int) -> str:
    order.append("soon")
    return "soon"


order: list[str] = []


@pytest.mark.parametrize(
    ("safe", "names", "happened"),
    [
        (("late", "soon"), ("late", "soon"), ["late begins", "soon", "late ends"]),
        ((), ("late", "soon"), ["late begins", "late ends", "soon"]),
        (("late",), ("late", "soon"), ["late begins", "late ends", "soon"]),
        (("late", "soon"), ("soon", "late"), ["soon", "late begins", "late ends"]),
    ],
)
def test_neighbours_that_are_safe_run_together_and_merge_in_call_order(
    safe: tuple[str, ...], names: tuple[str, ...], happened: list[str]
) -> None:
    order.clear()
    tools: Any = FakeToolRegistry({"late": late, "soon": soon}, parallel_safe=safe)
    found, _ = run(calling(*names), done(), tools=tools)
    assert order == happened
    assert [result.content for result in found.turns[0].results] == list(names)
    assert [event.name for event in found.events if event.kind == "tool_result"] == list(names)


def test_calls_are_kept_and_declarations_are_in_order() -> None:
    spec = ToolSpec("soon", {"type": "object"}, "At once.")
    tools = FakeToolRegistry({"late": late, "soon": soon}, [spec])
    assert asyncio.run(tools.invoke("soon", {"id": 1})) == "soon"
    assert tools.calls == [("soon", {"id": 1})]
    assert tools.declarations() == (ToolSpec("late", {}), spec)


def test_an_unknown_tool_is_an_error_and_the_model_is_told() -> None:
    tools = FakeToolRegistry()
    with pytest.raises(ToolExecutionError, match="no tool is called 'soon'"):
        asyncio.run(tools.invoke("soon", {}))
    result = asyncio.run(tools.answer(ToolCall("c", "soon")))
    assert (result.is_error, result.call_id) == (True, "c")


def test_a_tool_that_fails_is_told_to_the_model() -> None:
    def fails() -> None:
        raise ValueError("no such order")

    result = asyncio.run(FakeToolRegistry({"f": fails}).answer(ToolCall("c", "f")))
    assert (result.content, result.is_error) == ("ValueError: no such order", True)
