"""Keeps the tests off the network: whatever would leave this machine raises, and is remembered.

Remembering matters because product code turns errors into rows of a report: a test whose code swallowed the
error must fail all the same. Child processes are not guarded: a test that starts one has to keep it at home.
"""

from __future__ import annotations

import ipaddress
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class NetworkBlocked(RuntimeError):
    """A test tried to reach another machine. No OSError: `except OSError` must not take it for an outage."""


# What was tried since the list was last looked at, as "connect to 192.0.2.1:80".
attempts: list[str] = []


def is_loopback(host: object) -> bool:
    """Whether a host handed to the socket module stays on this machine; an empty one means any of its own."""
    if isinstance(host, bytes | bytearray):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _refuse(what: str) -> None:
    attempts.append(what)
    raise NetworkBlocked(f"a test tried to {what}: only loopback is allowed (tests/socket_guard.py)")


def _check_address(verb: str, sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(address[0]):
        _refuse(f"{verb} {address[0]}:{address[1]}")


def _guard_connect(real: Callable[..., Any]) -> Callable[..., Any]:
    def connect(self: socket.socket, address: Any) -> Any:
        _check_address("connect to", self, address)
        return real(self, address)

    return connect


def _guard_sendto(real: Callable[..., Any]) -> Callable[..., Any]:
    def sendto(self: socket.socket, data: Any, *rest: Any) -> Any:
        _check_address("send to", self, rest[-1])
        return real(self, data, *rest)

    return sendto


def _guard_sendmsg(real: Callable[..., Any]) -> Callable[..., Any]:
    def sendmsg(self: socket.socket, *args: Any) -> Any:
        if len(args) > 3 and args[3] is not None:
            _check_address("send to", self, args[3])
        return real(self, *args)

    return sendmsg


def _guard_lookup(real: Callable[..., Any]) -> Callable[..., Any]:
    def lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_loopback(host):
            _refuse(f"look up {host!r}")
        return real(host, *args, **kwargs)

    return lookup


_METHODS = {
    "connect": _guard_connect,
    "connect_ex": _guard_connect,
    "sendto": _guard_sendto,
    "sendmsg": _guard_sendmsg,
}
_LOOKUPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr")


@contextmanager
def blocked() -> Iterator[None]:
    """Guard the socket module until the block ends. asyncio is covered: its loops call these functions."""
    undo: list[Callable[[], None]] = []
    for name, guard in _METHODS.items():
        real = getattr(socket.socket, name, None)
        if real is None:  # no sendmsg on Windows
            continue
        inherited = name not in vars(socket.socket)
        setattr(socket.socket, name, guard(real))
        if inherited:
            undo.append(lambda name=name: delattr(socket.socket, name))
        else:
            undo.append(lambda name=name, real=real: setattr(socket.socket, name, real))
    for name in _LOOKUPS:
        real = getattr(socket, name)
        setattr(socket, name, _guard_lookup(real))
        undo.append(lambda name=name, real=real: setattr(socket, name, real))
    try:
        yield
    finally:
        for step in reversed(undo):
            step()
