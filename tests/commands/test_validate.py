"""`dryfire validate`: all problems of all files, or counts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.commands import project

if TYPE_CHECKING:
    from collections.abc import Callable

    Dryfire = Callable[..., project.Done]


def test_valid_suites_are_counted(dryfire: Dryfire) -> None:
    project.make(Path.cwd())
    done = dryfire("validate")
    assert done == (0, "ok: 1 suite, 2 cases\n", "")
    assert dryfire("validate", "evals/shop.eval.yaml") == done


def test_an_absolute_path_and_a_subfolder_will_do(dryfire: Dryfire) -> None:
    suite = project.make(Path.cwd())
    assert dryfire("validate", str(suite.resolve())).code == 0


def test_code_that_a_suite_names_is_not_imported(dryfire: Dryfire) -> None:
    project.make(Path.cwd(), project.PASSTHROUGH)
    Path("trap.py").write_text("raise SystemExit('imported')\n")
    assert dryfire("validate").code == 0


def test_all_problems_of_all_files_come_at_once(dryfire: Dryfire) -> None:
    project.make(Path.cwd(), "  - nmae: x\n    input: y\n    expect: []\n")
    Path("evals/other.eval.yaml").write_text("name: [\n")
    done = dryfire("validate")
    assert done.code == 2
    assert done.out == ""
    assert "evals/other.eval.yaml:" in done.err
    assert "evals/shop.eval.yaml:25:5: " in done.err
    assert "^" in done.err
    assert done.err.splitlines()[-1].endswith("problems in suites or config")


def test_warnings_do_not_fail(dryfire: Dryfire) -> None:
    suite = project.make(Path.cwd())
    text = suite.read_text(encoding="utf-8").replace("mocks:\n", "mocks:\n  nobody: [{return: 1}]\n", 1)
    suite.write_text(text, encoding="utf-8")
    done = dryfire("validate")
    assert done.code == 0
    assert done.err.startswith("warning: ")
    assert "nobody" in done.err


def test_nothing_to_check_is_an_error(dryfire: Dryfire) -> None:
    assert dryfire("validate").code == 2
    assert dryfire("validate", "evals/**/*.eval.yaml").code == 2


def test_hostile_names_do_not_reach_the_terminal(dryfire: Dryfire) -> None:
    project.make(Path.cwd())
    Path("evals/a\x1b[2J\u202e.eval.yaml").write_text("name: 1\nx: ##[error]\n")
    Path("evals/::error::b.eval.yaml").write_text("name: 1\n")
    for words in (["validate"], ["run"], ["run", "a\x1b[2J.yaml"], ["trace", "\x1b[2J"]):
        err = dryfire(*words).err
        assert err
        assert not set(err) & {"\x1b", "\u202e"}
        assert not [line for line in err.splitlines() if line.lstrip().startswith("::")]
        assert "##[" not in err
