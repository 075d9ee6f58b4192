"""The beginning of a list that only grows: what a tuple of its first items would be, without a copy of them.

A conversation is looked at after every turn. With copies, 2,000 turns would hold two million items.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, overload

Item = TypeVar("Item")


class Beginning(Sequence[Item]):
    """The first ``count`` of ``items``. Nobody may change these; whoever holds the list may put more behind them."""

    __slots__ = ("_count", "_items")

    def __init__(self, items: list[Item], count: int) -> None:
        self._items = items
        self._count = count

    @property
    def items(self) -> list[Item]:
        """The list that it is the beginning of, to be compared with others by identity."""
        return self._items

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        chosen = range(self._count)[index]
        if isinstance(chosen, int):
            return self._items[chosen]
        if chosen.step > 0:
            return tuple(self._items[chosen.start : chosen.stop : chosen.step])
        return tuple(self._items[each] for each in chosen)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Beginning):
            if self._count != other._count:
                return False
            return self._items is other._items or self[:] == other[:]
        if not isinstance(other, tuple):
            return NotImplemented
        return len(other) == self._count and self[:] == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self[:])
