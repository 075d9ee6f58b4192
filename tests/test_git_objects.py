"""Objects are read through one process, whatever they are called and whatever the repository is like."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dryfire_action.git_objects import GitObjects, checked_out_commit
from dryfire_action.git_process import GitError, NoRepository
from dryfire_action.tree import TreeError
from tests.git_repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "repository")
    found.write("a b/ü.yaml", "first")
    found.write("large", "x" * 100_000)
    found.commit()
    found.write("a b/ü.yaml", "second")
    found.commit()
    return found


def test_files_are_read_at_any_revision_and_from_the_index(repository: Repository) -> None:
    repository.write("a b/ü.yaml", "third")
    repository.git("add", "-A")
    repository.write("a b/ü.yaml", "fourth")
    with GitObjects(repository.root) as objects:
        names = ("HEAD^:a b/ü.yaml", "HEAD:a b/ü.yaml", ":0:a b/ü.yaml", ":a b/ü.yaml")
        assert [objects.read(name) for name in names] == [b"first", b"second", b"third", b"third"]


@pytest.mark.parametrize(
    "name",
    [
        "HEAD:missing",
        "nothing:a",
        "HEAD~9:large",
        "HEAD",
        "HEAD:a b",
        "",
        "a\nb",
        "a\rb",
        "a\0b",
        "\ud800",
        "-x",
        "--help",
    ],
)
def test_what_is_no_file_is_none_and_what_follows_is_still_read(repository: Repository, name: str) -> None:
    with GitObjects(repository.root) as objects:
        assert objects.read(name) is None
        assert objects.read("HEAD:a b/ü.yaml") == b"second"


def test_a_file_beyond_the_limit_is_refused_and_what_follows_is_still_read(repository: Repository) -> None:
    with GitObjects(repository.root) as objects:
        with pytest.raises(TreeError, match="has 100,000 bytes, and the limit is 10,000"):
            objects.read("HEAD:large", 10_000)
        assert objects.read("HEAD:a b/ü.yaml") == b"second"
        assert objects.read("HEAD:large", 100_000) == b"x" * 100_000


def test_commits_have_their_parents(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side", "HEAD^")
    side = repository.commit()
    repository.git("checkout", "-q", "main")
    first = repository.git("rev-parse", "HEAD")
    merged = repository.merge("side")
    repository.git("tag", "-a", "-m", "v1", "v1")
    with GitObjects(repository.root) as objects:
        for name in ("HEAD", "v1", merged, merged[:12]):
            commit = objects.commit(name)
            assert commit is not None
            assert (commit.oid, commit.parents, commit.is_merge) == (merged, (first, side), True)
        assert objects.commit("HEAD:large") is None
        assert objects.commit("nothing") is None


def test_a_repository_with_longer_ids_is_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--object-format=sha256", tmp_path], check=True)
    repository = Repository(tmp_path, begin=False)
    repository.write("a/b", "x")
    oid = repository.commit()
    assert len(oid) == 64
    with GitObjects(tmp_path) as objects:
        assert objects.read(f"{oid}:a/b") == b"x"


def test_the_process_ends_with_close_and_starts_again_when_needed(repository: Repository) -> None:
    objects = GitObjects(repository.root)
    assert objects.read("HEAD:large") is not None
    process = objects._process
    assert process is not None
    assert process.poll() is None
    objects.close()
    assert process.poll() == 0
    assert objects.read("HEAD:large") is not None
    objects.close()
    objects.close()


def test_nothing_is_started_before_the_first_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with GitObjects(tmp_path) as objects:
        assert objects._process is None


def test_a_folder_without_a_repository_is_an_error_every_time(tmp_path: Path) -> None:
    with GitObjects(tmp_path) as objects:
        for _ in range(2):
            with pytest.raises(NoRepository, match="is in no git repository"):
                objects.read("HEAD:x")


def test_the_commit_that_is_checked_out_is_named_where_there_is_one(
    repository: Repository, tmp_path: Path
) -> None:
    assert checked_out_commit(repository.root) == repository.git("rev-parse", "HEAD").strip()
    assert checked_out_commit(tmp_path) is None
    assert checked_out_commit(Repository(tmp_path / "without commits").root) is None


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with GitObjects(tmp_path / "missing") as objects, pytest.raises(GitError, match="cat-file failed"):
        objects.read("HEAD:x")


def test_a_damaged_object_is_an_error_with_what_git_says(repository: Repository) -> None:
    oid = repository.git("rev-parse", "HEAD:large")
    file = repository.root / ".git/objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(b"damaged")
    with GitObjects(repository.root) as objects:
        try:
            assert objects.read("HEAD:large") is None
        except GitError as error:
            assert "cat-file failed" in error.message


def test_what_a_partial_clone_left_out_is_missing_and_nothing_is_fetched(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = repository.clone(tmp_path / "clone", "--filter=blob:none")
    before = sorted((clone.root / ".git/objects").rglob("*"))
    with GitObjects(clone.root) as objects:
        assert objects.read("HEAD^:a b/ü.yaml") is None
        assert objects.read("HEAD:a b/ü.yaml") == b"second"
        oid = repository.git("rev-parse", "HEAD^:a b/ü.yaml")
        assert objects.find(oid, 10) is None
        assert objects.left_out
    assert sorted((clone.root / ".git/objects").rglob("*")) == before


def test_the_variables_of_a_hook_do_not_lead_elsewhere(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.write("a b/ü.yaml", "other")
    other.commit()
    for name, value in {
        "GIT_DIR": str(other.root / ".git"),
        "GIT_WORK_TREE": str(other.root),
        "GIT_OBJECT_DIRECTORY": str(other.root / ".git/objects"),
        "GIT_INDEX_FILE": str(other.root / ".git/index"),
        "GIT_PREFIX": "a b/",
        "GIT_NAMESPACE": "x",
    }.items():
        monkeypatch.setenv(name, value)
    with GitObjects(repository.root) as objects:
        assert objects.read("HEAD:a b/ü.yaml") == b"second"
        assert objects.read(":a b/ü.yaml") == b"second"


def test_the_index_of_the_commit_being_made_counts_where_it_is_asked_for(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(repository.root / ".git/index", tmp_path / "index")
    repository.write("a b/ü.yaml", "staged")
    repository.git("add", "-A")
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    with GitObjects(repository.root, index=True) as objects:
        assert objects.read(":a b/ü.yaml") == b"second"
    with GitObjects(repository.root) as objects:
        assert objects.read(":a b/ü.yaml") == b"staged"


def test_git_that_stops_in_the_middle_is_an_error(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\nread line\nprintf '{'a' * 40} blob 100\\nhalf'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with GitObjects(repository.root) as objects, pytest.raises(GitError, match="it ended at once"):
        objects.read("HEAD:large")
