"""`dryfire init`: a project that is green at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action.commands.init import FILES, template

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.project import Done

    Dryfire = Callable[..., Done]


def test_the_project_can_be_recorded_and_replayed_without_a_key(dryfire: Dryfire) -> None:
    assert dryfire("init").code == 0
    assert {path.as_posix() for path in Path().rglob("*") if path.is_file()} == set(FILES)
    assert dryfire("validate").out == "ok: 1 suite, 3 cases\n"
    recorded = dryfire("run", "--cassette-mode", "record")
    assert (recorded.code, recorded.err) == (0, "")
    replayed = dryfire("run")
    assert (replayed.code, replayed.err) == (0, "")
    assert "3 cases: 3 passed  (7 turns: 7 replayed)" in replayed.out


def test_what_it_says_about_editing_the_prompt_is_true(dryfire: Dryfire) -> None:
    dryfire("init")
    dryfire("run", "--cassette-mode", "record")
    prompt = Path("evals/prompts/support.md")
    prompt.write_text(prompt.read_text().replace("30 days", "14 days"))
    done = dryfire("run")
    assert done.code == 3
    assert "1. system changed  3 cases, 7 turns\n" in done.out


def test_it_ends_with_the_next_commands(dryfire: Dryfire) -> None:
    here = dryfire("init").out
    commands = [line.split("  ")[1] for line in here.splitlines() if line.startswith("  ")]
    assert commands == [
        "dryfire run --cassette-mode record",
        "dryfire run",
        "git add dryfire.yaml evals .dryfire",
    ]
    assert "\n  cd 'a b'\n" in dryfire("init", "--dir", "a b").out


def test_nothing_is_overwritten_unless_asked_for(dryfire: Dryfire) -> None:
    Path("evals").mkdir()
    Path("evals/support.eval.yaml").write_text("mine")
    done = dryfire("init")
    assert done.code == 2
    assert "already there: evals/support.eval.yaml\n" in done.err
    assert not Path("dryfire.yaml").exists()
    assert dryfire("init", "--force").code == 0
    assert Path("evals/support.eval.yaml").read_bytes() == template("evals/support.eval.yaml")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_it_does_not_write_through_links(dryfire: Dryfire) -> None:
    Path("elsewhere").write_text("mine")
    Path("dryfire.yaml").symlink_to("elsewhere")
    done = dryfire("init", "--force")
    assert done.code == 2
    assert "no plain file: dryfire.yaml" in done.err
    assert Path("elsewhere").read_text() == "mine"


def test_a_folder_that_is_a_file_is_told(dryfire: Dryfire) -> None:
    Path("file").write_text("")
    done = dryfire("init", "--dir", "file")
    assert done.code == 2
    assert done.err.startswith("dryfire: file: cannot be written to: ")


def test_every_file_of_the_scaffold_is_written() -> None:
    scaffold = Path(__file__).parents[2] / "src/dryfire_action/scaffold"
    there = {path.relative_to(scaffold).as_posix() for path in scaffold.rglob("*") if path.is_file()}
    assert there == set(FILES)
