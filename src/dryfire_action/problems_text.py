"""Problems as text: the place, the line with a caret under what is meant, and what to do."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from dryfire_action.fingerprint import dotted
from dryfire_action.redact import find_in_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dryfire_action.errors import Problem

_WIDTH = 100
_BEFORE_CARET = 70


def format_problems(problems: Iterable[Problem]) -> str:
    """All problems, one block each, with an empty line between two; no line end at the end.

    What stands in a file is shown printable and without secrets: neither an escape sequence in a suite nor a key that
    was pasted into it must reach a terminal or a log.
    """
    return "\n\n".join(format_problem(problem) for problem in problems)


def format_problem(problem: Problem) -> str:
    """One problem as a few lines: ``file:line:column: message``, the path of keys, the source line, the hint."""
    lines = [f"{printable(str(problem.place))}: {printable(_without_secrets(problem.message))}"]
    if problem.path:
        lines.append(f"  at {printable(_without_secrets(path_text(problem.path)))}")
    if problem.source_line.strip():
        margin = str(problem.place.line)
        shown, caret = _window(_without_secrets(problem.source_line), problem.place.column)
        lines.append(f"  {margin} | {shown}")
        lines.append(f"  {' ' * len(margin)} | {' ' * caret}^")
    if problem.hint:
        lines.append(f"  {printable(_without_secrets(problem.hint))}")
    return "\n".join(lines)


def path_text(path: Iterable[str | int]) -> str:
    """A path of keys as people write it: ``cases[0].expect[1].calls_tool``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else dotted(step) for step in path)
    return text.removeprefix(".")


def printable(text: str) -> str:
    """``text`` on one line, with everything that is no visible character or space written as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _without_secrets(text: str) -> str:
    """``text`` with a star for each character of a secret, so that a caret still points to where it did."""
    for span in find_in_text(text):
        text = f"{text[: span.start]}{'*' * (span.end - span.start)}{text[span.end :]}"
    return text


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of ``line`` around a column (from 1), and how many cells stand before that column in it."""
    before, after = line[: column - 1].replace("\t", " "), line[column - 1 :].replace("\t", " ")
    head = printable(before)
    if len(head) > _BEFORE_CARET:
        head = "..." + head[3 - _BEFORE_CARET :]
    tail = printable(after)
    if len(head) + len(tail) > _WIDTH:
        tail = tail[: _WIDTH - len(head) - 3] + "..."
    return (head + tail).rstrip(), sum(map(_cells, head))


def _cells(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
