"""Causes: which edits made turns stale, each once, however many cases and turns it shows in.

Rules, in this order:

1. A change seen earlier in its run (same path, same digests) is its *echo*, and no cause.
2. In the part of a conversation that the run made itself, a changed answer is an echo of the change before it, because
   the recorded answers were fed forward; so is the result of a call that changed. A changed answer with nothing before
   it means a recording that does not hold together, as after a merge of two branches.
3. The steps of a script that come or go with the provider follow from it: only the scripted one has them.
4. Changes of the same field, leaving out the index of message, call, result or script step, from the same old to the
   same new digest, are one cause across all cases.
5. Causes that cover more cases come first; then those of more turns; then in the order of a request (provider, model,
   params, hooks, output schema, system, tools, script, messages); then by path and digests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dryfire_action.errors import Place
from dryfire_action.field_paths import part_of, without_indices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dryfire_action.field_changes import Change, FieldChange
    from dryfire_action.ignore_rules import IgnoreRule
    from dryfire_action.messages import Message
    from dryfire_action.results import TurnResult
    from dryfire_action.suite import Case
    from dryfire_action.text_diff import DiffLine

_PARTS = (
    "fingerprint_version",
    "provider",
    "model",
    "params",
    "hooks",
    "output_schema",
    "system",
    "tools",
    "script",
)
_MESSAGE = re.compile(r"messages\[(\d+)\]")
_RESULT = re.compile(r"messages\[(\d+)\]\.tool_results\[(\d+)\]")

INCONSISTENT = (
    "this answer was recorded in another conversation than the turn after it (two branches merged?); "
    "only recording the case again puts it right"
)
OTHER_RULES = "the text is the same, and the ignore rules are not"
OTHER_VERSION = "dryfire has other rules for fingerprints than when this was recorded"
MODEL_OVERRIDE = "asked for with --model on the command line"


@dataclass(frozen=True, slots=True)
class StaleRun:
    """One run in which something was not recorded: what the causes are read from.

    ``messages`` is the conversation as far as the run got, ``rules`` the place of the mock rule that answered each
    call, by call id.
    """

    case: Case
    cassette: str
    turns: Sequence[TurnResult]
    messages: Sequence[Message]
    rules: Mapping[str, Place]
    ignore: tuple[IgnoreRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a cause was first seen: the case, its cassette, the ignore rules in force and the field's full path."""

    case: Case
    cassette: str
    path: str
    ignore: tuple[IgnoreRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """One edit that made turns stale.

    ``path`` is the field (``[*]`` for an index that differs between cases), ``cases`` their ids, ``turns`` how many
    turns it shows in, ``where`` the places it may come from. ``explanation`` adds ``diff``, more of the ``note``, where
    inside a JSON value the difference is (``inner``), whether the old text was found, and the commit (``revision``) it
    was found in.
    """

    path: str
    change: Change
    old: str | None
    new: str | None
    cases: tuple[str, ...]
    turns: int
    where: tuple[Place, ...] = ()
    note: str = ""
    inner: str = ""
    diff: tuple[DiffLine, ...] = ()
    old_found: bool = False
    revision: str = ""
    first: Sighting | None = field(default=None, repr=False)


@dataclass(slots=True)
class _Gathered:
    paths: dict[str, None] = field(default_factory=dict)
    cases: dict[str, None] = field(default_factory=dict)
    where: dict[Place, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    turns: int = 0
    first: Sighting | None = None


_Edit = tuple[str, "Change", str | None, str | None]
Rank = tuple[int, int, int, str, str, str]


def causes_of(runs: Iterable[StaleRun]) -> tuple[Cause, ...]:
    """The causes of all stale turns in ``runs``, most far-reaching first."""
    gathered: dict[_Edit, _Gathered] = {}
    for run in runs:
        for change, turns, note in independent_changes(run):
            edit = _edit(change)
            found = gathered.setdefault(edit, _Gathered())
            found.paths[change.path] = None
            found.cases[run.case.id] = None
            found.turns += turns
            found.first = found.first or Sighting(run.case, run.cassette, change.path, run.ignore)
            place = place_of(change, run)
            if place is not None:
                found.where[place] = None
            elif change.path == "model":
                note = note or MODEL_OVERRIDE
            if note:
                found.notes[note] = None
    causes = [_cause(edit, found) for edit, found in gathered.items()]
    return tuple(sorted(causes, key=_rank))


def independent_changes(run: StaleRun) -> Iterator[tuple[FieldChange, int, str]]:
    """The changes of one run that are no echo, each with the number of turns it shows in and a note ("" mostly)."""
    turns: dict[FieldChange, int] = {}
    notes: dict[FieldChange, str | None] = {}
    changed_calls: set[int] = set()
    for turn in run.turns:
        for change in turn.changes:
            if change in turns:
                turns[change] += 1
                continue
            if change.path.startswith("script[") and change.change != "changed" and _provider_changed(turn):
                turns[change], notes[change] = 1, None
                continue
            message = _MESSAGE.match(change.path)
            index = int(message[1]) if message else -1
            # At the first turn all messages are the case's own, whatever their number was when it was recorded.
            made_by_run = turn.index > 0 and index >= len(run.case.messages)
            notes[change] = _note_on(change, index, notes, changed_calls) if made_by_run else ""
            turns[change] = 1
            if ".tool_calls" in change.path:
                changed_calls.add(index)
    for change, count in turns.items():
        note = notes[change]
        if note is not None:
            yield change, count, note


def _provider_changed(turn: TurnResult) -> bool:
    return any(change.path == "provider" for change in turn.changes)


def _note_on(
    change: FieldChange, index: int, before: Mapping[FieldChange, str | None], changed_calls: set[int]
) -> str | None:
    """What to say of a change in a message that the run itself made; None: it is the echo of one in ``before``."""
    if _RESULT.match(change.path) and change.change == "changed" and index - 1 not in changed_calls:
        return ""
    return None if before else INCONSISTENT


def place_of(change: FieldChange, run: StaleRun) -> Place | None:
    """Where the text of a changed field stands: a suite, prompt or config line, or the mock rule of a result."""
    result = _RESULT.match(change.path)
    if result and int(result[1]) >= len(run.case.messages):
        index, number = int(result[1]), int(result[2])
        results = run.messages[index].tool_results if index < len(run.messages) else ()
        rule = run.rules.get(results[number].call_id) if number < len(results) else None
        return _answer_place(rule, run.case) if rule else None
    place = run.case.place_of(change.path)
    if place is None and change.change == "removed":
        # It stands nowhere any more; what is left is the list it was in, or the suite.
        family = change.path.partition("[")[0]
        return run.case.places.get(f"{family}.order", Place(run.case.file))
    return place


def _answer_place(rule: Place, case: Case) -> Place:
    """Where the answer of the mock rule at this place stands: there, or in a file of its own."""
    sources = (one.source for rules in case.mocks.values() for one in rules if one.place == rule)
    return next(filter(None, sources), rule)


def _cause(edit: _Edit, found: _Gathered) -> Cause:
    generic, change, old, new = edit
    paths = list(found.paths)
    return Cause(
        path=paths[0] if len(paths) == 1 else generic,
        change=change,
        old=old,
        new=new,
        cases=tuple(found.cases),
        turns=found.turns,
        where=tuple(found.where),
        note="; ".join(found.notes),
        first=found.first,
    )


def _edit(change: FieldChange) -> _Edit:
    return (without_indices(change.path), change.change, change.old, change.new)


def _rank(cause: Cause) -> Rank:
    return rank(cause.path, len(cause.cases), cause.turns, cause.old, cause.new)


def rank(path: str, cases: int, turns: int, old: str | None, new: str | None) -> Rank:
    """By what causes are sorted (rule 5)."""
    part = part_of(path)
    order = _PARTS.index(part) if part in _PARTS else len(_PARTS)
    return (-cases, -turns, order, path, old or "", new or "")
