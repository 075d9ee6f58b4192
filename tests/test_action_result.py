"""What stands in the result file where there is no result, and how the file is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dryfire_action.action_inputs import Inputs
from dryfire_action.action_result import CheckEnded, unable, write_result
from dryfire_action.errors import Place, Problem, SpecError, UsageError
from dryfire_action.globs import NothingMatched
from dryfire_action.result_file import read_result

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "1" * 40


@pytest.mark.parametrize(
    ("error", "messages"),
    [
        (SpecError([Problem(Place("a", 3), "one"), Problem(Place("b"), "two")]), ["one", "two"]),
        (UsageError("wrong", remedy="do this"), ["wrong"]),
        (CheckEnded("ended"), ["ended"]),
        (KeyError("a secret"), ["internal error: KeyError"]),
        (MemoryError(), ["too large to check: it takes more memory than it may"]),
    ],
)
def test_why_nothing_was_checked_is_a_result_of_the_format(
    tmp_path: Path, error: Exception, messages: list[str]
) -> None:
    write_result(tmp_path / "result.json", unable(error, Inputs(), commit=COMMIT))
    found = read_result(tmp_path / "result.json")
    assert (found["state"], found["commit"], found["exit_code"]) == ("stopped", COMMIT, 2)
    assert [problem["message"] for problem in found["problems"]] == messages


@pytest.mark.parametrize(("on_empty", "code"), [("fail", 2), ("pass", 0)])
def test_nothing_to_replay_is_no_problem(on_empty: str, code: int) -> None:
    inputs = Inputs(on_empty=on_empty)  # type: ignore[arg-type]
    found = unable(NothingMatched("no file matches x"), inputs, commit=None)
    assert (found["state"], found["exit_code"], found["problems"]) == ("nothing_checked", code, [])
    assert found["warnings"] == ["no file matches x"]


def test_under_names_no_message_is_told() -> None:
    found = unable(UsageError("a word of a prompt"), Inputs(show="names"), commit=None)
    assert "a word" not in str(found)


def test_a_result_is_written_once_and_whole(tmp_path: Path) -> None:
    place = tmp_path / "result.json"
    (tmp_path / "victim").write_text("untouched")
    place.symlink_to(tmp_path / "victim")
    write_result(place, unable(UsageError("x"), Inputs(), commit=None))
    assert (tmp_path / "victim").read_text() == "untouched"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "victim"]
