"""Assertions as a suite writes them, and the argument maps they become."""

from __future__ import annotations

from typing import Any

import pytest

from dryfire_action.checks import CHECKS
from dryfire_action.errors import Place
from dryfire_action.suite_checks import READERS
from tests.memory_tree import SUITE, load_case, problem_of, problems_of, with_case

TOOLS = "tools: [{name: lookup, input_schema: {}}, {name: refund, input_schema: {}}]"
FIRST = {"index": 0, "call": None, "any": False}
NO_SCHEMA: dict[str, Any] = {"required": [], "fields": {}, "schema": None}


@pytest.mark.parametrize(
    ("written", "kind", "arguments"),
    [
        ("calls_tool: lookup", "calls_tool", {"tool": "lookup", "count": None}),
        ("calls_tool: {tool: lookup, count: 0}", "calls_tool", {"tool": "lookup", "count": 0}),
        ('calls_tool: {tool: lookup, count: "2"}', "calls_tool", {"tool": "lookup", "count": 2}),
        ("not_calls_tool: lookup", "not_calls_tool", {"tool": "lookup"}),
        ("min_tool_calls: {tool: lookup, count: 2}", "min_tool_calls", {"tool": "lookup", "count": 2}),
        (
            "tool_args: {tool: lookup, match: {a: 1}}",
            "tool_args",
            {"tool": "lookup", "match": {"a": 1}, **FIRST},
        ),
        (
            "tool_args: {tool: lookup, match: {}, index: -1}",
            "tool_args",
            {"tool": "lookup", "match": {}, **FIRST, "index": -1},
        ),
        (
            "tool_args: {tool: lookup, match: {}, any: true}",
            "tool_args",
            {"tool": "lookup", "match": {}, "index": None, "call": None, "any": True},
        ),
        (
            "tool_args: {tool: lookup, match: {}, any: false}",
            "tool_args",
            {"tool": "lookup", "match": {}, **FIRST},
        ),
        (
            "tool_args: {tool: lookup, match: {}, call: 2}",
            "tool_args",
            {"tool": "lookup", "match": {}, "index": None, "call": 2, "any": False},
        ),
        (
            "tool_result: {tool: lookup, match: null}",
            "tool_result",
            {"tool": "lookup", "match": None, "contains": [], "is_error": None, **FIRST},
        ),
        (
            "tool_result: {tool: lookup, contains: ok, is_error: false, any: true}",
            "tool_result",
            {
                "tool": "lookup",
                "contains": ["ok"],
                "is_error": False,
                "index": None,
                "call": None,
                "any": True,
            },
        ),
        (
            "tool_result: {tool: lookup, match: {a: [1]}, contains: [a, b]}",
            "tool_result",
            {"tool": "lookup", "match": {"a": [1]}, "contains": ["a", "b"], "is_error": None, **FIRST},
        ),
        ("no_tool_calls: true", "no_tool_calls", {}),
        ("no_tool_calls:", "no_tool_calls", {}),
        ("no_tool_calls: {}", "no_tool_calls", {}),
        ("parallel_calls: true", "parallel_calls", {"tools": [], "at_least": 2, "never": False}),
        ("parallel_calls: false", "parallel_calls", {"tools": [], "at_least": 2, "never": True}),
        ("parallel_calls: 3", "parallel_calls", {"tools": [], "at_least": 3, "never": False}),
        (
            "parallel_calls: [lookup, refund, lookup]",
            "parallel_calls",
            {"tools": ["lookup", "refund", "lookup"], "at_least": 3, "never": False},
        ),
        ("call_order: [lookup, refund]", "call_order", {"tools": ["lookup", "refund"]}),
        ("call_order: []", "call_order", {"tools": []}),
        ("max_turns: 3", "max_turns", {"limit": 3}),
        ('max_turns: "3"', "max_turns", {"limit": 3}),
        ("final_contains: x", "final_contains", {"texts": ["x"]}),
        ("final_contains: [x, y]", "final_contains", {"texts": ["x", "y"]}),
        ("final_contains: []", "final_contains", {"texts": []}),
        ("final_not_contains: x", "final_not_contains", {"texts": ["x"]}),
        ("final_not_contains: [x]", "final_not_contains", {"texts": ["x"]}),
        ("final_matches: '^a+'", "final_matches", {"pattern": "^a+"}),
        ("final_json: {}", "final_json", NO_SCHEMA),
        (
            "final_json: {required: [a, _id], fields: {a: int, model_config: any}}",
            "final_json",
            {**NO_SCHEMA, "required": ["a", "_id"], "fields": {"a": "int", "model_config": "any"}},
        ),
        (
            "final_json: {schema: {type: object, $ref: '#/$defs/x', $defs: {x: {}}}}",
            "final_json",
            {**NO_SCHEMA, "schema": {"type": "object", "$ref": "#/$defs/x", "$defs": {"x": {}}}},
        ),
        *[
            (f"terminates: {reason}", "terminates", {"reason": reason})
            for reason in ("end_turn", "max_turns_exceeded", "max_tokens", "refusal")
        ],
        ("cost_under: 0.5", "cost_under", {"limit": 0.5}),
        ('cost_under: "1"', "cost_under", {"limit": 1.0}),
        ("latency_under_ms: 100", "latency_under_ms", {"limit": 100}),
    ],
)
def test_1_8_assertions_and_their_arguments(written: str, kind: str, arguments: dict[str, Any]) -> None:
    [check] = load_case(f"expect:\n  - {written}", TOOLS).checks
    assert (check.kind, check.arguments, check.place) == (kind, arguments, Place(SUITE, 8, 9))


def test_every_assertion_that_can_be_written_can_be_checked_and_no_other() -> None:
    assert READERS.keys() == CHECKS.keys()


