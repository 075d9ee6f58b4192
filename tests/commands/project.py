"""A scratch project in a folder, and the command called in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jsonschema import Draft202012Validator

from dryfire_action.cli import main
from dryfire_action.reports.result_json import schema

if TYPE_CHECKING:
    import pytest

CONFIG = "version: 1\nsuites: ['evals/*.eval.yaml']\ncassettes: {scripted: true}\n"

SUITE = """\
name: shop
tags: [support]
provider: fake
model: scripted-1
system: {$ref: prompt.md}
tools:
  - {name: lookup, description: Look it up., input_schema: {type: object}}
mocks:
  lookup:
    - return: {status: sent}
cases:
  - name: where is it
    input: Where is my order?
    script:
      - tool_call: {name: lookup, arguments: {n: 1}}
      - text: It was sent.
    expect:
      - calls_tool: lookup
  - name: größe 退款
    input: Hello
    script:
      - text: Hi.
    expect:
      - final_contains: hi
"""

# More cases, by what becomes of them.
FAILING = """\
  - name: fails
    input: Hello
    script: [{text: Hi.}]
    expect: [{final_contains: bye}]
"""
PASSTHROUGH = """\
  - name: runs code
    input: Hello
    mocks: {lookup: [{impl: "trap:spring"}]}
    script: [{tool_call: {name: lookup}}, {text: Hi.}]
    expect: []
"""
BUSY = """\
  - name: busy
    input: Hello
    script: [{fails: the reason it gave}]
    expect: []
"""
TRAP = "from pathlib import Path\n\ndef spring(arguments):\n    Path('sprung').touch()\n    return 'ran'\n"


def make(folder: Path, *cases: str) -> Path:
    """Write the project into `folder`, with further cases; returns the suite's file."""
    (folder / "evals").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "dryfire.yaml").write_text(CONFIG)
    (folder / "evals/prompt.md").write_text("You are kind.\n")
    (folder / "trap.py").write_text(TRAP)
    suite = folder / "evals/shop.eval.yaml"
    suite.write_text(SUITE + "".join(cases), encoding="utf-8")
    return suite


class Done(NamedTuple):
    """What one call of the command gave."""

    code: int
    out: str
    err: str


def dryfire(capsys: pytest.CaptureFixture[str], *words: str) -> Done:
    """Call the command in the current folder."""
    capsys.readouterr()
    code = main(words)
    return Done(code, *capsys.readouterr())


def result(path: str = "r.json") -> dict[str, Any]:
    """The result file, which must fit its schema."""
    found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    Draft202012Validator(schema()).validate(found)
    return found
