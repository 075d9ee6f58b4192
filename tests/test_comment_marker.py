"""The marker: it is read back as it was written, only as first bytes, and nothing foreign fits into it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.comment_marker import PREFIX, Marker, parse_marker

HEAD = "3f9c2e1b" * 5
MADE = Marker(key="evals", head=HEAD, run=18233107, attempt=1, state="stale", stale=40)
LINE = f'<!-- dryfire-action:v1 key="evals" head="{HEAD}" run="18233107.1" state="stale" stale="40" -->'

markers = st.builds(
    Marker,
    key=st.from_regex(r"[a-z0-9-]{1,64}", fullmatch=True),
    head=st.from_regex(r"[0-9a-f]{40}([0-9a-f]{24})?", fullmatch=True),
    run=st.integers(0, 10**18 - 1),
    attempt=st.integers(0, 10**6),
    state=st.from_regex(r"[a-z0-9-]{1,64}", fullmatch=True),
    stale=st.integers(0, 10**9),
)


def test_its_line_is_fixed() -> None:
    assert MADE.text() == LINE


@given(marker=markers, rest=st.text(max_size=40))
def test_what_was_written_is_read_back_whatever_follows(marker: Marker, rest: str) -> None:
    for end in ("\n", "\r\n"):
        assert parse_marker(marker.text() + end + rest) == marker
    assert parse_marker(marker.text()) == marker


@pytest.mark.parametrize(
    "body",
    [
        "",
        f" {LINE}",
        f"\n{LINE}",
        f"hello\n{LINE}",
        f"> {LINE}",
        f"\ufeff{LINE}",
        LINE.replace(":v1", ":v2"),
        LINE.upper(),
        f"{LINE} @everyone",
        LINE.replace(' stale="40"', ""),
        LINE.replace("40", "-1"),
        LINE.replace("40", "9" * 40),
        LINE.replace("40", "٤٠"),
        LINE.replace(HEAD, "main"),
        LINE.replace("evals", "a" * 65),
        LINE.replace("evals", "a\nb"),
    ],
)
def test_anything_else_is_no_marker(body: str) -> None:
    assert parse_marker(body) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": ""},
        {"key": "Evals"},
        {"key": 'a" -->'},
        {"key": "a" * 65},
        {"key": "a\n"},
        {"head": "main"},
        {"head": ""},
        {"head": HEAD.upper()},
        {"run": -1},
        {"run": 10**18},
        {"attempt": -1},
        {"stale": -1},
        {"state": "--> @everyone"},
    ],
)
def test_nothing_foreign_fits_into_it(wrong: dict[str, str | int]) -> None:
    with pytest.raises(ValueError, match="no marker"):
        replace(MADE, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mine", "other", "older"),
    [
        ({}, {}, False),
        ({}, {"attempt": 2}, True),
        ({"attempt": 2}, {}, False),
        ({}, {"run": MADE.run + 1}, True),
        ({"attempt": 9}, {"run": MADE.run + 1}, True),
        ({"run": MADE.run + 1}, {"attempt": 9}, False),
        ({}, {"run": MADE.run + 1, "key": "other"}, False),
    ],
)
def test_the_later_run_is_the_newer_one(
    mine: dict[str, int], other: dict[str, int | str], older: bool
) -> None:
    assert replace(MADE, **mine).is_older_than(replace(MADE, **other)) is older  # type: ignore[arg-type]


def test_its_beginning_is_known_by_name() -> None:
    assert LINE.startswith(PREFIX)
