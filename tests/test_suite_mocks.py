"""Mocks as a suite writes them."""

from __future__ import annotations

import sys

import pytest

from dryfire_action.errors import Place
from dryfire_action.suite import Fail, Impl, Return, Steps
from tests.memory_tree import SUITE, load, load_case, problem_of, problems_of, with_case


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("return: x", Return("x")),
        ("return: {a: {b: [1]}}", Return({"a": {"b": [1]}})),
        ("return: null", Return(None)),
        ("return: ", Return(None)),
        ("return: [1, x]", Return([1, "x"])),
        ("return: 5", Return(5)),
        ("return: 5.5", Return(5.5)),
        ("return: true", Return(True)),
        ("return: 2026-01-01", Return("2026-01-01")),
        ("return: {error: x}", Return({"error": "x"})),
        ("error: no such order", Fail("no such order")),
        ("sequence: [{return: 1}, {error: x}, {return: null}]", Steps((Return(1), Fail("x"), Return(None)))),
        ("impl: 'shop.tools:lookup'", Impl("shop.tools:lookup", 30.0)),
        ("impl: 'tools:Shop.lookup'", Impl("tools:Shop.lookup")),
        ("{impl: 'a:b', timeout_s: 5}", Impl("a:b", 5.0)),
        ("{impl: 'a:b', timeout_s: '0.5'}", Impl("a:b", 0.5)),
    ],
)
def test_1_6_answers(written: str, answer: object) -> None:
    rule = written if written.startswith("{") else f"{{{written}}}"
    [found] = load_case(f"mocks: {{t: [{rule}]}}").mocks["t"]
    assert found.answer == answer
    assert repr(found.answer) == repr(answer)
    assert found.when is None


@pytest.mark.parametrize(
    ("written", "when"), [("{a: {b: null}}", {"a": {"b": None}}), ("{}", {}), ("null", None)]
)
def test_1_6_when_is_a_map_or_nothing(written: str, when: object) -> None:
    [rule] = load_case(f"mocks: {{t: [{{when: {written}, return: 1}}]}}").mocks["t"]
    assert rule.when == when


def test_1_6_a_cases_list_replaces_the_suites_whole_list_for_that_tool() -> None:
    suite = "mocks:\n  a: [{return: 1}, {return: 2}]\n  b: [{return: 3}]"
    case = load_case("mocks: {a: [{return: 4}]}", suite)
    assert [rule.answer for rule in case.mocks["a"]] == [Return(4)]
    assert [rule.answer for rule in case.mocks["b"]] == [Return(3)]
    assert {path: place.line for path, place in case.places.items() if path.startswith("mocks")} == {
        "mocks[a][0]": 10,
        "mocks[b][0]": 4,
    }
    assert load_case("mocks: {a: []}", suite).mocks["a"] == ()


def test_a_rule_knows_where_it_stands() -> None:
    [first, second] = load_case("", "mocks:\n  'odd name':\n    - return: 1\n    - error: x").mocks[
        "odd name"
    ]
    assert (first.place, second.place) == (Place(SUITE, 4, 7), Place(SUITE, 5, 7))
    assert (first.source, second.source) == (None, None)
    places = load_case("", "mocks:\n  'odd name':\n    - return: 1").places
    assert places['mocks["odd name"][0]'] == Place(SUITE, 4, 7)


def test_an_answer_that_is_a_file_of_its_own_has_the_place_of_the_file() -> None:
    files = {"evals/r.yaml": "a: 1", "evals/n.md": "text", "evals/b.yaml": "$ref: r.yaml"}
    for name, answer, file in (
        ("r.yaml", {"a": 1}, "r.yaml"),
        ("n.md", "text", "n.md"),
        ("b.yaml", {"a": 1}, "r.yaml"),
    ):
        [rule] = load_case("", f"mocks: {{t: [{{return: {{$ref: {name}}}}}]}}", files).mocks["t"]
        assert rule.answer == Return(answer)
        assert rule.source is not None
        assert (rule.place.file, rule.source.file) == (SUITE, f"evals/{file}")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{}", "a mock rule has exactly one of return, error, sequence, impl; this has none"),
        ("{when: {a: 1}}", "a mock rule has exactly one of return, error, sequence, impl; this has none"),
        (
            "{return: 1, error: x}",
            "a mock rule has exactly one of return, error, sequence, impl; this has return and error",
        ),
        ("{retrun: 1}", "unknown key 'retrun' in a mock rule"),
        ("x", "a mock rule must be a map, not text"),
        ("{when: [a], return: 1}", "when must be a map of arguments, not a list"),
        ("{error: 5}", "error must be text, not a number"),
        ("{error: null}", "error must be text, not null"),
        ("{sequence: []}", "a sequence needs at least one step"),
        ("{sequence: {return: 1}}", "sequence must be a list, not a map"),
        ("{sequence: [{}]}", "a step of a sequence has return or error"),
        ("{sequence: [{retrun: 1}]}", "unknown key 'retrun' in a step of a sequence"),
        ("{sequence: [x]}", "a step of a sequence must be a map, not text"),
        ("{impl: tools.lookup}", "impl 'tools.lookup' does not name a function"),
        ("{impl: 'a b:c'}", "impl 'a b:c' does not name a function"),
        ("{impl: 'os:system(1)'}", "impl 'os:system(1)' does not name a function"),
        ("{impl: 5}", "impl must be text, not a number"),
        ("{impl: 'a:b', timeout_s: 0}", "timeout_s must be more than 0"),
        ("{return: 1, timeout_s: 5}", "timeout_s has no effect without impl"),
    ],
)
def test_1_6_what_is_no_rule_is_an_error(written: str, message: str) -> None:
    found = problem_of(with_case(f"mocks: {{t: [{written}]}}"))
    assert found.message == message
    assert found.place.line == 8
    assert found.path[:5] == ("cases", 0, "mocks", "t", 0)


@pytest.mark.parametrize("written", ["[]", "{t: {return: 1}}", "{t: null}"])
def test_1_6_mocks_are_lists_of_rules_by_tool(written: str) -> None:
    [found] = problems_of(with_case(f"mocks: {written}"))
    assert "must be a" in found.message


def test_a_step_with_both_return_and_error_is_the_error_with_a_warning() -> None:
    suite = load(
        with_case("mocks: {t: [{sequence: [{return: 1, error: x}]}]}", "tools: [{name: t, input_schema: {}}]")
    )
    assert suite.cases[0].mocks["t"][0].answer == Steps((Fail("x"),))
    assert suite.warnings == ("evals/a.eval.yaml:8:29: a step has both return and error; error is used",)


def test_0_impl_is_only_text_and_makes_a_passthrough_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "antigravity", raising=False)
    case = load_case("mocks: {t: [{return: 1}, {impl: 'antigravity:fly'}]}")
    assert case.passthrough_rule is case.mocks["t"][1]
    assert "antigravity" not in sys.modules


def test_0_a_mock_for_an_undeclared_tool_is_a_warning() -> None:
    suite = load(with_case("mocks: {lookpu: [{return: 1}]}", "tools: [{name: lookup, input_schema: {}}]"))
    assert suite.warnings == (
        "evals/a.eval.yaml:8:13: the mocked tool 'lookpu' is not declared. Did you mean 'lookup'?",
    )
    assert (
        load(
            with_case("mocks: {lookup: [{return: 1}]}", "tools: [{name: lookup, input_schema: {}}]")
        ).warnings
        == ()
    )
