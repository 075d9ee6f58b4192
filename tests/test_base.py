"""The base: which commit it is, and what it replays or recorded that the head does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dryfire_action.base import compared, default_base
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree
from tests.git_repository import Repository
from tests.integration import loans_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def a_branch(root: Path) -> Repository:
    """Two commits on main, and from the first of them a branch with one more, which is checked out."""
    made = Repository(root)
    made.write("a", "1")
    made.commit("first")
    made.git("switch", "-q", "-c", "topic")
    made.write("b", "1")
    made.commit("topic")
    made.git("switch", "-q", "main")
    made.write("a", "2")
    made.commit("second")
    made.git("switch", "-q", "topic")
    return made


def merge_commit(made: Repository) -> None:
    """Check out what a workflow of a pull request does: topic merged into main, and no branch beside."""
    made.git("switch", "-q", "--detach", "main")
    made.merge("topic")


def test_the_default_base_of_a_branch_is_where_it_left_main(tmp_path: Path) -> None:
    made = a_branch(tmp_path / "r")
    assert default_base(made.root) == made.git("rev-parse", "main~1")


@pytest.mark.parametrize("depth", ["1", "2"])
def test_without_a_branch_it_is_the_first_parent_of_a_merge_if_that_is_there(
    tmp_path: Path, depth: str
) -> None:
    made = a_branch(tmp_path / "r")
    merge_commit(made)
    made.git("update-ref", "refs/pull/1/merge", "HEAD")
    shallow = Repository(tmp_path / "s")
    shallow.git("switch", "-q", "-c", "unborn")
    shallow.git("fetch", "-q", f"--depth={depth}", made.root.as_uri(), "refs/pull/1/merge")
    shallow.git("checkout", "-q", "--detach", "FETCH_HEAD")
    assert default_base(shallow.root) == (made.git("rev-parse", "main") if depth == "2" else None)


def no_repository(root: Path) -> None:
    root.mkdir()


def no_commits(root: Path) -> None:
    Repository(root)


@pytest.mark.parametrize("make", [no_repository, no_commits])
def test_there_may_be_none(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "r")
    assert default_base(tmp_path / "r") is None


def test_every_replayed_case_is_counted_once(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    suite = loans_project.SUITE
    renamed = suite.replace("goes on from a conversation", "goes on").replace("It is renewed.", "Renewed!")
    for root, text in ((old, suite), (new, renamed)):
        loans_project.write(root, {**loans_project.ORIGINAL, loans_project.EVAL: text})
        loans_project.run(root, "record")
    cases = {
        root: [(suite, case) for suite in load_suites(FolderTree(root), []) for case in suite.cases]
        for root in (old, new)
    }

    def both() -> tuple[object, ...]:
        found = compared(cases[old], FolderTree(old), cases[new], FolderTree(new))
        changes = [(change.case, change.kind) for change in found.changes]
        gone = [(one.case, one.reason) for one in found.gone]
        return changes, gone, found.unchanged, found.unrecorded, found.damaged

    gone = [("loans::goes on from a conversation", "deleted")]
    changed = ("loans::two calls at once", "wording")
    assert both() == ([changed, ("loans::goes on", "new")], gone, (), (), ())
    new_files = sorted((new / ".dryfire/cassettes/loans").glob("*.json"))
    new_files[0].unlink()
    assert both() == ([changed], gone, (), ("loans::goes on",), ())
    new_files[1].write_text("{")
    assert both() == ([], gone, (), ("loans::goes on",), ("loans::two calls at once",))
    same = compared(cases[old], FolderTree(old), cases[old], FolderTree(old))
    assert same.unchanged == ("loans::two calls at once", "loans::goes on from a conversation")
    assert not same.changes
