"""The closed network around a test with a cassette, as a pytest inside of pytest meets it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pytest_project import Project
from tests.pytest_project import project as project

pytest_plugins = ["pytester"]


CONNECT = """
import socket
{marker}
def test_connects(cassette):
    ask(cassette)
    try:
        socket.create_connection(("127.0.0.1", {port}), timeout=5).close()
    except Exception:
        pass
"""


@pytest.fixture
def port() -> Any:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_replay_opens_no_connection_and_the_error_names_the_test(project: Project, port: int) -> None:
    project.write(CONNECT.format(marker="", port=port))
    project.run("--cassette-mode", "record").assert_outcomes(passed=1)
    found = project.run()
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        [
            f"test_it.py::test_connects: test_it.py::test_connects tried to connect to 127.0.0.1:{port}*",
            '*@pytest.mark.cassette(allow_hosts=[[]"localhost"]*',
        ]
    )


@pytest.mark.parametrize("by", ["marker", "setting"])
def test_hosts_can_be_allowed(project: Project, port: int, by: str) -> None:
    marker = '@pytest.mark.cassette(allow_hosts=["localhost"])' if by == "marker" else ""
    if by == "setting":
        project.pytester.makeini("[pytest]\ncassette_allow_hosts = localhost\n")
    project.write(CONNECT.format(marker=marker, port=port))
    project.run("--cassette-mode", "record")
    project.run().assert_outcomes(passed=1)


PAST = """
def test_past(cassette):
    ask(cassette)
    {call}
"""
CALLS = {
    "requests": "import requests; requests.post('https://api.openai.com/v1/chat/completions', json={}, timeout=5)",
    "urllib": "import urllib.request; urllib.request.urlopen('https://api.anthropic.com/v1/messages', b'{}', 5)",
    "httpx": "import httpx; httpx.post('https://api.openai.com/v1/chat/completions', json={})",
}


@pytest.mark.parametrize("library", list(CALLS))
@pytest.mark.parametrize("mode", ["record", "auto", "replay"])
def test_a_call_of_a_model_past_the_cassette_fails_loudly(project: Project, library: str, mode: str) -> None:
    project.write(PAST.format(call="agent.call()"))
    project.edit("DESCRIPTION =", "call = lambda: None\nDESCRIPTION =")
    project.run("--cassette-mode", "record").assert_outcomes(passed=1)
    project.edit("call = lambda: None\n", f"def call():\n    {CALLS[library]}\n\n")
    found = project.run("--cassette-mode", mode)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines([f"*test_it.py::test_past tried to reach api.*.com through {library}*"])
    found.stdout.fnmatch_lines(["*cassette.http_transport()*"])
