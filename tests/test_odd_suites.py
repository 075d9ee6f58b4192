"""Suites that nobody would write: each loads or is refused with places, and nothing else happens."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.errors import SpecError
from dryfire_action.problems_text import format_problems
from dryfire_action.suite_file import load_suites
from dryfire_action.tree import TreeError
from tests.memory_tree import CONFIG, SUITE, MemoryTree, load, problems_of

FULL = """\
name: full
description: everything
tags: [a]
provider: fake
model: m
params: {max_tokens: 5}
temperature: 0.5
on_unmocked: null
repeat: 2
require_pass_rate: 0.5
allow_unfinished: true
system: {$ref: p.md}
tools:
  - {name: lookup, description: "of ${N}", input_schema: {type: object}}
mocks:
  lookup:
    - {when: {a: 1}, return: {b: [1, 2]}}
    - sequence: [{return: 1}, {error: x}]
    - {impl: "a.b:c", timeout_s: 3}
cases:
  - name: one
    input: [{role: user, content: hi}, {role: assistant, tool_calls: [{id: c, name: lookup, arguments: {}}]}]
    script: [{text: a}, {tool_call: {name: lookup}}, {parallel: [{name: lookup}]}, {fails: {message: m, status: 500}}]
    expect:
      - calls_tool: {tool: lookup, count: 1}
      - tool_args: {tool: lookup, match: {a: 1}, any: true}
      - final_matches: a+
      - final_json: {required: [a], fields: {a: int}, schema: {type: object}}
      - parallel_calls: [lookup, lookup]
"""
FILES = {CONFIG: "version: 1\nenv: {N: x}\n", "evals/p.md": "Be kind.\n"}


def test_the_full_suite_is_valid() -> None:
    assert load(FULL, FILES).cases[0].repeat == 2


PIECES = st.sampled_from(
    [
        *(
            "{}",
            "[]",
            "null",
            "x",
            "5",
            "true",
            "1.5",
            ".inf",
            "0x",
            "9" * 400,
            "é",
            "\x01",
            "\t",
            "\n",
            "  ",
        ),
        *("'${N}'", "${M}", "{$ref: p.md}", "{$ref: ../x.md}", "*a", "&a x", "!x y", "<<: {a: 1}"),
        *("- ", ": ", "'", '"', "|", ">", "#", "name", "[1, {a: b}]", "{a: {b: [c]}}"),
    ]
)


@given(st.lists(st.tuples(st.integers(0, len(FULL)), st.integers(0, 12), PIECES), min_size=1, max_size=4))
@settings(max_examples=400)
def test_a_mutated_suite_loads_or_is_a_spec_error(changes: list[tuple[int, int, str]]) -> None:
    text = FULL
    for start, length, piece in changes:
        text = text[:start] + piece + text[start + length :]
    _loads_or_says_why(text)


@given(st.integers(0, FULL.count("\n") - 1), PIECES, st.sampled_from(["{}", "[]", "{input: 1}"]))
@settings(max_examples=300)
def test_a_suite_with_another_value_somewhere_loads_or_is_a_spec_error(
    line: int, piece: str, other: str
) -> None:
    lines = FULL.splitlines()
    head, colon, _ = lines[line].partition(": ")
    lines[line] = f"{head}{colon}{piece if colon else other}"
    _loads_or_says_why("\n".join(lines))


@given(st.text(max_size=200) | st.binary(max_size=200))
@settings(max_examples=200)
def test_any_text_at_all_is_a_suite_or_a_spec_error(text: str | bytes) -> None:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    _loads_or_says_why(data)


@given(st.text(max_size=120))
@settings(max_examples=150)
def test_any_config_at_all_is_a_config_or_a_spec_error(text: str) -> None:
    _loads_or_says_why(FULL, {**FILES, CONFIG: text.encode("utf-8", "surrogatepass")})


def _loads_or_says_why(text: str | bytes, files: dict[str, Any] = FILES) -> None:
    tree = MemoryTree({**files, SUITE: text})
    try:
        load_suites(tree, [SUITE])
    except (SpecError, TreeError) as error:
        shown = format_problems(error.problems) if isinstance(error, SpecError) else str(error)
        assert shown
        assert shown.replace("\n", "").isprintable()


def _many(number: int) -> str:
    cases = "".join(f"  - {{name: c{case}, input: x, expect: []}}\n" for case in range(number))
    return f"cases:\n{cases}"


def test_a_suite_of_too_many_cases_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dryfire_action.suite_file.MAX_CASES", 3)
    assert len(load("name: s\n" + _many(3)).cases) == 3
    [found] = problems_of("name: s\n" + _many(4))
    assert (found.place.line, found.message) == (2, "the suite has 4 cases, and the limit is 3")


def test_too_many_cases_in_all_are_named_at_the_suite_that_is_one_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dryfire_action.suite_file.MAX_CASES_OF_ALL", 5)
    tree = MemoryTree({f"evals/{name}.eval.yaml": f"name: {name}\n{_many(3)}" for name in "ab"})
    with pytest.raises(SpecError) as caught:
        load_suites(tree, ["evals/*"])
    [found] = caught.value.problems
    assert (found.place.file, found.message) == (
        "evals/b.eval.yaml",
        "with this suite there are more than 5 cases",
    )
