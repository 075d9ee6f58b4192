"""The sentences of reports: nothing that is not an all-clear reads like one."""

from __future__ import annotations

from typing import Any

import pytest

from dryfire_action.causes import OTHER_RULES, OTHER_VERSION
from dryfire_action.reports.wording import (
    Tally,
    behaviour,
    cost,
    equal_fields,
    headline,
    only_rules_changed,
    spread,
    tally_from,
    without_place,
)


def tally(state: Any, cases: int = 40, passed: int = 0, **numbers: int) -> Tally:
    return Tally(state, cases, passed, **numbers)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (tally("clear", passed=40), "40 of 40 cases clear"),
        (tally("clear", 43, passed=40, excluded=3), "40 of 43 cases clear, 3 excluded"),
        (tally("clear", 1, passed=1), "1 of 1 case clear"),
        (tally("skipped", passed=38, skipped=2), "38 of 40 cases clear, 2 skipped"),
        (
            tally("shrunk", 38, passed=38, gone=2, no_longer_replayed=2),
            "38 of 40 cases clear, 2 no longer replayed",
        ),
        (tally("shrunk", passed=38, no_longer_replayed=2), "38 of 40 cases clear, 2 no longer replayed"),
        (tally("failed", passed=39, failed=1), "1 of 40 cases fails"),
        (tally("failed", passed=38, failed=2, excluded=1), "2 of 40 cases fail, 1 excluded"),
        (tally("stale", stale=40, causes=1), "Re-record 40 of 40 cases: one change explains all of them"),
        (tally("stale", stale=1, causes=1), "Re-record 1 of 40 cases: one change explains it"),
        (tally("stale", stale=12, causes=3), "Re-record 12 of 40 cases: 3 changes explain them"),
        (tally("stale", stale=12), "Re-record 12 of 40 cases"),
        (tally("stale", missing=2), "Record 2 of 40 cases: something is not in their recordings"),
        (tally("stale", missing=1), "Record 1 of 40 cases: something is not in its recording"),
        (tally("stale", damaged=1), "Re-record 1 of 40 cases: its recording cannot be trusted"),
        (
            tally("stale", stale=3, missing=2, damaged=1, causes=2, failed=4, no_longer_replayed=5),
            "Re-record 6 of 40 cases: 3 stale by 2 changes, 2 missing, 1 damaged, 4 failed, 5 no longer replayed",
        ),
        (tally("nothing_checked", 0), "Nothing was checked"),
        (tally("nothing_checked", 3, excluded=3), "Nothing was checked, 3 excluded"),
        (
            tally("nothing_checked", 0, gone=4, no_longer_replayed=4),
            "Nothing was checked, 4 no longer replayed",
        ),
        (tally("stopped", 5, passed=5, not_run=35), "Stopped: 35 cases did not run"),
        (tally("nothing_checked", 0, problems=2), "Stopped: 2 problems in suites, config or command line"),
        (
            tally("stale", 1_234_567, stale=1_000, causes=1_000),
            "Re-record 1,000 of 1,234,567 cases: 1,000 changes explain them",
        ),
    ],
)
def test_headlines(found: Tally, words: str) -> None:
    assert headline(found) == words


def test_a_case_that_is_no_longer_replayed_is_in_no_other_number() -> None:
    found = tally_from(
        "shrunk",
        {"s::a": "passed", "s::b": "excluded", "s::c": "passed", "s::d": "excluded"},
        no_longer_replayed=["s::b", "s::c", "s::gone"],
        causes=0,
    )
    assert (found.cases, found.passed, found.excluded, found.gone, found.total) == (4, 1, 1, 1, 5)
    assert headline(found) == "1 of 5 cases clear, 1 excluded, 3 no longer replayed"
    assert tally_from("clear", {}, no_longer_replayed=None, causes=0).no_longer_replayed is None


def test_numbers_and_nouns_agree() -> None:
    assert spread(40, 118, 3) == "40 cases in 3 suites, 118 turns"
    assert spread(1, 1, 1) == "1 case, 1 turn"
    assert equal_fields(41, 42) == "41 of 42 fields are equal"
    assert equal_fields(0, 1) == "0 of 1 field is equal"


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0, 0, 0), ""),
        ((1, 0, 0), "1 call of the model"),
        (
            (118, 214_000, 19_000),
            "118 calls of the model; what is replaced took 214,000 input and 19,000 output tokens",
        ),
    ],
)
def test_costs(numbers: tuple[int, int, int], words: str) -> None:
    assert cost(*numbers, tally=Tally("stale", cases=2, passed=0, stale=2)) == words


def test_what_nothing_is_known_of_takes_at_least_so_many_calls() -> None:
    for outcome in ("missing", "damaged"):
        tally = Tally("stale", cases=2, passed=0, stale=1, **{outcome: 1})
        assert cost(3, 0, 0, tally=tally) == "at least 3 calls of the model"


@pytest.mark.parametrize(
    ("notes", "missing", "rekey"),
    [
        ([OTHER_RULES], 0, True),
        ([OTHER_RULES, OTHER_VERSION], 0, True),
        ([OTHER_RULES], 1, False),
        ([OTHER_RULES, ""], 0, False),
        ([OTHER_RULES, None], 0, False),
        ([], 0, False),
    ],
)
def test_rekey_is_the_remedy_where_nothing_but_rules_changed(
    notes: list[str | None], missing: int, rekey: bool
) -> None:
    tally = Tally("stale", cases=2, passed=0, stale=2, missing=missing, causes=len(notes))
    assert only_rules_changed(tally, notes) is rekey


@pytest.mark.parametrize(
    ("kind", "whats", "words"),
    [
        ("tools", ["tools"], "other calls: refund; before: lookup, lookup, 5 tokens more"),
        (
            "arguments",
            ["arguments of lookup", "text"],
            "the same calls with other arguments: lookup, 5 tokens more",
        ),
        ("termination", ["stop_reason"], "it ends in another way, 5 tokens more"),
        ("wording", ["text"], "the same calls, other words, 5 tokens more"),
        ("new", [], "new: refund"),
    ],
)
def test_behaviour(kind: Any, whats: list[str], words: str) -> None:
    assert behaviour(kind, ["lookup", "lookup"], ["refund"], whats, (10, 15)) == words


def test_behaviour_without_calls_or_other_tokens() -> None:
    assert behaviour("tools", [], ["a"], [], (5, 5)) == "other calls: a; before: no call"
    assert behaviour("wording", [], [], [], (5, 3)) == "the same calls, other words, 2 tokens fewer"


def test_a_note_loses_the_place_that_stands_before_it_already() -> None:
    assert without_place("turn 1: nothing is recorded here") == "nothing is recorded here"
    assert without_place("run 2, turn 1: nothing") == "nothing"
    assert without_place("nothing: really") == "nothing: really"
