"""Explaining causes: the old text beside the new one, and what is special about the difference.

Old texts come from git and are accepted only by their digest. Where there are none, names and digests stand alone and
``Results.history`` says how to have them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dryfire_action.case_values import values_of
from dryfire_action.causes import INCONSISTENT, OTHER_RULES, OTHER_VERSION
from dryfire_action.change_notes import inner_changes, note_for
from dryfire_action.old_text import History
from dryfire_action.text_diff import ABSENT, diff

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dryfire_action.causes import Cause
    from dryfire_action.errors import Place
    from dryfire_action.messages import JsonValue
    from dryfire_action.results import Results
    from dryfire_action.tree import Tree

# Enough to find the place inside a large schema; more would hide the text itself.
MAX_INNER_PATHS = 3

# Files that hold more than one text: where in them a line of the text is depends on how it was written down.
_STRUCTURED = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Causes with what could be found out about them; ``history`` says why old texts are missing ("": none is)."""

    causes: tuple[Cause, ...]
    history: str = ""


def with_explanations(results: Results, root: Path, tree: Tree) -> Results:
    """``results`` with their causes explained. Git is asked only where there are causes, and never raises for it."""
    if not results.causes:
        return results
    found = explained(results.causes, root, tree, base=results.base)
    return replace(results, causes=found.causes, history=found.history)


def explained(causes: Sequence[Cause], root: Path, tree: Tree, *, base: str | None = None) -> Explanation:
    """``causes`` with diffs and notes. ``base`` is a commit worth looking at early. Raises nothing for want of git."""
    if not causes:
        return Explanation(())
    with History(root, tree, base=base) as history:
        found = [_explained(cause, history) for cause in causes]
        without = any(_has_old_text(cause) and not cause.old_found for cause in found)
        return Explanation(tuple(found), history.why_none if without else "")


def _has_old_text(cause: Cause) -> bool:
    """Whether there can be an old text in git: a version is none, and an answer of the model stands in no suite."""
    return cause.old is not None and cause.path != "fingerprint_version" and INCONSISTENT not in cause.note


def _explained(cause: Cause, history: History) -> Cause:
    if cause.path == "fingerprint_version":
        return replace(cause, note=_joined(cause.note, OTHER_VERSION))
    if cause.first is None or (cause.old is not None and not _has_old_text(cause)):
        return cause
    case, ignore = cause.first.case, cause.first.ignore
    old = history.old_value(case, cause.first.cassette, cause.old, ignore=ignore) if cause.old else None
    if cause.old is not None and old is None:
        return cause
    cause = replace(cause, old_found=old is not None, revision=old.revision if old else "")
    new = values_of(case, ignore)
    if cause.new is not None and cause.new not in new:
        # What real code or a model said stands in no suite.
        return cause
    before: JsonValue = old.value if old else ABSENT
    after: JsonValue = ABSENT if cause.new is None else new[cause.new]
    lines = diff(before, after)
    if before is ABSENT or after is ABSENT:
        return replace(cause, diff=lines)
    special = note_for(before, after) if lines else OTHER_RULES
    return replace(
        cause,
        diff=lines,
        note=_joined(cause.note, special),
        inner=_inner(before, after),
        where=tuple(_first_change(place, before, after) for place in cause.where),
    )


def _first_change(place: Place, before: JsonValue, after: JsonValue) -> Place:
    """The first changed line of a text that is a file of its own; of any other, where it begins."""
    if place.file.endswith(_STRUCTURED) or not isinstance(before, str) or not isinstance(after, str):
        return place
    old, new = before.splitlines(), after.splitlines()
    equal = next((n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
    return replace(place, line=place.line + min(equal, max(len(new) - 1, 0)), column=1)


def _inner(before: JsonValue, after: JsonValue) -> str:
    """Where inside a JSON value the difference is."""
    inner = [f"{path} {change}" for path, change in inner_changes(before, after) if path]
    shown = ", ".join(inner[:MAX_INNER_PATHS])
    return f"{shown} and {len(inner) - MAX_INNER_PATHS} more" if len(inner) > MAX_INNER_PATHS else shown


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
