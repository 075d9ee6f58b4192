"""Foreign text in markdown: whatever it says, it is shown and does nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.reports.markdown_text import code, fence, html_code, one_line, pasteable, prose

HOSTILE = [
    "@everyone",
    "</details> <img src=x onerror=alert(1)>",
    "<!-- dryfire-action:v1 -->",
    "a `b` ``c``",
    "`",
    "``` diff",
    "| a | b |",
    "\\| a",
    "#1 GH-2 owner/repo#3 https://example.com",
    "[link](https://example.com) ![image](x)",
    "two\nlines\r\nand\u2028three",
    "\u202eright to left",
    "\x1b[31m\x00",
    "::error::now",
    "##[group]",
    "~~~",
    "",
    "   ",
    " both ",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("cell", [False, True])
def test_a_code_span_is_one_span_on_one_line(text: str, cell: bool) -> None:
    span = code(text, cell=cell)
    assert "\n" not in span
    assert "<!--" not in span
    marks = re.match(r"`+", span)
    assert marks
    inner = span[len(marks[0]) : -len(marks[0])]
    assert span.endswith(marks[0])
    assert marks[0] not in re.findall(r"`+", inner)
    assert not inner.startswith("`")
    assert not inner.endswith("`")
    if cell:
        assert not re.search(r"(?<!\\)\|", span)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("`|\\ \na<!-@"), max_size=12))
def test_no_text_ends_its_code_span(text: str) -> None:
    test_a_code_span_is_one_span_on_one_line(text, cell=False)
    test_a_code_span_is_one_span_on_one_line(text, cell=True)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("`~ \n\r\t-+>#a"), max_size=20))
def test_no_text_ends_its_fence(text: str) -> None:
    first, *rows, last = fence(text, "diff").split("\n")
    assert first == f"{last}diff"
    assert set(last) == {"`"}
    assert len(last) >= 3
    assert all(last not in row for row in rows)
    assert len(rows) == text.count("\n") + 1


def test_a_long_fence_is_cut_with_a_count() -> None:
    text = "\n".join(f"+ {number}" for number in range(30))
    rows = fence(text, most_lines=12).split("\n")
    assert rows[13] == "  … 18 more lines"
    assert len(rows) == 15
    assert "more lines" not in fence("\n".join("ab" * 6 + "a"), most_lines=12)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("numerically equal, written differently", "numerically equal, written differently"),
        ("equal after Unicode normalisation; only a date differs", None),
        ("asked for with --model on the command line", None),
        ("see @someone", "`see @someone`"),
        ("in #12", "`in #12`"),
        ("GH-12", "`GH-12`"),
        ("as in 0123abc", "`as in 0123abc`"),
        ("<b>", "`<b>`"),
        ("a_b_c", "`a_b_c`"),
        ("www.example.com", "`www.example.com`"),
        ("*a*", "`*a*`"),
    ],
)
def test_only_plain_words_stand_outside_of_code(text: str, shown: str | None) -> None:
    assert prose(text) == (text if shown is None else shown)


def test_in_a_summary_text_is_html() -> None:
    assert html_code("</summary><b>`x` & |") == "<code>&lt;/summary&gt;&lt;b&gt;`x` &amp; |</code>"


def test_nothing_is_hidden() -> None:
    assert one_line("a\u202e\u200b\x07<!-- b") == "a\\u202e\\u200b\\x07<\\x21-- b"
    assert code("") == "`⟨empty⟩`"
    assert code("  ") == "`  ⟨2 blanks⟩`"
    assert code("x" * 300) == f"`{'x' * 200}… (100 more characters)`"


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("", []),
        (
            "dryfire run evals/a.eval.yaml evals/b.eval.yaml --cassette-mode auto",
            ["dryfire run evals/a.eval.yaml evals/b.eval.yaml --cassette-mode auto"],
        ),
        (
            "dryfire run a.yaml --cassette-mode auto && "
            "dryfire run b.yaml --case 'refunds::two orders' --cassette-mode record",
            [
                "dryfire run a.yaml --cassette-mode auto",
                "dryfire run b.yaml --case 'refunds::two orders' --cassette-mode record",
            ],
        ),
        ("dryfire run 'x$(id)`.yaml' --cassette-mode auto", ["dryfire run --cassette-mode auto"]),
        ("dryfire run 'a b.yaml' c.yaml --cassette-mode auto", ["dryfire run --cassette-mode auto"]),
        ("dryfire run 'a b.yaml' --cassette-mode record", []),
        ("dryfire run a.yaml --case 's::x\"; rm -rf ~' --cassette-mode record", []),
        ('dryfire run a.yaml --case "s::it\'s" --cassette-mode record', []),
        (
            "dryfire run a.yaml --model m-1 --cassette-mode auto",
            ["dryfire run a.yaml --model m-1 --cassette-mode auto"],
        ),
        ("dryfire run a.yaml --json-out /etc/passwd", []),
        ("dryfire run a.yaml --cassette-mode off", []),
        ("dryfire prune --yes", []),
        ("rm -rf / && dryfire run a.yaml --cassette-mode auto", ["dryfire run a.yaml --cassette-mode auto"]),
        ("dryfire run 'a", []),
        ("dryfire run \u202ea.yaml --cassette-mode auto", ["dryfire run --cassette-mode auto"]),
        (
            "pytest t/test_a.py::TestB::test_c t/b.py --cassette-mode auto",
            ["pytest t/test_a.py::TestB::test_c t/b.py --cassette-mode auto"],
        ),
        ("pytest 't/a b.py::test_c' --cassette-mode auto", ["pytest --cassette-mode auto"]),
        ("pytest -p evil --cassette-mode auto", ["pytest --cassette-mode auto"]),
        ("pytest t.py::test_c --cassette-mode record", []),
        ("pytest t.py", []),
    ],
)
def test_only_what_is_safe_to_paste_is_a_command(command: str, lines: list[str]) -> None:
    assert pasteable(command) == lines
