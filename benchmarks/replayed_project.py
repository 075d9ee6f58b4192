"""Projects to replay: so many cases of so many turns, recorded with the scripted provider."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

CASES_OF_A_SUITE = 25
_WORDS = "the order was packed on monday and left the warehouse with the second van of the day "
_CONFIG = (
    "version: 1\nsuites: ['evals/*.eval.yaml']\ncassettes: {scripted: true}\ndefaults: {max_turns: 4000}\n"
)
# A recorder syncs each answer to the disk, which here is nothing that anybody paid for.
_RECORD = """
import os, sys
from dryfire_action.cli import main
os.fsync = lambda descriptor: None
sys.exit(main(["run", "--cassette-mode", "record"]))
"""


class Shape(NamedTuple):
    """``cases`` of ``turns`` model turns each; a prompt and tool results of so many bytes."""

    cases: int
    turns: int
    prompt: int = 1_000
    result: int = 200


def make(folder: Path, shape: Shape) -> None:
    """Write the project of ``shape`` into ``folder`` and record it."""
    (folder / "evals").mkdir(parents=True)
    (folder / "dryfire.yaml").write_text(_CONFIG, encoding="utf-8")
    for first in range(0, shape.cases, CASES_OF_A_SUITE):
        last = min(first + CASES_OF_A_SUITE, shape.cases)
        text = _suite(f"suite-{first // CASES_OF_A_SUITE:04}", range(first, last), shape)
        (folder / f"evals/{first // CASES_OF_A_SUITE:04}.eval.yaml").write_text(text, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-c", _RECORD],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _suite(name: str, cases: range, shape: Shape) -> str:
    lines = [
        f"name: {name}",
        "provider: fake",
        "model: m-1",
        f"system: {_text(shape.prompt)}",
        "tools:",
        "  - name: lookup",
        "    description: Looks an order up by its number.",
        "    input_schema: {type: object, properties: {order: {type: string}}, required: [order]}",
        "mocks:",
        "  lookup:",
        f"    - return: {{status: {_text(shape.result)}}}",
        "cases:",
    ]
    for case in cases:
        lines += [f"  - name: case {case}", f"    input: Where is order {case}?", "    script:"]
        for turn in range(shape.turns - 1):
            lines.append(f"      - tool_call: {{name: lookup, arguments: {{order: '{case}-{turn}'}}}}")
        lines += [f"      - text: Order {case} has left.", "    expect:", "      - final_contains: has left"]
    return "\n".join(lines) + "\n"


def _text(length: int) -> str:
    return (_WORDS * (length // len(_WORDS) + 1))[:length].strip()
