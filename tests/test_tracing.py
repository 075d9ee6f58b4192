"""Spans: what is kept of a call, where it hangs, and that tracing keeps to itself."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from dryfire_action.llm import AsyncMockLLM, LLMRequest, MockLLM
from dryfire_action.tracing import current_span, current_trace, run, span, wrap_llm, wrap_tool


def double(number: int, times: int = 2) -> int:
    """Doubles."""
    return number * times


def test_spans_keep_what_was_asked_and_what_came_back() -> None:
    with run("r") as trace:
        wrap_llm(MockLLM(["hi"])).complete(LLMRequest("hello", model="m"))
        assert wrap_tool(double)(3) == 6
    llm, tool = trace.spans
    assert (llm.kind, llm.name, llm.request, llm.response.content) == (
        "llm",
        "m",
        LLMRequest("hello", model="m"),
        "hi",
    )
    assert (tool.kind, tool.name, tool.request, tool.response) == (
        "tool",
        "double",
        {"number": 3, "times": 2},
        6,
    )
    assert tool.duration_ms >= 0


def test_a_wrapped_function_keeps_its_name_and_signature() -> None:
    assert wrap_tool(double).__name__ == "double"
    assert inspect.signature(wrap_tool(double)) == inspect.signature(double)


def test_spans_hang_in_the_span_that_is_open() -> None:
    with run("r") as trace, span("plan"):
        wrap_tool(double)(1)
    assert [(each.name, each.parent) for each in trace.spans] == [("plan", None), ("double", 0)]
    assert [each.name for each in trace.of_kind("tool")] == ["double"]


def test_an_exception_is_kept_and_goes_on() -> None:
    with run("r") as trace, pytest.raises(TypeError):
        wrap_tool(double)(None)  # type: ignore[arg-type]
    assert isinstance(trace.spans[0].error, TypeError)


def test_arguments_are_kept_as_they_were() -> None:
    def empty(items: list[int]) -> None:
        items.clear()

    with run("r") as trace:
        wrap_tool(empty)([1, 2])
    assert trace.spans[0].request == {"items": [1, 2]}


def test_wrong_arguments_fail_as_without_tracing() -> None:
    with run("r"), pytest.raises(TypeError, match="unexpected keyword"):
        wrap_tool(double)(1, no=2)  # type: ignore[call-arg]


def test_outside_of_a_run_nothing_is_kept() -> None:
    assert wrap_tool(double)(2) == 4
    assert current_trace() is None
    assert current_span() is None


def test_tasks_attach_to_the_run_they_were_begun_in() -> None:
    async def fetch(number: int) -> int:
        await asyncio.sleep(0)
        return number

    async def one(name: str) -> list[str]:
        with run(name) as trace:
            await asyncio.gather(*(wrap_tool(fetch)(number) for number in range(3)))
            await wrap_llm(AsyncMockLLM(["x"])).complete(LLMRequest(name))
        return [each.name or each.request.messages[0].content for each in trace.spans]

    async def both() -> list[list[str]]:
        return list(await asyncio.gather(one("a"), one("b")))

    assert asyncio.run(both()) == [["fetch"] * 3 + ["a"], ["fetch"] * 3 + ["b"]]
