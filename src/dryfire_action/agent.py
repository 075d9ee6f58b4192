"""The agent's loop: ask the model, answer its tool calls, ask again, until it has finished.

Time, ids and jitter are handed in. Retries happen here, above the provider, so that a recorder underneath sees every
attempt. What a provider refuses, a replay misses or a request cannot hold ends the run and is told by its termination;
only what keeps a run from being made at all is raised (no key, a busy recording, a fault in the code handed in).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from dryfire_action.ambient import SystemClock, random_id
from dryfire_action.canonical_json import compiled
from dryfire_action.errors import CassetteMissError, DryfireError, FingerprintError, ProviderError
from dryfire_action.field_changes import changes_between
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import Hook, Message, answer_message, total_usage, with_messages
from dryfire_action.quick_init import quick_init
from dryfire_action.retry import RetryPolicy, with_retries
from dryfire_action.together import gathered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from dryfire_action.ambient import Clock
    from dryfire_action.messages import JsonValue, Provider, Request, Response, ToolCall, ToolResult, Usage

Termination = Literal[
    "end_turn", "max_tokens", "refusal", "provider_error", "unmocked_tool", "max_turns_exceeded"
]
# Reasons for which a run stopped before the model had finished what it was doing.
UNFINISHED = frozenset({"max_tokens", "refusal", "max_turns_exceeded"})
EventKind = Literal[
    "hook_rewrite",
    "prompt_assembled",
    "model_call",
    "attempt_failed",
    "model_response",
    "tool_call",
    "tool_result",
    "terminated",
]
# How a conversation is put together from its beginning, answers and results; it changes when that changes.
PROMPT_VERSION = "1"

# What a named tuple's constructor does, in half the time: every turn has five events.
_event: Any = tuple.__new__
_encode = compiled(json.JSONEncoder(ensure_ascii=False, default=repr))
_TERMINATIONS: dict[str, Termination] = {
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
}


class UnmockedTool(DryfireError):
    """A call that nothing answers, where that ends the run. ``call`` is the call."""

    slug = "unmocked-tool"

    def __init__(self, call: ToolCall, reason: str) -> None:
        super().__init__(reason)
        self.call = call


class Tools(Protocol):
    """Whatever answers tool calls. Raises ``UnmockedTool`` where a call ends the run.

    With a method ``parallel_safe(name) -> bool`` it says of which tools neighbouring calls may run together. All other
    calls run alone, each after everything before it.
    """

    async def answer(self, call: ToolCall) -> ToolResult:
        """The result of ``call``."""
        ...


class RequestHook(Protocol):
    """A function that may rewrite requests before they reach the provider, with a declared name and version."""

    name: str
    version: str

    def __call__(self, request: Request) -> Request:
        """The request to send instead."""
        ...


class Event(NamedTuple):
    """Something that happened in a run: what, to whom, in which words, and when (seconds on the run's clock)."""

    kind: EventKind
    name: str
    detail: str
    at: float


@quick_init
@dataclass(frozen=True, slots=True)
class Turn:
    """One answered model step: its number, how many attempts it took, the answer and the results of its calls."""

    index: int
    attempts: int
    response: Response
    results: tuple[ToolResult, ...] = ()


@quick_init
@dataclass(frozen=True, slots=True)
class Run:
    """One run of an agent. ``error`` is why it ended, where it did not end by the model's own will.

    ``messages`` is the conversation as it was sent last: the answer that ended the run is in ``turns`` only.
    """

    id: str
    termination: Termination
    turns: tuple[Turn, ...]
    messages: tuple[Message, ...]
    events: tuple[Event, ...]
    error: str = ""
    started_at: float = 0.0
    ended_at: float = 0.0

    @property
    def final_text(self) -> str | None:
        """The text of the last answered turn; None where there is none."""
        return self.turns[-1].response.text if self.turns else None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls of all answered turns in order, executed or not."""
        return tuple(call for turn in self.turns for call in turn.response.tool_calls)

    @property
    def usage(self) -> Usage:
        """Tokens of all answered turns together."""
        return total_usage(turn.response.usage for turn in self.turns)


class AgentRunner:
    """Runs an agent turn by turn against one provider.

    ``tools`` answers the calls (without it every call ends the run), ``hooks`` rewrite each request in order and are
    part of its fingerprint, ``clock``, ``ids`` and ``jitter`` replace the ambient sources, ``max_turns`` bounds the
    number of model steps.
    """

    def __init__(
        self,
        *,
        provider: Provider,
        tools: Tools | None = None,
        hooks: Sequence[RequestHook] = (),
        clock: Clock | None = None,
        ids: Callable[[], str] = random_id,
        jitter: Random | Callable[[], Random] | None = None,
        retry: RetryPolicy | None = None,
        max_turns: int = 10,
    ) -> None:
        self._provider = provider
        self._tools = tools
        self._hooks = tuple(hooks)
        self._clock = clock or SystemClock()
        self._ids = ids
        self._jitter = jitter
        self._retry = retry or RetryPolicy()
        self._max_turns = max_turns

    async def run(self, request: Request, *, run_id: str | None = None) -> Run:
        """Run from ``request``, whose messages are the beginning of the conversation, to its end."""
        own_id = self._ids() if run_id is None else run_id
        started_at = self._clock.now()
        events: list[Event] = []
        turns: list[Turn] = []
        messages = request.messages
        now = self._clock.now

        def note(kind: EventKind, name: str, detail: str = "") -> None:
            events.append(_event(Event, (kind, name, detail, now())))

        def ended(termination: Termination, error: str = "", kind: str = "") -> Run:
            note("terminated", termination, f"{kind}: {error}" if kind else error)
            return Run(
                id=own_id,
                termination=termination,
                turns=tuple(turns),
                messages=messages,
                events=tuple(events),
                error=error,
                started_at=started_at,
                ended_at=self._clock.now(),
            )

        while len(turns) < self._max_turns:
            try:
                request = with_messages(request, messages, request.script) if turns else request
                current = self._rewritten(request, note)
                note("prompt_assembled", PROMPT_VERSION, _assembled(current))
                response, attempts = await self._ask(current, note)
            except (ProviderError, CassetteMissError, FingerprintError) as error:
                return ended("provider_error", str(error), _kind(error))
            note("model_response", self._provider.name, response.text or "")
            if response.stop_reason != "tool_use":
                turns.append(Turn(len(turns), attempts, response))
                termination = _TERMINATIONS.get(response.stop_reason)
                if termination:
                    return ended(termination)
                return ended(
                    "provider_error", f"the provider stopped for the reason {response.stop_reason!r}"
                )
            results, unmocked = await self._results(response, note)
            turns.append(Turn(len(turns), attempts, response, results))
            if unmocked:
                return ended("unmocked_tool", unmocked.message)
            messages = (*messages, answer_message(response), Message("tool", tool_results=results))
        return ended("max_turns_exceeded", f"the model had not finished after {self._max_turns} turns")

    def _rewritten(self, request: Request, note: Callable[[EventKind, str, str], None]) -> Request:
        if not self._hooks:
            return request
        for hook in self._hooks:
            rewritten = hook(request)
            if rewritten is not request:
                # Digests tell two rewrites apart as well as the text would, which may hold anything.
                changes = changes_between(fingerprint_of(request), fingerprint_of(rewritten))
                if changes:
                    shown = (
                        f"{each.path} {each.change} {each.old or '-'} {each.new or '-'}" for each in changes
                    )
                    note("hook_rewrite", hook.name, "; ".join(shown))
            request = rewritten
        declared = tuple(Hook(hook.name, hook.version) for hook in self._hooks)
        return replace(request, hooks=(*request.hooks, *declared))

    async def _ask(
        self, request: Request, note: Callable[[EventKind, str, str], None]
    ) -> tuple[Response, int]:
        async def ask() -> Response:
            note("model_call", request.model, "")
            return await self._provider.complete(request)

        def failed(error: ProviderError, attempt: int, wait: float | None) -> None:
            then = "not tried again" if wait is None else f"tried again after {wait:.2f} s"
            note("attempt_failed", request.model, f"attempt {attempt}: {error.kind}: {error.message}; {then}")

        try:
            return await with_retries(
                ask, self._retry, sleep=self._clock.sleep, jitter=self._drawn_from, failed=failed
            )
        except (CassetteMissError, FingerprintError) as error:
            note("attempt_failed", request.model, f"{_kind(error)}: {error.message}; not tried again")
            raise

    def _drawn_from(self) -> Random:
        from random import Random

        # Made at the first failure: that takes as long as replaying a turn, and most runs have none.
        if self._jitter is None or callable(self._jitter):
            self._jitter = (self._jitter or Random)()
        return self._jitter

    async def _results(
        self, response: Response, note: Callable[[EventKind, str, str], None]
    ) -> tuple[tuple[ToolResult, ...], UnmockedTool | None]:
        """The results in the order of the calls; with the call that ended the run, if one did."""
        for call in response.tool_calls:
            malformed = call.malformed_arguments
            note("tool_call", call.name, _as_text(call.arguments) if malformed is None else malformed)
        results: list[ToolResult] = []
        for phase in self._phases(response.tool_calls):
            for call, outcome in zip(phase, await self._answered(phase), strict=True):
                if isinstance(outcome, UnmockedTool):
                    return tuple(results), outcome
                note("tool_result", call.name, _as_text(outcome.content))
                results.append(outcome)
        return tuple(results), None

    def _phases(self, calls: Sequence[ToolCall]) -> list[list[ToolCall]]:
        """The calls in order, neighbours that are safe together in one list."""
        if len(calls) == 1:
            return [[calls[0]]]
        safe: Callable[[str], bool] = getattr(self._tools, "parallel_safe", lambda _: False)
        found: list[list[ToolCall]] = []
        before = False
        for call in calls:
            now = safe(call.name)
            if now and before:
                found[-1].append(call)
            else:
                found.append([call])
            before = now
        return found

    async def _answered(self, phase: Sequence[ToolCall]) -> Sequence[ToolResult | UnmockedTool]:
        """What became of the calls of one phase, in their order, whichever was ready first."""
        if len(phase) == 1:
            return [await self._outcome(phase[0])]
        return await gathered([self._outcome(call) for call in phase])

    async def _outcome(self, call: ToolCall) -> ToolResult | UnmockedTool:
        if self._tools is None:
            return UnmockedTool(call, f"the model called {call.name!r}, and the run has no tools")
        try:
            return await self._tools.answer(call)
        except UnmockedTool as error:
            return error


def _assembled(request: Request) -> str:
    """What a prompt is made of, in numbers: its texts are in the conversation, its digests in the fingerprint."""
    return f"{len(request.messages)} messages, {len(request.tools)} tools"


def _kind(error: DryfireError) -> str:
    return error.kind if isinstance(error, ProviderError) else type(error).__name__


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else _encode(value)
