"""What makes two runs the same, and what does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import dryfire_action
from dryfire_action.ambient import FakeClock
from dryfire_action.llm import LLMRequest, MockLLM
from dryfire_action.messages import Message, Response, Usage
from dryfire_action.run_comparison import assert_same_run, find_divergence
from tests.made_agents import calling, done, run

if TYPE_CHECKING:
    from dryfire_action.agent import Run
    from dryfire_action.tracing import Trace


def made(**changes: Any) -> Run:
    found, _ = run(calling("a", "b"), done("Fine."))
    return replace(found, **changes)


def with_answer(**changes: Any) -> Run:
    found = made()
    last = replace(found.turns[-1], response=replace(found.turns[-1].response, **changes))
    return replace(found, turns=(*found.turns[:-1], last))


def with_event(index: int, **changes: Any) -> Run:
    events = list(made().events)
    events[index] = events[index]._replace(**changes)
    return made(events=tuple(events))


def test_equal_runs_are_the_same() -> None:
    assert_same_run(made(), made())


def test_when_it_happened_does_not_count() -> None:
    later, _ = run(calling("a", "b"), done("Fine."), clock=FakeClock(500.0))
    assert later.events != made().events
    assert_same_run(made(), later)


def test_how_long_the_provider_took_does_not_count() -> None:
    assert_same_run(made(), with_answer(latency_ms=900, raw={"id": "x"}))


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (made(termination="refusal"), "state"),
        (made(id="other"), "id"),
        (made(error="broken"), "error"),
        (with_answer(text="Fine!"), "output"),
        (with_answer(usage=Usage(5, 2, 3)), "usage"),
        (with_answer(stop_reason="stop_sequence"), "turn 1: stop_reason"),
        (made(messages=(*made().messages[:-1], Message("tool"))), "message 2: tool_results"),
        (made(messages=made().messages[:-1]), "conversation: length"),
        (with_event(0, detail="more"), r"event 0 \(prompt_assembled\): detail"),
        (with_event(3, name="c"), r"event 3 \(tool_call\): name"),
        (made(turns=made().turns[:-1]), "output"),
    ],
)
def test_what_differs_is_named(other: Run, named: str) -> None:
    with pytest.raises(AssertionError, match=rf"^{named} differs: "):
        assert_same_run(made(), other)


@pytest.mark.parametrize(("one", "two"), [(1, 1.0), (1, True), ("\u00e9", "e\u0301"), (None, "")])
def test_values_that_python_takes_for_equal_are_told_apart(one: Any, two: Any) -> None:
    answers = [replace(calling("a"), tool_calls=(replace(calling("a").tool_calls[0], arguments={"x": each}),))
               for each in (one, two)]  # fmt: skip
    runs = [run(answer, done())[0] for answer in answers]
    with pytest.raises(AssertionError, match="tool call 0"):
        assert_same_run(*runs)


# ---- traces


def trace(*texts: str) -> Trace:
    with dryfire_action.run("r") as found:
        llm = dryfire_action.wrap_llm(MockLLM([Response(text) for text in texts]))
        for text in texts:
            llm.complete(LLMRequest(text))
    return found


@pytest.mark.parametrize(
    ("old", "new", "reason", "index"),
    [
        (("a", "b"), ("a", "c"), "request", 1),
        (("a",), ("a", "b"), "extra", 1),
        (("a", "b"), ("a",), "missing", 1),
    ],
)
def test_the_first_divergence_of_two_traces(
    old: tuple[str, ...], new: tuple[str, ...], reason: str, index: int
) -> None:
    found = find_divergence(trace(*old), trace(*new))
    assert found is not None
    assert (found.reason, found.index, found.mode) == (reason, index, "")


def test_traces_of_equal_requests_agree_whatever_was_answered() -> None:
    with dryfire_action.run("r") as other:
        dryfire_action.wrap_llm(MockLLM(["something else"])).complete(LLMRequest("a"))
    assert find_divergence(trace("a"), other) is None
