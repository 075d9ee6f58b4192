"""Sockets that lead nowhere while a test replays, and no call of a model past the cassette while it records.

Python's own sockets are guarded, and with them every HTTP library that is written in Python, and the making of gRPC
channels. What opens sockets by itself is not seen: other extensions in C such as uvloop, and child processes.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from dryfire_action.errors import EXIT_RECORDING, DryfireError
from dryfire_action.providers.wire_requests import is_provider_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

# Libraries by which people reach the network: the one that is on the stack is named.
_STACKS = ("aiohttp", "requests", "httpx2", "httpx", "urllib3", "httplib2", "urllib", "http", "websockets")
_forwarded: Counter[str] = Counter()
_lock = threading.Lock()


class NetworkBlocked(DryfireError):
    """A test tried to reach the network where its cassette forbids it. No ``OSError``: it is no outage."""

    slug = "network-blocked"
    exit_code = EXIT_RECORDING


@dataclass(slots=True)
class NetworkBlock:
    """What a block forbids, and what was tried: ``attempts`` holds every one, also those whose error was swallowed.

    ``what`` is ``everything``, or ``providers``: the hosts of models, where the cassette does not make the call itself.
    ``allowed`` are hosts that may be reached all the same; ``localhost`` is all of this machine.
    """

    what: Literal["everything", "providers"]
    test: str
    allowed: frozenset[str] = frozenset()
    attempts: list[NetworkBlocked] = field(default_factory=list)
    addresses: set[str] = field(default_factory=set)

    def check(self, host: object, *, to: str) -> None:
        """Raise ``NetworkBlocked`` where ``host`` may not be reached."""
        name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host or "")
        if self._may(name.lower().rstrip(".")):
            return
        error = NetworkBlocked(self._message(to), remedy=self._remedy(name))
        self.attempts.append(error)
        raise error

    def _may(self, name: str) -> bool:
        if self.what == "providers":
            return not is_provider_host(name) or bool(_forwarded[name]) or name in self.allowed
        local = is_local(name)
        if local and ("localhost" in self.allowed or sys.platform == "win32"):
            return (
                True  # Windows has no other pair of sockets for an event loop than one through the loopback
            )
        return name in self.allowed or name in self.addresses

    def _message(self, to: str) -> str:
        stack = _stack()
        by = f" through {stack}" if stack else ""
        if self.what == "providers":
            return f"{self.test} tried to {to}{by}, past its cassette: the call would cost money and not be recorded"
        return f"{self.test} tried to {to}{by}, and a replay opens no connection"

    def _remedy(self, name: str) -> str:
        seen = (
            "the cassette sees clients of httpx and httpx2: hand them cassette.http_transport(), or mark the test with"
            " @pytest.mark.cassette(record_clients=True) where a framework builds them"
        )
        if is_provider_host(name):
            return f"{seen}; wrap what calls by any other library: cassette.wrap_llm(client)"
        host = "localhost" if is_local(name) else name
        return f'if it is meant: @pytest.mark.cassette(allow_hosts=["{host}"]); {seen}'


def is_local(host: str) -> bool:
    """Whether a host is this machine; an empty one means any of its addresses."""
    if host in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


@contextmanager
def forwarding(host: str) -> Iterator[None]:
    """The cassette itself calls ``host`` until the block ends. By host: names are looked up in threads."""
    with _lock:
        _forwarded[host] += 1
    try:
        yield
    finally:
        with _lock:
            _forwarded[host] -= 1


@contextmanager
def blocked(
    what: Literal["everything", "providers"], *, test: str, allowed: Iterable[str] = ()
) -> Iterator[NetworkBlock]:
    """Guard the sockets of this process until the block ends; yields what was tried."""
    block = NetworkBlock(what, test, frozenset(host.lower() for host in allowed))
    undo: list[Callable[[], None]] = []
    for name in ("connect", "connect_ex", "sendto", "sendmsg"):
        real = getattr(socket.socket, name, None)
        if real is not None:  # no sendmsg on Windows
            undo.append(_replaced(socket.socket, name, _guarded(block, name, real)))
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        undo.append(_replaced(socket, name, _lookup(block, getattr(socket, name))))
    for module in filter(None, map(sys.modules.get, ("grpc", "grpc.aio"))):
        for name in ("secure_channel", "insecure_channel"):
            undo.append(_replaced(module, name, _channel(block, getattr(module, name))))
    try:
        yield block
    finally:
        for step in reversed(undo):
            step()


def _replaced(holder: Any, name: str, guard: Callable[..., Any]) -> Callable[[], None]:
    own = name in vars(holder)
    real = getattr(holder, name)
    setattr(holder, name, guard)
    return (lambda: setattr(holder, name, real)) if own else (lambda: delattr(holder, name))


def _guarded(block: NetworkBlock, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: socket.socket, *args: Any) -> Any:
        at = {"sendmsg": 3, "sendto": len(args) - 1}.get(name, 0)
        address = args[at] if at < len(args) else None
        # Only connections of a network: no pipes, no sockets of files, no answer on a connection that is open.
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
            host, port = address[:2]
            try:
                block.check(host, to=f"connect to {host}:{port}")
            except NetworkBlocked:
                # Its owner closes it after an OSError, and this is none.
                self.close()
                raise
        return real(self, *args)

    return call


def _lookup(block: NetworkBlock, real: Callable[..., Any]) -> Callable[..., Any]:
    def lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _numeric(host):  # that it may be connected to is asked for then
            block.check(host, to=f"reach {host.decode() if isinstance(host, bytes) else host}")
        found = real(host, *args, **kwargs)
        if isinstance(found, list):
            block.addresses.update(str(entry[4][0]) for entry in found if not _numeric(host))
        return found

    return lookup


def _channel(block: NetworkBlock, real: Callable[..., Any]) -> Callable[..., Any]:
    def channel(target: Any, *args: Any, **kwargs: Any) -> Any:
        rest = str(target).rpartition("//")[2].lstrip("/")
        if not str(target).startswith("unix:"):
            host = rest.removeprefix("dns:").rpartition(":")[0].strip("[]") or rest
            block.check(host, to=f"reach {host} through gRPC")
        return real(target, *args, **kwargs)

    return channel


def _numeric(host: Any) -> bool:
    try:
        ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return host is None
    return True


def _stack() -> str:
    """The library that is about to reach the network, if it is on the stack of this thread."""
    frame: FrameType | None = sys._getframe(1)
    found: set[str] = set()
    while frame is not None:
        found.add(str(frame.f_globals.get("__name__", "")).partition(".")[0])
        frame = frame.f_back
    return next((name for name in _STACKS if name in found), "")
