"""The result file: its contract, its schema, and how much text it lets out."""

from __future__ import annotations

import json
import os
import stat as stat_module
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from dryfire_action.errors import Place, Problem
from dryfire_action.messages import Usage
from dryfire_action.reports.result_json import FORMAT, document, schema, write
from dryfire_action.results import Results, TurnResult
from tests.reports.made import KEY, OTHER_KEY, SYSTEM, case, replayed, results, run, stale, trace, verdict

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.reports.result_json import Show

SHOWS: tuple[Show, ...] = ("names", "prompts", "all")
COMMIT = "0123456789abcdef" * 2 + "01234567"

# What the first release promised to whoever reads the file.
PROMISED = {
    *("exit_code", "commit", "shard", "counts", "causes", "suites", "not_checked", "no_longer_replayed"),
    *("unplayed", "behaviour", "rerecord", "format"),
}

FOUND = {
    "passed": results(case("a", "passed", run(verdicts=(verdict(True),), trace=trace("hi"))), mode="replay"),
    "nothing": results(),
    "everything": results(
        case("a", "passed", run(), unplayed=1, notices=("a notice",)),
        case("b", "failed", run(passed=False, verdicts=(verdict(),)), run(index=1), place=Place("f.yaml", 3)),
        case("c", "stale", run(stale(0), *replayed(1), passed=False, trace=trace("x", usage=Usage(7, 5)))),
        case(
            "d", "missing", run(TurnResult(0, 0, "missing", None, KEY, (), "turn 0: nothing"), passed=False)
        ),
        case("e", "damaged", error="x.json:3: truncated", remedy="record it again", cassette="x.json"),
        case("f", "excluded", error="passthrough"),
        case("g", "skipped", error="KEY is not set"),
        case("h", "failed", run(passed=False, termination="provider_error", error="529: busy")),
        command="dryfire run x --cassette-mode auto",
        warnings=("a warning",),
        interrupted=True,
        complete=False,
        not_run=2,
    ),
}


def made(found: Results, show: Show = "prompts", **more: Any) -> dict[str, Any]:
    """The document, which must fit the schema."""
    code = 130 if found.interrupted else found.exit_code
    value = document(found, **{"commit": COMMIT, "show": show, "exit_code": code, **more})
    value = json.loads(json.dumps(value))
    Draft202012Validator(schema()).validate(value)
    return value


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("show", SHOWS)
@pytest.mark.parametrize("name", FOUND)
def test_every_document_fits_the_schema_and_has_every_key(name: str, show: Show) -> None:
    value = made(FOUND[name], show)
    assert value.keys() >= PROMISED
    assert value["format"] == FORMAT == "dryfire-result/1"
    assert value.keys() == schema()["properties"].keys()


@pytest.mark.parametrize(
    "break_it",
    [
        lambda value: value.pop("causes"),
        lambda value: value.update(extra=1),
        lambda value: value.update(exit_code=4),
        lambda value: value.update(commit="main"),
        lambda value: value["counts"].update(cases=-1),
        lambda value: value["suites"][0]["cases"][0].update(outcome="fine"),
        lambda value: value["suites"][0]["cases"][2]["runs"][0]["turns"][0].update(recorded="<script>"),
        lambda value: value["suites"][0]["cases"][2]["runs"][0]["turns"][0]["changes"][0].update(change="x"),
        lambda value: value.update(causes=[{"path": "system"}]),
    ],
)
def test_the_schema_refuses_what_is_not_the_format(break_it: Any) -> None:
    value = made(FOUND["everything"])
    break_it(value)
    assert list(Draft202012Validator(schema()).iter_errors(value))


def test_a_cause_fits_the_schema() -> None:
    value = made(FOUND["everything"])
    cause = {"path": "system", "change": "changed", "old": "12ab" * 4, "new": None, "cases": ["s::c"]}
    value["causes"] = [
        {**cause, "turns": 3, "where": [{"file": "p.md", "line": 4}], "diff": None, "note": None}
    ]
    value["shard"], value["behaviour"], value["no_longer_replayed"] = "1/4", [{"case": "s::c"}], ["s::d"]
    Draft202012Validator(schema()).validate(value)


