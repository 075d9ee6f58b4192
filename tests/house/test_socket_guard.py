"""The guard that keeps the tests off the network works, for plain sockets, for asyncio and for requests."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests

from tests import socket_guard
from tests.socket_guard import NetworkBlocked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Reserved for documentation: nobody answers there, and no name server knows the name.
FAR = "192.0.2.1"
FAR6 = "2001:db8::1"
FAR_NAME = "far.invalid"
TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture
def _expected() -> Iterator[None]:
    """These tests provoke the attempts for which any other test would fail."""
    yield
    assert socket_guard.attempts, "nothing was tried: the test proves nothing"
    socket_guard.attempts.clear()


def _udp(act: Callable[[socket.socket], object]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        act(sock)


def _tcp(address: tuple[str, int], family: int = socket.AF_INET, method: str = "connect") -> None:
    with socket.socket(family) as sock:
        sock.settimeout(1)
        getattr(sock, method)(address)


ATTEMPTS: dict[str, Callable[[], object]] = {
    "connect": lambda: _tcp((FAR, 80)),
    "connect_ex": lambda: _tcp((FAR, 80), method="connect_ex"),
    "connect over IPv6": lambda: _tcp((FAR6, 80), socket.AF_INET6),
    "connect to a mapped address": lambda: _tcp((f"::ffff:{FAR}", 80), socket.AF_INET6),
    "connect by name": lambda: _tcp((FAR_NAME, 80)),
    "create_connection": lambda: socket.create_connection((FAR, 80), timeout=1),
    "connect a datagram socket": lambda: _udp(lambda sock: sock.connect((FAR, 53))),
    "sendto": lambda: _udp(lambda sock: sock.sendto(b"x", (FAR, 53))),
    "sendto with flags": lambda: _udp(lambda sock: sock.sendto(b"x", 0, (FAR, 53))),
    "sendmsg": lambda: _udp(lambda sock: sock.sendmsg([b"x"], [], 0, (FAR, 53))),
    "getaddrinfo": lambda: socket.getaddrinfo(FAR_NAME, 80),
    "gethostbyname": lambda: socket.gethostbyname(FAR_NAME),
    "getfqdn": lambda: socket.getfqdn(FAR_NAME),
    "requests by name": lambda: requests.get(f"http://{FAR_NAME}/", timeout=1),
    "requests by address": lambda: requests.get(f"http://{FAR}/", timeout=1),
    "asyncio by name": lambda: asyncio.run(asyncio.open_connection(FAR_NAME, 80)),
    "asyncio by address": lambda: asyncio.run(asyncio.open_connection(FAR, 80)),
}


@pytest.mark.usefixtures("_expected")
@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_whatever_would_leave_this_machine_is_refused(attempt: Callable[[], object]) -> None:
    with pytest.raises(NetworkBlocked, match="only loopback is allowed"):
        attempt()


@pytest.fixture
def echo_port() -> Iterator[int]:
    """A port on loopback that answers what it is sent, once."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(connection.recv(100))

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join(5)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_is_allowed(echo_port: int, host: str) -> None:
    with socket.create_connection((host, echo_port), timeout=5) as sock:
        sock.sendall(b"hello")
        assert sock.recv(100) == b"hello"


def test_loopback_is_allowed_in_asyncio(echo_port: int) -> None:
    async def talk() -> bytes:
        reader, writer = await asyncio.open_connection("localhost", echo_port)
        writer.write(b"hello")
        answer = await reader.read(100)
        writer.close()
        await writer.wait_closed()
        return answer

    assert asyncio.run(talk()) == b"hello"


def test_a_local_socket_pair_is_allowed() -> None:
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("fe80::1%eth0", False),
        (b"localhost", True),
        (None, True),
        ("", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
    ],
)
def test_what_counts_as_loopback(host: object, expected: bool) -> None:
    assert socket_guard.is_loopback(host) is expected


def test_an_attempt_that_the_code_swallows_fails_its_test(tmp_path: Path) -> None:
    """Run two tests under the real conftest: the one that swallowed the error must not pass."""
    copy = tmp_path / "tests"
    copy.mkdir()
    for name in ("conftest.py", "socket_guard.py"):
        shutil.copy(TESTS / name, copy)
    (copy / "test_swallow.py").write_text(
        "import socket\n"
        "def test_swallows():\n"
        "    try:\n"
        f"        socket.getaddrinfo({FAR_NAME!r}, 80)\n"
        "    except Exception:\n"
        "        pass\n"
        "def test_innocent():\n"
        "    pass\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-o", "pythonpath=.", "-p", "no:cacheprovider", "tests"],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"swallowed: a test tried to look up '{FAR_NAME}'" in done.stdout
    assert "2 passed, 1 error" in done.stdout
