"""A second opinion on our loopback server: suites recorded against a public mock server of the providers' formats.

It is the command `llmock` of the npm package `@copilotkit/aimock` (tried with 1.43.0): on the path, or named by the
variable DRYFIRE_LLMOCK. Without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.test_live_recording import alone, one, run, trajectory, write
from tests.providers.spoken import ALL, GEMINI, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LLMOCK = os.environ.get("DRYFIRE_LLMOCK") or shutil.which("llmock")
pytestmark = pytest.mark.skipif(
    LLMOCK is None, reason="no llmock (npm install @copilotkit/aimock, or name it by DRYFIRE_LLMOCK)"
)
ASKED = "Oslo and Rome?"
GREETED = "Hello there"
CALLS = [{"name": "get_weather", "arguments": {"city": city}} for city in ("Oslo", "Rome")]
FIXTURES = {
    "fixtures": [
        {
            "match": {"userMessage": ASKED, "hasToolResult": False},
            "response": {"content": "Let me see.", "toolCalls": CALLS},
        },
        {
            "match": {"userMessage": ASKED, "hasToolResult": True},
            "response": {"content": "3 degrees in Oslo."},
        },
        {"match": {"userMessage": GREETED}, "response": {"content": "Hello. It is 3 degrees here."}},
    ]
}


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Keys, and addresses that lead every provider to the mock server."""
    assert LLMOCK is not None
    fixtures = tmp_path_factory.mktemp("llmock") / "fixtures.json"
    fixtures.write_text(json.dumps(FIXTURES), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [LLMOCK, "-p", str(port), "-f", str(fixtures), "--strict", "--log-level", "silent"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        url = f"http://127.0.0.1:{port}"
        keys = {f"{name}_API_KEY": "key" for name in ("ANTHROPIC", "OPENAI", "GEMINI")}
        addresses = {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1", "GOOGLE_GEMINI_BASE_URL": url}
        yield {**keys, **addresses}
    finally:
        server.terminate()
        server.wait(10)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("spoke", ALL, ids=lambda each: each.name)
def test_what_was_recorded_from_it_replays_alone_and_the_same(
    tmp_path: Path, environ: dict[str, str], spoke: Spoken, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    params: dict[str, Any] = {"stream": True} if stream else {}
    edits = {}
    if spoke is GEMINI:
        params["http_options"] = {"api_version": "v1beta"}  # the only one that the server knows
        # It ends calls for the reason FUNCTION_CALL, which Google's API does not have.
        edits = {"edit": f"{ASKED} => {GREETED}", "count": "count: 2 => count: 0"}
    write(tmp_path, spoke, extra=f"params: {json.dumps(params)}", **edits)
    results = run(tmp_path, "record", environ)
    recorded = one(results)
    assert (recorded.outcome, results.exit_code) == ("passed", 0), recorded.error
    turns = recorded.runs[0].trace.turns  # type: ignore[union-attr]
    assert [turn.attempts for turn in turns] == [1] * (1 if spoke is GEMINI else 2)
    with alone(monkeypatch):
        replayed = one(run(tmp_path, "replay"))
    assert trajectory(replayed) == trajectory(recorded)
