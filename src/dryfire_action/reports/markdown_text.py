"""Foreign text in GitHub's markdown: it is shown, and is nothing else.

Names, paths, diffs and messages come from files that anybody can change in a pull request. They stand in code spans,
in fences, or as HTML text inside ``<summary>``, where no mention, link, reference to an issue, image, HTML tag or
comment marker can begin. What cannot be seen is escaped.
"""

from __future__ import annotations

import re
import shlex
from html import escape
from typing import TYPE_CHECKING

from dryfire_action.visible import cut, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

_BACKTICKS = re.compile(r"`+")
# Words and plain punctuation, of which nothing can be made: no mark, no address, no reference, no item of a list.
_PLAIN = re.compile(r"(?!\d+\))[A-Za-z0-9'(][A-Za-z0-9 ,;:'()=-]*\Z")
# A commit is linked wherever its id stands, and issues by their number; a word between colons is drawn as a picture.
_MADE = re.compile(r"\b[0-9a-f]{7,}\b|\bGH-\d|:[\w-]+:", re.IGNORECASE)
_MOST_NAME = 200
# What a path may be made of where it is to be pasted into a shell, whatever the shell is.
_PATH = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9._/-]*\Z")
_CASE = re.compile(r"[^\W_][\w .,:;@()/+=-]*\Z")
_TEST = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9._/-]*(?:::[A-Za-z0-9_]+)*\Z")
_PATHLESS_OPTIONS = {"--cassette-mode": {"auto", "record"}}


def one_line(text: str) -> str:
    """``text`` on one line, with what cannot be seen escaped, and nothing in it that begins a comment of HTML."""
    return visible(text).replace("<!--", "<\\x21--")


def code(text: str, *, cell: bool = False, most: int = _MOST_NAME) -> str:
    """A code span. ``cell`` is for a cell of a table, where a bar needs a backslash even in code."""
    shown = cut(one_line(text), most)
    if cell:
        # A backslash before a bar would be taken with it.
        shown = shown.replace("\\|", "\\x5c|").replace("|", "\\|")
    if not shown.strip():
        # A code span of blanks is none; and nothing at all has no code span.
        return f"`{shown}⟨{len(shown)} blanks⟩`" if shown else "`⟨empty⟩`"
    marks = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(shown)), default=0))
    # Markdown takes one blank away from both ends, if there is one at both.
    padded = shown.startswith("`") or shown.endswith("`") or (shown.startswith(" ") and shown.endswith(" "))
    gap = " " if padded else ""
    return f"{marks}{gap}{shown}{gap}{marks}"


def html_code(text: str, *, most: int = _MOST_NAME) -> str:
    """The same where markdown does not count, as in a ``<summary>``."""
    return f"<code>{escape(cut(one_line(text), most))}</code>"


def prose(text: str) -> str:
    """A sentence that is ours if it holds words only; as soon as there may be more in it, it is shown as code."""
    return text if _PLAIN.match(text) and not _MADE.search(text) else code(text, most=1000)


def fence(
    text: str, language: str = "", *, most_lines: int | None = None, most_characters: int | None = None
) -> str:
    """A fenced block that nothing in ``text`` can end.

    Of more than ``most_lines`` lines the first are shown, and of a line the first ``most_characters``.
    """
    rows = [one_line(row) if row.strip() else "" for row in text.split("\n")]
    if most_characters is not None:
        rows = [cut(row, most_characters) for row in rows]
    if most_lines is not None and len(rows) > most_lines + 1:
        rest = len(rows) - most_lines
        rows = [*rows[:most_lines], f"  … {rest:,} more lines"]
    marks = "`" * max(3, 1 + max((len(run) for row in rows for run in _BACKTICKS.findall(row)), default=0))
    return "\n".join((f"{marks}{language}", *rows, marks))


def is_safe_path(path: str) -> bool:
    """Whether a path can be pasted into any shell as it is, and is taken for a path there."""
    return bool(_PATH.match(path))


def pasteable(command: str) -> list[str]:
    """``command`` as lines that are safe to copy into a shell, whoever wrote the names in it.

    It must be calls of ``dryfire run`` that name suites and cases, or of ``pytest`` that name tests. A path with
    anything but letters, digits and ``. _ / -`` is left out, and all suites are meant then; a call that could record
    more than it did is left out.
    """
    return [line for part in command.split(" && ") if (line := _pasteable(part))] if command else []


def _pasteable(command: str) -> str:
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    if words[:1] == ["pytest"]:
        return _pytest(words[1:])
    if words[:2] != ["dryfire", "run"]:
        return ""
    paths, options = _parts(words[2:])
    if options is None:
        return ""
    if not all(map(is_safe_path, paths)):
        if "record" in options:
            return ""
        paths = []
    return shlex.join(("dryfire", "run", *paths, *options))


def _pytest(words: list[str]) -> str:
    """The command of the pytest plugin; without its tests where one is not safe, because ``auto`` records no more."""
    tests, mode = words[:-2], words[-2:]
    if mode != ["--cassette-mode", "auto"]:
        return ""
    return shlex.join(("pytest", *(tests if all(map(_TEST.match, tests)) else ()), *mode))


def _parts(words: Iterable[str]) -> tuple[list[str], list[str] | None]:
    """The paths, and the options with their values; None for these where one is not known or not safe."""
    paths: list[str] = []
    options: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            paths.append(word)
            continue
        value = next(rest, "")
        known = _PATHLESS_OPTIONS.get(word)
        safe = value in known if known else word in ("--case", "--model") and bool(_CASE.match(value))
        if not safe:
            return paths, None
        options += [word, value]
    return paths, options
