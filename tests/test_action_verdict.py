"""The verdict: which word a result comes to, and what fails the job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.action_verdict import job_verdict, outputs_of

if TYPE_CHECKING:
    from dryfire_action.action_inputs import FailOn

DEFAULT: frozenset[FailOn] = frozenset({"stale", "failure"})
NEVER: frozenset[FailOn] = frozenset()
SHRINK: frozenset[FailOn] = frozenset({"shrink"})
GONE = {"case": "s::gone", "reason": "deleted", "text": "deleted"}
PROBLEM = {"file": None, "line": None, "column": None, "message": "wrong", "hint": None}


def document(**known: Any) -> dict[str, Any]:
    """A result in which everything passed; the names of outcomes are numbers of cases."""
    outcomes = ("passed", "failed", "stale", "missing", "damaged", "excluded", "skipped")
    counts = {name: known.pop(name, 0) for name in outcomes}
    counts["cases"] = sum(counts.values())
    counts["turns"] = 2 * counts["cases"]
    return {
        "state": "clear" if counts["cases"] else "nothing_checked",
        "exit_code": 0,
        "complete": True,
        "interrupted": False,
        "counts": counts,
        "causes": [],
        "problems": [],
        "behaviour": [],
        "no_longer_replayed": [],
        "not_compared": None,
        **known,
    }


@pytest.mark.parametrize(
    ("result", "known", "fails"),
    [
        ("clear", {"passed": 3}, False),
        ("clear", {"passed": 3, "excluded": 1}, False),
        ("changed", {"passed": 3, "behaviour": [{}]}, False),
        ("changed", {"passed": 3, "no_longer_replayed": [GONE]}, False),
        ("nothing-checked", {}, True),
        ("nothing-checked", {"excluded": 3}, True),
        ("nothing-checked", {"skipped": 3}, True),
        ("nothing-checked", {"no_longer_replayed": [GONE]}, True),
        ("nothing-checked", {"passed": 1, "state": "nothing_checked"}, True),
        ("failed", {"passed": 2, "failed": 1, "behaviour": [{}]}, True),
        ("clear", {"passed": 2, "skipped": 1}, False),
        ("failed", {"passed": 2, "skipped": 1, "exit_code": 2}, True),
        ("stale", {"stale": 1, "failed": 1}, True),
        ("stale", {"missing": 1, "passed": 1}, True),
        ("stale", {"damaged": 1, "passed": 1}, True),
        ("error", {"passed": 1, "problems": [PROBLEM]}, True),
        ("error", {"stale": 1, "state": "stopped"}, True),
        ("error", {"passed": 1, "complete": False}, True),
        ("error", {"passed": 1, "interrupted": True}, True),
    ],
)
def test_the_word_is_the_first_that_applies(result: str, known: dict[str, Any], fails: bool) -> None:
    verdict = job_verdict(document(**known), DEFAULT, "fail")
    assert (verdict.result, verdict.fails) == (result, fails), verdict.reasons


@pytest.mark.parametrize(
    ("known", "fail_on", "fails"),
    [
        ({"stale": 1}, NEVER, False),
        ({"stale": 1}, frozenset({"failure"}), False),
        ({"stale": 1, "failed": 1}, frozenset({"failure"}), True),
        ({"failed": 1}, frozenset({"stale"}), False),
        ({"passed": 1, "no_longer_replayed": [GONE]}, SHRINK, True),
        ({"stale": 1, "no_longer_replayed": [GONE]}, SHRINK, True),
        ({"passed": 1, "behaviour": [{}]}, SHRINK, False),
        ({"passed": 1, "problems": [PROBLEM]}, NEVER, True),
        ({"passed": 1, "skipped": 1}, frozenset({"stale"}), False),
    ],
)
def test_what_was_asked_for_fails_the_job_behind_any_word(
    known: dict[str, Any], fail_on: frozenset[FailOn], fails: bool
) -> None:
    assert job_verdict(document(**known), fail_on, "fail").fails == fails


def test_shrinking_that_cannot_be_judged_is_an_error_only_where_it_was_asked_for() -> None:
    unknown = document(passed=1, no_longer_replayed=None, behaviour=None, not_compared="use fetch-depth: 2")
    assert job_verdict(unknown, DEFAULT, "fail").result == "clear"
    verdict = job_verdict(unknown, SHRINK, "fail")
    assert verdict.result == "error" and "use fetch-depth: 2" in verdict.reasons[0]


def test_nothing_checked_passes_only_where_that_is_said() -> None:
    assert job_verdict(document(), DEFAULT, "pass").reasons == ()
    assert job_verdict(document(), NEVER, "fail").reasons == ("nothing was checked",)


def test_the_outputs_are_small_and_say_where_nothing_is_known() -> None:
    unknown = document(passed=1, stale=2, no_longer_replayed=None, behaviour=None)
    found = outputs_of(unknown, job_verdict(unknown, DEFAULT, "fail"))
    assert found["result"] == "stale" and found["case-count"] == "3" and found["stale-count"] == "2"
    assert (found["changed-count"], found["no-longer-replayed-count"]) == ("", "")


numbers = st.integers(0, 3)


@given(
    st.fixed_dictionaries(
        dict.fromkeys(("passed", "failed", "stale", "missing", "damaged", "excluded", "skipped"), numbers)
    ),
    st.lists(st.just(PROBLEM), max_size=1),
    st.frozensets(st.sampled_from(["stale", "failure", "shrink"])),
)
def test_clear_is_never_said_of_what_is_not_and_never_fails_by_default_alone(
    outcomes: dict[str, int], problems: list[dict[str, Any]], fail_on: frozenset[FailOn]
) -> None:
    verdict = job_verdict(document(**outcomes, problems=problems), fail_on, "fail")
    wrong = any(outcomes[name] for name in ("failed", "stale", "missing", "damaged"))
    if verdict.result in ("clear", "changed"):
        assert not wrong and not problems and outcomes["passed"]
    if verdict.result == "error":
        assert verdict.fails
    if (
        not fail_on
        and not problems
        and any(outcomes[name] for name in outcomes if name not in ("excluded", "skipped"))
    ):
        assert not verdict.fails
