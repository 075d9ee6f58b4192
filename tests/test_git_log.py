"""The history of files: which commits touched them, under which names, and where branches part."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dryfire_action.errors import UsageError
from dryfire_action.git_log import Log, LoggedCommit, log_of, merge_base, repository
from dryfire_action.git_process import GitError, NoRepository
from tests.git_repository import Repository

TEXT = "".join(f"line {number}\n" for number in range(20))


def touching(log: Log, *paths: str) -> list[str]:
    return [commit.oid for commit in log.commits_of(list(paths))]


def test_commits_are_named_newest_first_for_every_file(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    found.write("a.yaml", "1")
    found.write("b.yaml", "1")
    first = found.commit()
    found.write("a.yaml", "2")
    second = found.commit()
    found.write("unrelated", "x")
    found.commit()
    found.write("b.yaml", "2")
    last = found.commit()
    log = log_of(tmp_path, ["*.yaml"])
    assert log.complete
    assert touching(log, "a.yaml") == [second, first]
    assert touching(log, "b.yaml") == [last, first]
    assert touching(log, "a.yaml", "b.yaml") == [last, second, first]
    assert touching(log, "unrelated", "missing") == []


def test_renames_are_followed_also_where_the_file_was_edited(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    found.write("old/a.yaml", TEXT)
    commits = [found.commit()]
    found.git("mv", "old", "new")
    found.write("new/a.yaml", TEXT + "more\n")
    commits.append(found.commit())
    found.git("mv", "new/a.yaml", "new/b.yaml")
    commits.append(found.commit())
    log = log_of(tmp_path, ["*.yaml"])
    assert touching(log, "new/b.yaml") == commits[::-1]
    assert log.names_of("new/b.yaml") == ("new/b.yaml", "new/a.yaml", "old/a.yaml")


def test_a_name_that_was_used_again_means_the_newer_file(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    found.write("a.yaml", TEXT)
    first = found.commit()
    found.git("mv", "a.yaml", "b.yaml")
    moved = found.commit()
    found.write("a.yaml", "something else")
    again = found.commit()
    log = log_of(tmp_path, ["*.yaml"])
    assert touching(log, "b.yaml") == [moved, first]
    assert touching(log, "a.yaml")[0] == again


def test_paths_may_be_added_while_commits_are_taken(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    oids = []
    for name in ("b", "a", "b", "a"):
        found.write(f"{name}.md", str(len(oids)))
        oids.append(found.commit())
    paths = ["a.md"]
    taken = []
    for commit in log_of(tmp_path, ["*.md"]).commits_of(paths):
        taken.append(commit.oid)
        if commit.oid == oids[1]:
            paths.append("b.md")
    assert taken == [oids[3], oids[1], oids[0]]


def test_a_merge_touches_only_what_it_changed_itself(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    for name in ("main.md", "side.md", "both.md"):
        found.write(name, "first")
    found.commit()
    found.git("checkout", "-q", "-b", "side")
    found.write("side.md", "side")
    side = found.commit()
    found.git("checkout", "-q", "main")
    found.write("main.md", "main")
    main = found.commit()
    found.git("merge", "-q", "--no-commit", "--no-ff", "side")
    found.write("both.md", "merged by hand")
    merge = found.commit()
    log = log_of(tmp_path, ["*.md"])
    assert touching(log, "both.md")[0] == merge
    assert touching(log, "side.md")[0] == side
    assert touching(log, "main.md")[0] == main
    assert next(commit for commit in log.commits if commit.oid == merge).parents == (main, side)


@pytest.mark.parametrize(
    "name",
    [
        "a b.md",
        "größe 退款.md",
        "line\nend.md",
        "tab\t.md",
        "\x1e" + "a" * 40 + " .md",
        "M",
        '"quoted".md',
        "R100",
    ],
)
def test_any_name_is_told_as_it_is(tmp_path: Path, name: str) -> None:
    """A name is taken by where it stands, so that it cannot pass for a commit or a status."""
    found = Repository(tmp_path)
    found.write("first.md", "x")
    found.commit()
    found.write(name, "x")
    oid = found.commit()
    found.write("last.md", "x")
    found.commit()
    log = log_of(tmp_path)
    assert [list(commit.paths) for commit in log.commits] == [["last.md"], [name], ["first.md"]]
    assert touching(log, name) == [oid]


def test_a_folder_sees_its_own_files_only(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    found.write("shop/a.md", "x")
    inside = found.commit()
    found.write("b.md", "x")
    found.commit()
    log = log_of(tmp_path / "shop", ["*.md"])
    assert touching(log, "a.md") == [inside]
    assert all(path == "a.md" for commit in log.commits for path in commit.paths)


def test_a_long_history_is_cut_and_says_so(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    for number in range(5):
        found.write("a.md", str(number))
        found.commit()
    assert log_of(tmp_path, most=5).complete
    log = log_of(tmp_path, most=4)
    assert (len(log.commits), log.complete) == (4, False)


def test_what_was_told_before_the_time_was_over_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = "a" * 40, "b" * 40
    told = f"\\036{first} {second}\\0\\nM\\0a.md\\0\\036{second} \\0\\nM\\0a.m"
    (tmp_path / "git").write_text(f"#!/bin/sh\nprintf '{told}'\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    log = log_of(tmp_path, seconds=0.5)
    assert log == Log((LoggedCommit(first, (second,), ["a.md"]),), complete=False)


def test_a_history_begins_where_it_is_said_to(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    first = found.commit()
    found.write("a.md", "x")
    found.commit()
    assert [commit.oid for commit in log_of(tmp_path, head=first).commits] == [first]


@pytest.mark.parametrize("head", ["nothing", "--output=written", "-p", "HEAD^", ""])
def test_a_head_that_is_no_commit_is_an_error(tmp_path: Path, head: str) -> None:
    found = Repository(tmp_path)
    found.commit()
    with pytest.raises(GitError, match="git log failed"):
        log_of(tmp_path, head=head)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git"]


def test_without_a_repository_or_a_commit_a_log_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoRepository):
        log_of(tmp_path)
    Repository(tmp_path)
    with pytest.raises(GitError, match="git log failed"):
        log_of(tmp_path)


def branched(root: Path) -> tuple[Repository, str]:
    """A repository on a branch of two commits, and the commit where the branch begins."""
    found = Repository(root)
    base = found.commit()
    found.git("checkout", "-q", "-b", "edit")
    found.commit()
    found.commit()
    found.git("checkout", "-q", "main")
    found.commit()
    found.git("checkout", "-q", "edit")
    return found, base


@pytest.mark.parametrize("revision", ["main", None])
def test_the_merge_base_is_where_a_branch_begins(tmp_path: Path, revision: str | None) -> None:
    found, base = branched(tmp_path / "origin")
    assert merge_base(found.root, revision) == base
    assert merge_base(found.root, revision, head="edit^") == base


def test_without_a_revision_the_default_branch_of_the_origin_is_meant(tmp_path: Path) -> None:
    found, base = branched(tmp_path / "origin")
    found.git("checkout", "-q", "main")
    found.git("branch", "-m", "main", "trunk")
    clone = found.clone(tmp_path / "clone")
    clone.git("checkout", "-q", "edit")
    clone.git("branch", "main")
    assert merge_base(clone.root) == base


def test_there_may_be_no_merge_base(tmp_path: Path) -> None:
    found = Repository(tmp_path)
    assert merge_base(tmp_path) is None
    found.commit()
    found.git("checkout", "-q", "--orphan", "other")
    found.write("a", "x")
    found.commit()
    assert merge_base(tmp_path, "main") is None


def test_a_revision_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    Repository(tmp_path).commit()
    for revision in ("nothing", "-h", "--all", ""):
        with pytest.raises(UsageError, match="there is no commit") as caught:
            merge_base(tmp_path, revision)
        assert "fetch-depth" in caught.value.remedy


def test_a_repository_is_found_from_any_of_its_folders(tmp_path: Path) -> None:
    found = Repository(tmp_path / "r")
    found.write("a b/c/d", "x")
    found.commit()
    found.git("worktree", "add", "-q", str(tmp_path / "beside"))
    bare = found.clone(tmp_path / "bare", "--bare")
    (tmp_path / "none").mkdir()
    assert repository(tmp_path / "none") is None
    top = repository(found.root)
    assert top is not None
    assert (top.git_dir, top.prefix, top.bare, top.shallow) == (found.root / ".git", "", False, False)
    inside = repository(found.root / "a b/c")
    assert inside is not None
    assert (inside.git_dir, inside.prefix) == (top.git_dir, "a b/c")
    beside = repository(tmp_path / "beside")
    assert beside is not None
    assert beside.git_dir == found.root / ".git/worktrees/beside"
    found.commit()
    cut = found.clone(tmp_path / "cut", "--depth", "1")
    for clone, facts in ((bare, (True, False)), (cut, (False, True))):
        there = repository(clone.root)
        assert there is not None
        assert (there.bare, there.shallow) == facts
