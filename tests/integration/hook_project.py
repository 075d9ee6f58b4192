"""What the tests of the hooks share: a project with suites and recordings, and commands run as in a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from tests.secret_values import B64U, body

TOOLS = Path(sys.executable).parent
KEY = "sk-" + "ant-api03-" + body(B64U, 93) + "AA"

HOOKS = ("cassette-redact", "cassette-passthrough", "cassette-stale", "suite-validate")

CONFIG = """\
version: 1
suites: ["evals/*.eval.yaml"]
cassettes: {scripted: true}
"""
SUITE = """\
name: parcels
provider: fake
model: scripted-1
system: You track parcels.
tools:
  - name: track
    description: Where a parcel is.
    input_schema: {type: object, properties: {id: {type: string}}}
mocks:
  track: [{return: {at: Oslo}}]
cases:
  - name: where
    input: Where is 17?
    script:
      - tool_call: {name: track, arguments: {id: "17"}}
      - text: In Oslo.
    expect:
      - call_order: [track]
"""


def run(*command: str, cwd: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """A command in a repository, with git's settings and the hooks' environments in a folder of the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    return subprocess.run(
        command,
        cwd=cwd,
        env={
            **kept,
            "PATH": f"{TOOLS}{os.pathsep}{kept['PATH']}",
            "HOME": str(home),
            "PRE_COMMIT_HOME": str(home / "pre-commit"),
            "PREK_HOME": str(home / "prek"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.com",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def vcr(key: str) -> str:
    """A recording of VCR.py with a key in a header."""
    return dedent(f"""\
        interactions:
        - request:
            body: '{{"model": "m"}}'
            headers:
              x-api-key:
              - {key}   # as sent
            uri: https://api.anthropic.com/v1/messages
          response:
            body: {{string: ok}}
        version: 1
        """)


def config_of(product: tuple[str, str]) -> bytes:
    """A `.pre-commit-config.yaml` with all hooks of this repository at a revision."""
    address, revision = product
    hooks = "".join(f"      - id: {hook}\n" for hook in HOOKS)
    return f"repos:\n  - repo: {address}\n    rev: {revision}\n    hooks:\n{hooks}".encode()
