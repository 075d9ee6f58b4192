"""Whatever an agent does, its replay is the same run: generated agents, recorded and replayed through both forms."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.errors import ProviderError
from dryfire_action.llm import AsyncMockLLM, LLMRequest, LLMResponse, MockLLM
from dryfire_action.messages import Message, Request, Response, ToolCall, ToolSpec, Usage
from dryfire_action.replay import (
    AgentRunner,
    Cassette,
    FakeClock,
    FakeToolRegistry,
    RecordingProvider,
    ReplayingProvider,
    RetryPolicy,
    Run,
    SequentialIds,
    assert_same_run,
)

SECRET = "ghp_" + "Q7z9" * 9
TEXTS = st.sampled_from(
    ["", "fine", "look", f"use {SECRET}", "zwei\u2028Zeilen\r\n", '{"token": "x"}', "héé", SECRET]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
TOOLS = st.sampled_from(["echo", "slow", "broken", "unknown"])
CALLS = st.lists(st.tuples(TOOLS, VALUES), min_size=1, max_size=4)
ANSWERS = st.builds(
    lambda text, calls, tokens: Response(
        text,
        tuple(ToolCall(f"id{number}", name, {"value": value}) for number, (name, value) in enumerate(calls)),
        "tool_use",
        usage=Usage(tokens, 1),
    ),
    TEXTS,
    CALLS,
    st.integers(0, 50),
)
FAILURES = st.builds(
    lambda message, status, after: ProviderError(
        message, kind="Overloaded", status=status, retry_after=after
    ),
    TEXTS,
    st.sampled_from([400, 429, 503, None]),
    st.sampled_from([None, 0.0, 2.5]),
)
SCRIPTS = st.tuples(st.lists(ANSWERS | FAILURES, max_size=6), TEXTS).map(
    lambda found: [*found[0], Response(found[1])]
)


async def slow(value: Any) -> Any:
    """The first of several is ready last."""
    slow.waiting = getattr(slow, "waiting", 3) - 1  # type: ignore[attr-defined]
    for _ in range(max(slow.waiting, 0)):  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    return {"was": value}


def broken(value: Any) -> Any:
    raise ValueError(f"cannot take {value!r}"[:80])


def run_with(provider: Any, question: str) -> Run:
    slow.waiting = 3  # type: ignore[attr-defined]
    tools = FakeToolRegistry(
        {"echo": lambda value: value, "slow": slow, "broken": broken}, parallel_safe=["slow", "echo"]
    )
    runner = AgentRunner(
        provider=provider,
        tools=tools,
        clock=FakeClock(),
        ids=SequentialIds(),
        jitter=Random(7),
        retry=RetryPolicy(max_retries=2),
        max_turns=5,
    )
    offered = (ToolSpec("echo", {"type": "object"}), ToolSpec("slow", {"type": "object"}, "Takes its time."))
    return asyncio.run(runner.run(Request("anthropic", "m", (Message("user", question),), tools=offered)))


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@given(script=SCRIPTS, question=TEXTS)
@settings(max_examples=60)
def test_a_replay_of_a_recorded_run_is_the_same_run(suffix: str, script: list[Any], question: str) -> None:
    recorder = RecordingProvider(AsyncMockLLM(script), provider="anthropic", version="1")
    live = run_with(recorder, question)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"run{suffix}"
        recorder.cassette.save(path)
        if SECRET not in question:
            assert SECRET not in path.read_text(encoding="utf-8")
        cassette = Cassette.load(path)
    for _ in range(2):
        replay = ReplayingProvider(cassette, expect_provider="anthropic", expect_version="1")
        assert_same_run(live, run_with(replay, question))
        assert replay.left_over() == ()


def loop(llm: Any, tools: dict[str, Any], turns: int) -> list[Any]:
    """An agent in plain Python: asks, calls what it is told to, asks again; notes all it saw."""
    seen: list[Any] = []
    messages: list[Message] = [Message("user", "Begin.")]
    for _ in range(turns):
        try:
            answer: LLMResponse = llm.complete(LLMRequest(messages))
        except ProviderError as error:
            seen.append((error.kind, error.message, error.status, error.retry_after))
            continue
        seen.append((answer.content, answer.tool_calls, answer.usage))
        for call in answer.tool_calls:
            try:
                seen.append(tools[call.name](**call.arguments))
            except (KeyError, ValueError) as error:
                seen.append((type(error), str(error)))
            messages = [*messages, Message("assistant", answer.content), Message("user", repr(seen[-1]))]
    return seen


@given(script=SCRIPTS)
@settings(max_examples=60)
def test_a_replay_of_wrapped_calls_goes_the_same_way(script: list[Any]) -> None:
    def wrapped(cassette: Cassette, client: Any) -> list[Any]:
        tools = {"echo": cassette.wrap_tool(lambda value: value, name="echo")}
        tools["broken"] = cassette.wrap_tool(broken)
        return loop(cassette.wrap_llm(client), tools, len(script))

    cassette = Cassette()
    live = wrapped(cassette, MockLLM(script))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.jsonl"
        cassette.save(path)
        assert SECRET not in path.read_text(encoding="utf-8")
        with Cassette.load(path) as replay:
            assert wrapped(replay, None) == live
        assert replay.divergences == ()
