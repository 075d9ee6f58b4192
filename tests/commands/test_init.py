"""`dryfire init`: a project that is green at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action.commands.init import FILES, template
from dryfire_action.hook_config import HOOKS

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
    assert there == {f"{name}.txt" for name in FILES}


CONFIG = """\
# ours
repos:
  - repo: https://example.com/x   # pinned
    rev: 'v1'
    hooks:
      - id: x
"""


class TestHooks:
    """What becomes of `.pre-commit-config.yaml`."""

    def test_one_that_is_there_gets_the_hooks(self, dryfire: Dryfire) -> None:
        file = Path(".pre-commit-config.yaml")
        file.write_text(CONFIG)
        done = dryfire("init")
        assert (done.code, done.err) == (0, "")
        assert f"added to .pre-commit-config.yaml: {', '.join(HOOKS)}\n" in done.out
        assert file.read_text().startswith(CONFIG)
        again = dryfire("init", "--force")
        assert ".pre-commit-config.yaml: has the hooks\n" in again.out
        validated = subprocess.run(
            [sys.executable, "-m", "pre_commit", "validate-config", str(file)], check=False, timeout=60
        )
        assert validated.returncode == 0

    def test_none_is_made_unless_asked_for(self, dryfire: Dryfire) -> None:
        dryfire("init")
        assert not Path(".pre-commit-config.yaml").exists()
        done = dryfire("init", "--hooks")
        assert done.code == 0
        assert done.out.startswith("wrote .pre-commit-config.yaml: cassette-redact, cassette-passthrough, ")
        assert "pre-commit install" in done.out

    def test_a_repository_without_suites_gets_the_hook_for_recordings_of_any_tool(
        self, dryfire: Dryfire
    ) -> None:
        done = dryfire("init", "--hooks")
        assert done.out.startswith("wrote .pre-commit-config.yaml: cassette-redact\n")
        assert not Path("dryfire.yaml").exists()
        dryfire("init")
        assert "cassette-stale" in Path(".pre-commit-config.yaml").read_text()

    def test_it_is_left_alone_when_asked_for(self, dryfire: Dryfire) -> None:
        Path(".pre-commit-config.yaml").write_text(CONFIG)
        dryfire("init", "--no-hooks")
        assert Path(".pre-commit-config.yaml").read_text() == CONFIG
        assert dryfire("init", "--hooks", "--no-hooks").code == 2

    def test_what_is_not_understood_is_refused_with_what_to_paste(self, dryfire: Dryfire) -> None:
        file = Path(".pre-commit-config.yaml")
        file.write_text("repos: [{repo: local, hooks: []}]\n")
        done = dryfire("init", "--hooks")
        assert done.code == 2
        assert ".pre-commit-config.yaml: its repos: are written in one line" in done.err
        assert "      - id: cassette-redact\n" in done.err
        done = dryfire("init")
        assert done.code == 0 and "Paste this under repos: by hand" in done.err
        assert file.read_text() == "repos: [{repo: local, hooks: []}]\n"

    def test_it_is_the_one_at_the_root_of_the_repository(self, dryfire: Dryfire) -> None:
        Path(".git").mkdir()
        Path(".pre-commit-config.yaml").write_text(CONFIG)
        assert "added to .pre-commit-config.yaml: " in dryfire("init", "--dir", "packages/a").out
        assert "packages/a" not in Path(".pre-commit-config.yaml").read_text()

    def test_another_revision_is_told_and_kept(self, dryfire: Dryfire) -> None:
        file = Path(".pre-commit-config.yaml")
        file.write_text(
            "repos:\n  - repo: https://x/dryfire-action\n    rev: v0.1\n    hooks:\n      - id: cassette-redact\n"
        )
        done = dryfire("init", "--hooks")
        assert "pinned to v0.1; this is v" in done.out

    def test_prek_toml_is_told_what_to_add(self, dryfire: Dryfire) -> None:
        Path("prek.toml").write_text("")
        done = dryfire("init", "--hooks")
        assert done.code == 0
        assert '[[repos]]\nrepo = "' in done.out
        assert not Path(".pre-commit-config.yaml").exists()

    @pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
    def test_it_is_not_written_through_a_link(self, dryfire: Dryfire) -> None:
        Path("elsewhere").write_text(CONFIG)
        Path(".pre-commit-config.yaml").symlink_to("elsewhere")
        assert dryfire("init", "--hooks").code == 2
        assert Path("elsewhere").read_text() == CONFIG
