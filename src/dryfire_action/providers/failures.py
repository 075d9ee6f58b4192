"""What goes wrong in a call, as a ``ProviderError`` in the provider's own words.

The SDKs' exceptions are read by their attributes: no SDK is imported here, and they are alike across its versions.
"""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from dryfire_action.errors import RETRYABLE_STATUSES, ProviderError
from dryfire_action.providers.wire import mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Kinds that come without a status, in the middle of a stream, and the status they have elsewhere.
_STATUS_OF_KIND = {
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "RESOURCE_EXHAUSTED": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_error": 500,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "timeout_error": 504,
    "DEADLINE_EXCEEDED": 504,
    "overloaded_error": 529,
}
# 429, but trying again helps only once somebody has paid.
_NOT_WORTH_A_RETRY = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_TRANSPORTS = frozenset({"aiohttp", "anyio", "h11", "h2", "httpcore", "httpcore2", "httpx", "httpx2", "ssl"})
MAX_MESSAGE = 2000


def failure(error: Exception, *, streamed: Sequence[str] | None = None) -> ProviderError | None:
    """``error`` as a failure of the provider; None for one that is none, but a fault of ours.

    ``streamed`` are the pieces of text that had arrived, where a stream was under way.
    """
    status = next(
        (code for code in map(error.__dict__.get, ("status_code", "code")) if _is_status(code)), None
    )
    body = _body(error)
    if status is None and not body and not _transport(error):
        return None
    told = mapping(body.get("error")) or body
    kind = _kind(told) or type(error).__name__
    message = _reason(error, told)
    if status is None or status < 400:
        if streamed is not None and not told:
            kind = "StreamInterrupted"
        return (
            broken_stream(message, streamed, kind=kind)
            if streamed is not None
            else _without_status(message, kind)
        )
    return ProviderError(
        message,
        kind=kind,
        status=status,
        retry_after=_retry_after(error, told),
        retryable=status in RETRYABLE_STATUSES and kind not in _NOT_WORTH_A_RETRY,
    )


def broken_stream(reason: str, streamed: Sequence[str], *, kind: str = "StreamInterrupted") -> ProviderError:
    """The failure of a stream that ended before its answer did, after the pieces of text ``streamed``."""
    known = _STATUS_OF_KIND.get(kind)
    return ProviderError(
        f"the stream broke off after {sum(map(len, streamed))} characters: {reason}",
        kind=kind,
        status=known,
        retryable=known is not None or kind == "StreamInterrupted",
        chunks=tuple(streamed),
    )


def unreadable(what: str) -> ProviderError:
    """The failure of an answer that is not what the API promises."""
    return ProviderError(
        f"the answer cannot be read: {what[:MAX_MESSAGE]}", kind="UnreadableAnswer", retryable=False
    )


def failed_answer(told: Mapping[str, Any]) -> ProviderError:
    """The failure that a provider reports inside an answer of status 200."""
    kind = _kind(told) or "ProviderError"
    status = told.get("code") if _is_status(told.get("code")) else _STATUS_OF_KIND.get(kind)
    return ProviderError(str(told.get("message") or kind)[:MAX_MESSAGE], kind=kind, status=status)


def _without_status(message: str, kind: str) -> ProviderError:
    # Nothing arrived: the connection, not the request, is at fault.
    known = _STATUS_OF_KIND.get(kind)
    return ProviderError(message, kind=kind, status=known, retryable=True)


def _is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599


def _transport(error: BaseException) -> bool:
    """Whether the connection failed, by whichever library it was made."""
    names = {base.__name__ for base in type(error).__mro__}
    if "APIConnectionError" in names:
        return True
    modules = {base.__module__.partition(".")[0] for base in type(error).__mro__}
    return isinstance(error, OSError) or bool(modules & _TRANSPORTS)


def _body(error: Exception) -> dict[str, Any]:
    """What the provider sent with its refusal: the SDKs keep the whole, or only what is under ``error``."""
    for name in ("body", "details"):
        value = error.__dict__.get(name)
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                value = {"message": value}
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            return value
    return {}


def _kind(told: Mapping[str, Any]) -> str:
    """The provider's own class of error. A word of its own says more than the class that many errors share."""
    for name in ("status", "code", "type"):
        value = told.get(name)
        if isinstance(value, str) and value and not value.isdigit() and value != "error":
            return value
    return ""


def _reason(error: Exception, told: Mapping[str, Any]) -> str:
    said = told.get("message")
    if isinstance(said, str) and said:
        return said[:MAX_MESSAGE]
    causes, cause = [str(error) or type(error).__name__], error.__cause__
    while cause is not None and len(causes) < 3:
        if str(cause) and str(cause) not in causes:
            causes.append(str(cause))
        cause = cause.__cause__
    return ": ".join(causes)[:MAX_MESSAGE]


def _retry_after(error: Exception, told: Mapping[str, Any]) -> float | None:
    """Seconds that the provider asks to wait, from its headers or, as Google does, from the body."""
    headers = getattr(error.__dict__.get("response"), "headers", None)
    if headers is not None:
        seconds = _number(headers.get("retry-after-ms"))
        if seconds is not None:
            return seconds / 1000
        written = headers.get("retry-after")
        if (seconds := _number(written)) is not None:
            return seconds
        if written:
            try:
                return max(parsedate_to_datetime(written).timestamp() - time.time(), 0.0)
            except ValueError:
                pass
    for detail in told.get("details") or ():
        delay = mapping(detail).get("retryDelay")
        if isinstance(delay, str) and (seconds := _number(delay.removesuffix("s"))) is not None:
            return seconds
    return None


def _number(written: object) -> float | None:
    try:
        value = float(str(written))
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