def test_counts_turns_and_changes_are_there() -> None:
    value = made(FOUND["everything"])
    assert value["exit_code"] == 130
    assert value["counts"] == {
        "cases": 8,
        "passed": 1,
        "failed": 2,
        "stale": 1,
        "missing": 1,
        "damaged": 1,
        "excluded": 1,
        "skipped": 1,
        "turns": 7,
    }
    turn = value["suites"][0]["cases"][2]["runs"][0]["turns"][0]
    assert turn == {
        "index": 0,
        "attempt": 0,
        "outcome": "stale",
        "recorded": KEY,
        "current": OTHER_KEY,
        "changes": [{"path": "system", "change": "changed", "old": SYSTEM.old, "new": SYSTEM.new}],
        "note": None,
    }


def test_what_was_not_checked_unplayed_and_to_be_recorded_is_listed() -> None:
    value = made(FOUND["everything"])
    assert value["not_checked"] == [
        {"case": "s::f", "reason": "excluded", "text": "passthrough"},
        {"case": "s::g", "reason": "skipped", "text": "KEY is not set"},
    ]
    assert value["unplayed"] == [{"case": "s::a", "exchanges": 1}]
    assert value["rerecord"] == {
        "command": "dryfire run x --cassette-mode auto",
        "calls": 2,
        "tokens": {"input": 7, "output": 5},
    }


def test_nothing_was_compared_so_nothing_is_claimed() -> None:
    value = made(FOUND["passed"], commit=None)
    assert (value["no_longer_replayed"], value["behaviour"], value["shard"], value["commit"]) == (None,) * 4
    assert value["causes"] == []


def test_problems_say_where_and_what() -> None:
    problem = Problem(Place("evals/a.eval.yaml", 3, 5), "unknown key 'modle'", hint="did you mean 'model'?")
    nowhere = Problem(Place(""), "there are no suites")
    value = made(Results((), complete=False), exit_code=2, problems=(problem, nowhere))
    assert value["problems"] == [
        {
            "file": "evals/a.eval.yaml",
            "line": 3,
            "column": 5,
            "message": "unknown key 'modle'",
            "hint": "did you mean 'model'?",
        },
        {"file": None, "line": None, "column": None, "message": "there are no suites", "hint": None},
    ]


ANSWER, ARGUMENT, SUITE_TEXT = "the model's very words", "an argument", "what the suite expects"
TELLTALE = results(
    case(
        "a",
        "failed",
        run(
            passed=False,
            error=ANSWER,
            termination="provider_error",
            trace=trace(ANSWER),
            verdicts=(
                verdict(
                    kind="final_contains",
                    description=f"final_contains: {SUITE_TEXT}",
                    message=f"not in {ANSWER}",
                    expected=[SUITE_TEXT],
                    actual=ANSWER,
                ),
                verdict(
                    kind="tool_args", description="tool_args: t", message=ARGUMENT, expected={"a": SUITE_TEXT}
                ),
                verdict(kind="a_kind_of_later_days", message=ANSWER, actual=ANSWER),
            ),
        ),
        error=ANSWER,
    )
)


@pytest.mark.parametrize(
    ("show", "hidden"), [("names", {ANSWER, ARGUMENT, SUITE_TEXT}), ("prompts", {ARGUMENT}), ("all", set())]
)
def test_show_decides_which_texts_get_out(show: Show, hidden: set[str]) -> None:
    shown = json.dumps(made(TELLTALE, show)["suites"])
    assert {text for text in (ANSWER, ARGUMENT, SUITE_TEXT) if text not in shown} == hidden
    assert "lookup (end_turn)" in shown  # the trajectory is names


def test_below_all_no_assertion_carries_an_answer() -> None:
    for show in SHOWS[:2]:
        assertions = json.dumps(made(TELLTALE, show)["suites"][0]["cases"][0]["assertions"])
        assert ANSWER not in assertions
        assert ARGUMENT not in assertions


def test_the_file_is_written_in_one_step_and_readable_by_others(tmp_path: Path) -> None:
    target = tmp_path / "result é.json"
    target.write_text("old")
    write(target, {"name": "é\ud83d\u202e"})
    text = target.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert json.loads(text) == {"name": "é\ud83d\u202e"}
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    umask = os.umask(0)
    os.umask(umask)
    assert stat_module.S_IMODE(target.stat().st_mode) == 0o666 & ~umask


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "result.json"
    target.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OSError, match="No space"):
        write(target, {})
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
