"""How a comment gets shorter, and what a summary has room for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.comment_marker import PREFIX
from dryfire_action.reports.comment import (
    MOST_BYTES,
    MOST_SUMMARY_BYTES,
    MOST_UNITS,
    comment,
    job_summary,
)
from tests.reports.made import case, results, run, stale
from tests.reports.made_comments import COMMAND, LINKS, SERVER, body, many, marker
from tests.reports.shown_html import complaints
from tests.reports.test_result_json import FOUND, SYSTEM_CAUSE, made

if TYPE_CHECKING:
    from dryfire_action.results import Results


@pytest.mark.parametrize(
    ("found", "says", "no_more"),
    [
        (many(3, cases=40, lines=3), ["`case_000_0039`", "0000 zzz"], ["more cases", "… and"]),
        (
            many(3, cases=600, lines=3),
            ["… and 590 more", "0000 zzz", "more rows"],
            ["`case_000_0009` `case_000_0010`"],
        ),
        (
            many(30, cases=12, lines=5, length=200),
            ["0004 yyy", "… and 2 more"],
            ["0000 zzz", "more changes, which"],
        ),
        (
            many(60, lines=12, length=300),
            ["… and 40 more changes, which made 40 cases stale"],
            ["tools[t020]"],
        ),
    ],
)
def test_each_step_of_the_ladder_says_in_numbers_what_it_leaves_out(
    found: Results, says: list[str], no_more: list[str]
) -> None:
    shown = body(found)
    for words in says:
        assert words in shown, words
    for words in no_more:
        assert words not in shown, words
    assert COMMAND in shown
    assert len(shown) < MOST_UNITS


def test_the_last_step_is_the_headline_the_command_and_where_the_rest_is() -> None:
    cases = tuple(case("\U0001f600" * 190 + f" {n}", "failed", error="\U0001f600" * 900) for n in range(60))
    cause = replace(SYSTEM_CAUSE, path="\U0001f600" * 300, note="\U0001f600" * 900, inner="\U0001f600" * 900)
    found = results(
        *cases,
        case("x", "stale", run(stale(0), passed=False)),
        causes=(cause,) * 40,
        command=f"dryfire run {' '.join(f'evals/suite-{n}.eval.yaml' for n in range(600))} --cassette-mode auto",
    )
    shown = body(found)
    assert shown.startswith("### 🔴 Re-record 1 of 61 cases: 40 changes explain it, 60 failed")
    assert "Too long to be shown here: 40 changes, 61 cases, 1 turn." in shown
    assert "```sh\ndryfire run --cassette-mode auto\n```" in shown
    assert f"[full report]({LINKS.run_url})" in shown
    assert len(shown) < 3_000


def test_all_causes_but_the_first_are_opened_by_a_click() -> None:
    shown = body(many(8))
    assert "<details><summary>3 more changes</summary>" in shown
    assert shown.index("tools[t004]") < shown.index("3 more changes") < shown.index("tools[t005]")


def test_units_and_bytes_are_both_counted() -> None:
    for letter in ("a", "é", "退", "\U0001f600"):
        names = tuple(case(letter * 150 + f" {n}", "failed", error="x") for n in range(400))
        written = comment(made(results(*names)), marker(), previous=None, links=LINKS)
        assert written
        assert len(written.encode("utf-16-le")) // 2 <= MOST_UNITS
        assert len(written.encode()) <= MOST_BYTES
        assert "more cases" in written


# The summary of a job


@pytest.mark.parametrize("name", FOUND)
def test_a_summary_is_always_there_and_complete(name: str) -> None:
    shown = job_summary(made(FOUND[name]), LINKS)
    assert shown.startswith("### ")
    assert complaints(shown, SERVER, marked=False) == []
    assert PREFIX not in shown
    assert "full report" not in shown


@cache
def large() -> dict[str, Any]:
    """A result that a comment has no room for."""
    return made(many(60, cases=5, lines=12, length=300))


def test_a_summary_has_room_for_more_than_a_comment() -> None:
    shown = job_summary(large(), LINKS)
    assert "tools[t059]" in shown
    assert MOST_UNITS < len(shown.encode()) <= MOST_SUMMARY_BYTES


@pytest.mark.parametrize("taken", [0, 600_000, 990_000, 999_000, 999_990, 1_000_000, 2_000_000])
def test_what_the_step_wrote_before_counts(taken: int) -> None:
    shown = job_summary(large(), LINKS, budget_bytes=MOST_SUMMARY_BYTES - taken)
    assert len(shown.encode()) + taken <= max(MOST_SUMMARY_BYTES, taken)
    assert bool(shown) == (taken <= 999_000)
