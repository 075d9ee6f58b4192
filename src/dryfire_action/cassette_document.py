"""The shape of a cassette's JSON, checked by pydantic on reading. What each field means is said in ``cassette``."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from dryfire_action.redact import MARKER_PATTERN
from dryfire_action.visible import cut, visible

Count = Annotated[int, Field(ge=0, lt=2**63)]
Marker = Annotated[str, StringConstraints(pattern=rf"^{MARKER_PATTERN.pattern}$")]
Pointer = Annotated[str, StringConstraints(pattern=r"\[[0-9]{1,9}:[0-9]{1,9}\]$")]
Document = TypeVar("Document")
_EXACT = ConfigDict(extra="forbid", strict=True)


@with_config(_EXACT)
class UsageDocument(TypedDict):
    """Tokens; a count of zero is left out."""

    input_tokens: NotRequired[Count]
    output_tokens: NotRequired[Count]
    cache_read_tokens: NotRequired[Count]
    cache_write_tokens: NotRequired[Count]


@with_config(_EXACT)
class CallDocument(TypedDict):
    """One tool call, with arguments or with the text that was malformed."""

    id: str
    name: str
    arguments: NotRequired[dict[str, Any]]
    malformed_arguments: NotRequired[str]


@with_config(_EXACT)
class AnswerDocument(TypedDict):
    """One redacted answer."""

    text: str | None
    reasoning: NotRequired[list[dict[str, Any]]]
    tool_calls: NotRequired[list[CallDocument]]
    stop_reason: Literal["end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal", "error"]


@with_config(_EXACT)
class ErrorDocument(TypedDict):
    """One redacted failure of the provider; ``text`` is what had arrived of a stream that died midway."""

    kind: str
    message: str
    status: NotRequired[Count]
    retry_after: NotRequired[int | float]
    retryable: bool
    text: NotRequired[str]


@with_config(_EXACT)
class ExchangeDocument(TypedDict):
    """One exchange, told by what changed since the one before: ``None`` in ``head`` takes a field away."""

    key: str
    run: NotRequired[Count]
    turn: NotRequired[Count]
    attempt: NotRequired[Count]
    head: dict[str, str | list[str] | None]
    keep: NotRequired[Count]
    messages: list[dict[str, str]]
    answer: NotRequired[AnswerDocument]
    error: NotRequired[ErrorDocument]
    from_request: NotRequired[dict[Marker, Pointer]]
    cuts: NotRequired[list[Count]]
    reasoning_altered: NotRequired[bool]
    usage: NotRequired[UsageDocument]
    latency_ms: NotRequired[Count]
    served: NotRequired[str]
    recorded: NotRequired[str]
    digest: str


@with_config(_EXACT)
class IgnoreDocument(TypedDict):
    """One ignore rule in force."""

    path: str
    pattern: str


@with_config(_EXACT)
class HeaderDocument(TypedDict):
    """What stands before the exchanges; a field without a value is left out."""

    format: str
    suite: str
    case: str
    provider: str
    model: str
    served: NotRequired[str]
    sdk: NotRequired[str]
    sdk_version: NotRequired[str]
    recorded: NotRequired[str]
    scripted: NotRequired[bool]
    redaction: NotRequired[str]
    origin: NotRequired[str]
    ignore: NotRequired[list[IgnoreDocument]]


def check_header(value: Any) -> HeaderDocument:
    """``value`` as a header. Raises ``ValueError`` with the first thing that is wrong."""
    return _checked(_header(), value)


def check_exchange(value: Any) -> ExchangeDocument:
    """``value`` as an exchange. Raises ``ValueError`` with the first thing that is wrong."""
    found = _checked(_exchange(), value)
    if ("answer" in found) == ("error" in found):
        raise ValueError("it must hold either an answer or an error")
    return found


@cache
def _header() -> TypeAdapter[HeaderDocument]:
    return TypeAdapter(HeaderDocument)


@cache
def _exchange() -> TypeAdapter[ExchangeDocument]:
    return TypeAdapter(ExchangeDocument)


def _checked(adapter: TypeAdapter[Document], value: Any) -> Document:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = cut(visible(".".join(str(part) for part in first["loc"])), 120)
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None
