"""A loopback server that speaks the wire formats of the providers, with planned answers and failures.

What it answers is written by hand from the vendors' public API descriptions, not made by the code under test.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class Reply:
    """One planned answer: JSON with a status, or the events of a stream, or nothing at all (``dead``)."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    events: tuple[Any, ...] | None = None
    named: bool = False
    dead: bool = False
    cut: bool = False
    done: bool = False


@dataclass(frozen=True)
class Asked:
    """One request as it came in; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Wire:
    """The running server: ``replies`` are given in order, ``asked`` is what came in."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.replies: list[Reply] = []
        self.asked: list[Asked] = []
        # Instead of a plan: what to reply to a request, where they come in no known order.
        self.choose: Callable[[Asked], Any] | None = None

    def plan(self, *replies: Any) -> Wire:
        """Give these next; what is no ``Reply`` is a body of status 200."""
        self.replies += [reply if isinstance(reply, Reply) else Reply(reply) for reply in replies]
        return self

    def reply_to(self, asked: Asked) -> Reply:
        """The next reply of the plan, or the chosen one."""
        if self.choose is not None:
            chosen = self.choose(asked)
            return chosen if isinstance(chosen, Reply) else Reply(chosen)
        unplanned = Reply({"error": {"message": "nothing is planned", "type": "test_error"}}, 400)
        return self.replies.pop(0) if self.replies else unplanned

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies that came in."""
        return [asked.body for asked in self.asked]

    @property
    def environ(self) -> dict[str, str]:
        """Keys and addresses that lead every built-in provider of a vendor with an address variable here."""
        keys = {f"{name}_API_KEY": f"key-of-{name.lower()}" for name in ("ANTHROPIC", "OPENAI", "GEMINI")}
        return {
            **keys,
            "ANTHROPIC_BASE_URL": self.url,
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "GOOGLE_GEMINI_BASE_URL": self.url,
        }


@contextmanager
def serving() -> Iterator[Wire]:
    """A server on a free port of this machine, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.path.partition("?")[0], headers, json.loads(data or b"{}"))
            wire.asked.append(asked)
            reply = wire.reply_to(asked)
            if reply.dead:
                self.close_connection = True
                self.connection.close()
            elif reply.events is not None:
                self._stream(reply)
            else:
                self._json(reply)

        def _json(self, reply: Reply) -> None:
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, reply: Reply) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for event in reply.events or ():
                name = f"event: {event['type']}\n".encode() if reply.named else b""
                self._chunk(name + b"data: " + json.dumps(event).encode() + b"\n\n")
            if reply.done:
                self._chunk(b"data: [DONE]\n\n")
            if reply.cut:
                # In the middle of a chunk, so that the other side knows that something is missing.
                self.wfile.write(b"ff\r\ndata: {")
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    wire = Wire(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield wire
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
