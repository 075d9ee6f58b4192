"""Records `examples/providers` through the vendors' real SDKs, against the loopback server.

`.venv/bin/python -m tests.providers.record_examples` does it in place. What did not change keeps its bytes; after an
update of an SDK only the version in the headers changes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.providers import wire_server
from tests.providers.spoken import CHAT, GEMINI, MESSAGES, RESPONSES
from tests.providers.wire_server import Reply

if TYPE_CHECKING:
    from tests.providers.spoken import Spoken
    from tests.providers.wire_server import Asked

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/providers"
CASSETTES = ".dryfire/cassettes"
ADDRESS = "https://llm.example.com/v1"  # of our-gateway, as the example says it
# What a provider signs or encrypts: any bytes, as long as they come back.
SEALED = b64encode(bytes(range(96))).decode()
BOTH = [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})]
NONE = [("get_weather", {"city": "Atlantis"})]
SAID = "It is 3 degrees and clear in Oslo, and 17 degrees and cloudy in Rome."
NOT_THERE = "There is no such city as Atlantis."


def record(folder: Path, *, mode: str = "record") -> subprocess.CompletedProcess[str]:
    """Record the project in ``folder``, a copy of the example, with `dryfire run` in a process of its own."""
    with wire_server.serving() as wire:
        busy = [Reply({"error": {"message": "too many at once", "type": "busy"}}, 503, {"retry-after": "0"})]
        wire.choose = lambda asked: busy.pop() if busy and asked.path.startswith("/own/") else answer(asked)
        config = folder / "dryfire.yaml"
        written = config.read_text(encoding="utf-8")
        config.write_text(written.replace(ADDRESS, f"{wire.url}/own/v1"), encoding="utf-8")
        try:
            return subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "dryfire_action",
                    "run",
                    "--cassette-mode",
                    mode,
                    "--concurrency",
                    "1",
                ],
                cwd=folder,
                env={**os.environ, **wire.environ, "OUR_GATEWAY_KEY": "key-of-our-own"},
                capture_output=True,
                encoding="utf-8",
                timeout=120,
                check=False,
            )
        finally:
            config.write_text(written, encoding="utf-8")


def answer(asked: Asked) -> Any:
    """What the model says to a request of the example."""
    spoke = _spoken(asked.path)
    text = json.dumps(asked.body)
    alone = "Atlantis" in text
    # The first request holds no result yet.
    if "get_weather" in json.dumps([asked.body.get(name) for name in ("messages", "input", "contents")]):
        said = NOT_THERE if alone else SAID
        return spoke.stream([said[:20], said[20:]]) if asked.body.get("stream") else spoke.answer(said, [])
    calls = NONE if alone else BOTH
    if asked.body.get("stream"):
        return spoke.stream(["Let me ", "see."], calls)
    body = spoke.answer("Let me see.", calls)
    if spoke is MESSAGES and not alone:
        thought = {"type": "thinking", "thinking": "Two cities, one turn.", "signature": SEALED}
        body["content"].insert(0, thought)
    if spoke is RESPONSES:
        thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SEALED}
        body["output"].insert(0, thought)
    return body


def _spoken(path: str) -> Spoken:
    if path.endswith("/messages"):
        return MESSAGES
    if path.endswith("/chat/completions"):
        return CHAT
    return RESPONSES if path.endswith("/responses") else GEMINI


def copied(folder: Path) -> Path:
    """A copy of the example, as a repository of its own."""
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns(".partial"))
    (folder / ".git").mkdir()
    return folder


def main() -> int:
    """Record the example in place."""
    with tempfile.TemporaryDirectory() as name:
        folder = copied(Path(name) / "providers")
        done = record(folder)
        sys.stdout.write(done.stdout + done.stderr)
        if done.returncode == 0:
            shutil.rmtree(folder / CASSETTES / ".partial")
            shutil.rmtree(EXAMPLES / CASSETTES, ignore_errors=True)
            shutil.copytree(folder / CASSETTES, EXAMPLES / CASSETTES)
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
