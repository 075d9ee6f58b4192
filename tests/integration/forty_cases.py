"""A project of forty cases in three suites under one prompt file, recorded and committed, for tests of explanations."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.comparison import with_comparison
from dryfire_action.explanation import with_explanations
from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.git_repository import Repository

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dryfire_action.causes import Cause
    from dryfire_action.results import Results

SIZES = {"refunds": 18, "orders": 15, "triage": 7}
CONFIG = """\
version: 1
suites: ["evals/**/*.eval.yaml"]
defaults:
  provider: fake
  model: scripted-1
  temperature: 0
cassettes: {scripted: true}
"""
PROMPT = """\
You are the support agent of a shop.

Call lookup before you answer.
Approve a refund when the order is at most 30 days old.
Never promise a date.
"""
HEAD = """\
name: {name}
system: {{$ref: ../prompts/support.md}}
tools:
  - name: lookup
    description: Look an order up.
    input_schema: {{type: object, properties: {{order: {{type: integer}}}}, required: [order]}}
  - name: refund
    description: Pay it back.
    input_schema: {{type: object, properties: {{order: {{type: integer}}}}, required: [order]}}
mocks:
  lookup:
    - when: {{order: 7}}
      return: {{status: lost, days: 7}}
    - return: {{status: sent, days: 3}}
  refund:
    - return: paid
cases:
"""
CASE = """\
  - name: case {number}
    input: Where is order {number}?
    script:
      - tool_call: {{name: lookup, arguments: {{order: {number}}}}}
      - tool_call: {{name: refund, arguments: {{order: {number}}}}}
      - text: Order {number} was paid back.
    expect:
      - calls_tool: refund
"""


def write(root: Path) -> None:
    """The project's files, without recordings."""
    files = {"dryfire.yaml": CONFIG, "prompts/support.md": PROMPT}
    for name, size in SIZES.items():
        cases = "".join(CASE.format(number=number) for number in range(1, size + 1))
        files[f"evals/{name}.eval.yaml"] = HEAD.format(name=name) + cases
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")


def recorded(root: Path) -> Repository:
    """The project with its recordings, as the only commit of a repository."""
    made = Repository(root)
    write(root)
    results = run(root, RunOptions(mode="record"))
    assert (results.exit_code, len(list(results.cases))) == (0, 40)
    made.commit("recorded")
    return made


def copy(made: Repository, root: Path) -> Repository:
    """The same repository in another folder."""
    shutil.copytree(made.root, root)
    return Repository(root, begin=False, minutes=made.minutes)


def run(root: Path, options: RunOptions | None = None, patterns: Sequence[str] = ()) -> Results:
    """A run of the project's cases as it is on the disk."""
    suites = load_suites(FolderTree(root), patterns, model=options.model if options else None)
    return run_suites(suites, options or RunOptions(), root=root, today="2026-11-29", environ={})


def explained(root: Path) -> Results:
    """A replay with its causes explained."""
    return with_explanations(run(root), root, FolderTree(root))


def compared(
    root: Path,
    options: RunOptions | None = None,
    patterns: Sequence[str] = (),
    revision: str | None = None,
) -> Results:
    """A replay beside its base."""
    options = options or RunOptions()
    suites = load_suites(FolderTree(root), patterns)
    return with_comparison(
        run(root, options, patterns), suites, options, root=root, patterns=patterns, revision=revision
    )


@dataclass(frozen=True)
class Drawn:
    """A cause as a test writes it down."""

    path: str
    change: str
    cases: int
    turns: int
    where: tuple[str, ...]
    diff: tuple[str, ...]
    note: str = ""


def drawn(cause: Cause) -> Drawn:
    """``cause`` as a test writes it down; of its diff the lines that changed."""
    return Drawn(
        cause.path,
        cause.change,
        len(cause.cases),
        cause.turns,
        tuple(f"{place.file}:{place.line}" for place in cause.where),
        tuple(f"{line.sign} {line.text.strip()}" for line in cause.diff if line.sign in "+-"),
        cause.note,
    )
