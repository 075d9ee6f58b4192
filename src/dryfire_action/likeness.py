"""How much two requests have in common: the other half of saying in which fields they differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.field_paths import without_indices
from dryfire_action.fingerprint import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dryfire_action.fingerprint import Digests, Fingerprint, Head


@dataclass(frozen=True, slots=True)
class Likeness:
    """``equal`` of the ``fields`` of a request stand in another one too, wherever in the conversation."""

    equal: int
    fields: int


def likeness(recorded: Fingerprint, current: Fingerprint) -> Likeness:
    """How many fields of ``current`` the request ``recorded`` has too.

    A field is equal where its path, leaving out the index of message, call, result and script step, and its digest are;
    each field of ``recorded`` counts once. So an inserted message makes none of those behind it unequal.
    """
    fields = len(current.head) + sum(map(len, current.messages))
    common = 0
    # Mostly one conversation is the beginning of the other: what is equal at its place needs no counting.
    for before, after in zip(recorded.messages, current.messages, strict=False):
        if before != after:
            break
        common += 1
    equal = sum(map(len, current.messages[:common]))
    old = _counted(recorded.head, recorded.messages[common:])
    new = _counted(current.head, current.messages[common:])
    return Likeness(equal + (old & new).total(), fields)


def _counted(head: Head, messages: Sequence[Digests]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for path, value in head.items():
        found[without_indices(path), value if isinstance(value, str) else digest(list(value))] += 1
    for message in messages:
        for path, value in message.items():
            found["messages." + without_indices(path), value] += 1
    return found
