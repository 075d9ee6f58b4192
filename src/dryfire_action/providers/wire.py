"""What the wire formats have in common: which call a result answers, values as text, parts that come back later.

Pure functions; what is particular to one provider stands in its own file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dryfire_action.messages import (
        JsonObject,
        JsonValue,
        Message,
        Request,
        Response,
        ToolCall,
        ToolResult,
    )

# Chat Completions and Responses have no flag for it; the model is told in the text.
ERROR_PREFIX = "[tool_error] "
# Where a provider wants an object and the model's arguments were none.
MALFORMED_KEY = "INVALID_JSON"

# Steered elsewhere, so that neither stands in a suite: keys in the environment, retries on the command line.
_NOT_OF_A_SUITE = {
    "api_key": "the key is read from the provider's environment variable",
    "max_retries": "say --max-retries on the command line",
}


@dataclass(frozen=True, slots=True)
class Answered:
    """A result, with the number of the call it answers (counted through the conversation) and that call."""

    number: int
    call: ToolCall
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Linked:
    """A message whose calls are numbered through the conversation and whose results know their calls."""

    message: Message
    calls: tuple[tuple[int, ToolCall], ...]
    results: tuple[Answered, ...]


def linked(messages: Sequence[Message]) -> list[Linked]:
    """The messages, with results tied to calls: ids of the suite's own writing need not be fit for a provider.

    Raises ``UsageError`` for what no provider takes: a result that answers no call, calls and results in messages of
    another role, text beside results. An id that several turns use means the latest of them.
    """
    found: list[Linked] = []
    latest: dict[str, tuple[int, ToolCall]] = {}
    count = 0
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if message.tool_calls and message.role != "assistant":
            raise UsageError(f"{where}: only a message of the assistant can hold tool_calls")
        if message.tool_results and message.role != "tool":
            raise UsageError(f"{where}: only a message with the role tool can hold tool_results")
        if message.role == "tool" and message.content:
            raise UsageError(f"{where}: a message with the role tool holds tool_results and no content")
        results = []
        for at, result in enumerate(message.tool_results):
            if result.call_id not in latest:
                raise UsageError(
                    f"{where}.tool_results[{at}]: call_id {result.call_id!r} answers no call of the conversation",
                    remedy="put the assistant's message with that call before it",
                )
            results.append(Answered(*latest[result.call_id], result))
        calls = tuple(enumerate(message.tool_calls, start=count))
        count += len(calls)
        latest.update({call.id: (number, call) for number, call in calls})
        found.append(Linked(message, calls, tuple(results)))
    return found


def result_text(content: JsonValue) -> str:
    """A tool's answer as text: text as it is, null as nothing, all else as JSON."""
    if content is None:
        return ""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def arguments_text(call: ToolCall) -> str:
    """The arguments of a call as JSON text; malformed ones as the model wrote them."""
    if call.malformed_arguments is not None:
        return call.malformed_arguments
    return json.dumps(call.arguments, ensure_ascii=False)


def arguments_object(call: ToolCall) -> JsonObject:
    """The arguments of a call where the wire wants an object."""
    if call.malformed_arguments is not None:
        return {MALFORMED_KEY: call.malformed_arguments}
    return call.arguments


def arguments_from(value: JsonValue) -> tuple[JsonObject, str | None]:
    """Arguments that a provider sent as a JSON value; what is no object is malformed."""
    if isinstance(value, dict):
        return value, None
    return {}, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def with_params(wire: JsonObject, request: Request, *, own: Mapping[str, str] = {}) -> JsonObject:
    """``wire`` with every parameter of the suite that is set, under the name it has there.

    ``own`` are further names that the suite has its own key for. Raises ``UsageError`` for a parameter that would
    replace something the suite says elsewhere.
    """
    found = dict(wire)
    for name, value in request.params.items():
        if value is None:
            continue
        if name in _NOT_OF_A_SUITE:
            raise UsageError(f"params.{name} does not belong in a suite: {_NOT_OF_A_SUITE[name]}")
        if name in wire or name in own:
            where = own.get(name, "the suite says it in a key of its own")
            raise UsageError(f"params.{name} is no parameter for {request.provider}: {where}")
        found[name] = value
    return found


def sealed_part(
    parts: Sequence[JsonObject],
    is_text: Callable[[JsonObject], bool],
    is_call: Callable[[JsonObject], bool],
    stand_in: Callable[[JsonObject, int], JsonObject],
) -> tuple[JsonObject, ...]:
    """The parts of an answer that only its provider understands, in the order in which they must come back.

    That is everything up to the last part that is neither text nor call. A call among them is replaced by what
    ``stand_in`` makes of it and its number in the answer, because its id is our own when it goes back.
    """
    last = max((at for at, part in enumerate(parts) if not is_text(part) and not is_call(part)), default=-1)
    found, calls = [], 0
    for part in parts[: last + 1]:
        if is_call(part):
            found.append(stand_in(part, calls))
            calls += 1
        else:
            found.append(part)
    return tuple(found)


def with_call_ids(response: Response) -> Response:
    """``response``, whose calls get ids of our own where the provider gave none, or one twice."""
    ids = [call.id for call in response.tool_calls]
    if all(ids) and len(set(ids)) == len(ids):
        return response
    calls = (replace(call, id=f"call_{number}") for number, call in enumerate(response.tool_calls))
    return replace(response, tool_calls=tuple(calls))


def rest_of(text: str, given: Iterable[str]) -> str:
    """``text`` without the pieces that came back already in front of it."""
    return text.removeprefix("".join(given))


def count(value: Any) -> int:
    """A number of tokens; gateways leave it out or send null."""
    return value if isinstance(value, int) and value > 0 else 0


def mapping(value: Any) -> JsonObject:
    """A part of an answer that should be a map; anything else is an empty one."""
    return value if isinstance(value, dict) else {}


def maps(value: Any) -> list[JsonObject]:
    """The maps in a part of an answer that should be a list of them."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
