"""Sharding: dividing the cases of a run among jobs, each case in exactly one, alike in all of them.

Two wishes pull against each other. *Stable*: a case stays in its shard when suites come and go, so that a red shard
stays the red shard. *Balanced*: shards take about as long, that is, hold about as many recorded turns. Each case has an
order of shards that it likes, made from its file and name alone (rendezvous hashing), and gets the first one that is
not full. A shard is full at ``ROOM`` times its share of the turns, so no shard holds more than that, or more than its
share and one case where cases are too large for it. What moves when a case is added are only cases that full shards
had turned away.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from dryfire_action.cassette_names import cassette_path
from dryfire_action.errors import DryfireError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dryfire_action.suite import Case, Mode, Suite
    from dryfire_action.tree import Tree

    Chosen = Sequence[tuple[Suite, Case]]

ROOM = 1.25
MOST = 256
_WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` (from 1) of ``total``."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


def parse_shard(text: str) -> Shard:
    """The shard that ``text`` names, as ``2/8``. Raises ``UsageError``, with what is wrong."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no shard", remedy="Write which of how many: 2/8.")
    shard = Shard(int(match[1]), int(match[2]))
    if not 1 <= shard.total <= MOST:
        raise UsageError(f"{shard.total} shards cannot be", remedy=f"There may be 1 to {MOST}.")
    if not 1 <= shard.number <= shard.total:
        raise UsageError(
            f"there is no shard {shard.number} of {shard.total}", remedy=f"They are 1 to {shard.total}."
        )
    return shard


def in_shard(chosen: Chosen, shard: Shard | None, tree: Tree, model: str | None = None) -> list[int]:
    """The numbers of those of ``chosen`` that are in ``shard`` (None: all), in order.

    ``tree`` is what recordings are read from, of ``--model`` where ``model`` is given.
    """
    if shard is None:
        return list(range(len(chosen)))
    names = [json.dumps([suite.file, case.name]) for suite, case in chosen]
    weights = [_recorded_turns(suite, case, tree, model) for suite, case in chosen]
    return [number for number, at in enumerate(divided(names, weights, shard.total)) if at == shard.number]


def divided(names: Sequence[str], weights: Sequence[int], total: int) -> list[int]:
    """The shard (from 1) of each case: ``names`` tell cases apart, ``weights`` say how much work each is (from 1)."""
    room = ROOM * sum(weights) / total
    load = [0] * total
    found = [0] * len(names)
    # Large ones first, while there is room for them; their digests put those of one size in an order of no meaning.
    for number in sorted(range(len(names)), key=lambda n: (-weights[n], _digest(names[n]), n)):
        liked = sorted(range(total), key=lambda shard: _digest(f"{shard + 1} {names[number]}"))
        at = next(
            (shard for shard in liked if load[shard] + weights[number] <= room),
            min(liked, key=lambda shard: load[shard]),
        )
        load[at] += weights[number]
        found[number] = at + 1
    return found


def others_check_something(chosen: Chosen, mine: Sequence[int]) -> bool:
    """Whether a case of ``chosen`` that is not among ``mine`` is replayed: then it is right for a shard to be empty."""
    own = set(mine)
    return any(number not in own and case.passthrough_rule is None for number, (_, case) in enumerate(chosen))


def refuse_recording(shard: Shard | None, modes: set[Mode]) -> None:
    """Raise ``UsageError`` where recordings would change while they divide the cases among shards."""
    recording = " or ".join(sorted(modes & {"record", "auto"}))
    if shard and recording:
        raise UsageError(
            f"--shard divides the cases by what is recorded, and the mode {recording} changes that",
            remedy="Replay in shards, and record without them.",
        )


def why_empty(shard: Shard | None, asked: int, own: int) -> tuple[str, ...]:
    """A warning about a shard without cases, where ``asked`` are to be run and ``own`` of them in it."""
    return (f"shard {shard} holds no case; the others hold all {asked:,}",) if asked and not own else ()


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _recorded_turns(suite: Suite, case: Case, tree: Tree, model: str | None) -> int:
    """How many turns are recorded for a case; 1 where that is not known. Nothing is checked here."""
    try:
        content = tree.read(cassette_path(suite.config.cassettes, case.suite, case.name, model))
        document = json.loads(content) if content else None
    except (DryfireError, ValueError, RecursionError):
        return 1
    exchanges = document.get("exchanges") if isinstance(document, dict) else None
    return max(len(exchanges), 1) if isinstance(exchanges, list) else 1
