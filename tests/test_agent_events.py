"""What is told of a run: its events in order, its id, and what hooks rewrote."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from dryfire_action.agent import PROMPT_VERSION, AgentRunner, Run
from dryfire_action.ambient import FakeClock, SequentialIds
from dryfire_action.errors import ProviderError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import (
    Hook,
    Request,
    Response,
    ToolCall,
)
from dryfire_action.retry import RetryPolicy
from tests.made_agents import BUSY, START, Provider, Rewriting, calling, done, run

if TYPE_CHECKING:
    from dryfire_action.agent import RequestHook


def told(found: Run) -> list[str]:
    return [f"{event.kind} {event.name}" for event in found.events]


# ---- what is told


def test_a_plain_run_tells_its_events_in_order() -> None:
    found, _ = run(calling("a", "b", text="look"), done())
    assert told(found) == [
        f"prompt_assembled {PROMPT_VERSION}",
        "model_call small-1",
        "model_response openai",
        "tool_call a",
        "tool_call b",
        "tool_result a",
        "tool_result b",
        f"prompt_assembled {PROMPT_VERSION}",
        "model_call small-1",
        "model_response openai",
        "terminated end_turn",
    ]
    assert [event.detail for event in found.events] == [
        *("1 messages, 0 tools", "", "look", '{"id": 1}', '{"id": 1}', "a says ok", "b says ok"),
        *("3 messages, 0 tools", "", "done", ""),
    ]


def test_malformed_arguments_are_told_as_they_came() -> None:
    found, _ = run(Response(tool_calls=(ToolCall("x", "a", {}, '{"id":'),), stop_reason="tool_use"), done())
    assert [event.detail for event in found.events if event.kind == "tool_call"] == ['{"id":']


def test_a_failed_attempt_is_told_with_its_class_and_the_wait_to_two_decimals() -> None:
    failure = ProviderError("busy", kind="Overloaded", status=503, retry_after=1.5)
    found, _ = run(failure, failure, retry=RetryPolicy(max_retries=1))
    assert told(found)[1:] == [
        *("model_call small-1", "attempt_failed small-1", "model_call small-1", "attempt_failed small-1"),
        "terminated provider_error",
    ]
    assert [event.detail for event in found.events[1:]] == [
        *("", "attempt 0: Overloaded: busy; tried again after 1.50 s"),
        *("", "attempt 1: Overloaded: busy; not tried again"),
        "Overloaded: busy",
    ]


def test_events_carry_the_time_of_the_runs_clock() -> None:
    found, _ = run(ProviderError("x", status=429, retry_after=2.0), done(), clock=FakeClock(100.0))
    assert [event.at for event in found.events] == [100.0, 100.0, 100.0, 102.0, 102.0, 102.0]


def test_jitter_comes_from_the_seed_that_was_handed_in() -> None:
    def events(seed: int) -> list[str]:
        found, _ = run(BUSY, BUSY, done(), jitter=Random(seed))
        return [event.detail for event in found.events]

    assert events(1) == events(1)
    assert events(1) != events(2)


# ---- ids


def test_ids_come_from_the_factory_once_a_run() -> None:
    ids = SequentialIds()
    assert run(done(), ids=ids)[0].id == "run_1"
    assert run(ProviderError("no"), ids=ids)[0].id == "run_2"


def test_an_id_that_is_handed_in_wins_and_costs_none_of_the_factory() -> None:
    ids = SequentialIds()
    runner = AgentRunner(provider=Provider(done(), done()), ids=ids, clock=FakeClock())
    assert asyncio.run(runner.run(START, run_id="mine")).id == "mine"
    assert asyncio.run(runner.run(START)).id == "run_1"


def test_without_a_factory_a_run_has_an_id_of_its_own() -> None:
    runner = AgentRunner(provider=Provider(done(), done()), clock=FakeClock())
    first, second = (asyncio.run(runner.run(START)).id for _ in range(2))
    assert first
    assert first != second


def test_runs_at_the_same_time_are_numbered_by_their_beginning() -> None:
    ids, clock = SequentialIds(), FakeClock(auto_advance=False)

    async def both() -> list[str]:
        slow = AgentRunner(provider=Provider(BUSY, done()), ids=ids, clock=clock, jitter=Random(1))
        fast = AgentRunner(provider=Provider(done()), ids=ids, clock=clock)
        first = asyncio.create_task(slow.run(START))
        await clock.wait_for_sleep()
        second = await fast.run(START)
        clock.advance(60.0)
        return [(await first).id, second.id]

    assert asyncio.run(both()) == ["run_1", "run_2"]


# ---- hooks


def hooked(*hooks: RequestHook, outcomes: tuple[Response, ...] = (done(),)) -> tuple[Run, Provider]:
    return run(*outcomes, hooks=hooks)


def test_hooks_rewrite_in_order_and_are_part_of_the_request() -> None:
    found, provider = hooked(Rewriting("one", "1"), Rewriting("two", "2", "9"))
    sent = provider.requests[0]
    assert (sent.system, sent.hooks) == ("12", (Hook("one", "1"), Hook("two", "9")))
    assert told(found)[:3] == ["hook_rewrite one", "hook_rewrite two", f"prompt_assembled {PROMPT_VERSION}"]


def test_every_turn_is_rewritten_from_what_was_really_said() -> None:
    found, provider = hooked(Rewriting("one", "1"), outcomes=(calling("a"), done()))
    assert [request.system for request in provider.requests] == ["1", "1"]
    assert told(found).count("hook_rewrite one") == 2


def test_a_hook_that_rewrites_nothing_is_declared_and_tells_nothing() -> None:
    class Copying(Rewriting):
        def __call__(self, request: Request) -> Request:
            return replace(request, params=dict(request.params))

    found, provider = hooked(Rewriting("idle", ""), Copying("copy", ""))
    assert provider.requests[0].hooks == (Hook("idle", "1"), Hook("copy", "1"))
    kinds = [event.kind for event in found.events]
    assert kinds == ["prompt_assembled", "model_call", "model_response", "terminated"]


def test_a_rewrite_is_told_by_its_fields_and_never_by_its_text() -> None:
    found, _ = hooked(Rewriting("one", "my secret"))
    again, _ = hooked(Rewriting("one", "my secret"))
    other, _ = hooked(Rewriting("one", "another"))
    digest = fingerprint_of(replace(START, system="my secret")).fields["system"]
    assert found.events[0].detail == f"system added - {digest}"
    assert found.events == again.events
    assert found.events != other.events


def test_a_rewrite_that_has_no_fingerprint_ends_the_run() -> None:
    found, provider = hooked(Rewriting("one", "\ud83d"))
    assert (found.termination, provider.requests) == ("provider_error", [])
    assert told(found) == ["terminated provider_error"]
