"""Explaining causes: the old text beside the new one, and what is special about the difference.

Old texts come from git and are accepted only by their digest. Where there are none, names and digests stand alone and
``Explanation.history`` says how to have them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dryfire_action.case_values import values_of
from dryfire_action.change_notes import inner_changes, note_for
from dryfire_action.old_text import History
from dryfire_action.text_diff import diff

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dryfire_action.causes import Cause
    from dryfire_action.messages import JsonValue
    from dryfire_action.tree import Tree

# Enough to find the place inside a large schema; more would hide the text itself.
MAX_INNER_PATHS = 3


@dataclass(frozen=True, slots=True)
class Explanation:
    """Causes with what could be found out about them; ``history`` says why old texts are missing ("": none is)."""

    causes: tuple[Cause, ...]
    history: str = ""


def explained(causes: Sequence[Cause], root: Path, tree: Tree, *, base: str | None = None) -> Explanation:
    """``causes`` with diffs and notes. ``base`` is a commit worth looking at early. Raises nothing for want of git."""
    if not causes:
        return Explanation(())
    with History(root, tree, base=base) as history:
        found = [_explained(cause, history) for cause in causes]
        without = any(cause.old is not None and not cause.old_found for cause in found)
        return Explanation(tuple(found), history.why_none if without else "")


def _explained(cause: Cause, history: History) -> Cause:
    if cause.first is None:
        return cause
    case, ignore = cause.first.case, cause.first.ignore
    new = values_of(case, ignore)
    old = history.old_value(case, cause.first.cassette, cause.old, ignore=ignore) if cause.old else None
    if cause.old is not None and old is None:
        return cause
    if cause.new is not None and cause.new not in new:
        return replace(cause, old_found=old is not None)
    before: JsonValue = old.value if old else None
    after: JsonValue = new[cause.new] if cause.new is not None else None
    if cause.change == "added":
        lines, special = diff("", after), ""
    elif cause.change == "removed":
        lines, special = diff(before, ""), ""
    else:
        lines, special = diff(before, after), _special(before, after)
    return replace(
        cause,
        diff=lines,
        note="; ".join(part for part in (cause.note, special) if part),
        old_found=old is not None,
        revision=old.revision if old else "",
    )


def _special(before: JsonValue, after: JsonValue) -> str:
    """What kind of difference it is, and where inside a JSON value it is."""
    inner = [f"{path} {change}" for path, change in inner_changes(before, after) if path]
    shown = ", ".join(inner[:MAX_INNER_PATHS])
    if len(inner) > MAX_INNER_PATHS:
        shown += f" and {len(inner) - MAX_INNER_PATHS} more"
    return "; ".join(part for part in (note_for(before, after), shown) if part)
