"""Every link between pages leads to a file, and every anchor to a heading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from docs import build
from tests.house.repository import ROOT, modules

if TYPE_CHECKING:
    from pathlib import Path

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    found = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(words.replace(" ", "-"))
    return found


def broken(page: Path) -> list[str]:
    found = []
    for target in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            found.append(target)
    return found


@pytest.mark.parametrize("page", build.pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_links_of_the_page_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in _LINK.findall(page.read_text(encoding="utf-8")):
            file = (page.parent / target.partition("#")[0]).resolve()
            if file.suffix == ".md" and file.is_file():
                waiting.append(file)
    assert {page for page in build.pages() if page not in reached} == set()


def test_the_index_names_every_page() -> None:
    index = ROOT / "docs/index.md"
    named = {(index.parent / target).resolve() for target in _LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in (ROOT / "docs").rglob("*.md") if page not in named} == {index}


def test_pages_that_the_code_names_exist() -> None:
    for path in modules().values():
        for name in re.findall(r"docs/[a-z-]+/[a-z-]+\.md", path.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{path.name} names {name}"


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A heading\n[a](gone.md) [b](#a-heading) [c](#other) [d](https://example.com)\n", encoding="utf-8"
    )
    assert broken(page) == ["gone.md", "#other"]
