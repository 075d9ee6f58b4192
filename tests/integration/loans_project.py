"""A project of one suite with a prompt file and a tool file, and a way to run it, for tests of the whole chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.results import Results
    from dryfire_action.suite import Mode

    Files = dict[str, str]

CONFIG = """\
version: 1
suites: ["evals/**/*.eval.yaml"]
defaults:
  provider: fake
  model: scripted-1
cassettes:
  scripted: true
"""
PROMPT = "You are the help desk.\nBe brief. Café is open.\n"
TOOL = """\
name: find_loan
description: Look up a loan.
input_schema:
  type: object
  properties:
    card: {type: string}
    limit: {type: integer, default: 1}
  required: [card]
"""
SUITE = """\
name: loans
description: What the desk says about loans.
tags: [smoke]
system:
  $ref: ../prompts/desk.md
params:
  max_tokens: 512
  temperature: 0
tools:
  - $ref: ../tools/find_loan.yaml
  - name: renew
    description: "Renew a loan."
    input_schema: &empty
      type: object
      properties: {}
  - name: notify
    input_schema: *empty
mocks:
  find_loan:
    - when: {card: R-311}
      return: {title: The Tin Drum, copies: 2, due: null}
    - error: no such card
  renew:
    - return: ok
  notify:
    - return: ok
cases:
  - name: two calls at once
    input: When is my book due? My card is R-311.
    script:
      - parallel:
          - {name: find_loan, arguments: {card: R-311, limit: 1}}
          - {name: find_loan, arguments: {card: R-312}}
      - tool_call: {name: renew, arguments: {card: R-311}}
      - text: It is renewed.
    expect:
      - calls_tool: find_loan
      - final_contains: renewed
  - name: goes on from a conversation
    input:
      - role: user
        content: Hello
      - role: assistant
        content: null
        tool_calls:
          - id: a
            name: find_loan
            arguments: '{"card": "R-1", "limit": 1}'
      - role: tool
        tool_results:
          - call_id: a
            content: {title: Emma, copies: 1}
      - role: user
        content: >-
          And is it
          open?
    script:
      - text: Yes.
    expect:
      - final_contains: "Yes"
"""
ORIGINAL: Files = {
    "dryfire.yaml": CONFIG,
    "prompts/desk.md": PROMPT,
    "tools/find_loan.yaml": TOOL,
    "evals/loans.eval.yaml": SUITE,
}
EVAL = "evals/loans.eval.yaml"


def write(root: Path, files: Files) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())


def run(root: Path, mode: Mode = "replay") -> Results:
    suites = load_suites(FolderTree(root), [])
    return run_suites(suites, RunOptions(mode=mode), root=root, today="2026-11-29", environ={})


def outcomes(results: Results) -> list[tuple[str, list[str]]]:
    """Of every case its outcome, and each change with the outcome of its turn."""
    found = []
    for case in results.cases:
        turns = [turn for one in case.runs for turn in one.turns]
        changes = [f"{turn.outcome} {each.change} {each.path}" for turn in turns for each in turn.changes]
        found.append((case.outcome, changes))
    return found
