"""Assertions on tool calls: which calls count, which is selected, and what is said when it does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import call_checks
from dryfire_action.findings import Subject
from dryfire_action.messages import ToolResult
from tests.made_runs import call, last, run_calling, run_of, turn

if TYPE_CHECKING:
    from dryfire_action.agent import Run

INDEX = {"index": 0, "call": None, "any": False}
NOTHING = run_of(last("done"))
ONCE = run_calling("look")
# a, then b and a together, then c
MIXED = run_of(turn(call("a")), turn(call("b"), call("a")), turn(call("c")), last("done"))
# The model stopped for its limit of tokens in the middle of a call: it counts, and was not answered.
CUT = run_of(turn(call("look", {"id": 1}), results=()), termination="max_tokens")
ORDERS = run_of(
    turn(call("look", {"order": {"id": "A", "n": 1}})),
    turn(call("other", {"x": [1]}), call("look", {"order": {"id": "B", "n": 1.0}})),
    turn(call("look", "{oops")),
    last("done"),
)
RESULTS = run_of(
    turn(
        call("look"),
        call("refund"),
        results=({"ok": True, "who": {"name": "Zoë", "n": 1}}, ToolResult("c", "No such order", True)),
    ),
    turn(call("list"), call("look"), results=('[1, {"a": 2}]', None)),
    turn(call("refund"), call("never"), results=("refunded",)),
    termination="unmocked_tool",
)

Row = tuple[str, dict[str, Any], "Run", str]


def calls(tool: str, count: int | None) -> dict[str, Any]:
    return {"tool": tool, "count": count}


def args(tool: str, match: dict[str, Any], **selection: Any) -> dict[str, Any]:
    return {"tool": tool, "match": match, **_selection(selection)}


def result(
    tool: str, *, contains: tuple[str, ...] = (), is_error: bool | None = None, **rest: Any
) -> dict[str, Any]:
    match = {"match": rest.pop("match")} if "match" in rest else {}
    return {"tool": tool, "contains": list(contains), "is_error": is_error, **match, **_selection(rest)}


def parallel(*tools: str, at_least: int | None = None, never: bool = False) -> dict[str, Any]:
    return {"tools": list(tools), "at_least": at_least or len(tools) or 2, "never": never}


def _selection(given: dict[str, Any]) -> dict[str, Any]:
    return {"index": None, "call": None, "any": False, **given} if given else INDEX


# id: (kind, arguments, run, message; "" passes)
ROWS: dict[str, Row] = {
    "1.8 calls_tool at least once": ("calls_tool", calls("a", None), MIXED, ""),
    "1.8 calls_tool never": ("calls_tool", calls("z", None), MIXED, "z was not called"),
    "1.8 calls_tool count": ("calls_tool", calls("a", 2), MIXED, ""),
    "1.8 calls_tool count too many": ("calls_tool", calls("a", 1), MIXED, "a was called 2 times, not 1"),
    "1.8 calls_tool count too few": ("calls_tool", calls("look", 2), ONCE, "look was called 1 time, not 2"),
    "1.8 calls_tool count 0": ("calls_tool", calls("z", 0), MIXED, ""),
    "1.8 calls_tool count 0 but called": (
        "calls_tool",
        calls("look", 0),
        ONCE,
        "look was called 1 time, not 0",
    ),
    "1.8 calls_tool unanswered calls count": ("calls_tool", calls("look", 1), CUT, ""),
    "1.8 not_calls_tool": ("not_calls_tool", {"tool": "z"}, MIXED, ""),
    "1.8 not_calls_tool but called": ("not_calls_tool", {"tool": "a"}, MIXED, "a was called 2 times"),
    "1.8 not_calls_tool unanswered": ("not_calls_tool", {"tool": "look"}, CUT, "look was called 1 time"),
    "1.8 min_tool_calls": ("min_tool_calls", calls("a", 2), MIXED, ""),
    "1.8 min_tool_calls more": ("min_tool_calls", calls("a", 1), MIXED, ""),
    "1.8 min_tool_calls fewer": (
        "min_tool_calls",
        calls("a", 3),
        MIXED,
        "a was called 2 times, not at least 3",
    ),
    "0 no_tool_calls": ("no_tool_calls", {}, NOTHING, ""),
    "0 no_tool_calls but some": ("no_tool_calls", {}, MIXED, "the model made 4 calls"),
    "0 no_tool_calls unanswered": ("no_tool_calls", {}, CUT, "the model made 1 call"),
    "1.8 call_order": ("call_order", {"tools": ["a", "b", "a", "c"]}, MIXED, ""),
    "1.8 call_order with gaps": ("call_order", {"tools": ["b", "c"]}, MIXED, ""),
    "1.8 call_order empty": ("call_order", {"tools": []}, NOTHING, ""),
    "1.8 call_order wrong": (
        "call_order",
        {"tools": ["c", "a"]},
        MIXED,
        "there is no call of a after c",
    ),
    "1.8 call_order a name needs its own call": (
        "call_order",
        {"tools": ["b", "b"]},
        MIXED,
        "there is no call of b after b",
    ),
    "1.8 call_order first missing": ("call_order", {"tools": ["z"]}, MIXED, "there is no call of z"),
    "0 parallel_calls true": ("parallel_calls", parallel(), MIXED, ""),
    "0 parallel_calls true but one by one": (
        "parallel_calls",
        parallel(),
        run_calling("a", "b"),
        "no turn made 2 calls, the most was 1",
    ),
    "0 parallel_calls without turns": (
        "parallel_calls",
        parallel(),
        run_of(termination="max_turns_exceeded"),
        "no turn made 2 calls, the most was 0",
    ),
    "0 parallel_calls number": (
        "parallel_calls",
        parallel(at_least=3),
        MIXED,
        "no turn made 3 calls, the most was 2",
    ),
    "0 parallel_calls names": ("parallel_calls", parallel("a", "b"), MIXED, ""),
    "0 parallel_calls names in other turns": (
        "parallel_calls",
        parallel("a", "c"),
        MIXED,
        "no turn called a, c together",
    ),
    "0 parallel_calls a name twice": (
        "parallel_calls",
        parallel("a", "a"),
        MIXED,
        "no turn called a, a together",
    ),
    "0 parallel_calls a name twice, made": (
        "parallel_calls",
        parallel("a", "a"),
        run_of(turn(call("a"), call("b"), call("a"))),
        "",
    ),
    "0 parallel_calls false": ("parallel_calls", parallel(never=True), run_calling("a", "b"), ""),
    "0 parallel_calls false but parallel": (
        "parallel_calls",
        parallel(never=True),
        MIXED,
        "one turn made 2 calls",
    ),
    "1.8 tool_args first call": ("tool_args", args("look", {"order": {"id": "A"}}), ORDERS, ""),
    "1.8 tool_args not any call": (
        "tool_args",
        args("look", {"order": {"id": "B"}}),
        ORDERS,
        'order.id is "A", not "B"',
    ),
    "1.8 tool_args index": ("tool_args", args("look", {"order": {"id": "B"}}, index=1), ORDERS, ""),
    "1.8 tool_args one equals true": (
        "tool_args",
        args("look", {"order": {"n": True}}, index=1),
        ORDERS,
        "",
    ),
    "1.8 tool_args negative index": (
        "tool_args",
        args("look", {"order": {"id": "B"}}, index=-2),
        ORDERS,
        "",
    ),
    "1.8 tool_args index too large": (
        "tool_args",
        args("look", {}, index=3),
        ORDERS,
        "look was called 3 times: there is no call with index 3",
    ),
    "1.8 tool_args negative index too small": (
        "tool_args",
        args("look", {}, index=-4),
        ORDERS,
        "look was called 3 times: there is no call with index -4",
    ),
    "1.8 tool_args never called": (
        "tool_args",
        args("z", {}),
        ORDERS,
        "z was called 0 times: there is no call with index 0",
    ),
    "1.8 tool_args unparseable": (
        "tool_args",
        args("look", {}, index=-1),
        ORDERS,
        'the arguments are no JSON object: "{oops"',
    ),
    "1.8 tool_args unanswered": ("tool_args", args("look", {"id": 1}), CUT, ""),
    "0 tool_args any": ("tool_args", args("look", {"order": {"id": "B"}}, any=True), ORDERS, ""),
    "0 tool_args any, none fits": (
        "tool_args",
        args("look", {"order": {"id": "C"}}, any=True),
        ORDERS,
        'no call fits: index 0: order.id is "A", not "C"; index 1: order.id is "B", not "C"; '
        'index 2: the arguments are no JSON object: "{oops"',
    ),
    "0 tool_args any, never called": ("tool_args", args("z", {}, any=True), ORDERS, "z was not called"),
    "0 tool_args call counts all tools": (
        "tool_args",
        args("look", {"order": {"id": "B"}}, call=2),
        ORDERS,
        "",
    ),
    "0 tool_args call of another tool": (
        "tool_args",
        args("look", {}, call=1),
        ORDERS,
        "call 1 of the run is one of other",
    ),
    "0 tool_args call too large": (
        "tool_args",
        args("look", {}, call=4),
        ORDERS,
        "there is no call 4: the run made 4 calls",
    ),
    "0 tool_args call does not count from the end": (
        "tool_args",
        args("look", {}, call=-1),
        ORDERS,
        "there is no call -1: the run made 4 calls",
    ),
    "0 tool_args the last call": (
        "tool_args",
        args("look", {}, call=3),
        ORDERS,
        'the arguments are no JSON object: "{oops"',
    ),
    "0 tool_result match": (
        "tool_result",
        result("look", match={"ok": True, "who": {"name": "Zoë"}}),
        RESULTS,
        "",
    ),
    "0 tool_result no match": (
        "tool_result",
        result("look", match={"who": {"name": "Zoe"}}),
        RESULTS,
        'who.name is "Zoë", not "Zoe"',
    ),
    "0 tool_result match null": ("tool_result", result("look", match=None, index=1), RESULTS, ""),
    "0 tool_result match null but a map": (
        "tool_result",
        result("look", match=None),
        RESULTS,
        'it is {"ok": true, "who": {"name": "Zoë", "n": 1}}, not null',
    ),
    "0 tool_result a mocked list": ("tool_result", result("list", match=[1, {"a": 2}]), RESULTS, ""),
    "0 tool_result a mocked list as text": (
        "tool_result",
        result("list", match='[1, {"a": 2}]'),
        RESULTS,
        "",
    ),
    "0 tool_result text is no map": (
        "tool_result",
        result("refund", match={"a": 1}),
        RESULTS,
        'it is "No such order", not {"a": 1}',
    ),
    "0 tool_result contains, any case": (
        "tool_result",
        result("refund", contains=("no such", "ORDER")),
        RESULTS,
        "",
    ),
    "0 tool_result contains in a map": (
        "tool_result",
        result("look", contains=("zoë",)),
        RESULTS,
        "",
    ),
    "0 tool_result contains in nothing": (
        "tool_result",
        result("look", contains=("null",), index=-1),
        RESULTS,
        'the result null does not contain "null"',
    ),
    "0 tool_result does not contain": (
        "tool_result",
        result("refund", contains=("order", "paid")),
        RESULTS,
        'the result "No such order" does not contain "paid"',
    ),
    "0 tool_result is_error": ("tool_result", result("refund", is_error=True), RESULTS, ""),
    "0 tool_result is no error": (
        "tool_result",
        result("look", is_error=True),
        RESULTS,
        "the result is no error",
    ),
    "0 tool_result is an error": (
        "tool_result",
        result("refund", is_error=False),
        RESULTS,
        "the result is an error",
    ),
    "0 tool_result any": ("tool_result", result("refund", is_error=False, any=True), RESULTS, ""),
    "0 tool_result call": ("tool_result", result("refund", match="refunded", call=4), RESULTS, ""),
    "0 tool_result index": ("tool_result", result("refund", match="refunded", index=1), RESULTS, ""),
    "0 tool_result without a result": (
        "tool_result",
        result("never", is_error=False),
        RESULTS,
        "the call got no result",
    ),
}


@pytest.mark.parametrize(("kind", "arguments", "run", "message"), ROWS.values(), ids=ROWS.keys())
def test_1_8_assertions_on_calls(kind: str, arguments: dict[str, Any], run: Run, message: str) -> None:
    finding = getattr(call_checks, kind)(arguments, Subject(run))
    assert finding.message == message
    assert finding.actual == Subject(run).trajectory


@pytest.mark.parametrize(
    ("kind", "arguments", "about", "expected"),
    [
        ("calls_tool", calls("x", None), "x", "at least one call"),
        ("calls_tool", calls("x", 2), "x (count 2)", 2),
        ("min_tool_calls", calls("x", 2), "x (at least 2)", 2),
        ("not_calls_tool", {"tool": "x"}, "x", 0),
        ("no_tool_calls", {}, "", 0),
        ("call_order", {"tools": ["a", "b"]}, "a → b", ["a", "b"]),
        ("parallel_calls", parallel(), "at least 2", 2),
        ("parallel_calls", parallel("a", "b"), "a, b", ["a", "b"]),
        ("parallel_calls", parallel(never=True), "never", "no turn with several calls"),
        ("tool_args", args("x", {"a": 1}), "x", {"a": 1}),
        ("tool_args", args("x", {"a": 1}, index=-1), "x (index -1)", {"a": 1}),
        ("tool_args", args("x", {"a": 1}, call=2), "x (call 2 of the run)", {"a": 1}),
        ("tool_args", args("x", {"a": 1}, any=True), "x (any call)", {"a": 1}),
        (
            "tool_result",
            result("x", match=None, is_error=False),
            "x",
            {"match": None, "contains": [], "is_error": False},
        ),
    ],
)
def test_1_8_a_finding_says_what_it_looked_for(
    kind: str, arguments: dict[str, Any], about: str, expected: object
) -> None:
    finding = getattr(call_checks, kind)(arguments, Subject(NOTHING))
    assert (finding.about, finding.expected) == (about, expected)
