"""A transport that records and replays: the layer by which vendors' SDKs and frameworks reach their models.

``httpx`` and ``httpx2`` have the same shape, so one class serves both, sync and async. Neither is imported here before
one of its clients asks.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dryfire_action import http_answers
from dryfire_action.call_values import RecordedError, failure_json, type_name
from dryfire_action.errors import DryfireError
from dryfire_action.http_answers import HttpAnswer
from dryfire_action.network_block import forwarding
from dryfire_action.providers.wire_requests import read_request, read_response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from dryfire_action.call_tape import Asked, CallTape
    from dryfire_action.providers.endpoints import Family

# In a request's extensions: the cassette sends it itself.
OURS = "dryfire"


class ReplayStopped(BaseException):
    """An HTTP call cannot be answered from the recording; ``error`` says why, mostly a ``CassetteMissError``.

    No ``Exception``: SDKs would take it for a connection that failed and try again, and agents for an outage.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class ServerStateWarning(UserWarning):
    """A part of a request is kept at the provider, which looks it up by an id: a change of it cannot be seen."""


@dataclass(frozen=True, slots=True)
class _Call:
    asked: Asked
    family: Family | None
    request: Any
    library: Any


class CassetteTransport:
    """What ``Cassette.http_transport()`` returns. ``inner`` makes the real calls; default: a transport for each."""

    def __init__(self, tape: CallTape, inner: Any = None) -> None:
        self._tape = tape
        self._inner = inner
        self._warned: set[str] = set()

    def handle_request(self, request: Any) -> Any:
        """Answer a request of a sync client."""
        call = self._ask(request, request.read())
        if call.asked.play is not None:
            return _response(call, self._played(call))
        try:
            answer = self._sent(call)
        except Exception as error:
            raised = self._failed(call, error)
            if raised is error:
                raise
            raise raised from None
        return _response(call, self._kept(call, answer))

    async def handle_async_request(self, request: Any) -> Any:
        """Answer a request of an async client."""
        call = self._ask(request, await request.aread())
        if call.asked.play is not None:
            return _response(call, self._played(call), is_async=True)
        try:
            answer = await self._sent_async(call)
        except Exception as error:
            raised = self._failed(call, error)
            if raised is error:
                raise
            raise raised from None
        return _response(call, self._kept(call, answer), is_async=True)

    def close(self) -> None:
        """Close what makes the real calls."""
        if self._inner is not None:
            self._inner.close()

    async def aclose(self) -> None:
        """Close what makes the real calls."""
        if self._inner is not None:
            await self._inner.aclose()

    def __enter__(self) -> CassetteTransport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> CassetteTransport:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _ask(self, request: Any, body: bytes) -> _Call:
        found = read_request(request.method, str(request.url), body)
        try:
            for name in found.elsewhere:
                self._warn(name)
            asked = self._tape.ask("llm", found.request.model, found.request)
        except (DryfireError, Warning) as error:
            raise ReplayStopped(error) from None
        return _Call(asked, found.family, request, library_of(request))

    def _warn(self, name: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            warnings.warn(
                f"{name}: the provider looks up a part of this request itself; the recording cannot tell when that"
                " part changes",
                ServerStateWarning,
                stacklevel=4,
            )

    def _played(self, call: _Call) -> HttpAnswer:
        assert call.asked.play is not None
        return self._answer(call, call.asked.play)

    def _answer(self, call: _Call, recorded: Any) -> HttpAnswer:
        try:
            found = self._tape.http(recorded, call.asked.request)
        except DryfireError as error:
            raise ReplayStopped(error) from None
        if isinstance(found, Exception):
            raise _as_raised(found, call)
        return http_answers.from_json(found)

    def _kept(self, call: _Call, answer: HttpAnswer) -> HttpAnswer:
        """``answer`` as a replay will give it; as it is, where nothing is kept."""
        if not self._tape.keeps:
            return answer
        stored = http_answers.to_json(answer, self._tape.rules)
        body, events = http_answers.parsed(stored)
        said = read_response(call.family, body, events)
        try:
            recorded = self._tape.keep(call.asked, http=stored, response=said)
        except DryfireError as error:
            raise ReplayStopped(error) from None
        return self._answer(call, recorded)

    def _failed(self, call: _Call, error: Exception) -> Exception:
        """What the caller gets of a connection that failed, which is what a replay will raise."""
        if self._tape.keeps and isinstance(error, call.library.TransportError):
            recorded = self._tape.keep(call.asked, error=failure_json(error))
            told = self._tape.http(recorded, call.asked.request)
            assert isinstance(told, Exception)
            return _as_raised(told, call)
        return error

    def _sent(self, call: _Call) -> HttpAnswer:
        request = _marked(call.request)
        with forwarding(request.url.host):
            owned = nullcontext(self._inner) if self._inner is not None else call.library.HTTPTransport()
            with owned as transport:
                response = transport.handle_request(request)
                chunks: list[bytes] = []
                broken = None
                try:
                    chunks.extend(response.iter_bytes())
                except call.library.TransportError as error:
                    broken = (type_name(type(error)), str(error))
                finally:
                    response.close()
        return HttpAnswer(response.status_code, dict(response.headers), tuple(chunks), broken)

    async def _sent_async(self, call: _Call) -> HttpAnswer:
        request = _marked(call.request)
        with forwarding(request.url.host):
            # One for each call: a pool of connections must not outlive the event loop it was made in.
            owned = nullcontext(self._inner) if self._inner is not None else call.library.AsyncHTTPTransport()
            async with owned as transport:
                response = await transport.handle_async_request(request)
                chunks: list[bytes] = []
                broken = None
                try:
                    async for chunk in response.aiter_bytes():
                        chunks.append(chunk)
                except call.library.TransportError as error:
                    broken = (type_name(type(error)), str(error))
                finally:
                    await response.aclose()
        return HttpAnswer(response.status_code, dict(response.headers), tuple(chunks), broken)


def library_of(request: Any) -> Any:
    """The library that a request belongs to: ``httpx`` or ``httpx2``."""
    return sys.modules[type(request).__module__.partition(".")[0]]


def _marked(request: Any) -> Any:
    request.extensions = {**request.extensions, OURS: True}
    return request


def _as_raised(recorded: Exception, call: _Call) -> Exception:
    """A recorded failure of the connection, of the class that the client's library raises."""
    assert isinstance(recorded, RecordedError)
    found = getattr(call.library, recorded.kind.rpartition(".")[2], None)
    if not isinstance(found, type) or not issubclass(found, call.library.TransportError):
        found = call.library.TransportError
    error: Exception = found(str(recorded).removeprefix(f"{recorded.kind}: "), request=call.request)
    return error


def _response(call: _Call, answer: HttpAnswer, *, is_async: bool = False) -> Any:
    """The answer as the client's library has it."""
    headers = {name: value for name, value in answer.headers.items() if name.lower() in http_answers.HEADERS}
    content: Any = answer.body
    if answer.streamed or answer.broken:
        content = _in_chunks_async(answer, call) if is_async else _in_chunks(answer, call)
    return call.library.Response(answer.status, headers=headers, content=content, request=call.request)


def _in_chunks(answer: HttpAnswer, call: _Call) -> Iterator[bytes]:
    yield from answer.chunks
    if answer.broken:
        raise _as_raised(RecordedError(*answer.broken), call)


async def _in_chunks_async(answer: HttpAnswer, call: _Call) -> AsyncIterator[bytes]:
    for chunk in answer.chunks:
        yield chunk
    if answer.broken:
        raise _as_raised(RecordedError(*answer.broken), call)
