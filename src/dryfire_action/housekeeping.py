"""Housekeeping: what in the cassette folders no case has any more, and what of it belongs to a renamed one.

A plan only looks; ``carry_out`` moves and deletes. Nothing is deleted that a suite anywhere in the repository may still
have, that is read by some version from now on, or that is not ours.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Literal

from dryfire_action.cassette_folder import entries
from dryfire_action.cassette_names import PARTIAL_FOLDER, cassette_path, partial_path, safe_name
from dryfire_action.cassette_partial import locked, move_partial
from dryfire_action.cassette_store import below, refusing, write_cassette
from dryfire_action.errors import RecordingError
from dryfire_action.known_suites import find_suites
from dryfire_action.rehearsal import renamed
from dryfire_action.rehoming import Homes, Move, homes
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dryfire_action.cassette_folder import Entry
    from dryfire_action.known_suites import KnownSuites

# A file that was written to less long ago may still be in use.
STILL_WRITTEN_SECONDS = 60.0

RemovalKind = Literal["suite", "case", "format", "leftover", "folder"]


@dataclass(frozen=True, slots=True)
class Removal:
    """Something to delete and why. ``answers`` counts the recorded answers that go with it."""

    path: str
    kind: RemovalKind
    reason: str
    answers: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that looks as if it could go, and why it stays."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is to do: first the moves, then the removals. ``kept`` is told and left alone."""

    moves: tuple[Move, ...] = ()
    removals: tuple[Removal, ...] = ()
    kept: tuple[Kept, ...] = ()

    def of(self, folders: Iterable[str]) -> Plan:
        """The part of the plan that is about ``folders``, each the folder of one suite's recordings."""
        wanted = {place for folder in folders for place in (folder, _partial_folder(folder))}
        return Plan(
            tuple(move for move in self.moves if {dirname(move.source), dirname(move.target)} & wanted),
            tuple(item for item in self.removals if {item.path, dirname(item.path)} & wanted),
            tuple(item for item in self.kept if dirname(item.path) in wanted),
        )

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.moves and not self.removals


def plan(root: Path, *, now: float) -> Plan:
    """What there is to do in the tree at ``root``; ``now`` is the time in seconds since 1970.

    Raises ``SpecError`` where a config is wrong: then nobody knows where recordings are.
    """
    known = find_suites(FolderTree(root))
    plans = [_plan_of(root, folder, known, now) for folder in known.folders]
    return Plan(
        tuple(move for each in plans for move in each.moves),
        tuple(item for each in plans for item in each.removals),
        tuple(item for each in plans for item in each.kept),
    )


def carry_out(plan: Plan, root: Path) -> None:
    """Move and delete what ``plan`` says. Raises ``RecordingError`` where the system refuses; the rest is not done."""
    for move in plan.moves:
        _move(root, move)
    for item in plan.removals:
        with refusing(item.path):
            target = below(root, item.path)
            if item.kind == "folder":
                with suppress(OSError):  # somebody has just put something there
                    target.rmdir()
            elif not target.is_symlink():
                target.unlink(missing_ok=True)
    for path in (*(move.source for move in plan.moves), *(item.path for item in plan.removals)):
        with suppress(OSError, RecordingError):
            below(root, dirname(path)).rmdir()  # refused where it holds anything


def _move(root: Path, move: Move) -> None:
    if move.partial:
        move_partial(root, move.source, move.target, renamed(move.cassette, move.case))
        return
    write_cassette(root, move.target, renamed(move.cassette, move.case))
    if move.source != move.target:
        with refusing(move.source):
            below(root, move.source).unlink(missing_ok=True)


def _plan_of(root: Path, folder: str, known: KnownSuites, now: float) -> Plan:
    found = entries(root, folder)
    names = known.names.get(folder, frozenset())
    unreadable = known.unreadable.get(folder, ())
    orphans = [entry for entry in found if entry.cassette and _names(entry) not in names]
    here = [suite for suite in known.suites if suite.config.cassettes == folder]
    homed = homes(orphans, found, here) if orphans and not unreadable else Homes()
    ambiguous = dict(homed.ambiguous)
    moved = {move.source for move in homed.moves}
    sorting = _Sorting(root, folder, known, now)
    removals: list[Removal] = []
    kept: list[Kept] = []
    for entry in found:
        if entry.path in moved:
            continue
        if entry.path in ambiguous:
            cases = ", ".join(case.id for case in ambiguous[entry.path])
            kept.append(Kept(entry.path, f"replays for several cases without a recording: {cases}"))
            continue
        item = sorting.sorted(entry)
        if isinstance(item, Removal):
            removals.append(item)
        elif item is not None:
            kept.append(item)
    return Plan(homed.moves, tuple(removals), tuple(kept))


