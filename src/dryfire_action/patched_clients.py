"""Recording clients that a framework builds for itself: every transport of ``httpx`` and ``httpx2`` in this process.

The classes of transports are patched and not the building of clients, so that a client counts which was made long ago.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dryfire_action.http_transport import OURS, CassetteTransport, library_of
from dryfire_action.providers.wire_requests import family_of, is_provider_host

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from dryfire_action.call_tape import CallTape

LIBRARIES = ("httpx2", "httpx")
# Where frameworks send traces of what they did: no answer of a model, and nothing of it in a replay.
_TELEMETRY = ("/traces/ingest",)


@contextmanager
def recording_clients(tape: CallTape) -> Iterator[None]:
    """Let every client of ``httpx`` and ``httpx2`` go through ``tape`` until the block ends.

    Only calls of models do: those in a known wire format, and whatever else goes to a provider's host.
    """
    undo: list[Callable[[], None]] = []
    for name in LIBRARIES:
        if find_spec(name) is None:
            continue
        library = import_module(name)
        for owner, method, patched in (
            (library.HTTPTransport, "handle_request", _patched),
            (library.AsyncHTTPTransport, "handle_async_request", _patched_async),
        ):
            real = getattr(owner, method)
            setattr(owner, method, patched(tape, real))
            undo.append(partial(setattr, owner, method, real))
    try:
        yield
    finally:
        for step in reversed(undo):
            step()


@dataclass(frozen=True, slots=True)
class _Real:
    """The transport of a client that is recorded where it stands."""

    transport: Any
    send: Callable[..., Any]
    send_async: Callable[..., Awaitable[Any]] | None = None

    def handle_request(self, request: Any) -> Any:
        return self.send(self.transport, request)

    async def handle_async_request(self, request: Any) -> Any:
        assert self.send_async is not None
        return await self.send_async(self.transport, request)


def _patched(tape: CallTape, real: Callable[..., Any]) -> Callable[..., Any]:
    def handle_request(transport: Any, request: Any) -> Any:
        if _telemetry(tape, request):
            return library_of(request).Response(204)
        if not _counts(request):
            return real(transport, request)
        return CassetteTransport(tape, _Real(transport, real)).handle_request(request)

    return handle_request


def _patched_async(tape: CallTape, real: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def handle_async_request(transport: Any, request: Any) -> Any:
        if _telemetry(tape, request):
            return library_of(request).Response(204)
        if not _counts(request):
            return await real(transport, request)
        inner = _Real(transport, lambda *_: None, real)
        return await CassetteTransport(tape, inner).handle_async_request(request)

    return handle_async_request


def _counts(request: Any) -> bool:
    if OURS in request.extensions:
        return False
    return family_of(request.method, str(request.url)) is not None or is_provider_host(request.url.host)


def _telemetry(tape: CallTape, request: Any) -> bool:
    return tape.mode != "record" and str(request.url.path).endswith(_TELEMETRY)
