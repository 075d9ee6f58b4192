"""The page about limits says the numbers that the code has, and what it says is not read is not read."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from dryfire_action import (
    action_check,
    action_replay,
    canonical_json,
    cassette_file,
    git_log,
    old_text,
    patterns,
    references,
    result_file,
    suite_file,
    tree,
    yaml_io,
)
from dryfire_action.globs import matching
from dryfire_action.recordings import limits
from dryfire_action.reports import comment
from dryfire_action.tree import FolderTree, TreeError
from tests.house.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs/explanation/limits.md").read_text(encoding="utf-8")

ROWS = {
    "a suite, a config": f"{tree.MAX_BYTES // 2**20} MiB",
    "how deep its YAML": f"{yaml_io.MAX_DEPTH}",
    "its values": f"{yaml_io.MAX_WEIGHT:,}",
    "cases of a suite": f"{suite_file.MAX_CASES:,}, {suite_file.MAX_CASES_OF_ALL:,}",
    "files that name each other": f"{references.MAX_CHAIN} in a chain",
    "a cassette": f"{cassette_file.SIZE_LIMIT // 10**6} MB",
    "how deep a JSON value": f"{canonical_json.MAX_DEPTH}",
    "a regular expression": f"{patterns.MAX_PATTERN_LENGTH:,} characters, {patterns.TIMEOUT_SECONDS:g} s",
    "a file that is searched": f"{limits.MAX_FILE // 10**6} MB, {limits.MAX_OPENED // 10**6} MB",
    "texts within texts": f"{limits.MAX_LAYERS} deep",
    "a result file": f"{result_file.SIZE_LIMIT // 10**6} MB",
    "the check in the action": (
        f"{action_check.MOST_SECONDS // 60} minutes, {action_replay.MOST_MEMORY // 2**30} GiB of memory"
    ),
}


def test_the_table_has_the_numbers_of_the_code() -> None:
    section = PAGE.split("\n## How large things may be\n")[1]
    found = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.MULTILINE)[2:])
    assert list(found.values()) == list(ROWS.values())
    assert [what for what, begins in zip(found, ROWS, strict=True) if not what.startswith(begins)] == []


def test_the_bounds_on_what_is_said_are_those_of_the_code() -> None:
    last = " ".join(PAGE.split("Two more bounds")[1].split())
    assert f"the {old_text.MAX_CANDIDATES} likeliest of the last {git_log.MAX_COMMITS:,} commits" in last
    assert f"for {git_log.MAX_SECONDS:g} seconds at most" in last
    assert f"more than {comment.MOST_UNITS:,} characters" in last


@pytest.fixture
def folder(tmp_path: Path) -> FolderTree:
    """A repository with one suite, one behind a linked folder, one that is a link, and one in a hidden folder."""
    for name in ("evals", "elsewhere", "evals/.drafts", "other"):
        (tmp_path / name).mkdir()
    for name in ("evals/plain", "elsewhere/behind", "evals/.drafts/hidden"):
        (tmp_path / f"{name}.eval.yaml").write_text("name: x\n", encoding="utf-8")
    try:
        (tmp_path / "evals/linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
        (tmp_path / "other/link.eval.yaml").symlink_to(tmp_path / "evals/plain.eval.yaml")
    except OSError:
        pytest.skip("links cannot be made here")
    return FolderTree(tmp_path)


def test_linked_and_hidden_folders_below_a_glob_are_not_entered(folder: FolderTree) -> None:
    assert list(matching(folder, "evals/**/*.eval.yaml")) == ["evals/plain.eval.yaml"]
    assert list(matching(folder, "evals/.drafts/*.eval.yaml")) == ["evals/.drafts/hidden.eval.yaml"]


@pytest.mark.parametrize("path", ["other/link.eval.yaml", "evals/linked/behind.eval.yaml"])
def test_a_link_that_is_named_is_refused(folder: FolderTree, path: str) -> None:
    with pytest.raises(TreeError, match="is a symbolic link"):
        folder.read(path)


def test_a_link_that_a_glob_names_is_no_suite_in_silence(folder: FolderTree) -> None:
    [path] = matching(folder, "other/*.eval.yaml")
    with pytest.raises(TreeError, match="is a symbolic link"):
        folder.read(path)


def test_a_glob_that_names_a_linked_folder_is_refused(folder: FolderTree) -> None:
    with pytest.raises(TreeError, match="linked is a symbolic link"):
        matching(folder, "evals/linked/*.eval.yaml")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.eval.yaml")
    with pytest.raises(TreeError, match="no regular file"):
        FolderTree(tmp_path).read("pipe.eval.yaml")
