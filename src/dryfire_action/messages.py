"""What goes to a model and what comes back, without any provider's own spelling.

Everything here is a frozen value. JSON values are kept as plain Python data and must not be changed in place.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Iterable

JsonValue = Any
JsonObject = dict[str, Any]
Role = Literal["user", "assistant", "tool"]
StopReason = Literal["end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal", "error"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is offered to the model. ``description`` None and a missing one are the same; "" is not."""

    name: str
    input_schema: JsonObject
    description: str | None = None


@quick_init
@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the model asks for. ``malformed_arguments`` is the text it sent when that was not a JSON object."""

    id: str
    name: str
    arguments: JsonObject = field(default_factory=dict)
    malformed_arguments: str | None = None


@quick_init
@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to the call whose id is ``call_id``. ``content`` is text or any JSON value."""

    call_id: str
    content: JsonValue = None
    is_error: bool = False


@quick_init
@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One message of a conversation.

    ``content`` is text, a list of content blocks or None. ``reasoning`` holds the provider's own thinking parts
    (signatures, encrypted reasoning) that go back on the wire. ``raw`` is the provider's opaque payload, which never
    counts. Two messages are equal only if their JSON text is: ``1``, ``1.0`` and ``true`` are three values.
    """

    role: Role
    content: str | list[JsonObject] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    reasoning: tuple[JsonObject, ...] = ()
    raw: JsonObject | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return _exact(self) == _exact(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Hook:
    """The declared identity of a function that may rewrite requests: its name and version."""

    name: str
    version: str = ""


@quick_init
@dataclass(frozen=True, slots=True)
class ScriptStep:
    """The step of a scripted provider that answers this request: its number in the script (from 0) and its content.

    ``step`` holds exactly one of ``text``, ``parallel`` (a list of ``{name, arguments}``) or ``fails`` (a map with
    ``message`` and optionally ``status`` and ``retry_after``). None: the script is over.
    """

    index: int
    step: JsonObject | None


@quick_init
@dataclass(frozen=True, slots=True)
class Request:
    """Everything that reaches the model, and the little beside it that decides the answer."""

    provider: str
    model: str
    messages: tuple[Message, ...]
    system: str | None = None
    tools: tuple[ToolSpec, ...] = ()
    params: JsonObject = field(default_factory=dict)
    hooks: tuple[Hook, ...] = ()
    output_schema: JsonObject | None = None
    script: ScriptStep | None = None


def with_messages(
    request: Request, messages: tuple[Message, ...], script: ScriptStep | None = None
) -> Request:
    """``request`` with other messages and with the script's step for them.

    Written out, because every turn needs it and ``dataclasses.replace`` takes twice as long.
    """
    return Request(
        request.provider,
        request.model,
        messages,
        request.system,
        request.tools,
        request.params,
        request.hooks,
        request.output_schema,
        script,
    )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def total(self) -> int:
        """Input and output tokens together; what was read from a provider's cache is part of the input."""
        return self.input_tokens + self.output_tokens


NO_USAGE = Usage()


def total_usage(used: Iterable[Usage]) -> Usage:
    """The tokens of several answers together."""
    parts = [usage for usage in used if usage is not NO_USAGE]
    if not parts:
        return NO_USAGE
    return Usage(
        sum([usage.input_tokens for usage in parts]),
        sum([usage.output_tokens for usage in parts]),
        sum([usage.cache_read_tokens for usage in parts]),
        sum([usage.cache_write_tokens for usage in parts]),
    )


@quick_init
@dataclass(frozen=True, slots=True)
class Response:
    """One answer of the model. ``latency_ms`` is the provider's time, ``model_served`` what answered, if it said so.

    ``chunks`` are the pieces a streamed text arrived in, ``raw`` the provider's payload, which is not recorded.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    stop_reason: StopReason = "end_turn"
    reasoning: tuple[JsonObject, ...] = ()
    usage: Usage = NO_USAGE
    latency_ms: int = 0
    model_served: str | None = None
    chunks: tuple[str, ...] = ()
    raw: JsonObject | None = None


class Provider(Protocol):
    """Anything that answers requests. Failures are raised as ``ProviderError``."""

    @property
    def name(self) -> str:
        """The provider's name as it stands in fingerprints, for instance ``anthropic``."""
        ...

    async def complete(self, request: Request) -> Response:
        """Answer ``request``."""
        ...


def parse_arguments(text: str) -> tuple[JsonObject, str | None]:
    """Read tool arguments sent as JSON text: ``(arguments, None)``, or ``({}, text)`` where they are malformed.

    Text that is no JSON object, or names a key twice at any depth, is malformed: what it means is anybody's guess, so
    it is compared as text.
    """

    def unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key stands twice")
        return found

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError):
        return {}, text
    return (value, None) if isinstance(value, dict) else ({}, text)


def answer_message(response: Response) -> Message:
    """The assistant message that puts ``response`` into the conversation."""
    return Message(
        role="assistant",
        content=response.text,
        tool_calls=response.tool_calls,
        reasoning=response.reasoning,
        raw=response.raw,
    )


def _exact(message: Message) -> str:
    parts = (
        message.role,
        message.content,
        [(call.id, call.name, call.arguments, call.malformed_arguments) for call in message.tool_calls],
        [(result.call_id, result.content, result.is_error) for result in message.tool_results],
        message.reasoning,
        message.raw,
    )
    try:
        return json.dumps(parts, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        # No JSON (keys that are no texts, a value that holds itself): equal to itself alone.
        return f"no JSON {id(message)}"
