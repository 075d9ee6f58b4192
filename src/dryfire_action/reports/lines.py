"""Lines of a report with the meaning of their parts: plain text anywhere, colours on a terminal, the same words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dryfire_action.redact import REVIEW_RULES, find_in_text
from dryfire_action.secret_signs import shows_nothing
from dryfire_action.visible import harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Style = Literal["", "good", "bad", "warn", "dim", "strong", "old", "new", "old word", "new word"]

_COLOURS: dict[Style, str] = {
    "": "",
    "good": "green",
    "bad": "bold red",
    "warn": "yellow",
    "dim": "dim",
    "strong": "bold",
    "old": "red",
    "new": "green",
    "old word": "bold red underline",
    "new word": "bold green underline",
}

_RULES = REVIEW_RULES.outside_recordings()
_SHORTEST_SECRET = 12
# What the layout fills lines up with, before or after the code that ends a colour.
_TRAILING = re.compile(r" +(?=(?:\x1b\[0m)?\n)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: pieces of text with a style each, ``indent`` columns from the left.

    ``whole`` lines are never wrapped: they are there to be copied. Of any other, what is wrapped stands ``hang``
    columns further to the right.
    """

    pieces: tuple[tuple[str, Style], ...] = ()
    indent: int = 0
    whole: bool = False
    hang: int = 0

    @property
    def text(self) -> str:
        """The line as plain text, without blanks at its end."""
        words = _shown("".join([text for text, _ in self.pieces]))
        return (" " * self.indent + words).rstrip()


def with_shown_path(text: str, path: str, shown_path: Callable[[str], str]) -> str:
    """A message that begins with ``path``, a path of the tree, with the one to show in its place."""
    return shown_path(path) + text.removeprefix(path) if path and text.startswith(f"{path}:") else text


def line(*pieces: str | tuple[str, Style], indent: int = 0, whole: bool = False, hang: int = 0) -> Line:
    """A line from texts and ``(text, style)`` pairs."""
    return Line(
        tuple([(piece, "") if isinstance(piece, str) else piece for piece in pieces]), indent, whole, hang
    )


def columns(text: str) -> int:
    """How many columns of a terminal ``text`` takes; wide characters take two."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, width: int) -> str:
    """``text`` with blanks up to ``width`` terminal columns."""
    return text + " " * (width - columns(text))


def as_text(lines: Iterable[Line]) -> str:
    """The lines as plain text, each with a newline."""
    return "".join(f"{item.text}\n" for item in lines)


def as_styled(lines: Iterable[Line], *, width: int, colour: bool) -> str:
    """The lines for a terminal of ``width`` columns: wrapped under their indent, coloured if ``colour``."""
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    written = StringIO()
    console = Console(
        file=written,
        width=width,
        force_terminal=True,
        no_color=not colour,
        color_system="standard" if colour else None,
        highlight=False,
        legacy_windows=False,
        emoji=False,
        markup=False,
    )
    for item in lines:
        text = Text(overflow="fold", no_wrap=item.whole)
        for words, style in _guarded(item).pieces:
            text.append(words, style=_COLOURS[style] if colour else "")
        text.rstrip()
        if not text.plain:
            console.print()
        elif item.whole:
            console.print(Text(" " * item.indent) + text, soft_wrap=True)
        else:
            rows = text.wrap(console, max(width - item.indent - item.hang, 1))
            for number, row in enumerate(rows):
                left = item.indent + (item.hang if number else 0)
                console.print(Text(" " * left) + row, soft_wrap=True)
    return _TRAILING.sub("", written.getvalue())


def _guarded(item: Line) -> Line:
    """The line as ``Line.text`` has it, in one unstyled piece where that differs from its pieces."""
    words = "".join(text for text, _ in item.pieces)
    shown = _shown(words)
    return item if shown == words else replace(item, pieces=((shown, ""),))


def _shown(words: str) -> str:
    """``words`` as they may stand on a terminal, which may be the log of a job that strangers read.

    A secret is shown as stars: what was restored from a request, or stands in a script, was never redacted. Addresses
    and numbers of people are not looked for here: they are what a report to its author is about.
    """
    # Nothing shorter is a secret of any rule's, and most lines are short.
    if len(words) > _SHORTEST_SECRET and not shows_nothing(words, _RULES.plan):
        for span in find_in_text(words, rules=_RULES):
            words = f"{words[: span.start]}{'*' * (span.end - span.start)}{words[span.end :]}"
    return harmless(words)
