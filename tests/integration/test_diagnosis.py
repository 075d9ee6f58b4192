"""Diagnosis: what a replay finds out past the first stale turn, and what it says it could not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dryfire_action.reports.lines import as_text
from dryfire_action.reports.terminal import render
from dryfire_action.runner import RunOptions
from tests.integration import forty_cases

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.results import Results

CONFIG = "version: 1\nsuites: ['*.eval.yaml']\ncassettes: {scripted: true}\n"
HEAD = """\
name: s
provider: fake
model: m
system: Be kind.
tools:
  - {name: look, description: Looks., input_schema: {type: object}}
  - {name: pay, description: Pays., input_schema: {type: object}}
mocks:
  look: [{when: {n: 1}, return: one}, {sequence: [{return: first}, {return: second}]}]
  pay: [{return: paid}]
cases:
"""


def case(*steps: str, more: str = "") -> str:
    rows = "".join(f"      - {step}\n" for step in steps)
    return f"  - name: c\n    input: Hello\n{more}    script:\n{rows}    expect: []\n"


LOOK, PAY, END = "tool_call: {name: look}", "tool_call: {name: pay}", "text: Done."
BOTH = "parallel: [{name: look}, {name: pay}]"
FAILS = "fails: {message: busy, status: 503}"


def replayed(root: Path, suite: str, *edits: tuple[str, str]) -> Results:
    """Record ``suite``, make the edits, replay."""
    (root / "dryfire.yaml").write_text(CONFIG, encoding="utf-8")
    (root / "s.eval.yaml").write_text(suite, encoding="utf-8")
    forty_cases.run(root, RunOptions(mode="record"))
    for old, new in edits:
        assert old in suite, old
        suite = suite.replace(old, new)
    (root / "s.eval.yaml").write_text(suite, encoding="utf-8")
    return forty_cases.run(root)


def drawn(results: Results) -> tuple[list[str], list[str]]:
    """Every turn (``run.turn`` or ``run.turn#attempt``) with its outcome and changes, and the causes."""
    turns = []
    for found in results.cases:
        for run in found.runs:
            for turn in run.turns:
                place = f"{run.index}.{turn.index}" + (f"#{turn.attempt}" if turn.attempt else "")
                changes = "".join(f" {change.path} {change.change}" for change in turn.changes)
                turns.append(f"{place} {turn.outcome}{changes}")
    causes = [f"{cause.path} {cause.change} {cause.turns}" for cause in results.causes]
    return turns, causes


SYSTEM = ("Be kind.", "Be brief.")
RESULT = "messages[{}].tool_results[{}].content"
# What is edited after recording -> the turns, and the causes.
TABLE: dict[str, tuple[str, list[tuple[str, str]], list[str], list[str]]] = {
    "a sequence is asked from its start in every run": (
        case(LOOK, LOOK, END),
        [("{return: second}", "{return: other}")],
        ["0.0 replayed", "0.1 replayed", f"0.2 stale {RESULT.format(4, 0)} changed"],
        [f"{RESULT.format(4, 0)} changed 1"],
    ),
    "a sequence goes on in diagnosis": (
        case(LOOK, LOOK, END),
        [SYSTEM, ("{return: second}", "{return: other}")],
        [
            "0.0 stale system changed",
            "0.1 stale system changed",
            f"0.2 stale system changed {RESULT.format(4, 0)} changed",
        ],
        ["system changed 3", f"{RESULT.format(4, 0)} changed 1"],
    ),
    "of parallel calls the one whose result changed is named": (
        case(BOTH, END),
        [("{return: paid}", "{return: refused}")],
        ["0.0 replayed", f"0.1 stale {RESULT.format(2, 1)} changed"],
        [f"{RESULT.format(2, 1)} changed 1"],
    ),
    "two results of parallel calls are two causes": (
        case(BOTH, END),
        [("{return: paid}", "{return: refused}"), ("{return: first}", "{return: other}")],
        [
            "0.0 replayed",
            f"0.1 stale {RESULT.format(2, 0)} changed {RESULT.format(2, 1)} changed",
        ],
        [f"{RESULT.format(2, 0)} changed 1", f"{RESULT.format(2, 1)} changed 1"],
    ),
    "fewer turns allowed leave the rest unreached": (
        case(LOOK, LOOK, END),
        [SYSTEM, ("input: Hello\n", "input: Hello\n    max_turns: 2\n")],
        ["0.0 stale system changed", "0.1 stale system changed", "0.2 not_reached"],
        ["system changed 2"],
    ),
    "a tool that is mocked no more ends the run": (
        case(LOOK, PAY, END),
        [SYSTEM, ("  pay: [{return: paid}]\n", "")],
        ["0.0 stale system changed", "0.1 stale system changed", "0.2 not_reached"],
        ["system changed 2"],
    ),
    "every run of a repeated case is diagnosed": (
        case(END, END, more="    repeat: 2\n"),
        [SYSTEM],
        ["0.0 stale system changed", "1.0 stale system changed"],
        ["system changed 2"],
    ),
    "one run more than recorded is missing": (
        case(END, END, END, more="    repeat: 2\n"),
        [("repeat: 2", "repeat: 3")],
        ["0.0 replayed", "1.0 replayed", "2.0 missing"],
        [],
    ),
    "a failure that was retried is compared attempt by attempt": (
        case(FAILS, LOOK, END),
        [SYSTEM],
        ["0.0 stale system changed", "0.0#1 stale system changed", "0.1 stale system changed"],
        ["system changed 3"],
    ),
    "a step put into the script is a change of the step that was there": (
        case(LOOK, END),
        [(f"      - {END}\n", f"      - {LOOK}\n      - {END}\n")],
        ["0.0 replayed", "0.1 stale script[1] changed"],
        ["script[1] changed 1"],
    ),
    "after a changed step the recorded answers are fed forward": (
        case(LOOK, LOOK, END),
        [
            (
                f"      - {LOOK}\n      - {LOOK}",
                f"      - {LOOK}\n      - tool_call: {{name: look, arguments: {{n: 1}}}}",
            )
        ],
        ["0.0 replayed", "0.1 stale script[1] changed", "0.2 replayed"],
        ["script[1] changed 1"],
    ),
}


@pytest.mark.parametrize(("cases", "edits", "turns", "causes"), TABLE.values(), ids=TABLE)
def test_diagnosis(
    cases: str, edits: list[tuple[str, str]], turns: list[str], causes: list[str], tmp_path: Path
) -> None:
    results = replayed(tmp_path, HEAD + cases, *edits)
    assert drawn(results) == (turns, causes)
    assert results.exit_code == 3
    assert not any(run.verdicts for found in results.cases for run in found.runs if run.misses)


def test_what_was_not_reached_is_told(tmp_path: Path) -> None:
    results = replayed(
        tmp_path, HEAD + case(LOOK, LOOK, END), SYSTEM, ("input: Hello\n", "input: Hello\n    max_turns: 1\n")
    )
    shown = as_text(render(results, exit_code=3))
    assert (
        "2 recorded turns not reached: what comes after it cannot be checked before it is recorded again"
        in shown
    )
