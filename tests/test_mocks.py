"""Mocks answer calls by the first rule that fits, count their sequences, and never run a suite's code."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.agent import UnmockedTool
from dryfire_action.errors import Place
from dryfire_action.messages import ToolCall, ToolResult
from dryfire_action.mocks import MockedTools, as_content, matches, mismatch, shortened
from dryfire_action.suite import Fail, Impl, MockRule, Return, Steps
from tests.made_runs import call


def rule(
    answer: Return | Fail | Steps | Impl, when: dict[str, Any] | None = None, *, line: int = 1
) -> MockRule:
    return MockRule(answer, when, Place("s.eval.yaml", line))


def answer(tools: MockedTools, *calls: ToolCall) -> list[ToolResult]:
    async def all_of_them() -> list[ToolResult]:
        return [await tools.answer(each) for each in calls]

    return asyncio.run(all_of_them())


def contents(tools: MockedTools, *calls: ToolCall) -> list[object]:
    return [result.content for result in answer(tools, *calls)]


# ---- 1.6 matching

MATCHING: dict[str, tuple[object, object, bool]] = {
    "1.6 the same": ({"a": 1}, {"a": 1}, True),
    "1.6 another value": ({"a": 1}, {"a": 2}, False),
    "1.6 more keys in the value": ({"a": 1}, {"a": 1, "b": 2}, True),
    "1.6 a key that is missing": ({"a": 1, "b": 2}, {"a": 1}, False),
    "1.6 null needs the key": ({"a": None}, {}, False),
    "1.6 null fits null": ({"a": None}, {"a": None}, True),
    "1.6 maps recurse": ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1, "d": 2}, "e": 3}}, True),
    "1.6 maps recurse to a difference": ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}, False),
    "1.6 an empty map fits any map": ({"a": {}}, {"a": {"b": 1}}, True),
    "1.6 an empty map fits no number": ({"a": {}}, {"a": 1}, False),
    "1.6 an empty map fits no list": ({"a": {}}, {"a": []}, False),
    "1.6 an empty pattern fits everything": ({}, {"a": 1}, True),
    "1.6 a number fits no map": ({"a": 1}, {"a": {"b": 1}}, False),
    "1.6 lists are equal": ({"a": [1, 2]}, {"a": [1, 2]}, True),
    "1.6 lists have an order": ({"a": [1, 2]}, {"a": [2, 1]}, False),
    "1.6 lists have a length": ({"a": [1]}, {"a": [1, 2]}, False),
    "1.6 no subset inside lists": ({"a": [{"x": 1}]}, {"a": [{"x": 1, "y": 2}]}, False),
    "1.6 one equals one point nought": ({"a": 1}, {"a": 1.0}, True),
    "1.6 one equals true": ({"a": 1}, {"a": True}, True),
    "1.6 one equals true in a list": ({"a": [1]}, {"a": [True]}, True),
    "1.6 text is no number": ({"a": "1"}, {"a": 1}, False),
    "1.6 text is case-sensitive": ({"a": "x"}, {"a": "X"}, False),
}


@pytest.mark.parametrize(("pattern", "value", "fits"), MATCHING.values(), ids=MATCHING.keys())
def test_1_6_a_pattern_is_a_deep_subset(pattern: object, value: object, fits: bool) -> None:
    assert matches(pattern, value) is fits
    assert bool(mismatch(pattern, value)) is not fits


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_1_6_every_value_fits_itself(value: object) -> None:
    assert matches(value, value)


@given(st.dictionaries(st.text(max_size=3), values, min_size=1), st.data())
def test_1_6_a_map_that_lost_a_key_fits_no_longer(value: dict[str, object], data: st.DataObject) -> None:
    lost = data.draw(st.sampled_from(sorted(value)))
    smaller = {key: inner for key, inner in value.items() if key != lost}
    assert matches(smaller, value)
    assert not matches(value, smaller)


@pytest.mark.parametrize(
    ("pattern", "value", "why"),
    [
        ({"order": {"id": "A"}}, {"order": {"id": "B"}}, 'order.id is "B", not "A"'),
        ({"order": {"id": "A"}}, {"order": {}}, "order.id is not there"),
        ({"a.b": {"c": 1}}, {"a.b": {"c": 2}}, '["a.b"].c is 2, not 1'),
        (["x"], "x", 'it is "x", not ["x"]'),
    ],
)
def test_a_mismatch_names_the_first_difference(pattern: object, value: object, why: str) -> None:
    assert mismatch(pattern, value) == why


# ---- 1.6 which rule answers


def test_1_6_the_first_rule_that_fits_wins() -> None:
    tools = MockedTools(
        {
            "look": (
                rule(Return("exact"), {"id": "A", "deep": {"x": 1}}),
                rule(Return("A"), {"id": "A"}),
                rule(Return("any")),
                rule(Return("never reached"), {"id": "B"}),
            )
        }
    )
    calls = [
        call("look", {"id": "A"}),
        call("look", {"id": "A", "deep": {"x": 1, "y": 2}}),
        call("look", {"id": "B"}),
    ]
    assert contents(tools, *calls) == ["A", "exact", "any"]


def test_1_6_an_empty_when_fits_every_map() -> None:
    tools = MockedTools({"look": (rule(Return("empty"), {}), rule(Return("none")))})
    assert contents(tools, call("look", {"a": 1})) == ["empty"]


def test_1_6_unparseable_arguments_fit_only_a_rule_without_when() -> None:
    mocks = {"look": (rule(Return("empty"), {}), rule(Return("none")))}
    assert contents(MockedTools(mocks), call("look", "{oops")) == ["none"]
    with pytest.raises(UnmockedTool, match=r"no JSON object, .*only a rule without `when` does"):
        answer(MockedTools({"look": mocks["look"][:1]}), call("look", "{oops"))


def test_1_6_a_mock_for_an_undeclared_tool_answers() -> None:
    assert contents(MockedTools({"ghost": (rule(Return("boo")),)}), call("ghost")) == ["boo"]


# ---- 1.6 outcomes

RETURNS: dict[str, tuple[object, object]] = {
    "1.6 a text": ("text", "text"),
    "1.6 an empty text": ("", ""),
    "1.6 a map": ({"ok": True}, {"ok": True}),
    "1.6 a map with a key named error is no error": ({"error": "x"}, {"error": "x"}),
    "1.6 null": (None, None),
    "0 a list is JSON text": ([1, "é", None], '[1, "é", null]'),
    "0 an integer is JSON text": (5, "5"),
    "0 a fraction is JSON text": (5.0, "5.0"),
    "0 a boolean is JSON text": (True, "true"),
}


@pytest.mark.parametrize(("value", "content"), RETURNS.values(), ids=RETURNS.keys())
def test_1_6_return_answers_with_any_json_value(value: object, content: object) -> None:
    tools = MockedTools({"look": (rule(Return(value)),)})
    assert answer(tools, call("look", id="c7")) == [ToolResult("c7", content, False)]
    assert as_content(value) == content


def test_1_6_error_answers_with_an_error_result() -> None:
    tools = MockedTools({"look": (rule(Fail("no such order")),)})
    assert answer(tools, call("look", id="c7")) == [ToolResult("c7", "no such order", True)]


def test_1_6_a_sequence_goes_on_and_its_last_step_repeats() -> None:
    steps = Steps((Return(1), Fail("busy"), Return({"ok": True})))
    tools = MockedTools({"look": (rule(steps),)})
    results = answer(tools, *[call("look")] * 4)
    assert [(result.content, result.is_error) for result in results] == [
        ("1", False),
        ("busy", True),
        ({"ok": True}, False),
        ({"ok": True}, False),
    ]


def test_1_6_a_sequence_counts_only_the_calls_its_own_rule_answers() -> None:
    steps = Steps((Return("first"), Return("second")))
    shared = rule(steps)  # as a YAML alias makes it
    tools = MockedTools({"look": (rule(steps, {"id": "A"}), shared), "peek": (shared,)})
    calls = [
        call("look", {"id": "A"}),
        call("look", {"id": "B"}),
        call("peek"),
        call("look", {"id": "A"}),
        call("look", {"id": "C"}),
        call("peek"),
    ]
    assert contents(tools, *calls) == ["first", "first", "first", "second", "second", "second"]


def test_1_6_a_sequence_starts_again_in_every_run() -> None:
    mocks = {"look": (rule(Steps((Return("first"), Return("second")))),)}
    for _ in range(2):
        assert contents(MockedTools(mocks), call("look")) == ["first"]


# ---- 1.6 calls that no rule answers


@pytest.mark.parametrize(
    "on_unmocked", ["null", "passthrough"], ids=["1.6 on_unmocked null", "1.6 on_unmocked passthrough"]
)
def test_1_6_a_call_without_a_rule_is_answered_with_empty_text(on_unmocked: Any) -> None:
    tools = MockedTools({}, on_unmocked)
    assert answer(tools, call("look", id="c7")) == [ToolResult("c7", "", False)]
    assert tools.answered == [("look", "c7", None)]


UNMOCKED: dict[str, tuple[dict[str, tuple[MockRule, ...]], str]] = {
    "1.6 no rules": ({}, 'no mock answers \'look\' with {"id": "A"}: the tool has no mocks'),
    "1.6 a name that is close": (
        {"lock": (rule(Return(1)),)},
        "no mock answers 'look' with {\"id\": \"A\"}: the tool has no mocks (did you mean 'lock'?)",
    ),
    "1.6 the nearest rules": (
        {
            "look": (
                rule(Return(1), {"other": 1}, line=5),
                rule(Return(1), {"id": "B"}, line=6),
                rule(Return(1), {"id": "A", "deep": 1}, line=7),
            )
        },
        'no mock answers \'look\' with {"id": "A"}; nearest rules: '
        'when {"id": "A", "deep": 1} (s.eval.yaml:7:1): deep is not there; '
        'when {"id": "B"} (s.eval.yaml:6:1): id is "A", not "B"',
    ),
}


@pytest.mark.parametrize(("mocks", "message"), UNMOCKED.values(), ids=UNMOCKED.keys())
def test_1_6_a_call_without_a_rule_ends_the_run_and_says_what_was_near(
    mocks: dict[str, tuple[MockRule, ...]], message: str
) -> None:
    tools = MockedTools(mocks)
    asked = call("look", {"id": "A"})
    with pytest.raises(UnmockedTool) as caught:
        answer(tools, asked)
    assert caught.value.message == message
    assert caught.value.call is asked
    assert tools.answered == []


def test_long_arguments_are_shortened_and_odd_text_can_be_printed() -> None:
    with pytest.raises(UnmockedTool) as caught:
        answer(MockedTools({}), call("look", {"text": "\ud800" + "x" * 10_000}))
    assert len(caught.value.message) < 300
    caught.value.message.encode()
    assert shortened({"a": "é"}) == '{"a": "é"}'


# ---- 1.6 impl

IMPL = Impl("shop.tools:refund", 5.0)


def test_1_6_without_a_runner_code_of_the_suite_ends_the_run() -> None:
    tools = MockedTools({"refund": (rule(IMPL, line=9),)}, "null")
    with pytest.raises(UnmockedTool, match=r"shop\.tools:refund, s\.eval\.yaml:9:1.*passthrough.*never runs"):
        answer(tools, call("refund"))


def test_1_6_code_runs_through_what_is_handed_in_with_its_own_copy_of_the_arguments() -> None:
    seen: list[tuple[Impl, dict[str, Any]]] = []

    async def run_code(impl: Impl, arguments: dict[str, Any]) -> ToolResult:
        seen.append((impl, {"items": list(arguments["items"])}))
        arguments["items"].append("changed")
        return ToolResult("", "done", True)

    refund = rule(IMPL)
    tools = MockedTools({"refund": (refund,)}, run_code=run_code)
    asked = call("refund", {"items": ["x"]}, id="c7")
    assert answer(tools, asked) == [ToolResult("c7", "done", True)]
    assert seen == [(IMPL, {"items": ["x"]})]
    assert asked.arguments == {"items": ["x"]}
    assert tools.answered == [("refund", "c7", refund)]


def test_1_6_code_does_not_run_with_arguments_that_the_model_did_not_send() -> None:
    async def run_code(impl: Impl, arguments: dict[str, Any]) -> ToolResult:
        raise AssertionError("must not run")

    tools = MockedTools({"refund": (rule(IMPL),)}, run_code=run_code)
    (result,) = answer(tools, call("refund", "{oops"))
    assert result.is_error
    assert result.content == "the arguments are no JSON object: {oops"


def test_the_tools_tell_which_rule_answered_each_call() -> None:
    first, second = rule(Return(1), {"id": "A"}, line=3), rule(Return(2), line=4)
    tools = MockedTools({"look": (first, second)}, "null")
    answer(
        tools, call("look", {"id": "B"}, id="c0"), call("look", {"id": "A"}, id="c1"), call("other", id="c2")
    )
    assert tools.answered == [("look", "c0", second), ("look", "c1", first), ("other", "c2", None)]
