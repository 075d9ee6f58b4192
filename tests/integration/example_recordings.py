"""Records the examples anew against a server on this machine.

Whoever changes an example runs `.venv/bin/python -m tests.integration.example_recordings`; a test does the same in a
copy and compares.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.house.repository import ROOT
from tests.providers import spoken
from tests.providers.wire_server import Reply, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.providers.wire_server import Asked

EXAMPLES = ("cassette_pytest", "framework_pytest")
_NUMBER = re.compile(r"order ([\d/]+)\?")


def replied(asked: Asked) -> Reply:
    """What the model that the server plays says."""
    speaks = spoken.MESSAGES if asked.path.endswith("/messages") else spoken.CHAT
    messages = asked.body["messages"]
    number = next(iter(_NUMBER.findall(str(messages))), "")
    calls: Any = [("lookup_order", {"number": number})]
    has_result = any(message["role"] == "tool" or "tool_result" in str(message) for message in messages)
    streamed = asked.body.get("stream")
    if not number:
        return speaks.stream(["No, ", "we are closed ", "on Sundays."])
    if not has_result:
        return speaks.stream([], calls) if streamed else Reply(speaks.answer(None, calls))
    pieces = [f"Your order {number} ", "is on its way ", "with Hermes."]
    return speaks.stream(pieces) if streamed else Reply(speaks.answer("".join(pieces), []))


def pytest_in(
    folder: Path, *arguments: str, url: str = "http://127.0.0.1:9"
) -> subprocess.CompletedProcess[str]:
    """Run pytest on an example, with the addresses of the providers at ``url`` and keys that are none."""
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environ |= {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1", "PYTHONDONTWRITEBYTECODE": "1"}
    if url != "http://127.0.0.1:9":
        environ |= {"ANTHROPIC_API_KEY": "no-key", "OPENAI_API_KEY": "no-key"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def recorded(folder: Path) -> subprocess.CompletedProcess[str]:
    """Record the example in ``folder``."""
    with serving() as wire:
        wire.choose = replied
        return pytest_in(folder, "--cassette-mode", "record", url=wire.url)


if __name__ == "__main__":
    for example in EXAMPLES:
        done = recorded(ROOT / "examples" / example)
        print(example, done.returncode, done.stdout[-2000:])
