"""The check of the action on a large project: what it costs in seconds of the processor, however busy the machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dryfire_action import action_check
from dryfire_action.runner import RunOptions, run_suites
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.git_repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

resource = pytest.importorskip("resource", reason="Windows does not count what a process took")

SUITES, CASES, CALLS = 10, 30, 3
MOST_SECONDS = 5.0
_HEAD = """\
name: suite-{suite}
provider: fake
model: scripted-1
system: You look orders up, and never promise a date.
tools:
  - {{name: lookup, description: Looks an order up., input_schema: {{type: object}}}}
mocks:
  lookup: [{{return: {{status: sent, note: left with the neighbour}}}}]
cases:
"""
_CASE = """\
  - name: case {case}
    input: Where is order {case}?
    expect: [{{calls_tool: lookup}}]
    script:
"""
_CALL = "      - tool_call: {{name: lookup, arguments: {{id: {case}-{call}}}}}\n"


def project(root: Path) -> Repository:
    """300 cases with 1,200 turns, recorded on `main`; on `topic` all of them are stale."""
    repository = Repository(root)
    repository.write(
        "dryfire.yaml", "version: 1\nsuites: ['evals/*.eval.yaml']\ncassettes: {scripted: true}\n"
    )
    for suite in range(SUITES):
        text = _HEAD.format(suite=suite)
        for case in range(CASES):
            text += _CASE.format(case=case)
            text += (
                "".join(_CALL.format(case=case, call=call) for call in range(CALLS)) + "      - text: Sent.\n"
            )
        repository.write(f"evals/{suite}.eval.yaml", text.encode())
    suites = load_suites(FolderTree(root), [])
    run_suites(suites, RunOptions(mode="record"), root=root, today="2026-11-29", environ={})
    repository.write(".gitignore", "*.partial\n*.partial.lock\n")
    repository.commit("main")
    repository.git("checkout", "-q", "-b", "topic")
    for suite in range(SUITES):
        repository.replace(f"evals/{suite}.eval.yaml", "never promise", "do never promise")
    repository.commit("topic")
    return repository


@pytest.mark.parametrize("branch", ["main", "topic"])
def test_300_cases_with_1200_turns_are_checked_in_less_than_five_seconds(tmp_path: Path, branch: str) -> None:
    repository = project(tmp_path / "workspace")
    repository.git("checkout", "-q", branch)
    event = tmp_path / "event.json"
    event.write_text("{}")
    environ = {
        "GITHUB_WORKSPACE": str(repository.root),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "acme/demo",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action_check.checked(environ, tmp_path / "result.json")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts = json.loads((tmp_path / "result.json").read_text())["counts"]
    assert (counts["cases"], counts["turns"]) == (300, 1_200)
    assert counts["passed" if branch == "main" else "stale"] == 300
    took = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    assert took < MOST_SECONDS
