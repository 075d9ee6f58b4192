"""The log of a job is made of the result file alone: everything in it is there, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.reports import job_log, result_json
from dryfire_action.results import Results
from tests import kept_project

if TYPE_CHECKING:
    from pathlib import Path


def log(results: Results, show: result_json.Show = "prompts") -> str:
    return job_log.text(result_json.document(results, commit=None, show=show, exit_code=results.exit_code))


def test_stale_recordings_are_told_by_cause_and_by_case_with_the_command(tmp_path: Path) -> None:
    kept_project.make(tmp_path)
    kept_project.ask(tmp_path)
    assert log(kept_project.run(tmp_path)).startswith("3 of 3 cases clear\n")
    kept_project.edit(tmp_path, "evals/shop.eval.yaml", "Be kind.", "Be quick.")
    rows = log(kept_project.run(tmp_path)).splitlines()
    assert rows[0] == "Re-record 2 of 3 cases: one change explains all of them"
    assert "1. system changed: 2 cases, 4 turns" in rows and "   evals/shop.eval.yaml:4" in rows
    assert [row for row in rows if row.startswith("  stale     shop::where is it")]
    assert rows[-1] == "  dryfire run evals/shop.eval.yaml --cassette-mode auto"


def test_a_missing_recording_is_told_with_its_reason(tmp_path: Path) -> None:
    kept_project.make(tmp_path)
    found = log(kept_project.run(tmp_path))
    assert "  missing   desk::hours: " in found


def test_very_many_cases_are_cut_and_counted(tmp_path: Path) -> None:
    kept_project.make(tmp_path)
    text = kept_project.DESK[: kept_project.DESK.index("  - name: hours")]
    for number in range(250):
        text += f"  - {{name: c{number}, input: x, expect: []}}\n"
    (tmp_path / "evals/desk.eval.yaml").write_text(text)
    rows = log(kept_project.run(tmp_path)).splitlines()
    assert "  … and 52 more" in rows


def test_why_nothing_was_checked_is_told() -> None:
    nothing = Results(suites=(), mode="replay", warnings=("no file matches x",))
    assert log(nothing).splitlines() == ["Nothing was checked", "  no file matches x"]
