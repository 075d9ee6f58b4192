"""The result file: its contract, its schema, and how much text it lets out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from dryfire_action.behaviour import BehaviourChange, Difference, NoLongerReplayed
from dryfire_action.causes import Cause
from dryfire_action.errors import Place, Problem
from dryfire_action.messages import Usage
from dryfire_action.reports.result_json import FORMAT, document, schema, text
from dryfire_action.results import Results, TurnResult
from dryfire_action.text_diff import DiffLine
from tests.reports.made import KEY, OTHER_KEY, SYSTEM, case, replayed, results, run, stale, trace, verdict

if TYPE_CHECKING:
    from dryfire_action.reports.shown import Show

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
        case(
            "c",
            "stale",
            run(
                stale(0, equal=41, fields=42, usage=Usage(7, 5)),
                *replayed(1),
                TurnResult(2, 0, "not_reached", KEY, usage=Usage(20, 1)),
                passed=False,
                trace=trace("x", usage=Usage(100, 100)),
            ),
        ),
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


SYSTEM_CAUSE = Cause(
    "system",
    "changed",
    "12ab" * 4,
    "34cd" * 4,
    ("s::c",),
    3,
    (Place("p.md", 4),),
    "only a date differs",
    diff=(DiffLine("-", "30 days"), DiffLine("+", "14 days")),
    old_found=True,
)
OTHER_CALLS = BehaviourChange(
    "s::a",
    "tools",
    (
        Difference(0, 0, "tools", ["lookup"], ["lookup", "refund"]),
        Difference(0, 1, "text", "before", "the model's very words"),
    ),
    ("lookup",),
    ("lookup", "refund"),
    Usage(10, 1),
    Usage(20, 2),
)


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


def test_causes_say_where_and_how() -> None:
    value = made(
        results(case("c", "stale", run(stale(0), passed=False)), causes=(SYSTEM_CAUSE,), history="no git")
    )
    assert value["state"] == "stale"
    assert value["history"] == "no git"
    assert value["causes"] == [
        {
            "path": "system",
            "change": "changed",
            "old": "12ab" * 4,
            "new": "34cd" * 4,
            "cases": ["s::c"],
            "turns": 3,
            "where": [{"file": "p.md", "line": 4}],
            "diff": "- 30 days\n+ 14 days",
            "inside": None,
            "note": "only a date differs",
        }
    ]


def test_the_base_says_what_it_replays_and_what_changed_since() -> None:
    value = made(
        results(
            case("a"),
            base=COMMIT,
            no_longer_replayed=(NoLongerReplayed("s::gone", "deleted"),),
            behaviour=(OTHER_CALLS,),
        )
    )
    assert value["state"] == "shrunk"
    assert (value["base"], value["not_compared"]) == (COMMIT, None)
    assert value["no_longer_replayed"] == [
        {"case": "s::gone", "reason": "deleted", "text": "no suite holds it any more"}
    ]
    assert value["behaviour"] == [
        {
            "case": "s::a",
            "kind": "tools",
            "differences": [
                {"run": 0, "turn": 0, "what": "tools", "before": ["lookup"], "after": ["lookup", "refund"]},
                {"run": 0, "turn": 1, "what": "text", "before": None, "after": None},
            ],
            "calls_before": ["lookup"],
            "calls_after": ["lookup", "refund"],
            "tokens_before": {"input": 10, "output": 1},
            "tokens_after": {"input": 20, "output": 2},
        }
    ]


def test_a_base_out_of_reach_is_told() -> None:
    value = made(results(case("a"), not_compared="no git repository"))
    assert (value["base"], value["no_longer_replayed"], value["behaviour"]) == (None, None, None)
    assert value["not_compared"] == "no git repository"


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
        "turns": 8,
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
        "equal": 41,
        "fields": 42,
        "tokens": {"input": 7, "output": 5},
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
        "calls": 3,  # the stale, the missing and the turn that was not reached
        "tokens": {"input": 27, "output": 6},
    }


def test_nothing_was_compared_so_nothing_is_claimed() -> None:
    value = made(FOUND["passed"], commit=None)
    assert (value["no_longer_replayed"], value["behaviour"], value["shard"], value["commit"]) == (None,) * 4
    assert (value["base"], value["not_compared"], value["history"]) == (None, None, None)
    assert (value["causes"], value["state"]) == ([], "clear")


@pytest.mark.parametrize(
    ("found", "state"),
    [
        pytest.param(FOUND["everything"], "stopped", id="an interrupt before all else"),
        pytest.param(
            results(case("a"), case("b", "excluded")), "clear", id="an excluded case does not count"
        ),
        pytest.param(results(case("b", "excluded")), "nothing_checked", id="only excluded cases"),
        pytest.param(results(), "nothing_checked", id="no cases"),
        pytest.param(results(allow_empty=True), "nothing_checked", id="no cases, and that is allowed"),
        pytest.param(results(case("b", "skipped")), "skipped", id="only skipped cases"),
        pytest.param(results(case("a"), case("b", "skipped"), allow_skipped=True), "skipped", id="skipped"),
        pytest.param(results(case("a", "failed"), case("b", "damaged")), "stale", id="stale before failed"),
        pytest.param(
            results(case("a", "failed"), case("b", "skipped")), "failed", id="failed before skipped"
        ),
        pytest.param(results(case("a"), complete=False, not_run=2), "stopped", id="an early stop"),
        pytest.param(
            results(case("a"), no_longer_replayed=(NoLongerReplayed("s::x", "off"),)), "shrunk", id="shrunk"
        ),
        pytest.param(results(case("a"), no_longer_replayed=()), "clear", id="compared, and nothing gone"),
    ],
)
def test_only_what_leaves_nothing_open_is_clear(found: Results, state: str) -> None:
    assert made(found)["state"] == state


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


CAUSES = results(
    case("a", "stale"),
    causes=tuple(
        Cause(
            path,
            "changed",
            "1" * 16,
            "2" * 16,
            ("s::a",),
            1,
            inner=f"a.{n} changed",
            diff=(DiffLine("+", text),),
        )
        for n, (path, text) in enumerate(
            {
                "system": "a prompt",
                "tools[lookup].description": "a description",
                "params.stop": "a setting",
                "messages[0].content": "what the customer wrote",
                "messages[*].tool_results[*].content": "a result",
                "script[1]": "a scripted answer",
            }.items()
        )
    ),
    behaviour=(OTHER_CALLS,),
)


@pytest.mark.parametrize(("show", "shown"), [("names", 0), ("prompts", 3), ("all", 6)])
def test_show_decides_which_diffs_get_out(show: Show, shown: int) -> None:
    value = made(CAUSES, show)
    assert [cause["diff"] is not None for cause in value["causes"]] == [n < shown for n in range(6)]
    assert [cause["inside"] is not None for cause in value["causes"]] == [n < shown for n in range(6)]
    assert (ANSWER in json.dumps(value)) == (show == "all")


def test_texts_that_nobody_redacted_yet_are_redacted_on_their_way_out() -> None:
    secret = "sk-" + "ant-api03-" + "q7" * 48
    cause = Cause(
        "system", "changed", None, None, ("s::a",), 1, note=secret, diff=(DiffLine("+", f"key {secret}"),)
    )
    found = results(
        case("a", "stale", error=secret, remedy=secret, notices=(secret,)),
        case(
            "b", "failed", run(passed=False, verdicts=(verdict(description=secret, actual={"x": [secret]}),))
        ),
        causes=(cause,),
        warnings=(secret,),
        not_compared=secret,
        history=secret,
    )
    problem = Problem(Place("a"), secret, hint=secret)
    shown = text(made(found, "all", problems=(problem,)))
    assert secret not in shown
    assert "+ key [redacted:anthropic-key:0]" in shown


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
