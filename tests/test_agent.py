"""The loop: what is asked, who answers, and how it ends."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dryfire_action.agent import UNFINISHED, AgentRunner
from dryfire_action.ambient import FakeClock, SequentialIds
from dryfire_action.cassette import Cassette, Header
from dryfire_action.errors import ProviderError, ProviderUnavailable, RecordingError
from dryfire_action.fingerprint import Fingerprinter
from dryfire_action.messages import (
    Message,
    Request,
    Response,
    ScriptStep,
    StopReason,
    ToolCall,
    ToolResult,
    Usage,
    answer_message,
)
from dryfire_action.playback import ReplayingProvider
from dryfire_action.retry import RetryPolicy
from tests.made_agents import BUSY, START, Provider, Slow, Tools, calling, done, run

if TYPE_CHECKING:
    pass

# ---- the conversation


def test_a_text_ends_the_run() -> None:
    found, provider = run(done("Paris"))
    assert (found.termination, found.error, found.final_text) == ("end_turn", "", "Paris")
    assert provider.requests == [START]
    assert [turn.index for turn in found.turns] == [0]


def test_the_answer_and_the_results_of_its_calls_are_what_is_sent_next() -> None:
    first = Response(
        "Let me see.", (ToolCall("x", "lookup", {"id": 1}),), "tool_use", reasoning=({"s": 1},), raw={"r": 1}
    )
    found, provider = run(first, done())
    assert provider.requests[1].messages == (
        *START.messages,
        answer_message(first),
        Message("tool", tool_results=(ToolResult("x", "lookup says ok"),)),
    )
    assert provider.requests[1].messages[1].raw == {"r": 1}
    assert found.messages == provider.requests[1].messages
    assert [turn.results for turn in found.turns] == [(ToolResult("x", "lookup says ok"),), ()]


def test_only_the_messages_differ_from_turn_to_turn() -> None:
    request = replace(START, system="s", params={"seed": 1}, script=ScriptStep(0, None))
    _, provider = run(calling("a"), done(), request=request)
    assert replace(provider.requests[1], messages=START.messages) == request


def test_report_29_calls_of_one_turn_are_answered_in_their_order_whatever_is_ready_first() -> None:
    tools = Slow()
    found, provider = run(calling("a", "b", "c"), done(), tools=tools)
    assert [result.call_id for result in provider.requests[1].messages[2].tool_results] == ["a", "b", "c"]
    assert tools.answered == ["a", "b", "c"]
    assert [call.name for call in found.calls] == ["a", "b", "c"]


def test_tokens_of_all_turns_are_added_up() -> None:
    found, _ = run(calling("a"), calling("b"), done())
    assert found.usage == Usage(25, 5, 3, 0)
    assert found.usage.total == 30


def test_a_turn_that_calls_nothing_although_it_says_so_goes_on() -> None:
    found, provider = run(calling(text="hm"), done())
    assert found.termination == "end_turn"
    assert provider.requests[1].messages[1:] == (Message("assistant", "hm"), Message("tool"))


# ---- how it ends

STOPS: dict[StopReason, str] = {
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "error": "provider_error",
}


@pytest.mark.parametrize(("reason", "termination"), STOPS.items())
def test_every_stop_reason_has_its_termination(reason: StopReason, termination: str) -> None:
    found, _ = run(done("so far", reason))
    assert found.termination == termination
    assert found.final_text == "so far"
    assert bool(found.error) is (termination == "provider_error")


def test_a_stop_reason_that_nobody_knows_is_the_providers_error() -> None:
    found, _ = run(done("x", "odd"))  # type: ignore[arg-type]
    assert found.termination == "provider_error"
    assert "'odd'" in found.error


def test_calls_of_an_answer_that_was_cut_off_are_kept_but_not_made() -> None:
    tools = Tools()
    found, _ = run(replace(calling("a"), stop_reason="max_tokens"), tools=tools)
    assert (found.termination, tools.answered) == ("max_tokens", [])
    assert [call.name for call in found.calls] == ["a"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_max_turns_bounds_the_number_of_answers(limit: int) -> None:
    found, provider = run(*[calling("a")] * 5, max_turns=limit)
    assert found.termination == "max_turns_exceeded"
    assert len(provider.requests) == len(found.turns) == limit
    assert str(limit) in found.error
    assert len(found.turns[-1].results) == 1, "the calls of the last turn are still answered"


@pytest.mark.parametrize("limit", [0, -1])
def test_no_turns_at_all_ask_nobody(limit: int) -> None:
    found, provider = run(max_turns=limit)
    assert (found.termination, found.turns, found.final_text) == ("max_turns_exceeded", (), None)
    assert provider.requests == []
    assert found.messages == START.messages


def test_an_answer_in_the_last_allowed_turn_counts() -> None:
    found, _ = run(calling("a"), done(), max_turns=2)
    assert found.termination == "end_turn"


def test_a_call_that_nothing_answers_ends_the_run_and_later_calls_are_not_made() -> None:
    tools = Tools("b")
    found, provider = run(calling("a", "b", "c"), tools=tools)
    assert (found.termination, found.error) == ("unmocked_tool", "nothing answers b")
    assert tools.answered == ["a"]
    assert [result.call_id for result in found.turns[0].results] == ["a"]
    assert [call.name for call in found.calls] == ["a", "b", "c"]
    assert len(provider.requests) == 1


def test_without_tools_every_call_ends_the_run() -> None:
    runner = AgentRunner(provider=Provider(calling("lookup")), clock=FakeClock())
    found = asyncio.run(runner.run(START))
    assert found.termination == "unmocked_tool"
    assert "'lookup'" in found.error


def test_the_unfinished_terminations_are_those_that_stop_a_model_half_way() -> None:
    assert {"max_tokens", "refusal", "max_turns_exceeded"} == UNFINISHED


# ---- failures are values


def test_a_failure_of_the_provider_is_a_value_after_all_attempts() -> None:
    found, provider = run(*[BUSY] * 9, retry=RetryPolicy(max_retries=2))
    assert (found.termination, found.error, found.turns) == ("provider_error", "busy", ())
    assert len(provider.requests) == 3


def test_a_failure_and_the_retry_that_recovered_are_one_turn() -> None:
    clock = FakeClock()
    found, provider = run(ProviderError("later", status=429, retry_after=7.5), done(), clock=clock)
    assert (found.termination, len(found.turns), found.turns[0].attempts) == ("end_turn", 1, 2)
    assert provider.requests[0] is provider.requests[1]
    assert clock.slept == [7.5]
    assert (found.started_at, found.ended_at) == (0.0, 7.5)


def test_a_wait_that_a_provider_asks_for_is_capped() -> None:
    clock = FakeClock()
    run(ProviderError("later", status=429, retry_after=9e9), done(), clock=clock)
    assert clock.slept == [RetryPolicy().max_wait]


def test_the_turns_before_a_failure_are_kept() -> None:
    found, _ = run(calling("a"), ProviderError("no", status=400))
    assert (found.termination, len(found.turns)) == ("provider_error", 1)
    assert found.final_text is None


def test_a_miss_is_a_value_and_is_not_tried_again() -> None:
    cassette = Cassette(Header("s", "c", "openai", "m"), ())
    replaying = ReplayingProvider(cassette)
    clock = FakeClock()
    runner = AgentRunner(provider=replaying, clock=clock, ids=SequentialIds())
    found = asyncio.run(runner.run(START))
    assert found.termination == "provider_error"
    assert "cassette is empty" in found.error
    assert len(replaying.tape.misses) == 1
    assert clock.slept == []
    kinds = [event.kind for event in found.events]
    assert kinds == ["prompt_assembled", "model_call", "attempt_failed", "terminated"]
    assert found.events[-1].detail.startswith("CassetteMissError: ")


def test_a_request_without_a_fingerprint_is_a_value() -> None:
    class Refusing(Provider):
        async def complete(self, request: Request) -> Response:
            Fingerprinter().fingerprint(request)
            return done()

    runner = AgentRunner(provider=Refusing(), clock=FakeClock())
    found = asyncio.run(runner.run(replace(START, system="\ud83d")))
    assert found.termination == "provider_error"
    assert found.error.startswith("system: ")


@pytest.mark.parametrize("error", [ProviderUnavailable("no key"), RecordingError("busy"), KeyError("bug")])
def test_what_keeps_a_run_from_being_made_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        run(error)
