"""A parsed file as plain data that knows the place of every value in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dryfire_action.errors import Place

if TYPE_CHECKING:
    from dryfire_action.messages import JsonValue

    Path = tuple[str | int, ...]


class Mark(NamedTuple):
    """Where a value stands (from 0), and the marks of what is in it: by key in a map, by index in a list."""

    line: int
    column: int
    inside: Any = None


class KeyMark(NamedTuple):
    """Where a key stands (from 0), and the mark of its value."""

    line: int
    column: int
    value: Mark


@dataclass(frozen=True, slots=True)
class Document:
    """One file as plain data. ``file`` is its path as shown to people, ``value`` its content.

    ``weight`` counts its values with every alias written out; ``dollars`` says that some text holds ``${``.
    """

    file: str
    value: JsonValue
    mark: Mark
    lines: tuple[str, ...] = field(repr=False)
    weight: int = 1
    dollars: bool = False

    def place(self, path: Path = (), *, key: bool = False) -> Place:
        """Where the value at ``path`` stands, or with ``key`` the key it stands under.

        A path that does not exist gives the place of its deepest part that does. A block text begins where
        its ``|`` is, on the line of its key.
        """
        mark, line, column = self.mark, self.mark.line, self.mark.column
        for step in path:
            try:
                found = mark.inside[step]
            except (KeyError, IndexError, TypeError):
                break
            mark = found.value if isinstance(found, KeyMark) else found
            line, column = (found if key else mark)[:2]
        return Place(self.file, line + 1, column + 1)

    def source_line(self, line: int) -> str:
        """The text of a line, counted from 1; "" where there is none."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""
