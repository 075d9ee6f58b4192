"""Failures between the provider and the recorder, in every place of a run, replay as they happened.

Each happens on the wire of a real SDK: class, status, message, the seconds to wait and the attempts are the same in the
recorded run and in its replay from the file, and nothing is asked then.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.agent import AgentRunner
from dryfire_action.ambient import FakeClock
from dryfire_action.cassette import Cassette, Header
from dryfire_action.cassette_file import decode, encode
from dryfire_action.errors import Place, ProviderError
from dryfire_action.mocks import MockedTools
from dryfire_action.playback import ReplayingProvider
from dryfire_action.providers import make_provider
from dryfire_action.recorder import RecordingProvider
from dryfire_action.retry import RetryPolicy
from dryfire_action.suite import MockRule, Return
from tests.providers import wire_server
from tests.providers.asking import request
from tests.providers.spoken import CHAT, GEMINI, MESSAGES, RESPONSES
from tests.providers.wire_server import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.agent import Run
    from dryfire_action.messages import Provider, Request, Response
    from tests.providers.spoken import Spoken
    from tests.providers.wire_server import Wire

MOCKS = {"get_weather": (MockRule(Return({"degrees": 3}), None, Place("s", 1)),)}
RETRIES = RetryPolicy(max_retries=2)
STREAM = {"stream": True}
SECRET = "sk-" + "ant-api03-" + "q7" * 48


@dataclass(frozen=True)
class Fault:
    """A failure on the wire, and how it must come out. ``wait`` is what the provider asks for, in seconds."""

    spoke: Spoken
    reply: Reply
    kind: str
    status: int | None = None
    says: str = ""
    wait: float | None = None
    again: bool = True
    params: dict[str, Any] = field(default_factory=dict)
    partial: str = ""


def error(spoke: Spoken, status: int, kind: str, says: str, **headers: str) -> Reply:
    """An error as the provider writes it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(spoke.error(status, kind, says), status, named)


def cut_off(spoke: Spoken, *, cut: bool) -> Reply:
    """A stream that ends after its second piece of text."""
    keep = {"anthropic": 4, "openai": 3, "openai-responses": 3, "gemini": 2}[spoke.name]
    return spoke.stream(["3 de", "grees ", "here"], keep=keep, cut=cut)