class _Sorting:
    """Decides about one entry of a cassette folder at a time."""

    def __init__(self, root: Path, folder: str, known: KnownSuites, now: float) -> None:
        self._root = root
        self._folder = folder
        self._names = known.names.get(folder, frozenset())
        self._unreadable = known.unreadable.get(folder, ())
        self._suites = {suite for suite, _ in self._names}
        self._folders = {safe_name(suite) for suite in self._suites}
        self._stems = {cassette_path(folder, suite, case) for suite, case in self._names}
        self._partials = {partial_path(folder, path) for path in self._stems}
        self._now = now

    def sorted(self, entry: Entry) -> Removal | Kept | None:
        """What becomes of an entry; None: it is right where it is, or none of ours."""
        kind = entry.kind
        if kind in ("recording", "partial"):
            return self._named(entry)
        if kind == "damaged":
            return self._damaged(entry)
        if kind == "old format":
            return Removal(entry.path, "format", "of a format that is no longer read")
        if kind == "new format":
            return Kept(entry.path, "of a format that this version does not read yet")
        if kind == "foreign":
            return Kept(entry.path, "one turn, as dryfire 0.2 to 0.4 keeps it; not ours")
        if kind == "link":
            return Kept(entry.path, "a symbolic link; links are not followed")
        if kind == "empty folder":
            return Removal(entry.path, "folder", "an empty folder")
        return self._leftover(entry)

    def _named(self, entry: Entry) -> Removal | Kept | None:
        suite, case = _names(entry)
        assert entry.cassette is not None
        if (suite, case) in self._names:
            home = self._home(entry)
            return (
                None
                if home == entry.path
                else Kept(entry.path, f"says it is that of {suite}::{case}, at {home}")
            )
        if self._unreadable:
            return Kept(entry.path, self._protected())
        what = "an unfinished recording" if entry.kind == "partial" else "recorded"
        answers = sum(exchange.answer is not None for exchange in entry.cassette.exchanges)
        if suite not in self._suites:
            return Removal(entry.path, "suite", f"{what} for the suite {suite!r}, which is gone", answers)
        return Removal(entry.path, "case", f"{what} for the case {suite}::{case}, which is gone", answers)

    def _damaged(self, entry: Entry) -> Removal | Kept | None:
        if _without_model(entry.path) in self._stems:
            return None  # every run names it
        if self._unreadable:
            return Kept(entry.path, self._protected())
        gone = "suite" if entry.path.split("/")[-2] not in self._folders else "case"
        return Removal(entry.path, "suite" if gone == "suite" else "case", f"damaged, and its {gone} is gone")

    def _leftover(self, entry: Entry) -> Removal | None:
        if entry.kind == "temporary" and self._age(entry.path) > STILL_WRITTEN_SECONDS:
            return Removal(entry.path, "leftover", "left behind by a write that was interrupted")
        if entry.kind == "empty partial" and not locked(self._root, entry.path):
            return Removal(entry.path, "leftover", "an unfinished recording without any whole answer")
        if entry.kind == "lock" and not self._unreadable:
            partial = entry.path.removesuffix(".lock")
            if _without_model(partial) not in self._partials and not locked(self._root, partial):
                return Removal(entry.path, "leftover", "the lock of a recording that is gone")
        return None

    def _home(self, entry: Entry) -> str:
        assert entry.cassette is not None
        header = entry.cassette.header
        model = header.model if "@" in entry.path.rpartition("/")[2] else None
        home = cassette_path(self._folder, header.suite, header.case, model)
        return partial_path(self._folder, home) if entry.kind == "partial" else home

    def _protected(self) -> str:
        return f"may belong to {', '.join(self._unreadable)}, which cannot be read"

    def _age(self, path: str) -> float:
        try:
            return self._now - below(self._root, path, links=False).stat().st_mtime
        except (OSError, RecordingError):
            return 0.0


def _names(entry: Entry) -> tuple[str, str]:
    assert entry.cassette is not None
    return entry.cassette.header.suite, entry.cassette.header.case


def _without_model(path: str) -> str:
    """The path of the case's own recording, where ``path`` is one that stands beside it."""
    folder, _, name = path.rpartition("/")
    stem, at, rest = name.partition("@")
    return f"{folder}/{stem}{rest[rest.rfind('.') :]}" if at else path


def _partial_folder(folder: str) -> str:
    above, _, suite = folder.rpartition("/")
    return normpath(f"{above}/{PARTIAL_FOLDER}/{suite}")
