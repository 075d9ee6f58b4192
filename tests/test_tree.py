"""A tree: what can be read, and that nothing leads out of it."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from dryfire_action.tree import FolderTree, IsFolder, TreeError, find_root, folder_of, inside

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes need rights there")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "evals" / "deep").mkdir(parents=True)
    (folder / "evals" / "a.yaml").write_bytes(b"a\r\n")
    (folder / "evals" / "deep" / "b.yaml").write_bytes(b"b")
    (folder / ".dryfire" / "cassettes").mkdir(parents=True)
    (folder / ".dryfire" / "cassettes" / "c.json").write_bytes(b"{}")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_bytes(b"secret")
    (tmp_path / "outside.txt").write_bytes(b"outside")
    return folder


def test_a_file_is_read_as_the_bytes_it_has(root: Path) -> None:
    assert FolderTree(root).read("evals/a.yaml") == b"a\r\n"


@pytest.mark.parametrize("path", ["nothing", "evals/nothing", "evals/a.yaml/below", "nothing/at/all"])
def test_a_file_that_is_not_there_is_none(root: Path, path: str) -> None:
    assert FolderTree(root).read(path) is None


@pytest.mark.parametrize("path", ["evals\\a.yaml", "./evals//a.yaml", "evals/deep/../a.yaml"])
def test_paths_are_written_in_many_ways(root: Path, path: str) -> None:
    assert FolderTree(root).read(path) == b"a\r\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside.txt", "leads out"),
        ("evals/../../outside.txt", "leads out"),
        ("..\\outside.txt", "leads out"),
        ("/etc/passwd", "absolute"),
        ("\\\\host\\share", "absolute"),
        ("C:\\Windows\\win.ini", "absolute"),
        (".git/config", "git's own folder"),
        (".GIT/config", "git's own folder"),
        (".git./config", "git's own folder"),
        (".git /config", "git's own folder"),
        (".git::$INDEX_ALLOCATION/config", "git's own folder"),
        ("GIT~1/config", "git's own folder"),
        (".g\u200cit/config", "git's own folder"),
        ("evals/.git/config", "git's own folder"),
        ("", "the repository itself"),
        ("evals/..", "the repository itself"),
        ("evals", "is a folder"),
        ("a\0b", "NUL"),
    ],
)
def test_what_must_not_be_read_is_refused_with_the_reason(root: Path, path: str, reason: str) -> None:
    with pytest.raises(TreeError, match=reason):
        FolderTree(root).read(path)


@posix
@pytest.mark.parametrize("target", ["../outside.txt", "evals/a.yaml", "nothing"])
def test_a_link_is_refused_wherever_it_points(root: Path, target: str) -> None:
    (root / "link.md").symlink_to(root / target)
    with pytest.raises(TreeError, match=r"link\.md: is a symbolic link\n  Links are not followed"):
        FolderTree(root).read("link.md")


@posix
def test_a_link_above_the_file_is_refused(root: Path) -> None:
    (root / "prompts").symlink_to(root.parent)
    with pytest.raises(TreeError, match="prompts is a symbolic link"):
        FolderTree(root).read("prompts/outside.txt")


@posix
def test_a_root_that_is_reached_through_a_link_is_no_link_of_the_repository(root: Path) -> None:
    (root.parent / "alias").symlink_to(root)
    assert FolderTree(root.parent / "alias").read("evals/a.yaml") == b"a\r\n"


@posix
def test_a_pipe_is_refused_and_does_not_block(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(TreeError, match="no regular file"):
        FolderTree(root).read("pipe")


@posix
def test_a_socket_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # the name of a socket is short
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind("s")
        with pytest.raises(TreeError, match="no regular file"):
            FolderTree(root).read("s")
    finally:
        listening.close()


def test_a_file_beyond_the_limit_is_refused_with_both_sizes(root: Path) -> None:
    (root / "big.md").write_bytes(b"x" * 1001)
    (root / "fits.md").write_bytes(b"x" * 1000)
    tree = FolderTree(root, limit=1000)
    with pytest.raises(TreeError, match="has 1,001 bytes, and the limit is 1,000"):
        tree.read("big.md")
    assert tree.read("fits.md") == b"x" * 1000


@pytest.mark.parametrize(
    ("folder", "hidden", "found"),
    [
        ("", False, {"evals/a.yaml", "evals/deep/b.yaml"}),
        ("", True, {"evals/a.yaml", "evals/deep/b.yaml", ".dryfire/cassettes/c.json"}),
        ("evals/deep", False, {"evals/deep/b.yaml"}),
        (".dryfire/cassettes", False, {".dryfire/cassettes/c.json"}),
        ("nothing", False, set()),
    ],
)
def test_files_are_listed_below_a_folder(root: Path, folder: str, hidden: bool, found: set[str]) -> None:
    assert set(FolderTree(root).files(folder, hidden=hidden)) == found


@posix
def test_links_and_pipes_are_not_listed(root: Path) -> None:
    (root / "evals" / "link.yaml").symlink_to(root / "evals" / "a.yaml")
    (root / "evals" / "loop").symlink_to(root / "evals")
    os.mkfifo(root / "evals" / "pipe.yaml")
    assert set(FolderTree(root).files("evals")) == {"evals/a.yaml", "evals/deep/b.yaml"}
    assert list(FolderTree(root).files("evals/loop")) == []


def test_the_root_is_the_git_root_then_the_config_then_the_start(tmp_path: Path) -> None:
    start = tmp_path / "a" / "b" / "c"
    start.mkdir(parents=True)
    assert find_root(start) == start.resolve()
    (tmp_path / "a" / "b" / "dryfire.yaml").touch()
    assert find_root(start) == (tmp_path / "a" / "b").resolve()
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere")  # a worktree has a file there
    assert find_root(start) == (tmp_path / "a").resolve()


@pytest.mark.parametrize(
    ("path", "base", "found"),
    [
        ("x.md", "", "x.md"),
        ("x.md", "evals", "evals/x.md"),
        ("../x.md", "evals", "x.md"),
        ("./a/./x", "b", "b/a/x"),
    ],
)
def test_a_path_is_taken_from_its_folder(path: str, base: str, found: str) -> None:
    assert inside(path, base) == found


def test_the_folder_of_a_path() -> None:
    assert (folder_of("a/b/c.yaml"), folder_of("c.yaml")) == ("a/b", "")


def test_a_folder_has_an_error_of_its_own(root: Path) -> None:
    with pytest.raises(IsFolder):
        FolderTree(root).read("evals")
