"""The page of the action is that of its manifest, with an anchor for each input."""

from __future__ import annotations

import yaml

from docs import action_page
from tests.docs.test_links import anchors


def test_the_page_is_that_of_the_manifest() -> None:
    text = action_page.PAGE.read_text(encoding="utf-8")
    assert text == action_page.page(), "run `.venv/bin/python docs/build.py`"


def test_every_input_has_an_anchor() -> None:
    manifest = yaml.safe_load(action_page.MANIFEST.read_text(encoding="utf-8"))
    assert set(manifest["inputs"]) <= anchors(action_page.PAGE)
