"""The documentation's site is built without a warning and loads nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from docs.site_hooks import on_page_markdown
from tests.house.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# A page asks for these by itself, unlike a link, which its reader follows.
_LOADED = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=["']((?:https?:)?//[^"']*)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. ``strict`` makes every warning, a dead link or anchor among them, an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (0, "", "")
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert pages
    assert pages <= {path.relative_to(site) for path in site.rglob("*.html")}


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = {
        address
        for page in site.rglob("*.html")
        for address in _LOADED.findall(page.read_text(encoding="utf-8"))
    }
    assert loaded == set()


def test_blocks_are_rendered_as_blocks(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert "<p>```" not in page.read_text(encoding="utf-8"), page.name


@pytest.mark.parametrize(
    ("written", "rendered"),
    [
        ("```console exit=3\n$ dryfire run\n```", "```console\n$ dryfire run\n```"),
        ("```yaml file=a b.yaml\na: 1\n```", "```yaml\na: 1\n```"),
        ("```sh\nls\n```", "```sh\nls\n```"),
        ("```\nplain\n```", "```\nplain\n```"),
        ("``` `` ```", "``` `` ```"),
    ],
)
def test_the_words_after_a_language_are_for_the_tests_only(written: str, rendered: str) -> None:
    assert on_page_markdown(written) == rendered
