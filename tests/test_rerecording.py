"""The command that a report recommends: what it names, and that it can be pasted."""

from __future__ import annotations

import shlex

import pytest

from dryfire_action.rerecording import rerecord_command
from dryfire_action.results import CaseResult
from tests.made_cases import a_case, a_suite


@pytest.mark.parametrize(
    ("file", "cwd", "shown"),
    [
        ("evals/my suite.yaml", "", "evals/my suite.yaml"),
        ("evals/ä $(id).yaml", "", "evals/ä $(id).yaml"),
        ("evals/a.yaml", "evals", "a.yaml"),
        ("pkg/evals/a.yaml", "other/folder", "../../pkg/evals/a.yaml"),
        ("-a.yaml", "", "./-a.yaml"),
        ("pkg/-a.yaml", "pkg", "./-a.yaml"),
    ],
)
def test_the_command_names_files_as_they_are_seen_from_where_it_was_called(
    file: str, cwd: str, shown: str
) -> None:
    suite = a_suite(a_case(), file=file)
    command = rerecord_command([(suite, suite.cases[0])], {0: CaseResult("shop", "refund", "stale")}, cwd)
    assert shlex.split(command) == ["dryfire", "run", shown, "--cassette-mode", "auto"]


@pytest.mark.parametrize("name", ['it\'s "late"; rm -rf ~', "naïve `x`\n✓", "$HOME", "a && b", ""])
@pytest.mark.parametrize("suite_name", ["shop", "-s"])
def test_the_command_is_safe_to_paste(name: str, suite_name: str) -> None:
    case = a_case(name, suite=suite_name)
    suite = a_suite(case)
    command = rerecord_command(
        [(suite, case)], {0: CaseResult(suite_name, name, "damaged")}, model="gpt 5|sh"
    )
    chosen = ["--case", f"shop::{name}"] if suite_name == "shop" else [f"--case=-s::{name}"]
    assert shlex.split(command) == [
        *("dryfire", "run", "evals/s.eval.yaml", *chosen),
        *("--model", "gpt 5|sh", "--cassette-mode", "record"),
    ]
