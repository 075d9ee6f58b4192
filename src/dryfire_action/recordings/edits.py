"""Edits of a text: pieces that are replaced, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dryfire_action.json_leaves import LocatedText
from dryfire_action.recordings.json_tree import written


class Edit(NamedTuple):
    """A piece of a text and what is to stand there."""

    start: int
    end: int
    new: str


def apart(edits: Iterable[Edit]) -> list[Edit]:
    """Some edits sorted and without overlaps: of two that meet, the first and longer one counts for both."""
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if found and edit.start < found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, edit.end))
        elif not found or edit[:2] != found[-1][:2]:
            found.append(edit)
    return found


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with some edits made."""
    parts: list[str] = []
    at = 0
    for start, end, new in apart(edits):
        parts += [text[at:start], new]
        at = end
    return "".join((*parts, text[at:]))


def written_edits(leaf: str, edits: Iterable[Edit]) -> list[Edit]:
    """The edits of the text that a leaf was read from, for some edits of the leaf itself."""
    changes = apart(edits)
    if isinstance(leaf, LocatedText):
        return [Edit(*leaf.place(start, end), written(new)) for start, end, new in changes]
    # Else a `YamlText`, which is not loaded for its name: most files are JSON, and hooks load what they need.
    rewritten = getattr(leaf, "edits", None)
    return [Edit(*change) for change in rewritten(changes)] if rewritten else []


def place_in(leaf: Any, offset: int) -> int:
    """Where a place in a leaf stands in the text that the leaf was read from."""
    place = getattr(leaf, "place", None)
    return int(place(offset, offset)[0]) if place else 0
