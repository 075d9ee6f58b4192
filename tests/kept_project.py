"""A project on disk with two suites of a provider that costs money, for tests of what is done with recordings.

``ask`` records through a provider that counts; anybody else who asks it makes the test fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.messages import Response, ToolCall, Usage
from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.made_cases import Told, live

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.messages import Request
    from dryfire_action.results import Results
    from dryfire_action.suite import Mode

CONFIG = "version: 1\nsuites: ['evals/*.eval.yaml']\n"
SHOP = """\
name: shop
provider: told
model: m-1
system: Be kind. Today is 2026-11-29.
tools:
  - {name: lookup, description: Looks it up., input_schema: {type: object}}
mocks:
  lookup:
    - return: {status: sent}
cases:
  - name: where is it
    input: Where is order 1?
    expect: []
  - name: send it back
    input: I send order 2 back.
    expect: []
"""
DESK = """\
name: desk
provider: told
model: m-1
system: Be brief.
tools:
  - {name: lookup, input_schema: {type: object}}
mocks:
  lookup:
    - return: open
cases:
  - name: hours
    input: When are you open?
    expect: []
"""
CASSETTES = ".dryfire/cassettes"
TODAY = "2026-11-29"


def make(root: Path) -> None:
    """Write the project; nothing is recorded yet."""
    (root / "evals").mkdir(parents=True)
    (root / "dryfire.yaml").write_text(CONFIG)
    (root / "evals/shop.eval.yaml").write_text(SHOP)
    (root / "evals/desk.eval.yaml").write_text(DESK)


def edit(root: Path, path: str, old: str, new: str) -> None:
    """Edit a file, which must hold the text."""
    text = (root / path).read_text()
    assert old in text, f"{path} holds no {old!r}"
    (root / path).write_text(text.replace(old, new))


def two_turns(request: Request) -> Response:
    """Looks something up, then says what it was asked, in a number of tokens that is the same every time."""
    if request.messages[-1].role == "tool":
        asked = next(message.content for message in request.messages if message.role == "user")
        return Response(f"About {asked!r}: done.", usage=Usage(20, 5))
    call = ToolCall("toolu_1", "lookup", {"q": "it"})
    return Response(tool_calls=(call,), stop_reason="tool_use", usage=Usage(10, 2))


def ask(root: Path, mode: Mode = "auto", *, model: str | None = None) -> tuple[Results, int]:
    """Run all suites with a live provider at hand: what came of it, and how often the provider was asked."""
    provider = Told(by=two_turns)
    with live(provider):
        return run(root, mode, model=model), provider.calls


def run(root: Path, mode: Mode = "replay", *, model: str | None = None) -> Results:
    """Run all suites."""
    suites = load_suites(FolderTree(root), [], model=model)
    return run_suites(suites, RunOptions(mode=mode, model=model), root=root, today=TODAY, environ={})


def outcomes(results: Results) -> dict[str, str]:
    """The outcome of every case."""
    return {case.id: case.outcome for case in results.cases}


def recordings(root: Path) -> dict[str, bytes]:
    """The content of every cassette, by its path below the cassette folder."""
    folder = root / CASSETTES
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.json"))
        if ".partial" not in path.parts
    }
