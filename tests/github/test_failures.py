"""Texts of others fit on one line, and every kind of failure says what it is."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.errors import EXIT_RECORDING, DryfireError
from dryfire_action.github.failures import MOST_TEXT, REMEDIES, GitHubError, Kind, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Not Found", "Not Found"),
        ("  two\r\n::error::lines\t", "two ::error::lines"),
        ("\x1b[31mred\x1b[0m", "[31mred [0m"),
        ("left\u202eright\u200b\ud800", "left right"),
        ("größe ✓", "größe ✓"),
        ("x" * 10_000, "x" * (MOST_TEXT - 1) + "…"),
    ],
)
def test_texts_of_others_are_short_and_printable(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text())
def test_whatever_the_text_is_it_fits_on_one_line(text: str) -> None:
    shown = plain(text)
    assert len(shown) <= MOST_TEXT
    assert shown.isprintable()


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_is_an_expected_error(kind: Kind) -> None:
    error = GitHubError(kind, "GET /x: 500", status=500)
    assert isinstance(error, DryfireError)
    assert (error.slug, error.exit_code, error.kind, error.status) == ("github", EXIT_RECORDING, kind, 500)
    assert str(error).startswith("GET /x: 500")
    assert (REMEDIES.get(kind, "") in str(error)) and set(REMEDIES) <= set(get_args(Kind))