def middle(spoke: Spoken, event: dict[str, Any]) -> Reply:
    """A stream with an error in the place of its third event."""
    return Reply(events=(*spoke.events(["3 de", "grees"], [])[:3], event), named=spoke.named)


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
QUOTA = {"error": {"message": "pay first", "type": "insufficient_quota", "code": "insufficient_quota"}}
DELAY = {
    "error": {
        "code": 429,
        "message": "slow down",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}],
    }
}
FAULTS = {
    "overloaded": Fault(
        MESSAGES,
        error(MESSAGES, 529, "overloaded_error", "Overloaded"),
        "overloaded_error",
        529,
        "Overloaded",
    ),
    "too many, in seconds": Fault(
        MESSAGES,
        error(MESSAGES, 429, "rate_limit_error", "slow", retry_after="2"),
        "rate_limit_error",
        429,
        "slow",
        2.0,
    ),
    "too many, in milliseconds": Fault(
        CHAT,
        error(CHAT, 429, "rate_limit_error", "slow", retry_after_ms="1500"),
        "rate_limit_error",
        429,
        "slow",
        1.5,
    ),
    "too many, in the body": Fault(GEMINI, Reply(DELAY, 429), "RESOURCE_EXHAUSTED", 429, "slow down", 7.0),
    "an hour to wait": Fault(
        MESSAGES,
        error(MESSAGES, 429, "rate_limit_error", "later", retry_after="3600"),
        "rate_limit_error",
        429,
        "later",
        3600.0,
    ),
    "no more quota": Fault(CHAT, Reply(QUOTA, 429), "insufficient_quota", 429, "pay first", again=False),
    "a server error": Fault(
        RESPONSES, error(RESPONSES, 500, "server_error", "oops"), "server_error", 500, "oops"
    ),
    "unavailable": Fault(GEMINI, error(GEMINI, 503, "UNAVAILABLE", "busy"), "UNAVAILABLE", 503, "busy"),
    "a gateway's page": Fault(
        CHAT, Reply(b"<html>Bad gateway</html>", 502), "InternalServerError", 502, "Bad gateway"
    ),
    "an empty error": Fault(MESSAGES, Reply(b"", 500), "InternalServerError", 500),
    "a wrong key": Fault(
        MESSAGES,
        error(MESSAGES, 401, "authentication_error", "no such key"),
        "authentication_error",
        401,
        "no such key",
        again=False,
    ),
    "a bad request": Fault(
        CHAT,
        error(CHAT, 400, "invalid_request_error", "no such model"),
        "invalid_request_error",
        400,
        "no such model",
        again=False,
    ),
    "not found": Fault(
        RESPONSES, error(RESPONSES, 404, "not_found", "gone"), "not_found", 404, "gone", again=False
    ),
    "a conflict": Fault(CHAT, error(CHAT, 409, "conflict", "locked"), "conflict", 409, "locked"),
    "a dead connection": Fault(MESSAGES, Reply(dead=True), "APIConnectionError"),
    "a dead connection, another SDK": Fault(GEMINI, Reply(dead=True), "RemoteProtocolError"),
    "no JSON": Fault(MESSAGES, Reply(b"{"), "UnreadableAnswer", says="cannot be read", again=False),
    "JSON of another shape": Fault(
        CHAT, Reply({"choices": []}), "UnreadableAnswer", says="cannot be read", again=False
    ),
    "an error in an answer": Fault(
        CHAT,
        Reply({"error": {"message": "upstream is down", "code": 502}}),
        "ProviderError",
        502,
        "upstream is down",
    ),
    "a stream that dies": Fault(
        MESSAGES,
        cut_off(MESSAGES, cut=True),
        "StreamInterrupted",
        says="broke off after 10",
        params=STREAM,
        partial="3 degrees ",
    ),
    "a stream that closes": Fault(
        CHAT,
        cut_off(CHAT, cut=False),
        "StreamInterrupted",
        says="broke off after 10",
        params=STREAM,
        partial="3 degrees ",
    ),
    "a stream that dies, Responses": Fault(
        RESPONSES,
        cut_off(RESPONSES, cut=True),
        "StreamInterrupted",
        says="broke off after 10",
        params=STREAM,
        partial="3 degrees ",
    ),
    "a stream that dies, Gemini": Fault(
        GEMINI,
        cut_off(GEMINI, cut=True),
        "StreamInterrupted",
        says="broke off after 10",
        params=STREAM,
        partial="3 degrees ",
    ),
    "an error in a stream": Fault(
        MESSAGES,
        middle(MESSAGES, OVERLOADED),
        "overloaded_error",
        529,
        "Overloaded",
        params=STREAM,
        partial="3 de",
    ),
    "a secret in the reason": Fault(
        MESSAGES,
        error(MESSAGES, 500, "api_error", f"bad key {SECRET}"),
        "api_error",
        500,
        "bad key [redacted:",
    ),
}
# Where it happens: how many good answers come before it, and how often it comes.
PLACES = {"at the first turn": (0, 1), "at the second turn": (1, 1), "twice": (1, 2), "to the end": (1, 3)}


@pytest.fixture
def wire() -> Iterator[Wire]:
    """The loopback server."""
    with wire_server.serving() as server:
        yield server


def run_of(provider: Provider, asked: Request) -> tuple[Run, list[ProviderError], list[float]]:
    """A run of an agent, the failures it met and the waits between them."""
    met: list[ProviderError] = []

    class Watched:
        name = provider.name

        async def complete(self, request: Request) -> Response:
            try:
                return await provider.complete(request)
            except ProviderError as error:
                met.append(error)
                raise

    async def work() -> tuple[Run, list[float]]:
        clock = FakeClock()
        runner = AgentRunner(
            provider=Watched(),
            tools=MockedTools(MOCKS),
            clock=clock,
            jitter=Random(7),
            retry=RETRIES,
        )
        return await runner.run(asked, run_id="run"), clock.slept

    run, slept = asyncio.run(work())
    return run, met, slept


