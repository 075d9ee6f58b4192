"""A commit and the index are read as a folder is, and refuse what a folder refuses."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dryfire_action.git_objects import GitObjects
from dryfire_action.git_process import GitError
from dryfire_action.git_tree import CommitTree, IndexTree
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import FolderTree, IsFolder, Tree, TreeError
from tests.git_repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = {
    "dryfire.yaml": "version: 1\nsuites: ['**/*.eval.yaml']\n",
    "evals/a.eval.yaml": "name: a\ncases: [{name: c, input: hi, expect: []}]\n",
    "evals/deep/er/b.eval.yaml": "name: b\ncases: [{name: c, input: hi, expect: []}]\n",
    "evals/.hidden/c.eval.yaml": "not: a suite\n",
    ".dryfire/cassettes/a/c.json": "{}",
    "evals/größe 退款.md": "text",
    "evals/line\nend.md": "text",
    "empty": "",
}


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """One repository for all tests that only read it."""
    return made(tmp_path_factory.mktemp("made"))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return made(tmp_path)


def made(folder: Path) -> Repository:
    found = Repository(folder / "repository")
    for path, text in FILES.items():
        found.write(path, text)
    inner = Repository(folder / "inner")
    inner.write("x", "x")
    inner.commit()
    found.git("submodule", "--quiet", "add", inner.root.as_uri(), "evals/module")
    (found.root / "link").symlink_to("dryfire.yaml")
    (found.root / "evals/linked").symlink_to("deep")
    found.commit()
    return found


@pytest.fixture(params=["commit", "index", "worktree of a bare repository"], scope="module")
def tree(request: pytest.FixtureRequest, unchanged: Repository) -> Iterator[Tree]:
    root = unchanged.root
    if "bare" in request.param:
        root = root.parent / "bare.git"
        unchanged.git("clone", "-q", "--bare", ".", str(root))
    with GitObjects(root) as objects:
        yield IndexTree(objects) if request.param == "index" else CommitTree(objects)


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("folder", ["", "evals", "evals/deep", ".dryfire", "missing", "link", "evals/linked"])
def test_the_same_files_are_listed_as_in_the_folder(
    tree: Tree, unchanged: Repository, folder: str, hidden: bool
) -> None:
    of_folder = {
        path
        for path in FolderTree(unchanged.root).files(folder, hidden=hidden)
        if not path.startswith("evals/module/")
    }
    assert set(tree.files(folder, hidden=hidden)) == of_folder
    assert bool(of_folder) == (folder not in ("missing", "link", "evals/linked"))


@pytest.mark.parametrize("path", [*FILES, "./evals//a.eval.yaml", "missing", "evals/missing", "empty/below"])
def test_the_same_content_is_read_as_in_the_folder(tree: Tree, unchanged: Repository, path: str) -> None:
    assert tree.read(path) == FolderTree(unchanged.root).read(path)


REFUSED = {
    "link": "link: is a symbolic link",
    "evals/linked": "evals/linked: is a symbolic link",
    "evals/linked/er/b.eval.yaml": "evals/linked/er/b.eval.yaml: linked is a symbolic link",
    "evals/module": "evals/module: is a submodule, whose files belong to another repository",
    "evals/module/x": "evals/module/x: module is a submodule, whose files belong to another repository",
    "../outside": "../outside: leads out of the repository",
    "/etc/passwd": "/etc/passwd: is an absolute path",
    ".git/config": ".git/config: is git's own folder",
    "evals": "evals: is a folder, not a file",
}


@pytest.mark.parametrize(("path", "message"), REFUSED.items())
def test_what_must_not_be_read_is_refused(tree: Tree, path: str, message: str) -> None:
    with pytest.raises(TreeError) as caught:
        tree.read(path)
    assert caught.value.message == message
    assert isinstance(caught.value, IsFolder) == (path == "evals")


def test_suites_are_loaded_from_it(tree: Tree) -> None:
    assert [suite.name for suite in load_suites(tree, [])] == ["a", "b"]


def test_a_file_beyond_the_limit_is_refused(repository: Repository) -> None:
    repository.write("large", "x" * 11)
    repository.commit()
    with GitObjects(repository.root) as objects:
        for tree in (CommitTree(objects, limit=10), IndexTree(objects, limit=10)):
            with pytest.raises(TreeError, match="has 11 bytes, and the limit is 10"):
                tree.read("large")


def test_a_folder_of_the_repository_can_be_the_root(repository: Repository) -> None:
    with GitObjects(repository.root / "evals") as objects:
        for tree in (CommitTree(objects, prefix="evals"), IndexTree(objects)):
            assert tree.read("a.eval.yaml") == FILES["evals/a.eval.yaml"].encode()
            assert "deep/er/b.eval.yaml" in set(tree.files())
            assert tree.read("dryfire.yaml") is None
        nowhere = CommitTree(objects, prefix="evals/a.eval.yaml")
        assert nowhere.read("x") is None
        assert list(nowhere.files()) == []


def test_a_commit_that_is_not_there_is_an_error(repository: Repository) -> None:
    with GitObjects(repository.root) as objects, pytest.raises(GitError, match="no commit 'other'") as caught:
        CommitTree(objects, "other")
    assert "fetch-depth" in caught.value.remedy


def test_names_that_are_no_unicode_are_listed_as_the_folder_lists_them(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    try:
        (tmp_path / os.fsdecode(b"odd\xff.md")).write_text("x")
    except OSError:
        pytest.skip("this file system has Unicode names only")
    repository.commit()
    with GitObjects(tmp_path) as objects:
        for tree in (CommitTree(objects), IndexTree(objects)):
            assert list(tree.files()) == list(FolderTree(tmp_path).files())
            assert tree.read(os.fsdecode(b"odd\xff.md")) == b"x"


def test_the_index_is_what_is_staged(repository: Repository) -> None:
    repository.write("empty", "staged")
    repository.write("new", "staged")
    repository.git("rm", "-q", "--cached", "dryfire.yaml")
    repository.git("add", "empty", "new")
    repository.write("empty", "edited since")
    with GitObjects(repository.root) as objects:
        tree = IndexTree(objects)
        assert (tree.read("empty"), tree.read("new"), tree.read("dryfire.yaml")) == (
            b"staged",
            b"staged",
            None,
        )
        assert CommitTree(objects).read("empty") == b""


def test_a_file_in_conflict_is_refused(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.write("empty", "side")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("empty", "main")
    repository.commit()
    with pytest.raises(AssertionError, match="merge"):
        repository.merge("side")
    with GitObjects(repository.root) as objects:
        with pytest.raises(TreeError, match="is in a merge conflict"):
            IndexTree(objects).read("empty")
        assert "empty" in set(IndexTree(objects).files())


def test_an_index_without_a_commit_is_read(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.write("a", "x")
    repository.git("add", "a")
    with GitObjects(tmp_path) as objects:
        assert list(IndexTree(objects).files()) == ["a"]
        assert IndexTree(objects).read("a") == b"x"
        with pytest.raises(GitError, match="no commit 'HEAD'"):
            CommitTree(objects)


@pytest.mark.parametrize(
    ("commit", "seen"),
    [
        (("commit", "-qm", "x"), "staged"),
        (("commit", "-qam", "x"), "edited"),
        (("commit", "-qm", "x", "other"), "first"),
    ],
    ids=["what is staged", "all", "one file"],
)
@pytest.mark.parametrize("linked", [False, True], ids=["repository", "worktree"])
def test_in_a_hook_the_index_is_that_of_the_commit(
    tmp_path: Path, commit: tuple[str, ...], seen: str, linked: bool
) -> None:
    """Git makes an index of its own for ``commit -a`` and for ``commit FILE``."""
    repository = Repository(tmp_path / "first")
    for name in ("file", "other"):
        repository.write(name, "first")
    repository.commit()
    hook = repository.root / ".git/hooks/pre-commit"
    hook.write_text(
        f"#!{sys.executable}\n"
        "from pathlib import Path\n"
        "from dryfire_action.git_objects import GitObjects\n"
        "from dryfire_action.git_tree import IndexTree\n"
        "with GitObjects(Path.cwd(), index=True) as objects:\n"
        f"    Path({str(tmp_path / 'seen')!r}).write_bytes(IndexTree(objects).read('file'))\n"
    )
    hook.chmod(0o755)
    if linked:
        repository.git("worktree", "add", "-q", str(tmp_path / "linked"))
        repository = Repository(tmp_path / "linked", begin=False)
    repository.write("file", "staged")
    repository.git("add", "file")
    repository.write("file", "edited")
    repository.write("other", "edited")
    repository.git(*commit)
    assert (tmp_path / "seen").read_text() == seen
