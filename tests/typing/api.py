"""What type checkers see of the public names. mypy reads this file in ``make lint``; nothing runs it."""

from __future__ import annotations

from typing import Any, assert_type

import dryfire_action
from dryfire_action.llm import AsyncLLMClient, AsyncMockLLM, LLMClient, LLMRequest, LLMResponse, MockLLM
from dryfire_action.replay import (
    AgentRunner,
    Cassette,
    CassetteMissError,
    FakeClock,
    FakeToolRegistry,
    FieldChange,
    RecordingProvider,
    ReplayDivergence,
    ReplayingProvider,
    ReplayStopped,
    Run,
    RunFingerprint,
    SequentialIds,
    assert_same_run,
    find_divergence,
    fingerprint_of,
)


def lookup(order_id: str, *, deep: bool = False) -> dict[str, str]:
    return {order_id: str(deep)}


async def fetch(order_id: str) -> int:
    return len(order_id)


cassette = Cassette()
assert_type(Cassette.load("a.jsonl", mode="strict"), Cassette)
assert_type(cassette.wrap_llm(MockLLM(["a"])), LLMClient)
assert_type(cassette.wrap_llm(), LLMClient)
assert_type(cassette.wrap_llm(AsyncMockLLM(["a"])), AsyncLLMClient)
assert_type(dryfire_action.wrap_llm(cassette.wrap_llm()), LLMClient)
assert_type(dryfire_action.wrap_llm(AsyncMockLLM([])), AsyncLLMClient)
assert_type(cassette.wrap_llm().complete(LLMRequest("hi")), LLMResponse)
assert_type(cassette.wrap_llm().complete(LLMRequest(messages="hi")).content, str | None)
assert_type(cassette.wrap_tool(lookup)("1", deep=True), dict[str, str])
assert_type(dryfire_action.wrap_tool(cassette.wrap_tool(lookup))("1"), dict[str, str])
assert_type(cassette.first_divergence, ReplayDivergence | None)
assert_type(cassette.http_transport(), Any)
assert_type(ReplayStopped(ValueError()).error, Exception)
Cassette(ignore=[{"path": "system", "pattern": "a"}])
cassette.wrap_tool(lookup)(1)  # type: ignore[arg-type]
Cassette(mode="loose")  # type: ignore[arg-type]


async def awaited() -> None:
    assert_type(await cassette.wrap_tool(fetch)("1"), int)
    assert_type(await cassette.wrap_llm(AsyncMockLLM([])).complete(LLMRequest("hi")), LLMResponse)
    recorder = RecordingProvider(AsyncMockLLM(["a"]), provider="anthropic", version="0.42.0")
    runner = AgentRunner(provider=recorder, ids=SequentialIds(), clock=FakeClock(), tools=FakeToolRegistry())
    run = await runner.run(LLMRequest("hi"))
    assert_type(run, Run)
    assert_type(recorder.cassette, Cassette)
    replay = ReplayingProvider(recorder.cassette, expect_provider="anthropic", expect_version="0.42.0")
    assert_same_run(run, await AgentRunner(provider=replay).run(LLMRequest("hi")))


def traced() -> None:
    with dryfire_action.run("a") as trace:
        assert_type(trace, dryfire_action.Trace)
    assert_type(find_divergence(trace, trace, kind="tool"), ReplayDivergence | None)
    assert_type(Cassette.from_trace(trace), Cassette)


def told(error: CassetteMissError) -> None:
    assert_type(error.divergence, ReplayDivergence | None)
    first = fingerprint_of(LLMRequest("a"))
    assert_type(first, RunFingerprint)
    assert_type(first.diff(first), tuple[str, ...])
    assert_type(first.changes(first), tuple[FieldChange, ...])
