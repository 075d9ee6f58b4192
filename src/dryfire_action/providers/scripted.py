"""The provider that answers from a suite's own ``script``: no key, no network, no cost.

The step that answers a request travels in the request, where it is fingerprinted: so a recording of a
scripted case goes stale when its script changes. ``ScriptStamp`` puts it there, ``ScriptedProvider`` answers
with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.errors import ProviderError
from dryfire_action.messages import Response, ScriptStep, ToolCall, with_messages
from dryfire_action.suite import SCRIPTED_PROVIDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dryfire_action.messages import JsonObject, Provider, Request


class ScriptedProvider:
    """Answers every request with the step in its ``script``; one serves any number of cases.

    Calls are named ``fake_call_0``, ``fake_call_1``, ... through the conversation.
    """

    name = SCRIPTED_PROVIDER

    async def complete(self, request: Request) -> Response:
        """The step as an answer; usage and latency are 0.

        Raises ``ProviderError`` for a step that fails and, never worth a retry, where the script is over.
        """
        if request.script is None:
            raise ProviderError(
                "the request carries no step of a script", kind="ScriptError", retryable=False
            )
        step = request.script.step
        if step is None:
            number = request.script.index + 1
            raise ProviderError(
                f"the script has no step {number}: it takes one for each call of the model, of all runs",
                kind="ScriptExhausted",
                retryable=False,
            )
        if "fails" in step:
            raise _failure(step["fails"])
        if "parallel" in step:
            ids = _free_ids(request)
            calls = tuple(
                ToolCall(next(ids), call["name"], call.get("arguments") or {}) for call in step["parallel"]
            )
            return Response(tool_calls=calls, stop_reason="tool_use", raw={})
        return Response(text=step["text"] or "", raw={})


class ScriptStamp:
    """Puts the n-th step of ``steps`` into the n-th request and hands it on to ``inner``.

    A script holds the steps of all runs of a case, one after the other: ``start`` is where this run's begin,
    and ``count`` where the next one's do. It belongs outside of what records and replays, which must see the
    step. Every attempt is a model call and takes a step.
    """

    def __init__(self, inner: Provider, steps: Sequence[JsonObject], *, start: int = 0) -> None:
        self._inner = inner
        self._steps = tuple(steps)
        self.count = start

    @property
    def name(self) -> str:
        """The name of the provider inside."""
        return self._inner.name

    async def complete(self, request: Request) -> Response:
        """The answer of the provider inside, and whatever it raises."""
        index = self.count
        self.count += 1
        step = self._steps[index] if index < len(self._steps) else None
        return await self._inner.complete(with_messages(request, request.messages, ScriptStep(index, step)))


def _failure(fails: JsonObject) -> ProviderError:
    return ProviderError(
        fails["message"],
        kind="ScriptedFailure",
        status=fails.get("status"),
        retry_after=fails.get("retry_after"),
    )


def _free_ids(request: Request) -> Iterator[str]:
    """Ids that no call of the conversation has, numbered on from its calls."""
    used = {call.id for message in request.messages for call in message.tool_calls}
    number = sum(len(message.tool_calls) for message in request.messages)
    while True:
        if (call_id := f"fake_call_{number}") not in used:
            yield call_id
        number += 1
