"""How a report in markdown is to be shown: where its links lead, and how much of it there is room for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from dryfire_action.reports.markdown_text import code
from dryfire_action.reports.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from dryfire_action.reports.links import Links

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Size:
    """How much is shown: None is all of it.

    ``causes`` is how many of them, ``suites`` how many a cause lists, ``names`` how many cases of each. ``rows`` is for
    every other list, ``turns`` for the table of turns. ``lines`` is for a diff, which may be ``only_changed`` lines,
    and ``characters`` for a line of it.
    """

    causes: int | None = None
    suites: int | None = None
    names: int | None = None
    rows: int | None = None
    turns: int | None = 500
    lines: int | None = 12
    characters: int = 2_000
    only_changed: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """``links`` None: places stand without a link, as in a file that is read anywhere."""

    links: Links | None = None
    size: Size = Size()

    def place(self, place: Mapping[str, Any]) -> str:
        """``file:line`` of a place of the document, linked where links are known."""
        if self.links:
            return self.links.place(place["file"], place["line"])
        return code(f"{place['file']}:{place['line']}" if place["line"] else place["file"])

    def commit(self, oid: str) -> str:
        """A commit by the first letters of its id."""
        return self.links.commit(oid) if self.links else code(oid[:7])


def shortened(items: Iterable[str], most: int | None, noun: str) -> list[str]:
    """``items``, which are lines of a list, or the first ``most`` of them and a count of the rest."""
    rows = list(items)
    if most is None or len(rows) <= most:
        return rows
    return [*rows[:most], f"- … and {count(len(rows) - most, f'more {noun}')}"]


def first(names: Sequence[_T], most: int | None) -> tuple[Sequence[_T], str]:
    """The first ``most`` of ``names``, and the words for the rest: "" or ``… and 30 more``."""
    if most is None or len(names) <= most:
        return names, ""
    return names[:most], f"… and {len(names) - most:,} more"


def folded(summary: str, body: str, *, is_open: bool = False) -> str:
    """A block that is opened by a click; ``summary`` is HTML, ``body`` markdown between blank lines."""
    start = "<details open>" if is_open else "<details>"
    return f"{start}<summary>{summary}</summary>\n\n{body}\n\n</details>"
