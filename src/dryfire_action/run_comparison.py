"""Whether two runs, or two traces, are the same: all that an agent did, and nothing of when it did it."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from dryfire_action.call_values import to_json
from dryfire_action.canonical_json import canonical
from dryfire_action.divergence import ReplayDivergence, request_json, tool_request
from dryfire_action.errors import FingerprintError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.mocks import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.agent import Run
    from dryfire_action.call_values import Serialisers
    from dryfire_action.divergence import CallKind
    from dryfire_action.messages import Request
    from dryfire_action.tracing import Span, Trace


def assert_same_run(first: Run, second: Run, *, message: str = "") -> None:
    """Raise ``AssertionError`` naming the first thing in which two runs differ; ``message`` stands before it.

    Compared are state, id, error, output, usage, tool calls, the answers with their results, the conversation, and the
    events with names and details. Instants are not, nor what a provider took of time.
    """
    for name, one, other in _compared(first, second):
        if not _equal(one, other):
            before = f"{message}: " if message else ""
            raise AssertionError(f"{before}{name} differs: {_shown(one)} is not {_shown(other)}")


def find_divergence(
    recorded: Trace, replayed: Trace, kind: CallKind = "llm", *, serialisers: Serialisers | None = None
) -> ReplayDivergence | None:
    """The first call of a kind whose request differs between two traces; None where they agree.

    Requests are compared, not answers; a call that one of them lacks is a difference.
    """
    spans = zip_longest(recorded.of_kind(kind), replayed.of_kind(kind))
    for index, (old, new) in enumerate(spans):
        sides = [_request(span, serialisers or {}) if span else None for span in (old, new)]
        prints = [fingerprint_of(side) if side else None for side in sides]
        keys = [found.key if found else None for found in prints]
        if keys[0] == keys[1]:
            continue
        texts = [request_json(side) if side else None for side in sides]
        return ReplayDivergence(
            kind=kind,
            index=index,
            name=(new or old).name,
            mode="",
            reason="request" if old and new else "extra" if new else "missing",
            changes=prints[0].changes(prints[1]) if prints[0] and prints[1] else (),
            recorded_key=keys[0],
            actual_key=keys[1],
            recorded=texts[0],
            actual=texts[1],
        )
    return None


def _request(span: Span, serialisers: Serialisers) -> Request:
    if span.kind == "llm":
        found: Request = span.request
        return found
    return tool_request(span.name, to_json(span.request, "arguments", serialisers))


def _compared(first: Run, second: Run) -> Iterator[tuple[str, Any, Any]]:
    yield "state", first.termination, second.termination
    yield "id", first.id, second.id
    yield "error", first.error, second.error
    yield "output", first.final_text, second.final_text
    yield "usage", _plain(first.usage), _plain(second.usage)
    yield "tool calls: length", len(first.calls), len(second.calls)
    for index, (call, other) in enumerate(zip(first.calls, second.calls, strict=True)):
        yield f"tool call {index}", _plain(call), _plain(other)
    yield "turns: length", len(first.turns), len(second.turns)
    for turn, again in zip(first.turns, second.turns, strict=True):
        yield f"turn {turn.index}: attempts", turn.attempts, again.attempts
        for name in ("text", "stop_reason", "reasoning"):
            yield f"turn {turn.index}: {name}", getattr(turn.response, name), getattr(again.response, name)
        yield f"turn {turn.index}: results", _plain(turn.results), _plain(again.results)
    for index, (event, other_event) in enumerate(zip(first.events, second.events, strict=False)):
        for name in ("kind", "name", "detail"):
            one, two = getattr(event, name), getattr(other_event, name)
            yield f"event {index} ({event.kind}): {name}", one, two
    yield "events: length", len(first.events), len(second.events)
    yield "conversation: length", len(first.messages), len(second.messages)
    for index, (said, repeated) in enumerate(zip(first.messages, second.messages, strict=True)):
        for name in ("role", "content", "tool_calls", "tool_results", "reasoning"):
            yield f"message {index}: {name}", _plain(getattr(said, name)), _plain(getattr(repeated, name))


def _plain(value: Any) -> Any:
    """``value`` as JSON, so that ``1``, ``1.0`` and ``true`` are three values."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    slots = getattr(type(value), "__slots__", None)
    return {name: _plain(getattr(value, name)) for name in slots} if slots else value


def _equal(one: Any, other: Any) -> bool:
    try:
        return canonical(one) == canonical(other)
    except FingerprintError:
        return type(one) is type(other) and bool(one == other)


def _shown(value: Any) -> str:
    return shortened(value)
