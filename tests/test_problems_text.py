"""Problems as text."""

from __future__ import annotations

import pytest

from dryfire_action.errors import Place, Problem
from dryfire_action.problems_text import format_problem, format_problems, path_text, printable


def test_a_problem_is_its_place_its_line_and_what_to_do() -> None:
    problem = Problem(
        Place("a.yaml", 12, 5),
        "unknown key 'nmae' in a case",
        ("cases", 0, "nmae"),
        "Did you mean 'name'?",
        "  - nmae: x",
    )
    assert format_problem(problem) == (
        "a.yaml:12:5: unknown key 'nmae' in a case\n"
        "  at cases[0].nmae\n"
        "  12 |   - nmae: x\n"
        "     |     ^\n"
        "  Did you mean 'name'?"
    )


def test_what_is_not_known_is_left_out() -> None:
    problem = Problem(Place("a.yaml"), "there is no such file")
    assert format_problem(problem) == "a.yaml:1:1: there is no such file"
    assert format_problems([problem, problem]).count("\n\n") == 1
    assert format_problems([]) == ""


@pytest.mark.parametrize(
    ("line", "column", "shown", "caret"),
    [
        ("\tkey: x", 2, " key: x", 1),
        ("a: 日本 x", 7, "a: 日本 x", 8),
        ("e\u0301: x", 5, "e\u0301: x", 3),
        ("x" * 300, 1, "x" * 97 + "...", 0),
        ("x" * 300, 300, "..." + "x" * 68, 70),
        ("x", 9, "x", 1),
    ],
)
def test_the_caret_stands_under_the_column(line: str, column: int, shown: str, caret: int) -> None:
    lines = format_problem(Problem(Place("a", 1, column), "m", source_line=line)).splitlines()
    assert lines[1] == f"  1 | {shown}"
    assert lines[2] == "    | " + " " * caret + "^"


def test_nothing_of_a_file_reaches_the_terminal_as_a_control_character() -> None:
    evil = "\x1b[2J\u202e\x07"
    problem = Problem(Place(f"a{evil}.yaml"), f"m {evil}", (f"k{evil}",), f"h {evil}", f"line {evil}")
    shown = format_problem(problem)
    assert shown.replace("\n", "").isprintable()
    assert "\\x1b[2J\\u202e\\x07" in shown


def test_paths_and_printable_text() -> None:
    assert path_text(("cases", 0, "a b", "c")) == 'cases[0]["a b"].c'
    assert printable("é 日\n") == "é 日\\n"


def test_a_secret_in_a_suite_is_not_shown_and_the_caret_stays() -> None:
    secret = "sk-" + "ant-api03-" + "q7" * 48
    line = f"  - {{key: {secret}, nmae: x}}"
    problem = Problem(
        Place("a.yaml", 1, line.index("nmae") + 1), f"unknown {secret}", ("a", secret), f"not {secret}?", line
    )
    shown = format_problem(problem)
    assert "q7q7" not in shown
    assert "nmae" in shown
    rows = shown.split("\n")
    assert rows[3].index("^") == rows[2].index("nmae")