def test_1_2_an_empty_list_is_legal() -> None:
    assert load_case("expect: []").checks == ()


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        ("calls_tol: lookup", "unknown assertion 'calls_tol'", "Did you mean 'calls_tool'?"),
        ("calls_tool: lokup", "the tool 'lokup' is neither declared nor mocked", "Did you mean 'lookup'?"),
        ("not_calls_tool: send_emial", "the tool 'send_emial' is neither declared nor mocked", ""),
        (
            "call_order: [lookup, refnud]",
            "the tool 'refnud' is neither declared nor mocked",
            "Did you mean 'refund'?",
        ),
        ("calls_tool: {tool: lookup}", "calls_tool needs the key 'count'", ""),
        ("calls_tool: {tool: lookup, count: -1}", "count must be at least 0, not -1", ""),
        ("calls_tool: 5", "the tool's name must be text, not a number", "Write it in quotes."),
        ("calls_tool: [lookup]", "the tool's name must be text, not a list", ""),
        ("min_tool_calls: lookup", "min_tool_calls must be a map, not text", ""),
        ("tool_args: {tool: lookup}", "tool_args needs the key 'match'", ""),
        ("tool_args: {tool: lookup, match: x}", "match must be a map of arguments, not text", ""),
        ("tool_args: {tool: lookup, match: {}, idx: 1}", "unknown key 'idx' in tool_args", ""),
        (
            "tool_args: {tool: lookup, match: {}, index: 1, any: true}",
            "index and any say in different ways which call is meant",
            "Keep one of them.",
        ),
        ("tool_args: {tool: lookup, match: {}, call: -1}", "call must be at least 0, not -1", ""),
        ("tool_result: {tool: lookup}", "tool_result does not say what the result must be", "Add match"),
        (
            "no_tool_calls: false",
            "no_tool_calls takes no arguments: write no_tool_calls: true",
            "Leave it out",
        ),
        ("no_tool_calls: lookup", "no_tool_calls takes no arguments: write no_tool_calls: true", ""),
        ("no_tool_calls: 1", "no_tool_calls takes no arguments: write no_tool_calls: true", ""),
        ("parallel_calls: [lookup]", "parallel_calls needs at least two tools", ""),
        ("parallel_calls: 1", "parallel_calls must be at least 2, not 1", ""),
        ("max_turns: x", "max_turns must be a whole number, not 'x'", ""),
        ("final_contains: 5", "final_contains must be text, not a number", "Write it in quotes."),
        ("final_contains: [5]", "each item of final_contains must be text, not a number", ""),
        (
            "final_matches: '('",
            "final_matches: not a regular expression: missing ), unterminated subpattern (character 1 of the pattern)",
            "",
        ),
        ("final_json: {field: {}}", "unknown key 'field' in final_json", "Did you mean 'fields'?"),
        ("final_json: {fields: {a: string}}", "the type of 'a' cannot be 'string'", "Did you mean 'str'?"),
        ("final_json: {required: a}", "required must be a list, not text", ""),
        ("final_json: {schema: {type: strin}}", "no valid JSON Schema at type: 'strin' is not valid", ""),
        ("final_json: {schema: []}", "schema must be a map, not a list", ""),
        ("terminates: end_trun", "terminates cannot be 'end_trun'", "Did you mean 'end_turn'?"),
        (
            "terminates: provider_error",
            "no case passes that ends with provider_error, so this cannot hold",
            "Reasons:",
        ),
        (
            "terminates: unmocked_tool",
            "no case passes that ends with unmocked_tool, so this cannot hold",
            "Reasons:",
        ),
        ("cost_under: cheap", "cost_under must be a number, not 'cheap'", ""),
        ("latency_under_ms: 1.5", "latency_under_ms must be a whole number, not 1.5", ""),
        ("llm_judge: {rubric: be nice}", "llm_judge is not supported yet", "final_contains"),
        ("{}", "an assertion must name a kind; {} asserts nothing", ""),
        ("no_tool_calls", "an assertion must be a map of one key, not text", "Write no_tool_calls: true."),
        ("[calls_tool]", "an assertion must be a map of one key, not a list", ""),
    ],
)
def test_1_8_what_is_wrong_is_an_error_on_its_line(written: str, message: str, hint: str) -> None:
    found = problem_of(with_case(f"expect:\n  - max_turns: 1\n  - {written}", TOOLS))
    assert found.message.startswith(message)
    assert found.hint.startswith(hint) if hint.startswith(("Did", "Write")) else hint in found.hint
    assert found.place.line == 9
    assert found.path[:4] == ("cases", 0, "expect", 1)


def test_0_an_entry_with_two_kinds_is_an_error_at_the_second() -> None:
    found = problem_of(with_case("expect:\n  - max_turns: 1\n    final_contains: x"))
    assert found.message == "an assertion has one kind, and this has 'max_turns' and 'final_contains'"
    assert (found.place.line, found.place.column) == (9, 9)


@pytest.mark.parametrize("expect", ["null", "{max_turns: 1}", "max_turns"])
def test_1_2_expect_must_be_a_list(expect: str) -> None:
    assert problem_of(with_case(f"expect: {expect}")).message.startswith("expect must be a list, not ")


def test_0_tools_that_are_only_mocked_may_be_named_and_without_any_it_is_said() -> None:
    case = "mocks: {emial: [{return: 1}]}\nexpect: [{calls_tool: emial}]"
    assert load_case(case).checks
    found = problem_of(with_case("expect: [{not_calls_tool: refund}]"))
    assert found.hint == "The suite has neither tools nor mocks."


def test_a_schema_cannot_name_anything_outside() -> None:
    found = problems_of(with_case("expect:\n  - final_json: {schema: {$ref: 'https://example.com/s.json'}}"))
    assert "there is no such file" in found[0].message
