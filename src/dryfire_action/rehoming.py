"""Re-homing: the recordings of a renamed suite or case, found again by what they answer.

A recording whose suite and case no suite has belongs to the one case without a recording for which it replays fresh.
Of several such cases the one with the same name counts, as where a suite was renamed whose cases ask alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dryfire_action.base import replayed_cases
from dryfire_action.cassette_names import cassette_path, partial_path
from dryfire_action.rehearsal import begins_alike, fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dryfire_action.cassette import Cassette
    from dryfire_action.cassette_folder import Entry
    from dryfire_action.suite import Case, Config, Suite


@dataclass(frozen=True, slots=True)
class Move:
    """A recording (or with ``partial`` an unfinished one) that goes from ``source`` to ``target``, its case's place."""

    source: str
    target: str
    cassette: Cassette
    case: Case
    partial: bool = False

    @property
    def was(self) -> str:
        """The id that the case had."""
        return f"{self.cassette.header.suite}::{self.cassette.header.case}"


@dataclass(frozen=True, slots=True)
class Homes:
    """Where the orphans of one cassette folder belong.

    ``ambiguous`` are the paths of those that fit several cases alike.
    """

    moves: tuple[Move, ...] = ()
    ambiguous: tuple[tuple[str, tuple[Case, ...]], ...] = ()


def homes(orphans: Sequence[Entry], entries: Iterable[Entry], suites: Iterable[Suite]) -> Homes:
    """Find a home for each of ``orphans``, which are among ``entries``, all of one cassette folder.

    ``suites`` are those whose cases are recorded there.
    """
    lost = {entry.path for entry in orphans}
    taken = {entry.path for entry in entries if entry.kind != "empty partial" and entry.path not in lost}
    replayed = [
        (suite.config, case)
        for suite, case in replayed_cases((suite, case) for suite in suites for case in suite.cases).values()
    ]
    # The newest first: where several would do, the last answers are the best known.
    waiting = {
        entry.path: moves
        for entry in sorted(orphans, key=_newest_first)
        if (moves := tuple(_fitting(entry, replayed, taken)))
    }
    found: dict[str, Move] = {}
    while chosen := next(filter(None, map(_chosen, waiting.values())), None):
        found[chosen.target] = chosen
        # A home that is given away may leave others with one that fits, or with none.
        waiting = {
            path: left
            for path, moves in waiting.items()
            if path != chosen.source and (left := tuple(move for move in moves if move.target not in found))
        }
    ambiguous = tuple((path, tuple(move.case for move in moves)) for path, moves in waiting.items())
    return Homes(tuple(found.values()), ambiguous)


def _chosen(moves: Sequence[Move]) -> Move | None:
    """The one move that is meant; None where that is not clear."""
    same_name = [move for move in moves if move.cassette.header.case == move.case.name]
    return moves[0] if len(moves) == 1 else same_name[0] if len(same_name) == 1 else None


def _newest_first(entry: Entry) -> tuple[bool, tuple[int, ...], str]:
    recorded = entry.cassette.recorded if entry.cassette else ""
    return entry.kind == "partial", tuple(-ord(char) for char in recorded), entry.path


def _fitting(entry: Entry, replayed: Iterable[tuple[Config, Case]], taken: set[str]) -> Iterator[Move]:
    cassette = entry.cassette
    if cassette is None:
        return
    partial = entry.kind == "partial"
    model = cassette.header.model if "@" in entry.path.rpartition("/")[2] else None
    for config, case in replayed:
        asked = case if model is None else replace(case, model=model)
        home = cassette_path(config.cassettes, case.suite, case.name, model)
        target = partial_path(config.cassettes, home) if partial else home
        if target in taken or not begins_alike(asked, config, cassette):
            continue
        # What is not finished cannot be replayed to its end.
        if partial or fits(asked, config, cassette):
            yield Move(entry.path, target, cassette, case, partial)