def facts(error: ProviderError) -> tuple[Any, ...]:
    return (
        error.kind,
        error.status,
        error.message,
        error.retry_after,
        error.retryable,
        "".join(error.chunks),
    )


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", FAULTS)
def test_a_failure_is_replayed_as_it_happened(wire: Wire, name: str, place: str) -> None:
    fault, (before, times) = FAULTS[name], PLACES[place]
    spoke = fault.spoke
    calls = [("get_weather", {"city": "Oslo"})]
    if fault.params:
        good = [spoke.stream(["Let me ", "see."], calls), spoke.stream(["3 de", "grees"])]
    else:
        good = [Reply(spoke.answer("Let me see.", calls)), Reply(spoke.answer("3 degrees", []))]
    wire.plan(*good[:before], *[fault.reply] * times, *good[before:])
    asked = request(spoke, params=fault.params)

    recorder = RecordingProvider(make_provider(spoke.name, environ=wire.environ), today="2026-11-29")
    recorded, met, slept = run_of(recorder, asked)
    tries = times if fault.again else 1
    assert len(met) == tries
    for each in met:
        assert (each.kind, each.status, each.retry_after, each.retryable) == (
            *(fault.kind, fault.status, fault.wait, fault.again),
        )
        assert fault.says in each.message
        assert "".join(each.chunks) == fault.partial
    recovers = fault.again and times <= RETRIES.max_retries
    assert recorded.termination == ("end_turn" if recovers else "provider_error")
    assert len(slept) == (tries if recovers else tries - 1)
    assert all(wait <= RETRIES.max_wait for wait in slept)
    if recovers:
        assert recorded.turns[before].attempts == 1 + times
        assert recorded.final_text == "3 degrees"
    else:
        assert fault.says in recorded.error

    header = Header("s", "c", spoke.name, "m-1")
    file = encode(Cassette(header, recorder.tape.exchanges))
    assert SECRET not in file
    paid = len(wire.asked)
    replaying = ReplayingProvider(decode(file, "c.json"))
    replayed, met_again, slept_again = run_of(replaying, asked)
    assert replayed == recorded
    assert [facts(each) for each in met_again] == [facts(each) for each in met]
    assert slept_again == slept
    assert (len(wire.asked), replaying.left_over()) == (paid, ())


def test_the_table_is_as_large_as_promised() -> None:
    assert len(FAULTS) >= 15
    assert {fault.spoke.name for fault in FAULTS.values()} == {
        s.name for s in (MESSAGES, CHAT, RESPONSES, GEMINI)
    }


def test_where_a_stream_was_cut_into_pieces_is_kept_unless_a_secret_was_in_it(wire: Wire) -> None:
    def recorded(*pieces: str) -> dict[str, Any]:
        wire.plan(MESSAGES.stream([*pieces, "and more"], keep=2 + len(pieces), cut=True))
        recorder = RecordingProvider(make_provider("anthropic", environ=wire.environ))
        asked = request(MESSAGES, params=STREAM)
        with pytest.raises(ProviderError):
            asyncio.run(recorder.complete(asked))
        text = encode(Cassette(Header("s", "c", "anthropic", "m-1"), recorder.tape.exchanges))
        assert SECRET not in text
        exchange: dict[str, Any] = json.loads(text)["exchanges"][0]
        return exchange

    plain = recorded("3 de", "gre", "es ")
    assert (plain["error"]["text"], plain["cuts"]) == ("3 degrees ", [4, 7])
    hidden = recorded("the key is ", SECRET[:20], SECRET[20:])
    assert hidden["error"]["text"].startswith("the key is [redacted:")
    assert "cuts" not in hidden
