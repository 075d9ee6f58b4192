"""Which suites a pattern names."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from dryfire_action.errors import UsageError
from dryfire_action.globs import NothingMatched, matching, matching_any
from dryfire_action.tree import FolderTree, TreeError
from tests.memory_tree import MemoryTree

if TYPE_CHECKING:
    from pathlib import Path

TREE = MemoryTree(
    dict.fromkeys(
        [
            "top.eval.yaml",
            "dryfire.yaml",
            "evals/b.eval.yaml",
            "evals/a.eval.yaml",
            "evals/notes.md",
            "evals/deep/er/c.eval.yaml",
            "evals/.drafts/d.eval.yaml",
            "evals/.hidden.eval.yaml",
            "evals/with space/é ß.eval.yaml",
            "evals/[odd].eval.yaml",
            "evals/UPPER.eval.yaml",
        ],
        "",
    )
)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("evals/a.eval.yaml", ["evals/a.eval.yaml"]),
        ("evals/[ab].eval.yaml", ["evals/a.eval.yaml", "evals/b.eval.yaml"]),
        ("evals/?.eval.yaml", ["evals/a.eval.yaml", "evals/b.eval.yaml"]),
        ("evals/deep/**/*.yaml", ["evals/deep/er/c.eval.yaml"]),
        ("evals/deep/**", ["evals/deep/er/c.eval.yaml"]),
        ("**/c.eval.yaml", ["evals/deep/er/c.eval.yaml"]),
        ("**/top.eval.yaml", ["top.eval.yaml"]),
        ("evals/**/deep/**/er/**/c.*", ["evals/deep/er/c.eval.yaml"]),
        ("*.yaml", ["top.eval.yaml"]),
        ("evals/UPPER*", ["evals/UPPER.eval.yaml"]),
        ("evals\\a.eval.yaml", ["evals/a.eval.yaml"]),
        (".\\evals\\?.eval.yaml", ["evals/a.eval.yaml", "evals/b.eval.yaml"]),
        ("./evals/a.eval.yaml", ["evals/a.eval.yaml"]),
        ("evals/with space/*.eval.yaml", ["evals/with space/é ß.eval.yaml"]),
        ("evals/*/é ß.eval.yaml", ["evals/with space/é ß.eval.yaml"]),
        ("evals/[odd].eval.yaml", ["evals/[odd].eval.yaml"]),
        ("evals/.drafts/*", ["evals/.drafts/d.eval.yaml"]),
        ("**/.drafts/*", ["evals/.drafts/d.eval.yaml"]),
        ("evals/.*.yaml", ["evals/.hidden.eval.yaml"]),
    ],
)
def test_1_4_a_pattern_names_files(pattern: str, found: list[str]) -> None:
    assert list(matching(TREE, pattern)) == found


def test_a_wide_pattern_names_neither_hidden_files_nor_the_config() -> None:
    found = matching(TREE, "**/*.yaml")
    assert list(found) == sorted(found)
    assert not [path for path in found if "/." in path or path == "dryfire.yaml"]
    assert len(found) == 7


@pytest.mark.parametrize(
    "pattern", ["evals/upper*", "Evals/*.eval.yaml", "nothing/*.yaml", "*.yml", "evals/*.txt"]
)
def test_a_pattern_that_names_nothing_is_an_error(pattern: str) -> None:
    with pytest.raises(NothingMatched, match=re.escape(f"no file matches {pattern}")):
        matching(TREE, pattern)


@pytest.mark.parametrize(
    ("folder", "glob"),
    [
        ("evals", "evals/**/*.eval.yaml"),
        ("evals/", "evals/**/*.eval.yaml"),
        ("evals/deep", "evals/deep/**/*.eval.yaml"),
        (".", "**/*.eval.yaml"),
    ],
)
def test_a_folder_is_an_error_that_says_which_glob_to_write(folder: str, glob: str) -> None:
    with pytest.raises(UsageError) as caught:
        matching(TREE, folder)
    assert "is a folder" in caught.value.message
    assert caught.value.remedy == f'Name the suites in it: "{glob}".'


def test_patterns_are_relative_to_the_folder_where_they_are_written() -> None:
    assert matching(TREE, "a.eval.yaml", "evals") == ("evals/a.eval.yaml",)
    assert matching(TREE, "../top*", "evals") == ("top.eval.yaml",)
    with pytest.raises(UsageError, match="leads out"):
        matching(TREE, "../../top*", "evals")


def test_overlapping_patterns_name_each_file_once() -> None:
    found = matching_any(TREE, ["evals/a*", "evals/?.eval.yaml", "./evals/a.eval.yaml"])
    assert found == ("evals/a.eval.yaml", "evals/b.eval.yaml")


def test_an_absolute_pattern_inside_the_folder_is_understood(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "a.eval.yaml").touch()
    tree = FolderTree(tmp_path)
    assert matching(tree, f"{tree.root}/evals/*.yaml", "evals") == ("evals/a.eval.yaml",)
    with pytest.raises(UsageError, match="absolute"):
        matching(tree, f"{tmp_path.parent}/*.yaml")
    with pytest.raises(UsageError, match="is a folder"):
        matching(tree, "evals")


def test_a_link_that_is_named_or_matched_is_refused_not_overlooked(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").touch()
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real.yaml")
    with pytest.raises(TreeError, match="symbolic link"):
        matching(FolderTree(tmp_path), "link.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    # Whoever reads them is told; left out they would be suites that nobody misses.
    assert matching(FolderTree(tmp_path), "*.yaml") == ("link.yaml", "pipe.yaml", "real.yaml")


def test_a_pattern_built_to_take_for_ever_does_not() -> None:
    deep = MemoryTree({"/".join(["a"] * 60) + "/b.yaml": ""})
    with pytest.raises(NothingMatched):
        matching(deep, "**/a/" * 30 + "*" * 40 + "c.yaml")
