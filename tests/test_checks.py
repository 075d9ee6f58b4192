"""Every assertion gets a verdict, in order; and some runs fail whatever their assertions say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import pytest

from dryfire_action.agent import Termination
from dryfire_action.checks import CHECKS, finished, judge
from dryfire_action.errors import Place
from dryfire_action.findings import Finding
from dryfire_action.messages import Usage
from dryfire_action.suite import Case, Check
from dryfire_action.suite_checks import READERS
from tests.made_runs import call, last, run_calling, run_of, turn

if TYPE_CHECKING:
    from dryfire_action.findings import Subject

RUN = run_of(turn(call("look", {"id": "A"})), last('{"ok": true}', usage=Usage(1000, 100), latency_ms=5))
PRICES: dict[str, Any] = {"acme:m-1": {"input": 3.0, "output": 15.0}}


def case(*checks: tuple[str, Any], allow_unfinished: bool = False) -> Case:
    return Case(
        suite="shop",
        name="refund",
        file="shop.eval.yaml",
        place=Place("shop.eval.yaml"),
        provider="acme",
        model="m-1",
        messages=(),
        checks=tuple(
            Check(kind, arguments, Place("shop.eval.yaml", line))
            for line, (kind, arguments) in enumerate(checks, start=10)
        ),
        allow_unfinished=allow_unfinished,
    )


SELECTION = {"index": 0, "call": None, "any": False}
# One assertion of every kind that holds for RUN, and its description.
HOLDING: dict[str, tuple[dict[str, Any], str]] = {
    "calls_tool": ({"tool": "look", "count": 1}, "calls_tool: look (count 1)"),
    "not_calls_tool": ({"tool": "pay"}, "not_calls_tool: pay"),
    "min_tool_calls": ({"tool": "look", "count": 1}, "min_tool_calls: look (at least 1)"),
    "call_order": ({"tools": ["look"]}, "call_order: look"),
    "parallel_calls": ({"tools": [], "at_least": 2, "never": True}, "parallel_calls: never"),
    "tool_args": ({"tool": "look", "match": {"id": "A"}, **SELECTION}, "tool_args: look"),
    "tool_result": (
        {"tool": "look", "contains": ["ok"], "is_error": None, **SELECTION},
        "tool_result: look",
    ),
    "final_contains": ({"texts": ["ok"]}, 'final_contains: "ok"'),
    "final_not_contains": ({"texts": ["sorry"]}, 'final_not_contains: "sorry"'),
    "final_matches": ({"pattern": "true}$"}, "final_matches: true}$"),
    "final_json": ({"required": ["ok"], "fields": {"ok": "bool"}, "schema": None}, "final_json: ok"),
    "max_turns": ({"limit": 2}, "max_turns: 2"),
    "terminates": ({"reason": "end_turn"}, "terminates: end_turn"),
    "latency_under_ms": ({"limit": 6}, "latency_under_ms: 6 ms"),
    "cost_under": ({"limit": 1.0}, "cost_under: 1 USD"),
}


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_1_8_every_kind_passes_with_an_empty_message(kind: str) -> None:
    run = RUN
    if kind == "no_tool_calls":
        run, arguments, description = run_of(last("done")), {}, "no_tool_calls"
    else:
        arguments, description = HOLDING[kind]
    (verdict,) = judge(case((kind, arguments)), run, prices=PRICES)
    assert (verdict.kind, verdict.description) == (kind, description)
    assert verdict.passed
    assert verdict.message == ""
    assert verdict.place == Place("shop.eval.yaml", 10)
    json.dumps([verdict.expected, verdict.actual])


def test_1_8_the_table_has_the_rows_that_suites_are_read_into() -> None:
    assert sorted(READERS) == sorted(CHECKS)


def test_1_8_verdicts_come_in_the_order_of_the_file_and_say_what_happened() -> None:
    verdicts = judge(
        case(
            ("calls_tool", {"tool": "pay", "count": None}),
            ("max_turns", {"limit": 5}),
            ("final_contains", {"texts": ["sorry"]}),
        ),
        RUN,
        prices={},
    )
    assert [(verdict.kind, verdict.passed) for verdict in verdicts] == [
        ("calls_tool", False),
        ("max_turns", True),
        ("final_contains", False),
    ]
    assert verdicts[0].message == "pay was not called"
    assert verdicts[0].actual == "look (end_turn)"
    assert verdicts[2].actual == '{"ok": true}'
    assert [verdict.place.line for verdict in verdicts if verdict.place] == [10, 11, 12]


def test_1_2_an_empty_expect_gives_no_verdicts() -> None:
    assert judge(case(), RUN, prices={}) == ()


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        pytest.param("cost_under", {"limit": 1.0}, "no price for the model acme:m-1", id="0 no price"),
        pytest.param(
            "final_matches", {"pattern": '^"(a|a|aa)+$'}, "took longer than", id="0 a pattern without end"
        ),
        pytest.param(
            "final_json",
            {"required": [], "fields": {}, "schema": {"$ref": "#/no"}},
            "the schema refers to",
            id="0 an unusable schema",
        ),
    ],
)
def test_0_what_cannot_be_judged_fails_alone_and_says_why(
    kind: str, arguments: dict[str, Any], message: str
) -> None:
    run = run_of(last('"' + "a" * 3000 + '"'))
    verdicts = judge(case((kind, arguments), ("max_turns", {"limit": 5})), run, prices={})
    assert [verdict.passed for verdict in verdicts] == [False, True]
    assert message in verdicts[0].message
    assert (verdicts[0].description, verdicts[0].place) == (kind, Place("shop.eval.yaml", 10))


def test_0_the_table_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def says_please(arguments: Any, subject: Subject) -> Finding:
        return Finding(arguments["word"], "" if arguments["word"] in str(subject.run.final_text) else "rude")

    monkeypatch.setitem(CHECKS, "says_please", says_please)
    (verdict,) = judge(case(("says_please", {"word": "please"})), RUN, prices={})
    assert (verdict.description, verdict.passed, verdict.message) == ("says_please: please", False, "rude")


FINISHED: dict[str, tuple[Termination, Case, bool]] = {
    "0 end_turn": ("end_turn", case(), True),
    "0 unmocked_tool": ("unmocked_tool", case(), False),
    "0 unmocked_tool whatever is allowed": ("unmocked_tool", case(allow_unfinished=True), False),
    "0 unmocked_tool whatever is expected": (
        "unmocked_tool",
        case(("terminates", {"reason": "unmocked_tool"})),
        False,
    ),
    "0 provider_error": ("provider_error", case(), False),
    "0 provider_error whatever is allowed": ("provider_error", case(allow_unfinished=True), False),
    "0 provider_error whatever is expected": (
        "provider_error",
        case(("terminates", {"reason": "provider_error"})),
        False,
    ),
    **{
        f"0 {reason} {how}": (reason, given, ok)
        for reason in ("max_turns_exceeded", "max_tokens", "refusal")
        for how, given, ok in [
            ("alone", case(), False),
            ("with other assertions", case(("not_calls_tool", {"tool": "x"})), False),
            ("allowed", case(allow_unfinished=True), True),
            ("expected", case(("max_turns", {"limit": 9}), ("terminates", {"reason": reason})), True),
            ("where the end is expected", case(("terminates", {"reason": "end_turn"})), False),
        ]
    },
}


@pytest.mark.parametrize(("termination", "given", "fine"), FINISHED.values(), ids=FINISHED.keys())
def test_0_a_run_that_did_not_finish_fails_unless_the_case_wants_that(
    termination: Termination, given: Case, fine: bool
) -> None:
    why = finished(given, run_calling("look", termination=termination))
    assert (why == "") is fine
    assert fine or termination in why


def test_0_every_termination_is_decided() -> None:
    decided = {termination for termination, _, _ in FINISHED.values()}
    assert decided == set(get_args(Termination))


def test_0_the_reason_is_the_runs_own_where_it_has_one() -> None:
    failed = run_of(termination="provider_error", error="overloaded (503)")
    assert finished(case(), failed) == "overloaded (503)"
    cut = run_of(termination="max_turns_exceeded", error="the model had not finished after 3 turns")
    assert finished(case(), cut) == (
        "the run did not finish: max_turns_exceeded (the model had not finished after 3 turns); if that is what"
        " should happen, expect `terminates: max_turns_exceeded` or set `allow_unfinished: true`"
    )
