"""Lines of a report: one set of words, plain or coloured."""

from __future__ import annotations

import re

import pytest

from dryfire_action.reports.lines import Line, as_styled, as_text, line, padded

LINES = (
    line(("bad", "bad"), " and ", ("good", "good"), indent=2),
    line(),
    line("wörd " * 12, indent=4),
    line("copy " * 20, indent=2, whole=True),
)


def test_plain_text_has_no_codes_and_no_blanks_at_the_end() -> None:
    text = as_text(LINES)
    assert "\x1b" not in text
    assert all(row == row.rstrip() for row in text.splitlines())


def test_colours_change_no_word() -> None:
    coloured = as_styled(LINES, width=200, colour=True)
    assert "\x1b[1;31mbad\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == as_text(LINES)
    assert as_styled(LINES, width=200, colour=False) == as_text(LINES)


def test_long_lines_are_wrapped_under_their_indent() -> None:
    rows = as_styled([LINES[2]], width=30, colour=False).splitlines()
    assert len(rows) > 1
    assert all(row.startswith("    w") and len(row) <= 30 for row in rows)


def test_what_is_wrapped_may_hang() -> None:
    rows = as_styled([line("- ", "word " * 12, indent=2, hang=2)], width=30, colour=False).splitlines()
    assert rows[0].startswith("  - word")
    assert len(rows) > 1
    assert all(re.match(r"    word", row) and len(row) <= 30 for row in rows[1:])


def test_a_line_of_blanks_is_an_empty_line() -> None:
    assert as_styled([line("  ", ("", "old"), indent=3)], width=30, colour=True) == "\n"


def test_a_line_to_be_copied_stays_whole() -> None:
    assert as_styled([LINES[3]], width=30, colour=False).splitlines() == ["  " + ("copy " * 20).rstrip()]


@pytest.mark.parametrize("text", ["[bold]x[/bold]", ":smile:", "\\[x]", "http://example.com 42 'q'"])
def test_text_is_no_markup(text: str) -> None:
    assert as_styled([line(text)], width=80, colour=True) == f"{text}\n"


@pytest.mark.parametrize(
    "pieces", [("::error::x",), ("  ", "::error::x"), (":", ":error::x"), ("##[error]x",)]
)
def test_no_line_is_a_command_to_a_log_viewer(pieces: tuple[str, ...]) -> None:
    for text in (as_text([line(*pieces)]), as_styled([line(*pieces)], width=80, colour=True)):
        assert not text.lstrip().startswith("::")
        assert "##[" not in text


def test_padding_counts_the_columns_of_a_terminal() -> None:
    assert padded("退款", 6) == "退款  "
    assert padded("long", 2) == "long"


def test_a_line_is_a_value() -> None:
    assert line("a", ("b", "dim"), indent=1) == Line((("a", ""), ("b", "dim")), 1)


@pytest.mark.parametrize("colour", [False, True])
def test_no_secret_stands_on_a_terminal_in_full(colour: bool) -> None:
    secret = "sk-" + "ant-api03-" + "q7" * 48
    lines = [line("  actual  ", (f"key {secret[:9]}", "bad"), (f"{secret[9:]} end", "dim"), indent=2)]
    for shown in (as_text(lines), as_styled(lines, width=200, colour=colour)):
        assert "q7q7" not in shown
        assert "actual  key ***" in shown and "*** end" in shown
