"""Values that know where they stand, and readers that complain with the place."""

from __future__ import annotations

import pytest

from dryfire_action.errors import Place, SpecError
from dryfire_action.node import (
    Node,
    Problems,
    boolean,
    choice,
    did_you_mean,
    integer,
    mapping,
    number,
    root_of,
    texts,
)
from dryfire_action.yaml_io import read_document


def node_of(text: str, *path: str | int) -> Node:
    node = root_of(read_document(text, "a.yaml"))
    for step in path:
        node = node.child(step)
    return node


def test_a_node_knows_its_value_its_key_and_its_path() -> None:
    node = node_of("a:\n  - b: c\n", "a", 0, "b")
    assert (node.value, node.path) == ("c", ("a", 0, "b"))
    assert (node.place, node.home) == (Place("a.yaml", 2, 8), Place("a.yaml", 2, 5))
    item = node_of("a:\n  - b: c\n", "a", 0)
    assert item.place == item.home == Place("a.yaml", 2, 5)
    assert [child.value for child in node_of("[1, {a: 2}]").children()] == [1, {"a": 2}]


def test_problems_are_sorted_and_each_stands_once() -> None:
    problems = Problems()
    problems.add(node_of("a: 1\nb: 2", "b"), "second")
    problems.add(node_of("a: 1\nb: 2", "a"), "first")
    problems.add(node_of("a: 1\nb: 2", "b"), "second")
    assert [found.message for found in problems.sorted] == ["first", "second"]
    assert len(problems) == 2
    with pytest.raises(SpecError):
        problems.stop()


@pytest.mark.parametrize(
    ("word", "options", "hint"),
    [
        ("moed", ["mode", "dir"], "Did you mean 'mode'?"),
        ("MODE", ["mode", "dir"], "Did you mean 'mode'?"),
        ("produkt", ["PRODUCT"], "Did you mean 'PRODUCT'?"),
        ("zzz", ["mode", "dir"], "Known: dir, mode."),
        ("zzz", [], ""),
        ("zzz", [f"option{n}" for n in range(99)], ""),
        ("x" * 10_000_000, ["mode"], "Known: mode."),
    ],
)
def test_a_guess_or_the_list(word: str, options: list[str], hint: str) -> None:
    assert did_you_mean(word, options) == hint


def test_a_missing_key_that_was_misspelt_is_one_problem() -> None:
    problems = Problems()
    mapping(node_of("{nmae: x}"), problems, ("name", "cases"), required=("name", "cases"), what="a suite")
    assert [found.message for found in problems.sorted] == [
        "a suite needs the key 'cases'",
        "unknown key 'nmae' in a suite",
    ]


@pytest.mark.parametrize(
    ("written", "value"),
    [("3", 3), ("3.0", 3), ("'3'", 3), ("' 3 '", 3), ("'3.0'", 3), ("-2", -2), ("0x10", 16), ("1e3", 1000)],
)
def test_1_1_whole_numbers(written: str, value: int) -> None:
    problems = Problems()
    found = integer(node_of(written), problems)
    assert (found, type(found), len(problems)) == (value, int, 0)


@pytest.mark.parametrize("written", ["3.5", "x", "true", "null", "[]", "''", "'1e999'", "'nan'"])
def test_what_is_no_whole_number(written: str) -> None:
    problems = Problems()
    assert integer(node_of(written), problems, least=1) == 1
    assert len(problems) == 1


@pytest.mark.parametrize(("written", "value"), [("3", 3.0), ("0.5", 0.5), ("'0.5'", 0.5), ("'1e-3'", 0.001)])
def test_1_1_numbers(written: str, value: float) -> None:
    problems = Problems()
    found = number(node_of(written), problems)
    assert (found, type(found), len(problems)) == (value, float, 0)


@pytest.mark.parametrize("written", ["x", "true", "null", "{}", "'inf'", "'nan'", "9" * 400])
def test_what_is_no_number(written: str) -> None:
    problems = Problems()
    assert number(node_of(written), problems) == 0.0
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("no", False),
        ("'Yes'", True),
        ("on", True),
        ("1", True),
        ("0", False),
        ("'false'", False),
    ],
)
def test_yes_and_no(written: str, value: bool) -> None:
    problems = Problems()
    assert boolean(node_of(written), problems) is value
    assert len(problems) == 0


def test_a_wrong_word_is_the_first_of_the_choice() -> None:
    problems = Problems()
    assert choice(node_of("x"), problems, ("a", "b")) == "a"
    assert choice(node_of("b"), problems, ("a", "b")) == "b"
    assert texts(node_of("[a, 1]"), problems, "tags") == ["a", ""]
    assert len(problems) == 2
