"""What all live providers have in common: the SDK is loaded at the call, asked once, and its failures are told.

A provider is made for the calls of one case. Each call has a client of its own, so that nothing has to be closed
later and no connection outlives its event loop.
"""

from __future__ import annotations

import importlib
import inspect
import json
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dryfire_action.errors import ProviderError, ProviderUnavailable, UsageError
from dryfire_action.providers.failures import broken_stream, failure, unreadable
from dryfire_action.providers.images import with_images
from dryfire_action.providers.wire import with_call_ids

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Collection
    from contextlib import AbstractAsyncContextManager
    from types import ModuleType

    from dryfire_action.messages import JsonObject, Request, Response
    from dryfire_action.providers.endpoints import Endpoint
    from dryfire_action.providers.images import Read


@dataclass(frozen=True, slots=True)
class Streamed:
    """What a stream brought: its events as JSON, and the pieces of text in them."""

    events: list[JsonObject]
    chunks: tuple[str, ...]


# Seconds for a whole call. The Anthropic SDK refuses long answers that are not streamed unless a limit is set.
TIMEOUT = 600.0
# The way out for a parameter that an SDK has no name for.
PASSED_ON = "write it below params.extra_body, which the SDK passes on as it is"


class LiveModel:
    """A model behind a vendor's SDK. ``sdk`` and ``sdk_version`` name the distribution and its installed version.

    Raises ``ProviderUnavailable`` with the command to run where the SDK is not installed.
    """

    sdk = ""
    module = ""
    extra = ""
    way_out = PASSED_ON

    def __init__(self, endpoint: Endpoint, key: str, base_url: str | None, read: Read) -> None:
        self.name = endpoint.name
        self._endpoint = endpoint
        self._key = key
        self._base_url = base_url
        self._read_file = read
        self._sdk = load_sdk(self.name, self.module, self.extra)
        self.sdk_version = _version(self.sdk)
        self._accepted: Collection[str] = ()

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine: a gateway, a model that runs here, or a server of a test."""
        host = urlsplit(self._base_url or "").hostname or ""
        return host in ("localhost", "::1") or host.startswith("127.")

    def check(self, request: Request) -> None:
        """Raise ``UsageError`` for a request that ``complete`` would not send."""
        self._checked(request)

    async def complete(self, request: Request) -> Response:
        """The model's answer, with the time it took.

        Raises ``ProviderError`` as the provider refused or failed, and ``UsageError``, before anything is sent, for a
        request that the provider or the installed SDK does not take.
        """
        wire = self._checked(request)
        try:
            async with self._client(wire) as client:
                started = perf_counter()
                answer = await self._send(client, wire)
        except (ProviderError, UsageError):
            raise
        except Exception as error:
            told = failure(error)
            if told is not None:
                raise told from error
            if isinstance(error, TypeError | ValueError):
                raise self._refused(error) from error
            raise
        took = max(round((perf_counter() - started) * 1000), 0)
        try:
            return with_call_ids(replace(self._read(answer), latency_ms=took))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise unreadable(f"{type(error).__name__}: {error}") from error

    def _read(self, answer: bytes | str | Streamed) -> Response:
        if not isinstance(answer, Streamed):
            return self._response(json.loads(answer))
        body = self._assembled(answer.events)
        if body is None:
            raise broken_stream("it closed before the answer had ended", answer.chunks)
        response = self._response(body)
        return (
            replace(response, chunks=answer.chunks) if "".join(answer.chunks) == response.text else response
        )

    def _checked(self, request: Request) -> JsonObject:
        """What the SDK is called with; what it has no name for is refused, and not dropped."""
        wire = self._wire(with_images(request, self._read_file))
        self._accepted = self._accepted or self._parameters()
        for name in self._named(wire):
            if name not in self._accepted:
                said = f"params.{name}" if name in request.params else "output_schema"
                raise UsageError(
                    f"{said}: {self.sdk} {self.sdk_version} takes no such parameter",
                    remedy=f"take it out of params:{' (or temperature:)' * (name == 'temperature')},"
                    f" or {self.way_out}",
                )
        return wire

    def _named(self, wire: JsonObject) -> JsonObject:
        """The part of ``wire`` whose names the SDK must know."""
        return wire

    def _wire(self, request: Request) -> JsonObject:
        """What the SDK is called with, whatever it takes."""
        raise NotImplementedError

    def _parameters(self) -> Collection[str]:
        """The names that the installed SDK takes."""
        raise NotImplementedError

    def _client(self, _: JsonObject, /) -> AbstractAsyncContextManager[Any]:
        """The SDK's client for one call: it does not try again by itself."""
        raise NotImplementedError

    async def _send(self, client: Any, wire: JsonObject) -> bytes | str | Streamed:
        """Ask once: the body of the answer as it came, or what a stream brought."""
        raise NotImplementedError

    def _assembled(self, events: list[JsonObject]) -> JsonObject | None:
        """The body that a stream's events make up; None where it did not reach its end."""
        raise NotImplementedError

    def _response(self, body: JsonObject) -> Response:
        """The answer in a body."""
        raise NotImplementedError

    def _refused(self, error: Exception) -> UsageError:
        """What the SDK itself would not send; it says why by an exception of Python's."""
        lines = (line.strip() for line in str(error).splitlines())
        reason = " ".join(line for line in lines if line and "errors.pydantic.dev" not in line)
        return UsageError(
            f"{self.sdk} {self.sdk_version} does not take this request: {reason or type(error).__name__}"
        )


class ResourceModel(LiveModel):
    """A model that is asked by ``create`` of a resource of its SDK's client, as Anthropic's and OpenAI's are."""

    def _resource(self, client: Any) -> Any:
        """The part of the client that has ``create``."""
        raise NotImplementedError

    def _text_of(self, event: JsonObject) -> str:
        """The piece of text in an event of a stream, "" where there is none."""
        raise NotImplementedError

    def _parameters(self) -> Collection[str]:
        return inspect.signature(self._resource(self._client({})).create).parameters

    async def _send(self, client: Any, wire: JsonObject) -> bytes | str | Streamed:
        resource = self._resource(client)
        if wire.get("stream"):
            return await gathered(await resource.create(**wire), self._text_of)
        answer = await resource.with_raw_response.create(**wire)
        body: bytes = answer.http_response.content
        return body


async def gathered(events: AsyncIterable[Any], text_of: Callable[[JsonObject], str]) -> Streamed:
    """All events of a stream as JSON, and the pieces of text in them.

    Raises ``ProviderError`` that says how much had arrived where the stream breaks off.
    """
    found: list[JsonObject] = []
    chunks: list[str] = []
    try:
        async for event in events:
            found.append(event.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False))
            if piece := text_of(found[-1]):
                chunks.append(piece)
    except Exception as error:
        told = failure(error, streamed=chunks)
        if told is None:
            raise
        raise told from error
    return Streamed(found, tuple(chunks))


def load_sdk(name: str, module: str, extra: str) -> ModuleType:
    """The vendor's SDK; ``ProviderUnavailable`` with the command that installs it where there is none."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and module.startswith(error.name or module)
        why = "is not installed" if missing else f"cannot be loaded ({error})"
        raise ProviderUnavailable(
            f"a live call to {name} needs the Python package {_DISTRIBUTIONS[module]}, which {why}",
            remedy=f'pip install "dryfire-action[{extra}]"',
        ) from None


_DISTRIBUTIONS = {"anthropic": "anthropic", "openai": "openai", "google.genai": "google-genai"}


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
