"""Characters that are not seen, and those that are told by name where they make a difference."""

from __future__ import annotations

import pytest

from dryfire_action.named_characters import hard_to_see, named, never_seen

FAMILY = "\U0001f468\u200d\U0001f469"


@pytest.mark.parametrize(
    ("text", "index", "unseen", "hard"),
    [
        ("a", 0, False, False),
        ("é", 0, False, False),
        (" ", 0, False, False),
        ("\t", 0, False, True),
        ("\u00a0", 0, False, True),
        ("a\u200bb", 1, True, True),
        ("\u202e", 0, True, True),
        ("\u3164", 0, True, True),
        ("a\ufe0f", 1, False, True),
        pytest.param(FAMILY, 1, False, True, id="a joiner that joins"),
        pytest.param("a\u200db", 1, True, True, id="a joiner between letters that need none"),
    ],
)
def test_what_is_not_seen_and_what_could_be_overlooked(
    text: str, index: int, unseen: bool, hard: bool
) -> None:
    assert (never_seen(text, index), hard_to_see(text, index)) == (unseen, hard)


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\t", "⟨TAB⟩"),
        ("\u200b", "⟨U+200B ZERO WIDTH SPACE⟩"),
        ("\x00", "⟨U+0000 NULL⟩"),
        ("\x01", "⟨U+0001 CONTROL⟩"),
        ("\ue000", "⟨U+E000 PRIVATE USE⟩"),
    ],
)
def test_characters_have_names(char: str, name: str) -> None:
    assert named(char) == name
