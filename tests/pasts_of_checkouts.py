"""Histories that differ in what a checkout has of them, and in when a case was recorded."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from dryfire_action.git_log import NO_COMMITS, NO_REPOSITORY
from dryfire_action.old_text import CUT_OFF, LEFT_OUT, NO_HISTORY, NOT_FOUND
from tests.git_repository import Repository
from tests.pasts import FILE, NEW, OLD, SUITE, Past, begun, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def an_edit_committed_on_a_branch(tmp: Path) -> Past:
    repository = begun(tmp)
    repository.git("checkout", "-q", "-b", "edit")
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    repository.write("evals/other.md", "more")
    repository.commit()
    return Past(tmp, OLD)


def a_base_that_only_the_caller_knows(tmp: Path) -> Past:
    """The text stands in a file that no commit of HEAD's history touched under a name that could be followed."""
    repository = begun(tmp)
    base = repository.commit()
    repository.git("checkout", "-q", "--orphan", "rewritten")
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    return Past(tmp, OLD, base=base)


def a_merge_of_a_pull_request_at_depth_two(tmp: Path) -> Past:
    repository = begun(tmp / "origin")
    repository.git("checkout", "-q", "-b", "edit")
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("README.md", "moved on")
    repository.commit()
    repository.git("checkout", "-q", "-b", "pull")
    repository.merge("edit")
    repository.clone(tmp / "clone", "--depth", "2", branch="pull")
    return Past(tmp / "clone", OLD)


def a_merge_with_a_re_recording_of_another_case_at_depth_two(tmp: Path) -> Past:
    repository = begun(tmp / "origin")
    repository.git("checkout", "-q", "-b", "edit")
    repository.replace(FILE, OLD, NEW)
    record(repository, date="2")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.git("checkout", "-q", "-b", "pull")
    repository.merge("edit")
    repository.clone(tmp / "clone", "--depth", "2", branch="pull")
    return Past(tmp / "clone", OLD)


def a_push_at_depth_two(tmp: Path) -> Past:
    repository = begun(tmp / "origin")
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    repository.clone(tmp / "clone", "--depth", "2")
    return Past(tmp / "clone", OLD)


def a_checkout_of_depth_one(tmp: Path) -> Past:
    repository = begun(tmp / "origin")
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    repository.clone(tmp / "clone", "--depth", "1")
    return Past(tmp / "clone", NO_HISTORY)


def a_merge_at_depth_one(tmp: Path) -> Past:
    past = a_merge_of_a_pull_request_at_depth_two(tmp)
    shutil.rmtree(past.root)
    Repository(tmp / "origin", begin=False).clone(past.root, "--depth", "1", branch="pull")
    return Past(past.root, NO_HISTORY)


def a_checkout_that_ends_before_the_text(tmp: Path) -> Past:
    repository = begun(tmp / "origin")
    repository.replace(FILE, OLD, "Refund never.")
    repository.commit()
    repository.replace(FILE, "Refund never.", NEW)
    repository.commit()
    repository.clone(tmp / "clone", "--depth", "2")
    return Past(tmp / "clone", CUT_OFF)


def a_graft_that_cuts_the_history_off(tmp: Path) -> Past:
    """The commit before is still in the repository, and counts as a parent of what is cut off."""
    repository = begun(tmp)
    repository.replace(FILE, OLD, NEW)
    second = repository.commit()
    (tmp / ".git/shallow").write_text(f"{second}\n")
    return Past(tmp, OLD)


def a_worktree(tmp: Path) -> Past:
    repository = begun(tmp / "main")
    repository.git("worktree", "add", "-q", "-b", "edit", str(tmp / "tree"))
    beside = Repository(tmp / "tree", begin=False, minutes=9)
    beside.replace(FILE, OLD, NEW)
    beside.commit()
    return Past(tmp / "tree", OLD)


def a_submodule(tmp: Path) -> Past:
    inner = begun(tmp / "inner")
    outer = Repository(tmp / "outer")
    outer.git("submodule", "--quiet", "add", inner.root.as_uri(), "agents")
    outer.commit()
    module = Repository(tmp / "outer/agents", begin=False)
    module.replace(FILE, OLD, NEW)
    return Past(module.root, OLD)


def a_folder_of_a_larger_repository(tmp: Path) -> Past:
    repository = Repository(tmp)
    repository.write(f"shop/{FILE}", SUITE)
    repository.commit()
    repository.replace(f"shop/{FILE}", OLD, NEW)
    repository.commit()
    return Past(tmp / "shop", OLD, at=f"{FILE}:2:1")


def no_git_at_all(tmp: Path) -> Past:
    (tmp / "evals").mkdir()
    (tmp / FILE).write_text(SUITE.replace(OLD, NEW))
    return Past(tmp, NO_REPOSITORY)


def a_repository_without_commits(tmp: Path) -> Past:
    repository = Repository(tmp)
    repository.write(FILE, SUITE.replace(OLD, NEW))
    return Past(tmp, NO_COMMITS)


def a_recording_made_later_than_the_suite(tmp: Path) -> Past:
    repository = Repository(tmp)
    repository.write(FILE, SUITE)
    repository.commit()
    repository.write("README.md", "x")
    repository.commit()
    record(repository)
    repository.commit()
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    return Past(tmp, OLD)


def a_recording_committed_with_a_later_edit(tmp: Path) -> Past:
    """Recorded, edited again, and both committed at once: the text stands in no commit that touched the recording."""
    repository = begun(tmp)
    repository.replace(FILE, OLD, "Refund never.")
    repository.commit()
    repository.replace(FILE, "Refund never.", NEW)
    record(repository, date="2")
    repository.commit()
    return Past(tmp, OLD)


def a_text_that_was_never_committed(tmp: Path) -> Past:
    repository = begun(tmp, SUITE.replace(OLD, "Refund never."))
    repository.replace(FILE, "Refund never.", NEW)
    return Past(tmp, NOT_FOUND)


def a_history_of_many_edits(tmp: Path) -> Past:
    repository = begun(tmp)
    last = OLD
    for number in range(15):
        repository.replace(FILE, last, f"Refund within {number} weeks.")
        last = f"Refund within {number} weeks."
        record(repository, date=str(number))
        repository.commit()
    return Past(tmp, OLD)


def a_partial_clone_without_old_contents(tmp: Path) -> Past:
    repository = begun(tmp / "origin")
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.replace(FILE, OLD, NEW)
    repository.commit()
    repository.clone(tmp / "clone", "--filter=blob:none")
    return Past(tmp / "clone", LEFT_OUT)


CHECKOUTS: tuple[Callable[[Path], Past], ...] = (
    an_edit_committed_on_a_branch,
    a_base_that_only_the_caller_knows,
    a_merge_of_a_pull_request_at_depth_two,
    a_merge_with_a_re_recording_of_another_case_at_depth_two,
    a_push_at_depth_two,
    a_checkout_of_depth_one,
    a_merge_at_depth_one,
    a_checkout_that_ends_before_the_text,
    a_graft_that_cuts_the_history_off,
    a_worktree,
    a_submodule,
    a_folder_of_a_larger_repository,
    no_git_at_all,
    a_repository_without_commits,
    a_recording_made_later_than_the_suite,
    a_recording_committed_with_a_later_edit,
    a_text_that_was_never_committed,
    a_history_of_many_edits,
    a_partial_clone_without_old_contents,
)
