"""One command for several results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.results import CaseResult, Results, SuiteResult
from tests.made_documents import checked, made
from tests.reports.made import run, stale

if TYPE_CHECKING:
    pass


def with_command(command: str, *files: str, outcome: Any = "stale") -> dict[str, Any]:
    """A result whose cases in ``files`` are stale, with the command it names."""
    suites = tuple(
        SuiteResult(file, file, (CaseResult(file, "x", outcome, (run(stale(0), passed=False),)),))
        for file in files
    )
    return made(Results(suites, command=command))


AUTO = "--cassette-mode auto"


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([with_command("")], ""),
        (
            [
                with_command(f"dryfire run evals/b.yaml {AUTO}", "evals/b.yaml"),
                with_command(f"dryfire run evals/a.yaml evals/b.yaml {AUTO}", "evals/a.yaml", "evals/b.yaml"),
            ],
            f"dryfire run evals/a.yaml evals/b.yaml {AUTO}",
        ),
        # Both were made in the folder p: so is the command.
        (
            [
                with_command(f"dryfire run evals/b.yaml {AUTO}", "p/evals/b.yaml"),
                with_command(f"dryfire run evals/a.yaml {AUTO}", "p/evals/a.yaml"),
            ],
            f"dryfire run evals/a.yaml evals/b.yaml {AUTO}",
        ),
        # Two packages: from the root.
        (
            [
                with_command(f"dryfire run evals/a.yaml {AUTO}", "p/evals/a.yaml"),
                with_command(f"dryfire run evals/a.yaml {AUTO}", "q/evals/a.yaml"),
            ],
            f"dryfire run p/evals/a.yaml q/evals/a.yaml {AUTO}",
        ),
        (
            [
                with_command(f"dryfire run a.yaml --model m-2 {AUTO}", "a.yaml"),
                with_command(f"dryfire run a.yaml {AUTO}", "a.yaml"),
            ],
            f"dryfire run a.yaml --model m-2 {AUTO} && dryfire run a.yaml {AUTO}",
        ),
        (
            [
                with_command(
                    "dryfire run a.yaml --case 's::it'\"'\"'s' --cassette-mode record",
                    "a.yaml",
                    outcome="damaged",
                ),
                with_command(f"dryfire run a.yaml {AUTO}", "a.yaml"),
            ],
            f"dryfire run a.yaml {AUTO} && dryfire run a.yaml --case 's::it'\"'\"'s' --cassette-mode record",
        ),
        # What is none of ours stays as it is: the report decides what may be pasted.
        ([with_command("rm -rf x", "a.yaml"), with_command("")], "rm -rf x"),
        ([with_command("dryfire run 'a", "a.yaml")], "dryfire run 'a"),
    ],
)
def test_one_command_records_what_is_stale_in_all_results(
    documents: list[dict[str, Any]], expected: str
) -> None:
    assert checked(*documents)["rerecord"]["command"] == expected
