"""A recorded project for hostile people to work on, and the guarded run of our programs in it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.git_repository import Repository

GUARD = Path(__file__).parent / "guard.py"
SECONDS = 180
CONFIG = "version: 1\nsuites: ['evals/**/*.eval.yaml']\ncassettes: {scripted: true}\n"
SUITE = """\
name: desk
provider: fake
model: m-1
system: Be brief.
tools:
  - {name: lookup, description: Looks it up., input_schema: {type: object}}
mocks:
  lookup:
    - return: open
cases:
  - name: hours
    input: When are you open?
    script:
      - tool_call: {name: lookup, arguments: {q: hours}}
      - text: From nine to five.
    expect:
      - final_contains: nine
"""
# What a program of ours may print about nothing: these are signs that something escaped it.
TRACES = ("Traceback", "Error: (", "RecursionError", "MemoryError")


@dataclass(frozen=True)
class Outcome:
    """What programs did: exit codes, what they printed, what the guard saw, seconds, and their peak memory in MB."""

    codes: tuple[int, ...]
    text: str
    seen: tuple[tuple[str, str], ...]
    seconds: float
    peak: int


def guarded(project: Path, *commands: list[str], env: dict[str, str] | None = None) -> Outcome:
    """Run programs of ours in the project. What does not end within three minutes fails the test."""
    report = project.parent / f"{project.name}.report.json"
    temporary = project.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    start = time.monotonic()
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-B",
            "-X",
            "utf8",
            str(GUARD),
            str(report),
            str(project),
            json.dumps(commands),
        ],
        cwd=project,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(temporary),
            "TMPDIR": str(temporary),
            "NO_COLOR": "1",
            **(env or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    seconds = time.monotonic() - start
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert done.returncode == 0, text[-3000:]
    assert not [sign for sign in TRACES if sign in text], text[-3000:]
    written = json.loads(report.read_text(encoding="utf-8"))
    seen = [tuple(one) for one in written["seen"] if not one[1].startswith(f"{temporary}")]
    return Outcome(tuple(written["codes"]), text, tuple(seen), seconds, written["peak"])


def make(project: Path) -> Repository:
    """A project of one recorded case, committed."""
    repository = Repository(project)
    repository.write("dryfire.yaml", CONFIG)
    repository.write("evals/desk.eval.yaml", SUITE)
    recorded = guarded(project, ["dryfire", "run", "--cassette-mode", "record"])
    assert recorded.codes == (0,), recorded.text
    repository.commit()
    return repository
