"""The page of the library has the public names, all of them and no other, and says what they say of themselves."""

from __future__ import annotations

import re

import dryfire_action
from docs import api_page
from tests.docs.test_commands import REBUILD


def test_the_page_is_that_of_the_names() -> None:
    assert api_page.PAGE.read_text(encoding="utf-8") == api_page.page(), REBUILD


def test_the_page_has_every_public_name_once() -> None:
    shown = re.findall(r"^### (\S+)$", api_page.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(shown) == sorted(dryfire_action.__all__)


def test_no_name_is_without_words_and_no_address_of_memory_is_shown() -> None:
    text = api_page.page()
    assert " at 0x" not in text
    for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        prose = re.sub(r"```text\n.*?```", "", section, flags=re.DOTALL).split("\n", 1)[1]
        assert len(prose.split()) >= 4, section
