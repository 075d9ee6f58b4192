"""What is shown beside lines: one annotation an edit, what no edit explains, and never more than are kept."""

from __future__ import annotations

from typing import Any

from dryfire_action.reports.annotations import annotated


def cause(
    path: str = "system", *, cases: int = 2, file: str | None = "evals/a.eval.yaml", **more: Any
) -> dict[str, Any]:
    return {
        "path": path,
        "change": "changed",
        "cases": [f"s{number % 2}::{number}" for number in range(cases)],
        "turns": 2 * cases,
        "where": [{"file": file, "line": 4}, {"file": "other", "line": 1}] if file else [],
        "note": None,
        **more,
    }


def case(name: str, outcome: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "outcome": outcome, "error": None, "assertions": [], "file": "f", "line": 7, **more}


def document(**known: Any) -> dict[str, Any]:
    suites = [{"name": "s", "cases": known.pop("cases", [])}]
    return {"problems": [], "causes": [], "suites": suites, **known}


def test_an_edit_is_one_annotation_at_its_first_place_however_many_cases_it_reaches() -> None:
    (found,) = annotated(document(causes=[cause(cases=40)]), most=10)
    assert (found.title, found.file, found.line) == ("system changed", "evals/a.eval.yaml", 4)
    assert found.message == "made 40 cases in 2 suites, 80 turns stale"


def test_an_edit_without_a_place_is_told_all_the_same_with_its_note() -> None:
    (found,) = annotated(document(causes=[cause("model", file=None, note="set by --model")]), most=10)
    assert found.file is None and found.message.endswith("\nset by --model")


def test_what_no_edit_explains_stands_at_the_case() -> None:
    cases = [
        case("a", "missing", error="not recorded"),
        case("b", "failed", assertions=[{"passed": True}, {"passed": False}]),
        case("c", "damaged", error="conflict markers"),
        *(case(outcome, outcome) for outcome in ("passed", "stale", "excluded", "skipped")),
    ]
    found = annotated(document(cases=cases), most=10)
    assert [one.message for one in found] == [
        "s::a: not recorded",
        "s::b: 1 assertion failed",
        "s::c: conflict markers",
    ]
    assert {(one.file, one.line) for one in found} == {("f", 7)}


def test_what_kept_everything_from_being_checked_comes_first() -> None:
    problem = {"file": "dryfire.yaml", "line": 2, "message": "wrong", "hint": "so and so"}
    found = annotated(document(problems=[problem], causes=[cause()]), most=10)
    assert (found[0].file, found[0].line, found[0].message) == ("dryfire.yaml", 2, "wrong\nso and so")


def test_of_too_many_the_last_one_counts_the_rest() -> None:
    causes = [cause(f"tools[{number}].description") for number in range(12)]
    assert len(annotated(document(causes=causes), most=12)) == 12
    found = annotated(document(causes=causes), most=10)
    assert len(found) == 10 and found[0].title.startswith("tools[0]")
    assert found[-1].message.startswith("3 more") and found[-1].file is None
