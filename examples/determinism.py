"""Two runs of one agent that are the same run: recorded once, replayed offline. No key, no network.

python examples/determinism.py
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

from dryfire_action import Provider, ProviderError
from dryfire_action.llm import AsyncMockLLM, LLMRequest, LLMResponse, ToolCall, ToolSpec
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

BOARD = ToolSpec("departures", {"type": "object", "properties": {"station": {"type": "string"}}})
START = LLMRequest(
    "When does the next train leave Ulm?", provider="anthropic", model="small-1", tools=[BOARD]
)


def live_provider() -> Provider:
    """Stands for a real one: it is busy first, then asks for a tool, then answers."""
    call = ToolCall("toolu_1", "departures", {"station": "Ulm"})
    busy = ProviderError("overloaded", kind="Overloaded", status=503)
    return AsyncMockLLM([busy, LLMResponse(tool_calls=[call]), "At 12:04."], name="anthropic")


def run_agent(provider: Provider, start: LLMRequest = START) -> Run:
    """One run in which nothing is left to the machine: time, ids, jitter and tools are handed in."""
    runner = AgentRunner(
        provider=provider,
        tools=FakeToolRegistry({"departures": lambda station: [f"{station} 12:04"]}, [BOARD]),
        clock=FakeClock(),
        ids=SequentialIds(),
        jitter=Random(1),
        retry=RetryPolicy(max_retries=2),
    )
    return asyncio.run(runner.run(start))


def main() -> int:
    """Record, replay, compare; then ask something else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trains.json"
        recorder = RecordingProvider(live_provider(), version="0.42.0")
        recorded = run_agent(recorder)
        recorder.cassette.save(path)
        print(f"recorded: {recorded.final_text}")

        replay = ReplayingProvider(Cassette.load(path), expect_provider="anthropic", expect_version="0.42.0")
        replayed = run_agent(replay)
        assert_same_run(recorded, replayed)
        failed = sum(event.kind == "attempt_failed" for event in replayed.events)
        print(f"replayed: {replayed.final_text} ({failed} failed attempt, {len(replayed.calls)} tool call)")

        changed = replace(START, messages=LLMRequest("When does the last train leave Ulm?").messages)
        refused = run_agent(ReplayingProvider(Cassette.load(path)), changed)
        print(f"asked something else: {refused.termination}")
        print(f"  {refused.error}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
