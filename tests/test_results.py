"""Results are rolled up in one way: the exit code, what was checked, and the counts."""

from __future__ import annotations

import pytest

from dryfire_action.results import CaseResult, Results, RunResult, SuiteResult, TurnResult, counts

CODES = {"passed": 0, "excluded": 0, "failed": 1, "skipped": 2, "stale": 3, "missing": 3, "damaged": 3}


def case(outcome: str, **settings: object) -> CaseResult:
    return CaseResult("s", outcome, outcome, **settings)  # type: ignore[arg-type]


def results(*cases: CaseResult, **settings: object) -> Results:
    return Results((SuiteResult("s", "s.eval.yaml", cases),), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("outcome", CODES)
def test_every_outcome_has_its_exit_code(outcome: str) -> None:
    assert case(outcome).exit_code == CODES[outcome]


def test_a_provider_that_failed_is_no_failed_assertion() -> None:
    assert case("failed", runs=(RunResult(0, False, termination="provider_error"),)).exit_code == 3
    assert case("failed", runs=(RunResult(0, False, termination="end_turn"),)).exit_code == 1
    assert case("failed", error_exit=2).exit_code == 2


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (["passed"], 0),
        (["passed", "excluded"], 0),
        (["passed", "failed"], 1),
        (["failed", "stale"], 3),
        (["stale", "failed", "skipped"], 2),
        (["missing"], 3),
        (["damaged", "passed"], 3),
        (["excluded"], 2),
        (["skipped"], 2),
        ([], 2),
    ],
)
def test_of_several_codes_the_first_of_two_three_one_counts(outcomes: list[str], code: int) -> None:
    assert results(*map(case, outcomes)).exit_code == code


@pytest.mark.parametrize(
    ("outcomes", "allowed", "code"),
    [
        (["passed", "skipped"], {"allow_skipped": True}, 0),
        (["failed", "skipped"], {"allow_skipped": True}, 1),
        (["skipped"], {"allow_skipped": True}, 2),
        (["skipped"], {"allow_skipped": True, "allow_empty": True}, 0),
        (["excluded"], {"allow_empty": True}, 0),
        ([], {"allow_empty": True}, 0),
        (["skipped"], {"allow_empty": True}, 2),
    ],
)
def test_nothing_checked_is_green_only_where_it_is_allowed(
    outcomes: list[str], allowed: dict[str, bool], code: int
) -> None:
    assert results(*map(case, outcomes), **allowed).exit_code == code


def test_what_is_to_be_recorded_is_stale_missing_or_damaged() -> None:
    found = results(*map(case, CODES))
    assert [each.outcome for each in found.to_record] == ["stale", "missing", "damaged"]
    assert found.checked == 5


def test_the_run_that_is_shown_is_the_first_that_did_not_pass() -> None:
    runs = (RunResult(0, True), RunResult(1, False), RunResult(2, False))
    assert case("failed", runs=runs).shown_run == runs[1]
    assert case("passed", runs=runs[:1]).shown_run == runs[0]
    assert case("missing").shown_run is None
    assert case("failed", runs=runs).passed_runs == 1


def test_counts_name_every_outcome() -> None:
    turns = (TurnResult(0, 0, "stale"), TurnResult(1, 0, "not_reached"))
    cases = [case("passed"), case("stale", runs=(RunResult(0, False, turns),))]
    assert counts(cases) == {
        "cases": 2,
        "passed": 1,
        "failed": 0,
        "stale": 1,
        "missing": 0,
        "damaged": 0,
        "excluded": 0,
        "skipped": 0,
        "turns": 2,
    }
