"""Agents of real frameworks, recorded through a server on this machine and replayed with every socket closed.

The frameworks build their clients themselves: the cassette sees them because transports are patched.
"""

from __future__ import annotations

import asyncio
import gc
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.errors import CassetteMissError
from dryfire_action.http_transport import ReplayStopped
from dryfire_action.network_block import NetworkBlocked, blocked
from dryfire_action.patched_clients import recording_clients
from dryfire_action.replay import Cassette
from tests.frameworks import framework_agents
from tests.providers import spoken
from tests.providers.wire_server import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.frameworks.framework_agents import Framework
    from tests.providers.wire_server import Wire

# The frameworks leave clients and event loops behind for the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
FORMATS = {each.name: each for each in spoken.ALL}
CALLS: Any = [("get_weather", {"city": "Oslo"})]
PIECES = ["It is ", "3 ", "degrees."]
KINDS = {
    "pydantic-ai/openai": (framework_agents.pydantic_ai, "openai"),
    "pydantic-ai/openai-responses": (framework_agents.pydantic_ai, "openai-responses"),
    "pydantic-ai/anthropic": (framework_agents.pydantic_ai, "anthropic"),
    "openai-agents/openai": (framework_agents.openai_agents, "openai"),
    "openai-agents/openai-responses": (framework_agents.openai_agents, "openai-responses"),
}


@pytest.fixture(params=list(KINDS))
def framework(request: pytest.FixtureRequest) -> Framework:
    make, provider = KINDS[request.param]
    return make(provider)


@pytest.fixture
def wire() -> Iterator[Wire]:
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def _addresses(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in wire.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    """Close the event loop that a framework left open, and let its clients go while nobody minds."""
    yield
    with suppress(RuntimeError):
        loop = asyncio.get_event_loop_policy().get_event_loop()
        loop.close()
        asyncio.set_event_loop(None)
    gc.collect()


@contextmanager
def under(cassette: Cassette, *, closed: bool) -> Iterator[None]:
    """What the fixture does around a test."""
    with ExitStack() as stack:
        if closed:
            block = stack.enter_context(blocked("everything", test="the replay"))
        stack.enter_context(recording_clients(cassette.tape))
        yield
    if closed:
        assert block.attempts == []


def plan(wire: Wire, framework: Framework, *, stream: bool) -> None:
    speaks = FORMATS[framework.provider]
    if stream:
        wire.plan(streamed(framework, [], CALLS), streamed(framework, PIECES, []))
    else:
        wire.plan(speaks.answer("Let me see.", CALLS), speaks.answer("".join(PIECES), []))


def streamed(framework: Framework, pieces: list[str], calls: Any) -> Any:
    return FORMATS[framework.provider].stream(pieces, calls)


WAYS: dict[str, Callable[[Framework, str], Any]] = {
    "sync": lambda framework, description: framework.ask(description),
    "async": lambda framework, description: asyncio.run(framework.ask_async(description)),
    "streamed": lambda framework, description: asyncio.run(pieces_of(framework, description)),
}


async def pieces_of(framework: Framework, description: str) -> list[str]:
    return [piece async for piece in framework.stream(description)]


@pytest.mark.parametrize("way", list(WAYS))
def test_a_framework_is_recorded_and_replayed(
    framework: Framework, wire: Wire, way: str, tmp_path: Path
) -> None:
    plan(wire, framework, stream=way == "streamed")
    cassette = Cassette()
    with under(cassette, closed=False):
        live = WAYS[way](framework, framework_agents.DESCRIPTION)
    assert len(cassette.calls) == 2
    cassette.save(tmp_path / "calls.jsonl")
    asked = len(wire.asked)
    with Cassette.load(tmp_path / "calls.jsonl") as replay, under(replay, closed=True):
        assert WAYS[way](framework, framework_agents.DESCRIPTION) == live
    assert len(wire.asked) == asked == 2
    assert live == (PIECES if way == "streamed" else "".join(PIECES))


@pytest.mark.parametrize("way", list(WAYS))
def test_an_edit_of_a_tool_is_named_by_its_field(framework: Framework, wire: Wire, way: str) -> None:
    plan(wire, framework, stream=way == "streamed")
    cassette = Cassette()
    with under(cassette, closed=False):
        WAYS[way](framework, framework_agents.DESCRIPTION)
    replay = Cassette(mode="strict", calls=cassette.calls)
    with under(replay, closed=True), pytest.raises(BaseException) as stopped:
        WAYS[way](framework, "Tells the weather of today.")
    assert isinstance(stopped.value, ReplayStopped)
    assert isinstance(stopped.value.error, CassetteMissError)
    assert replay.first_divergence
    assert replay.first_divergence.fields == ("tools[get_weather].description",)
    assert '+      "description": "Tells the weather of today."' in replay.first_divergence.diff


@pytest.mark.parametrize("framework", ["pydantic-ai/anthropic", "openai-agents/openai"], indirect=True)
def test_without_the_patch_the_closed_network_says_so(framework: Framework) -> None:
    with blocked("everything", test="test_weather") as block, pytest.raises(Exception):  # noqa: B017
        framework.ask(framework_agents.DESCRIPTION)
    assert isinstance(block.attempts[0], NetworkBlocked)
    assert "test_weather tried to connect to 127.0.0.1" in str(block.attempts[0])
    assert "record_clients=True" in str(block.attempts[0])
