"""The shape of a cassette's JSON, checked on reading. What each field means is said in ``cassette``.

The shapes are few and every replay checks thousands of exchanges, so they are checked by hand: a library that does it
takes longer to be loaded than a small suite to be replayed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast, get_args

from dryfire_action.messages import StopReason
from dryfire_action.redact import MARKER_PATTERN
from dryfire_action.visible import cut, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Raises ``_Odd`` for what has another shape.
    Check = Callable[[Any], None]

_POINTER = re.compile(r".*\[[0-9]{1,9}:[0-9]{1,9}\]", re.DOTALL)
_REASONS = get_args(StopReason)
_TEXTS = frozenset({str})


class UsageDocument(TypedDict):
    """Tokens; a count of zero is left out."""

    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cache_read_tokens: NotRequired[int]
    cache_write_tokens: NotRequired[int]


class CallDocument(TypedDict):
    """One tool call, with arguments or with the text that was malformed."""

    id: str
    name: str
    arguments: NotRequired[dict[str, Any]]
    malformed_arguments: NotRequired[str]


class AnswerDocument(TypedDict):
    """One redacted answer."""

    text: str | None
    reasoning: NotRequired[list[dict[str, Any]]]
    tool_calls: NotRequired[list[CallDocument]]
    stop_reason: StopReason


class ErrorDocument(TypedDict):
    """One redacted failure of the provider; ``text`` is what had arrived of a stream that died midway."""

    kind: str
    message: str
    status: NotRequired[int]
    retry_after: NotRequired[int | float]
    retryable: bool
    text: NotRequired[str]


class ExchangeDocument(TypedDict):
    """One exchange, told by what changed since the one before: ``None`` in ``head`` takes a field away."""

    key: str
    run: NotRequired[int]
    turn: NotRequired[int]
    attempt: NotRequired[int]
    head: dict[str, str | list[str] | None]
    keep: NotRequired[int]
    messages: list[dict[str, str]]
    answer: NotRequired[AnswerDocument]
    error: NotRequired[ErrorDocument]
    from_request: NotRequired[dict[str, str]]
    cuts: NotRequired[list[int]]
    reasoning_altered: NotRequired[bool]
    usage: NotRequired[UsageDocument]
    latency_ms: NotRequired[int]
    served: NotRequired[str]
    recorded: NotRequired[str]
    digest: str


class IgnoreDocument(TypedDict):
    """One ignore rule in force."""

    path: str
    pattern: str


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
    """``value``, parsed JSON, as a header. Raises ``ValueError`` with the first thing that is wrong."""
    _check(value, _HEADER)
    return cast("HeaderDocument", value)


def check_exchange(value: Any) -> ExchangeDocument:
    """``value``, parsed JSON, as an exchange. Raises ``ValueError`` with the first thing that is wrong."""
    _check(value, _EXCHANGE)
    if ("answer" in value) == ("error" in value):
        raise ValueError("it must hold either an answer or an error")
    return cast("ExchangeDocument", value)


def _check(value: Any, check: Check) -> None:
    try:
        check(value)
    except _Odd as odd:
        where = cut(visible(".".join(map(str, odd.path))), 120)
        raise ValueError(f"{where}: {odd.what}" if where else odd.what) from None


class _Odd(Exception):
    """What is wrong with a value, and where in it: the keys and indexes that lead there."""

    def __init__(self, what: str, *path: str | int) -> None:
        super().__init__(what)
        self.what = what
        self.path = path


def _text(value: Any) -> None:
    if not isinstance(value, str):
        raise _Odd("must be a text")


def _count(value: Any) -> None:
    if type(value) is not int or not 0 <= value < 2**63:
        raise _Odd("must be a whole number, not below 0")


def _number(value: Any) -> None:
    if type(value) is not int and type(value) is not float:
        raise _Odd("must be a number")


def _flag(value: Any) -> None:
    if not isinstance(value, bool):
        raise _Odd("must be true or false")


def _map_of_texts(value: Any) -> None:
    if type(value) is not dict:
        _object(value)
    if not _TEXTS.issuperset(map(type, value.values())):
        name = next(name for name, item in value.items() if type(item) is not str)
        raise _Odd("must be a text", name)


def _object(value: Any) -> None:
    if not isinstance(value, dict):
        raise _Odd("must be an object")


def _marker(value: Any) -> None:
    if not isinstance(value, str) or not MARKER_PATTERN.fullmatch(value):
        raise _Odd("must be a marker")


def _pointer(value: Any) -> None:
    if not isinstance(value, str) or not _POINTER.fullmatch(value):
        raise _Odd("must be a pointer into the request, such as messages[0].content[16:26]")


def _text_or_null(value: Any) -> None:
    if value is not None:
        _text(value)


def _head(value: Any) -> None:
    _object(value)
    for path, item in value.items():
        if type(item) is not str:
            try:
                (_texts if isinstance(item, list) else _text_or_null)(item)
            except _Odd as odd:
                raise _Odd(odd.what, path, *odd.path) from None


def _reason(value: Any) -> None:
    if value not in _REASONS:
        raise _Odd(f"must be one of {', '.join(_REASONS)}")


def _list_of(check: Check) -> Check:
    def check_list(value: Any) -> None:
        if not isinstance(value, list):
            raise _Odd("must be a list")
        for index, item in enumerate(value):
            try:
                check(item)
            except _Odd as odd:
                raise _Odd(odd.what, index, *odd.path) from None

    return check_list


def _map_of(check: Check, check_key: Check) -> Check:
    def check_map(value: Any) -> None:
        _object(value)
        for key, item in value.items():
            try:
                check_key(key)
                check(item)
            except _Odd as odd:
                raise _Odd(odd.what, key, *odd.path) from None

    return check_map


def _fields(required: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    known = {**required, **optional}
    # Most fields are of one type, and to look at it takes less than to call anything.
    types = {name: _TYPES.get(check) for name, check in known.items()}
    names, needed = known.keys(), required.keys()

    def check_fields(value: Any) -> None:
        if type(value) is not dict:
            _object(value)
        if not value.keys() >= needed:
            raise _Odd("is missing", next(name for name in needed if name not in value))
        if not value.keys() <= names:
            raise _Odd("is not known here", next(name for name in value if name not in names))
        for name, item in value.items():
            if type(item) is types[name]:
                continue
            try:
                known[name](item)
            except _Odd as odd:
                raise _Odd(odd.what, name, *odd.path) from None

    return check_fields


_TYPES: dict[Check, type] = {_text: str, _flag: bool, _object: dict}
_texts = _list_of(_text)
_USAGE = _fields(
    {},
    {
        "input_tokens": _count,
        "output_tokens": _count,
        "cache_read_tokens": _count,
        "cache_write_tokens": _count,
    },
)
_CALL = _fields({"id": _text, "name": _text}, {"arguments": _object, "malformed_arguments": _text})
_ANSWER = _fields(
    {"text": _text_or_null, "stop_reason": _reason},
    {"reasoning": _list_of(_object), "tool_calls": _list_of(_CALL)},
)
_ERROR = _fields(
    {"kind": _text, "message": _text, "retryable": _flag},
    {"status": _count, "retry_after": _number, "text": _text},
)
_EXCHANGE = _fields(
    {"key": _text, "head": _head, "messages": _list_of(_map_of_texts), "digest": _text},
    {
        "run": _count,
        "turn": _count,
        "attempt": _count,
        "keep": _count,
        "answer": _ANSWER,
        "error": _ERROR,
        "from_request": _map_of(_pointer, _marker),
        "cuts": _list_of(_count),
        "reasoning_altered": _flag,
        "usage": _USAGE,
        "latency_ms": _count,
        "served": _text,
        "recorded": _text,
    },
)
_HEADER = _fields(
    {"format": _text, "suite": _text, "case": _text, "provider": _text, "model": _text},
    {
        "served": _text,
        "sdk": _text,
        "sdk_version": _text,
        "recorded": _text,
        "scripted": _flag,
        "redaction": _text,
        "origin": _text,
        "ignore": _list_of(_fields({"path": _text, "pattern": _text}, {})),
    },
)
