"""The scripted provider answers with the step that a request carries, and the stamp counts the steps."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.agent import AgentRunner, Run
from dryfire_action.ambient import FakeClock, SequentialIds
from dryfire_action.errors import Place, ProviderError
from dryfire_action.messages import Message, Request, Response, ScriptStep, ToolCall, Usage
from dryfire_action.mocks import MockedTools
from dryfire_action.providers.scripted import ScriptedProvider, ScriptStamp
from dryfire_action.retry import RetryPolicy
from dryfire_action.suite import MockRule, Return

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_STEP = "the script has no step {}: it takes one for each call of the model, of all runs"
HELLO = Request("fake", "m-1", (Message("user", "hello"),))
LOOK: dict[str, Any] = {"name": "look", "arguments": {"id": 1}}


def answered(step: dict[str, Any] | None, index: int = 0, messages: tuple[Message, ...] = ()) -> Response:
    request = Request("fake", "m-1", messages or HELLO.messages, script=ScriptStep(index, step))
    return asyncio.run(ScriptedProvider().complete(request))


def runs(steps: Sequence[dict[str, Any]], *, times: int = 1, max_retries: int = 0) -> list[Run]:
    """Run an agent ``times`` times in a row, all runs from one script."""
    mocks = {"look": (MockRule(Return("seen"), None, Place("s.eval.yaml")),)}

    async def one_after_the_other() -> list[Run]:
        provider = ScriptStamp(ScriptedProvider(), steps)
        agents = [
            AgentRunner(
                provider=provider,
                tools=MockedTools(mocks),
                clock=FakeClock(),
                ids=SequentialIds(),
                jitter=lambda: Random(1),
                retry=RetryPolicy(max_retries),
            )
            for _ in range(times)
        ]
        return [await agent.run(HELLO) for agent in agents]

    return asyncio.run(one_after_the_other())


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        pytest.param({"text": "hi"}, Response(text="hi", raw={}), id="1.7 text"),
        pytest.param({"text": None}, Response(text="", raw={}), id="1.7 null is the empty text"),
        pytest.param(
            {"parallel": [LOOK]},
            Response(
                tool_calls=(ToolCall("fake_call_0", "look", {"id": 1}),), stop_reason="tool_use", raw={}
            ),
            id="1.7 one call",
        ),
        pytest.param(
            {"parallel": [LOOK, {"name": "peek"}]},
            Response(
                tool_calls=(
                    ToolCall("fake_call_0", "look", {"id": 1}),
                    ToolCall("fake_call_1", "peek", {}),
                ),
                stop_reason="tool_use",
                raw={},
            ),
            id="1.7 parallel calls, arguments left out",
        ),
    ],
)
def test_1_7_a_step_is_an_answer_without_usage_and_latency(step: dict[str, Any], expected: Response) -> None:
    response = answered(step)
    assert response == expected
    assert (response.usage, response.latency_ms) == (Usage(), 0)


@pytest.mark.parametrize(
    ("fails", "status", "retry_after", "retryable"),
    [
        pytest.param({"message": "boom"}, None, None, False, id="1.7 fails"),
        pytest.param({"message": "boom", "status": 400}, 400, None, False, id="1.7 fails with a status"),
        pytest.param({"message": "boom", "status": 503, "retry_after": 2}, 503, 2, True, id="1.7 fails once"),
    ],
)
def test_1_7_a_step_that_fails_is_a_provider_error(
    fails: dict[str, Any], status: int | None, retry_after: float | None, retryable: bool
) -> None:
    with pytest.raises(ProviderError, match="boom") as caught:
        answered({"fails": fails})
    error = caught.value
    assert (error.status, error.retry_after, error.retryable) == (status, retry_after, retryable)


def test_1_7_a_script_that_is_over_is_a_provider_error_that_no_retry_helps() -> None:
    with pytest.raises(ProviderError, match=r"^the script has no step 3: ") as caught:
        answered(None, index=2)
    assert not caught.value.retryable


def test_a_request_without_a_step_is_a_provider_error() -> None:
    with pytest.raises(ProviderError, match="carries no step"):
        asyncio.run(ScriptedProvider().complete(HELLO))


def test_1_7_ids_go_on_through_the_conversation_and_avoid_those_in_use() -> None:
    messages = (
        *HELLO.messages,
        Message("assistant", tool_calls=(ToolCall("call_0", "look"), ToolCall("fake_call_3", "look"))),
    )
    response = answered({"parallel": [LOOK, LOOK]}, messages=messages)
    assert [call.id for call in response.tool_calls] == ["fake_call_2", "fake_call_4"]


def test_1_7_a_script_plays_step_by_step() -> None:
    (run,) = runs([{"parallel": [LOOK]}, {"parallel": [LOOK, LOOK]}, {"text": "done"}, {"text": "left over"}])
    assert run.termination == "end_turn"
    assert run.final_text == "done"
    assert [call.id for call in run.calls] == ["fake_call_0", "fake_call_1", "fake_call_2"]
    assert [len(turn.results) for turn in run.turns] == [1, 2, 0]


def test_1_7_too_few_steps_end_the_run() -> None:
    (run,) = runs([{"parallel": [LOOK]}], max_retries=3)
    assert (run.termination, run.error) == ("provider_error", NO_STEP.format(2))
    assert len(run.turns) == 1


def test_1_7_all_runs_of_a_case_share_one_script() -> None:
    first, second, third = runs([{"text": "one"}, {"text": "two"}], times=3)
    assert (first.final_text, second.final_text) == ("one", "two")
    assert (third.termination, third.error) == ("provider_error", NO_STEP.format(3))


def test_a_later_run_begins_where_the_one_before_it_ended() -> None:
    steps = [{"text": "one"}, {"text": "two"}]
    first = ScriptStamp(ScriptedProvider(), steps)
    asyncio.run(first.complete(HELLO))
    second = ScriptStamp(ScriptedProvider(), steps, start=first.count)
    assert asyncio.run(second.complete(HELLO)).text == "two"
    assert second.count == 2


def test_1_7_every_attempt_takes_a_step() -> None:
    steps = [{"fails": {"message": "busy", "status": 503}}, {"text": "done"}]
    (run,) = runs(steps, max_retries=1)
    assert (run.termination, run.final_text, run.turns[0].attempts) == ("end_turn", "done", 2)


def test_the_stamp_shows_what_is_inside_the_step_and_changes_nothing_else() -> None:
    seen: list[Request] = []

    class Inside:
        name = "inside"

        async def complete(self, request: Request) -> Response:
            seen.append(request)
            return Response(text="ok")

    stamp = ScriptStamp(Inside(), [{"text": "a"}])

    async def twice() -> None:
        await stamp.complete(HELLO)
        await stamp.complete(HELLO)

    asyncio.run(twice())
    assert stamp.name == "inside"
    assert [request.script for request in seen] == [ScriptStep(0, {"text": "a"}), ScriptStep(1, None)]
    assert all(request.messages == HELLO.messages for request in seen)
