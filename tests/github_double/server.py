"""The server of the double: takes calls, holds them against the contract, fails as planned, and keeps a log."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.github_double import contract
from tests.github_double.faults import FAULTS, Fault
from tests.github_double.routes import Routes, said
from tests.github_double.state import BOT, Account, Artifact, Comment, PullRequest, Run, State, Token, zipped

if TYPE_CHECKING:
    from collections.abc import Callable

WRITING = ("POST", "PATCH", "DELETE", "PUT")


@dataclass
class Call:
    """One call as it came in, and the status that went out (0: none did). Header names are in lower case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    host: str
    status: int = 0

    @property
    def writes(self) -> bool:
        """Whether the call asks to change something; questions of GraphQL do not."""
        return self.method in WRITING and not self.path.endswith("/graphql")


@dataclass
class Plan:
    """A failure that waits for its calls."""

    fault: Fault
    times: int
    method: str
    part: str


@dataclass
class GitHubDouble:
    """GitHub on loopback; see the package. All that is public may be read and changed while it runs."""

    repository: str = "acme/demo"
    base_path: str = ""
    clock: Callable[[], float] = time.time
    state: State = field(init=False)
    calls: list[Call] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    # Called before a call is answered, with nothing locked: it may change the state or make calls of its own.
    on_call: Callable[[Call], None] | None = None
    # Called before each byte of an answer that drips.
    on_drip: Callable[[], None] = field(default=lambda: time.sleep(0.01))

    def __post_init__(self) -> None:
        self.state = State(self.repository)
        # Put together here, so that no file holds what looks like a token.
        self.token = Token("ghs" + "_write" + "0" * 30)
        self.fork_token = Token("ghs" + "_fork0" + "0" * 30, may_write=False)
        self.personal_token = Token("github" + "_pat_" + "0" * 30, Account("ada", 4711), installation=False)
        self._tokens = {item.text: item for item in (self.token, self.fork_token, self.personal_token)}
        self.planned: list[Plan] = []
        self._lock = threading.RLock()
        self._servers: list[ThreadingHTTPServer] = []

    # what is there

    @property
    def pull_requests(self) -> dict[int, PullRequest]:
        """The pull requests by number."""
        return self.state.pull_requests

    def comments(self, number: int) -> list[Comment]:
        """The comments on a pull request, oldest first."""
        return self.state.comments_on(number)

    @property
    def writes(self) -> list[Call]:
        """The calls that asked to change something."""
        return [call for call in self.calls if call.writes]

    def add_token(
        self, text: str, account: Account = BOT, *, may_write: bool = True, installation: bool = True
    ) -> Token:
        """Let a token in."""
        self._tokens[text] = token = Token(text, account, may_write, installation)
        return token

    def add_pull_request(self, number: int, **known: Any) -> PullRequest:
        """Open a pull request; ``known`` are fields of ``PullRequest``."""
        self.state.pull_requests[number] = PullRequest(number, **known)
        return self.state.pull_requests[number]

    def add_comment(self, number: int, body: str, author: Account = BOT) -> Comment:
        """Write a comment in somebody's name."""
        return self.state.add_comment(number, body, author)

    def add_run(self, run: int, **known: Any) -> Run:
        """A finished workflow run; ``known`` are fields of ``Run``."""
        self.state.runs[run] = Run(run, **known)
        return self.state.runs[run]

    def add_artifact(
        self, run: int, name: str, *members: tuple[str, bytes], data: bytes | None = None, **known: Any
    ) -> Artifact:
        """A zip file of ``members``, or just ``data``, kept by a run; ``known`` are fields of ``Artifact``."""
        item = Artifact(self.state.new_id(), run, name, zipped(*members) if data is None else data, **known)
        self.state.artifacts[item.id] = item
        return item

    def workflow_run_event(self, run: int, action: str = "completed") -> dict[str, Any]:
        """The payload that a workflow gets which is started by a finished run."""
        known = self.routes.run_json(self.state.runs[run])
        return {"action": action, "workflow_run": known, "repository": {"full_name": self.repository}}

    def fail_next(self, fault: Fault | str, times: int = 1, *, method: str = "", path: str = "") -> None:
        """Fail the next calls whose method is ``method`` and whose path contains ``path``; "" is any.

        ``fault`` may be a name out of ``FAULTS``; several plans wait for their calls in the order they were made.
        """
        self.planned.append(Plan(FAULTS[fault] if isinstance(fault, str) else fault, times, method, path))

    # running

    def __enter__(self) -> GitHubDouble:
        api = self._serve(_Api)
        self.url, self.graphql_url = f"{api}{self.base_path}", f"{api}/graphql"
        if self.base_path:
            self.graphql_url = f"{api}/api/graphql"
        self.host = urlsplit(api).netloc
        self.routes = Routes(self.state, self.url, lambda: self.storage)
        return self

    @cached_property
    def storage(self) -> str:
        """The address of the other host, where files lie; it is there once somebody asks for it."""
        return self._serve(_Storage)

    def _serve(self, handler: type[_Handler]) -> str:
        server = _Server(("127.0.0.1", 0), type("Bound", (handler,), {"double": self}))
        server.violations = self.violations
        self._servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
        if kind is None and self.violations:
            raise AssertionError("against GitHub's description of its API:\n" + "\n".join(self.violations))

    def take_fault(self, call: Call) -> Fault | None:
        """The failure that was planned for a call, if one was."""
        with self._lock:
            for plan in self.planned:
                if plan.times and plan.method in ("", call.method) and plan.part in call.path:
                    plan.times -= 1
                    return plan.fault
        return None

    def answer(self, call: Call) -> tuple[int, bytes, dict[str, str]]:
        """What GitHub would answer: status, body, headers. What breaks the contract is noted and refused."""
        path, _, kind = (
            call.path.removeprefix(self.base_path),
            "",
            call.headers.get("content-type", "").split(";")[0],
        )
        token = self._tokens.get(call.headers.get("authorization", "").removeprefix("Bearer "))
        if token is None:
            status, body, headers = said(401, "Bad credentials")
        elif call.host + call.path == self.graphql_url.removeprefix("http://") and call.method == "POST":
            with self._lock:
                status, body, headers = self.routes.graphql(token, json.loads(call.body))
        elif not call.path.startswith(self.base_path):
            status, body, headers = said(404, "Not Found")
        else:
            query = tuple(sorted(call.query.items()))
            asked = contract.Asked(call.method, path, query, call.body or None, kind)
            wrong = contract.wrong_with_request(asked)
            if wrong:
                self.violations.append(f"request {call.method} {call.path}: {wrong}")
                status, body, headers = said(422, "Validation Failed")
            else:
                with self._lock:
                    status, body, headers = self.routes.answer(
                        token, call.method, path, call.query, json.loads(call.body) if call.body else None
                    )
                if status < 400:
                    self._check_answer(asked, status, body, headers)
        return status, b"" if body is None else json.dumps(body).encode(), headers

    def _check_answer(self, asked: contract.Asked, status: int, body: Any, headers: dict[str, str]) -> None:
        # Where the double listens is another port in every test, and no matter of the description.
        data = (
            b""
            if body is None
            else json.dumps(body).encode().replace(self.url.encode(), contract.HOST.encode())
        )
        named = tuple((name, value.replace(self.url, contract.HOST)) for name, value in headers.items())
        wrong = contract.wrong_with_answer(asked, status, data, named)
        if wrong:
            self.violations.append(f"answer to {asked.method} {asked.path}: {wrong}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    violations: list[str]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers may hang up; any other error is one of the double, and fails the test."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.violations.append("".join(traceback.format_exception(error)))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    double: GitHubDouble

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def come(self) -> None:
        """Take a call, whatever its method."""
        size = int(self.headers.get("content-length") or 0)
        body, address = self.rfile.read(size), urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        call = Call(self.command, address.path, query, headers, body, headers.get("host", ""))
        self.double.calls.append(call)
        self.take(call)

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = come

    def take(self, call: Call) -> None:
        """Answer a call."""
        raise NotImplementedError

    def send(self, call: Call, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Send a whole answer."""
        call.status = status
        self.head(status, len(body), headers)
        self.wfile.write(body)
        self.wfile.flush()

    def head(self, status: int, size: int, headers: dict[str, str]) -> None:
        """Send the first lines of an answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(size), **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def hang_up(self) -> None:
        """End the connection at once."""
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


class _Api(_Handler):
    def take(self, call: Call) -> None:
        """Answer as GitHub does, or as the plan says."""
        if self.double.on_call:
            self.double.on_call(call)
        fault = self.double.take_fault(call)
        if fault is None:
            status, body, headers = self.double.answer(call)
            return self.send(
                call, status, body, {"Content-Type": "application/json; charset=utf-8", **headers}
            )
        status, body, headers = fault.status or 200, fault.body, {"Content-Type": fault.kind, **fault.headers}
        if fault.carried_out or fault.cut or fault.drips:
            true_status, true_body, _ = self.double.answer(call)
            status, body = fault.status or true_status, true_body if body is None else body
        if fault.reset_after is not None:
            headers["x-ratelimit-reset"] = str(int(self.double.clock() + fault.reset_after))
        if fault.lost:
            return self.hang_up()
        if fault.cut:
            call.status = status
            self.head(status, len(body or b"") + 10, headers)
            self.wfile.write((body or b"")[:20])
            return self.hang_up()
        if fault.drips:
            return self.drip(call, status, body or b"", headers)
        return self.send(call, status, body or b"", headers)

    def drip(self, call: Call, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Send an answer byte by byte until the caller has enough."""
        call.status = status
        self.head(status, len(body), headers)
        try:
            for byte in body:
                self.double.on_drip()
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
        except OSError:
            self.close_connection = True


class _Storage(_Handler):
    """Where files are kept: another host, which refuses who shows it a token."""

    def take(self, call: Call) -> None:
        """Send a file."""
        name = call.path.removeprefix("/artifacts/").removesuffix(".zip")
        item = self.double.state.artifacts.get(int(name)) if name.isdecimal() else None
        fault = self.double.take_fault(call)
        if fault is not None:
            status, body = fault.status or 200, fault.body or b""
        elif "authorization" in call.headers:
            status, body = 400, b"<Error>InvalidAuthenticationInfo</Error>"
        else:
            status, body = (404, b"<Error/>") if item is None else (200, item.data)
        self.send(call, status, body, {"Content-Type": "application/octet-stream"})
