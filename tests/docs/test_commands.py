"""What the pages show is what happens: their commands are run in order, and their output is the command's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from docs import build
from docs.assets.make_picture import PICTURE, picture
from tests.house.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGES = build.pages()
# Languages that nothing is run or checked for: shown as they are.
PLAIN = {"text"}
REBUILD = "run `.venv/bin/python docs/build.py` and look at the difference"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_of_the_page_does_what_it_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert build.played(text) == text, REBUILD


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_of_the_page_says_what_it_is(page: Path) -> None:
    for block in build.blocks(page.read_text(encoding="utf-8")):
        marked = block.language in {"sh", "console"} or block.mark("file") or block.mark("sample")
        assert marked or block.language in PLAIN, f"line {block.line}: ```{block.language}"


def test_what_is_not_run_is_shown_somewhere_and_is_not_more_than_must_be() -> None:
    shown = {
        line.removeprefix("$ ").strip()
        for page in PAGES
        for block in build.blocks(page.read_text(encoding="utf-8"))
        if block.language in {"sh", "console"}
        for line in block.text.splitlines()
    }
    assert set(build.SKIPPED) == {"pip install dryfire-action", "make demo", "make test"}
    assert set(build.SKIPPED) <= shown
    assert all(build.SKIPPED.values()), "each needs a reason"


def test_the_readme_has_the_two_commands_that_set_everything_up() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "```sh\nmake demo\nmake test\n```" in text


def test_the_picture_is_that_of_the_command() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), REBUILD


def test_the_page_of_the_command_line_is_that_of_the_command() -> None:
    assert build.CLI_PAGE.read_text(encoding="utf-8") == build.cli_page(), REBUILD


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```sh\nfalse\n```\n", "exit code 1, not 0"),
        ("```sh\nfalse\ntrue\n```\n", "exit code 1, not 0"),
        ("```sh exit=3\ntrue\n```\n", "exit code 0, not 3"),
        ("```console\n$ dryfire run\n```\n", "exit code 2, not 0"),
        ("```text file=a\nx\n```\n```diff file=a\n-y\n+z\n```\n", "does not hold these lines once"),
        ("```diff\n-y\n+z\n```\n", "names the file it edits"),
        ("<!-- in: nowhere -->\n", "no scene"),
    ],
)
def test_a_page_that_promises_something_else_is_found(page: str, complaint: str) -> None:
    with pytest.raises(build.Unlike, match=complaint):
        build.played(page)


def test_output_that_is_out_of_date_is_replaced() -> None:
    page = "before\n```console\n$ echo now; cd /\nearlier\n$ pwd\n```\nafter\n"
    assert build.played(page) == "before\n```console\n$ echo now; cd /\nnow\n$ pwd\n/\n```\nafter\n"


def test_files_edits_and_folders_carry_on_through_a_page() -> None:
    page = (
        "```text file=a/b.txt\none\ntwo\n```\n```diff file=a/b.txt\n one\n-two\n+three\n```\n"
        "```sh\ncd a\n```\n```console\n$ cat b.txt\n```\n"
    )
    assert build.played(page).endswith("$ cat b.txt\none\nthree\n```\n")
