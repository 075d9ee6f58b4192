"""Results of several jobs merged: nothing that is wrong in one of them is right in the whole."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.behaviour import BehaviourChange, Difference, NoLongerReplayed
from dryfire_action.causes import StaleRun, causes_of
from dryfire_action.errors import Place, Problem
from dryfire_action.field_changes import FieldChange
from dryfire_action.reports.shown import SHOWS
from dryfire_action.result_merge import ResultFileError, merge_results
from dryfire_action.results import CaseResult, Results, SuiteResult
from dryfire_action.suite import Case, Config, Suite
from tests.made_documents import Made, checked, made, outcomes
from tests.reports.made import case, results, run, stale, trace, verdict
from tests.reports.test_result_json import COMMIT, FOUND

if TYPE_CHECKING:
    from dryfire_action.reports.shown import Show

OTHER_COMMIT = "f" * 40


@pytest.mark.parametrize("name", [name for name in FOUND if name != "everything"])
@pytest.mark.parametrize("show", SHOWS)
def test_one_result_merged_is_itself(name: str, show: Show) -> None:
    found = made(FOUND[name], show)
    assert checked(found) == found


def test_the_numbers_of_a_file_are_not_believed() -> None:
    found = made(results(case("a", "stale", run(stale(0), passed=False))))
    lying = {
        **found,
        "exit_code": 0,
        "state": "clear",
        "counts": {**found["counts"], "stale": 0, "passed": 1},
    }
    merged = checked(lying)
    assert (merged["exit_code"], merged["state"], merged["counts"]["stale"]) == (3, "stale", 1)


CODES = {0: "passed", 1: "failed", 3: "stale"}


@pytest.mark.parametrize("codes", list(itertools.product((0, 1, 2, 3, 130), repeat=2)))
def test_of_several_exit_codes_the_first_of_130_2_3_1_stands(codes: tuple[int, int]) -> None:
    documents = [
        {**made(results(case(f"c{n}", "passed", run()))), "exit_code": code} for n, code in enumerate(codes)
    ]
    assert checked(*documents)["exit_code"] == next((c for c in (130, 2, 3, 1) if c in codes), 0)


def test_suites_of_different_files_stand_beside_each_other_by_file() -> None:
    one = made(Results((SuiteResult("z", "a/z.eval.yaml", (case("x", "passed", run()),)),)))
    two = made(Results((SuiteResult("b", "b/b.eval.yaml", (case("x", "failed", run(passed=False)),)),)))
    for documents in ((one, two), (two, one)):
        found = checked(*documents)
        assert outcomes(found) == {"z::x": "passed", "b::x": "failed"}
        assert found["counts"]["cases"] == 2


def test_two_packages_with_a_suite_of_one_name_do_not_hide_each_other() -> None:
    one = made(Results((SuiteResult("s", "a/s.eval.yaml", (CaseResult("s", "x", "passed", (run(),)),)),)))
    bad = CaseResult("s", "x", "failed", (run(passed=False),), error="no", unplayed=2)
    two = made(Results((SuiteResult("s", "b/s.eval.yaml", (bad,)),)))
    found = checked(one, two, names=["a", "b"])
    assert outcomes(found) == {"s::x": "passed", "s (b)::x": "failed"}
    assert found["unplayed"] == [{"case": "s (b)::x", "exchanges": 2}]
    assert found["state"] == "failed"


def test_the_same_result_of_two_jobs_is_told_once_and_another_is_kept_apart() -> None:
    good, bad = case("a", "passed", run()), case("b", "stale", run(stale(0), passed=False, trace=trace("x")))
    place = Case("s", "b", "evals/s.eval.yaml", Place("evals/s.eval.yaml"), "fake", "m", (), ())
    causes = causes_of([StaleRun(place, "", bad.runs[0].turns, (), {})])
    linux = made(results(good, case("b", "passed", run())))
    windows = made(results(good, bad, causes=causes))
    found = checked(linux, windows, windows, names=["linux", "windows", "windows"])
    assert outcomes(found) == {"s::a": "passed", "s::b": "passed", "s (windows)::b": "stale"} | {
        "s (windows 2)::b": "stale"
    }
    again = checked(windows, windows)
    assert outcomes(again) == {"s::a": "passed", "s::b": "stale"}
    assert again["causes"] == windows["causes"]


def test_a_name_that_was_made_up_to_collide_hides_nothing() -> None:
    planted = Results(
        (SuiteResult("s (two)", "evals/s.eval.yaml", (CaseResult("s (two)", "x", "passed", (run(),)),)),)
    )
    passed = made(results(case("x", "passed", run())))
    failed = made(results(case("x", "failed", run(passed=False), error="no")))
    found = checked(passed, failed, made(planted), names=["one", "two", "two"])
    assert sorted(outcomes(found).values()) == ["failed", "passed", "passed"]
    found = checked(made(planted), passed, failed, names=["p", "one", "two"])
    assert sorted(outcomes(found).values()) == ["failed", "passed", "passed"]


def test_the_same_edit_in_two_jobs_is_one_cause() -> None:
    def stale_suite(name: str, index: int) -> dict[str, Any]:
        change = FieldChange(f"messages[{index}].content", "changed", "aa" * 4, "bb" * 4)
        suite = Suite(name, f"{name}/s.eval.yaml", Config(), ())
        one = Case(name, "x", suite.file, Place(suite.file, 4), "fake", "m", (), ())
        result = CaseResult(
            name, "x", "stale", (run(stale(0, change), passed=False, trace=trace("x")),), place=one.place
        )
        return made(Made([(suite, one)], [result]).results([0]))

    one, two = stale_suite("a", 0), stale_suite("b", 2)
    (cause,) = checked(one, two)["causes"]
    assert cause["path"] == "messages[*].content"
    assert cause["cases"] == ["a::x", "b::x"]
    assert cause["turns"] == 2
    (alike,) = checked(one, stale_suite("c", 0))["causes"]
    assert alike["path"] == "messages[0].content"


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        ((COMMIT, COMMIT), COMMIT),
        ((COMMIT, None), COMMIT),
        ((None, None), None),
        ((COMMIT, OTHER_COMMIT), "the results are about different commits: 01234567, ffffffff"),
    ],
)
def test_results_are_about_one_commit(commits: tuple[str | None, ...], expected: str | None) -> None:
    documents = [made(FOUND["passed"], commit=commit) for commit in commits]
    if len(set(filter(None, commits))) > 1:
        with pytest.raises(ResultFileError, match=expected):
            merge_results(documents)
    else:
        assert checked(*documents)["commit"] == expected


def test_nothing_to_merge_is_a_mistake() -> None:
    with pytest.raises(ResultFileError, match="no result to merge"):
        merge_results([])


def test_a_job_that_checked_nothing_keeps_the_whole_from_being_clear() -> None:
    found = checked(made(FOUND["passed"]), made(FOUND["nothing"]))
    assert (found["exit_code"], found["state"]) == (2, "nothing_checked")
    assert "1 of 2 results checked nothing" in found["warnings"]
    allowed = checked(made(FOUND["passed"]), made(replace(FOUND["nothing"], allow_empty=True)))
    assert (allowed["exit_code"], allowed["state"]) == (0, "clear")


def test_a_job_that_could_not_begin_stops_the_whole_and_hides_nothing() -> None:
    broken = made(Results((), complete=False), problems=[Problem(Place("d.yaml", 3), "no")]) | {
        "exit_code": 2
    }
    found = checked(made(FOUND["everything"]), broken)
    assert (found["exit_code"], found["state"], found["complete"]) == (2, "stopped", False)
    assert found["problems"] == broken["problems"]
    assert found["counts"]["stale"] == 1


GONE = (NoLongerReplayed("s::gone", "deleted"),)
CHANGE = (BehaviourChange("s::a", "wording", (Difference(0, 0, "text", "x", "y"),), (), ()),)


def compared(**more: Any) -> dict[str, Any]:
    """The document of a result that was compared with a base."""
    base = {"base": "a" * 40, "no_longer_replayed": (), "behaviour": ()}
    return made(replace(FOUND["passed"], **{**base, **more}))


def test_what_the_base_has_is_told_together_and_once() -> None:
    found = checked(compared(no_longer_replayed=GONE), compared(no_longer_replayed=GONE, behaviour=CHANGE))
    assert [one["case"] for one in found["no_longer_replayed"]] == ["s::gone"]
    assert [one["case"] for one in found["behaviour"]] == ["s::a"]
    assert (found["state"], found["base"], found["not_compared"]) == ("shrunk", "a" * 40, None)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (made(FOUND["passed"]), "not all of the results were"),
        (made(replace(FOUND["passed"], not_compared="no base here")), "no base here"),
        (compared(base="b" * 40), "the results were compared with different commits"),
    ],
)
def test_what_some_parts_know_of_the_base_is_told_and_what_others_do_not_know_is_no_all_clear(
    other: dict[str, Any], why: str
) -> None:
    found = checked(compared(behaviour=CHANGE), other)
    assert [one["case"] for one in found["behaviour"]] == ["s::a"]
    assert (found["no_longer_replayed"], found["not_compared"]) == (None, why)
    shrunk = checked(compared(no_longer_replayed=GONE), other)
    assert [one["case"] for one in shrunk["no_longer_replayed"]] == ["s::gone"]
    assert shrunk["state"] == "shrunk"


def test_the_strictest_rule_for_texts_holds_for_all() -> None:
    wordy = results(
        case(
            "a",
            "failed",
            run(passed=False, verdicts=(verdict(kind="final_contains", message="said SECRET"),)),
        ),
        case("b", "failed", run(passed=False, termination="provider_error", error="529: SECRET")),
        behaviour=CHANGE,
        no_longer_replayed=(),
        base="a" * 40,
    )
    problem = Problem(Place("d.yaml", 3), "SECRET", hint="SECRET")
    for show in SHOWS:
        # What was made under a stricter rule is what the wordy one becomes.
        narrow = checked(made(wordy, "all", problems=[problem]), made(wordy, show, problems=[problem]))
        expected = checked(made(wordy, show, problems=[problem]))
        if show == "names":
            for one in (narrow, expected):
                one["problems"] = [{**p, "message": ""} for p in one["problems"]]
        assert narrow == expected
    assert "SECRET" not in json.dumps(narrow | {"show": ""}) or show != "names"


KINDS = {
    "clear": FOUND["passed"],
    "nothing": FOUND["nothing"],
    "stale": results(case("st", "stale", run(stale(0), passed=False))),
    "missing": results(case("mi", "missing")),
    "damaged": results(case("da", "damaged", error="cut off")),
    "failed": results(case("fa", "failed", run(passed=False))),
    "skipped": results(case("sk", "skipped", error="no key")),
    "early": results(case("ea", "passed", run()), complete=False, not_run=1),
    "shrunk": replace(FOUND["passed"], base="a" * 40, no_longer_replayed=GONE, behaviour=()),
    "interrupted": results(case("in", "passed", run()), interrupted=True),
}


@pytest.mark.parametrize("names", [*itertools.combinations(KINDS, 1), *itertools.combinations(KINDS, 2)])
def test_only_parts_that_are_all_clear_make_a_whole_that_is(names: tuple[str, ...]) -> None:
    parts = [made(KINDS[name]) for name in names]
    found = checked(*parts)
    assert (found["state"] == "clear") == (set(names) <= {"clear"})
    if len(names) == 2 and "shrunk" in names:
        # The other one was not compared, and what is known to be gone is told all the same.
        assert found["no_longer_replayed"] and found["not_compared"]
    assert bool(found["exit_code"]) == any(part["exit_code"] for part in parts)
