"""The closed network of a replay, and the hosts of models while a cassette records."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from types import ModuleType
from typing import Any

import pytest

from dryfire_action.network_block import NetworkBlocked, blocked, forwarding, is_local


@pytest.fixture
def port() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_no_connection_is_opened_and_every_attempt_is_remembered(port: int) -> None:
    with blocked("everything", test="t.py::test") as block:
        with pytest.raises(NetworkBlocked, match=r"^t\.py::test tried to connect to 127\.0\.0\.1"):
            socket.create_connection(("127.0.0.1", port), timeout=5)
        with pytest.raises(NetworkBlocked, match=r"reach models\.test"):
            socket.getaddrinfo("models.test", 443)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sent, pytest.raises(NetworkBlocked):
            sent.sendto(b"", ("127.0.0.1", port))
    assert len(block.attempts) == 3
    socket.create_connection(("127.0.0.1", port), timeout=5).close()


@pytest.mark.parametrize("allowed", [["localhost"], ["127.0.0.1"]])
def test_a_host_may_be_allowed(port: int, allowed: list[str]) -> None:
    with blocked("everything", test="t", allowed=allowed) as block:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    assert block.attempts == []


def test_an_allowed_name_allows_the_addresses_it_stands_for(port: int) -> None:
    with blocked("everything", test="t", allowed=["localhost"]):
        socket.create_connection(("localhost", port), timeout=5).close()


def test_event_loops_pipes_and_pairs_of_sockets_are_no_network() -> None:
    async def ran() -> str:
        return await asyncio.to_thread(lambda: "done")

    with blocked("everything", test="t") as block:
        first, second = socket.socketpair()
        first.sendall(b"x")
        assert second.recv(1) == b"x"
        first.close()
        second.close()
        assert asyncio.run(ran()) == "done"
    assert block.attempts == []


def test_while_recording_only_hosts_of_models_are_closed(port: int) -> None:
    with blocked("providers", test="t") as block:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        with pytest.raises(NetworkBlocked, match="cost money"):
            socket.getaddrinfo("api.openai.com", 443)
    assert len(block.attempts) == 1


def test_the_cassette_itself_reaches_them_from_any_thread() -> None:
    found: list[BaseException] = []

    def looked_up() -> None:
        try:
            socket.getaddrinfo("api.openai.com", 443)
        except BaseException as error:
            found.append(error)

    with blocked("providers", test="t") as block, forwarding("api.openai.com"):
        thread = threading.Thread(target=looked_up)
        thread.start()
        thread.join(30)
    assert block.attempts == []
    # What stopped it is the guard of our own tests, which lets nothing leave this machine.
    assert [type(error).__name__ for error in found] == ["NetworkBlocked"]
    assert not isinstance(found[0], NetworkBlocked)
    from tests import socket_guard

    socket_guard.attempts.clear()


@pytest.mark.parametrize("target", ["api.openai.com:443", "dns:///api.openai.com:443", "api.openai.com"])
def test_channels_of_grpc_are_seen_when_they_are_made(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """Its sockets are opened in C; the module stands here for the real one, which is not installed."""
    grpc = ModuleType("grpc")
    grpc.secure_channel = grpc.insecure_channel = lambda target, *_: f"channel to {target}"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "grpc", grpc)
    with blocked("providers", test="t"):
        assert grpc.secure_channel("example.com:443") == "channel to example.com:443"
        assert grpc.insecure_channel("unix:/run/a") == "channel to unix:/run/a"
        with pytest.raises(NetworkBlocked, match=r"reach api\.openai\.com through gRPC"):
            grpc.secure_channel(target, None)
    assert grpc.secure_channel(target, None) == f"channel to {target}"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("", True),
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("fe80::1%lo", False),
        ("10.0.0.1", False),
        ("localhost.evil.test", False),
    ],
)
def test_what_is_this_machine(host: str, local: bool) -> None:
    assert is_local(host) is local
