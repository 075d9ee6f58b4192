"""Texts that need not be searched hold nothing that a rule finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.recordings.plain_texts import is_plain
from dryfire_action.redact import DEFAULT_RULES, find_in_text
from tests.corpus.kinds import NAMED, SHAPES, all_of
from tests.secret_hits import HITS


@pytest.mark.parametrize("rule", HITS)
def test_no_text_with_a_secret_is_plain(rule: str) -> None:
    assert not [hit.text for hit in HITS[rule] if hit.key is None and is_plain(hit.text)]


def test_no_secret_of_the_corpus_is_plain() -> None:
    written = [secret.written for secret in all_of(SHAPES)]
    assert not [text for text in written if is_plain(text)]
    assert NAMED, "those are known by their names, and texts under such names are always searched"


@settings(max_examples=400, deadline=None)
@given(st.text(st.sampled_from("aB3 -_.:=@%/+BearerBasic\n\"'<>{}[]\\é,;&"), max_size=60))
def test_what_is_plain_holds_nothing(text: str) -> None:
    if is_plain(text):
        assert find_in_text(text, rules=DEFAULT_RULES) == ()


@pytest.mark.parametrize(
    "text", ["", "user", "end_turn", "application/json", "The parcel is in Oslo.", "a b c d e f g"]
)
def test_words_are_plain(text: str) -> None:
    assert is_plain(text) or len(text) >= 16
