"""`dryfire explain`: which edit, where, how it reads, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.commands import project
from tests.git_repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.project import Done

    Dryfire = Callable[..., Done]


@pytest.fixture
def recorded(dryfire: Dryfire) -> Path:
    """The project in the current folder, recorded and committed."""
    here = Path.cwd()
    project.make(here)
    (here / ".git").rmdir()
    repository = Repository(here)
    assert dryfire("run", "--cassette-mode", "record").code == 0
    repository.commit()
    return here


def test_nothing_stale_is_said_and_is_0(dryfire: Dryfire, recorded: Path) -> None:
    done = dryfire("explain")
    assert (done.code, done.err) == (0, "")
    assert done.out == "Nothing is stale: 2 cases replayed from their recordings\n"


def test_the_edit_its_text_and_the_way_out(dryfire: Dryfire, recorded: Path) -> None:
    (recorded / "evals/prompt.md").write_text("You are brief.\n")
    done = dryfire("explain", "where is it")
    assert done.code == 3
    assert done.out == (
        "Re-record 1 of 1 case: one change explains it\n"
        "\n"
        "1. system changed  1 case, 2 turns\n"
        "   evals/prompt.md:1\n"
        "   - You are kind.\n"
        "   + You are brief.\n"
        "\n"
        "shop::where is it  stale  cause 1\n"
        "  stale from turn 0: 9 of 10 fields are equal\n"
        "\n"
        "Was that edit meant? Then record the new answers and commit them. If not, undo it.\n"
        "  dryfire run evals/shop.eval.yaml --cassette-mode auto\n"
        "  2 calls of the model\n"
    )


@pytest.mark.parametrize(
    ("words", "cases"),
    [
        ((), 2),
        (("shop::where is it",), 1),
        (("größe 退款", "shop::where is it"), 2),
        (("evals/shop.eval.yaml",), 2),
        (("evals/*.yaml", "where is it"), 1),
        (("evals/**/*.eval.*",), 2),
    ],
)
def test_cases_and_files_may_be_named(
    dryfire: Dryfire, recorded: Path, words: tuple[str, ...], cases: int
) -> None:
    (recorded / "evals/prompt.md").write_text("You are brief.\n")
    assert dryfire("explain", *words).out.startswith(f"Re-record {cases} of {cases} case")


def test_a_case_that_nobody_has_is_told(dryfire: Dryfire, recorded: Path) -> None:
    done = dryfire("explain", "where is he")
    assert done.code == 2
    assert "no case is called 'where is he'; did you mean 'shop::where is it'?" in done.err


def test_missing_and_damaged_recordings_are_explained_too(dryfire: Dryfire, recorded: Path) -> None:
    first, second = sorted((recorded / ".dryfire/cassettes/shop").glob("*.json"))
    first.unlink()
    second.write_text("{")
    done = dryfire("explain")
    assert done.code == 3
    assert done.out.startswith("Re-record 2 of 2 cases: 1 missing, 1 damaged\n")
    assert "\n  turn 0: missing  nothing is recorded for this case\n" in done.out
    assert f"\n  {second.relative_to(recorded).as_posix()}:1: " in done.out
    assert "--cassette-mode record\n" in done.out


def test_a_case_whose_assertion_fails_is_not_stale(dryfire: Dryfire, recorded: Path) -> None:
    suite = recorded / "evals/shop.eval.yaml"
    suite.write_text(
        suite.read_text(encoding="utf-8").replace("final_contains: hi", "final_contains: bye"), "utf-8"
    )
    assert dryfire("run").code == 1
    assert dryfire("explain").code == 0


def test_the_words_are_those_of_run(dryfire: Dryfire, recorded: Path) -> None:
    (recorded / "evals/prompt.md").write_text("You are brief.\n")
    block = dryfire("explain").out.split("\n\n")[:2]
    assert dryfire("run").out.split("\n\n")[:2] == block
