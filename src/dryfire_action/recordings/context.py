"""Where a text stands: worked out only when something is found, because most texts hold nothing."""

from __future__ import annotations

from collections.abc import Callable

from dryfire_action.recordings.bodies import Around
from dryfire_action.recordings.edits import place_in
from dryfire_action.recordings.report import Layer, Path

# What is inside these is no body any more that a header beside it speaks of. Base64 still is.
_CLOSED = frozenset({"json", "gzip", "deflate", "brotli", "zstd", "stream", "lines", "form"})


class Context:
    """Where a text stands: the way to it, its place in the file, and the maps around it. All are worked out when asked
    for, because most texts hold nothing."""

    __slots__ = ("depth", "maps", "place", "way")

    def __init__(
        self,
        way: Callable[[], Path] = tuple,
        place: Callable[[int], int] = int,
        maps: Callable[[], list[Around]] = list,
        depth: int = 0,
    ) -> None:
        self.way = way
        self.place = place
        self.maps = maps
        self.depth = depth

    def inside(self, layer: str, place: Callable[[int], int] | None = None, *steps: str) -> Context:
        """The context of a layer's content; `place` leads from there to the text that the layer stands in."""
        way, outer = self.way, self.place
        into = place or _beginning
        return Context(
            lambda: (*way(), Layer(layer), *steps),
            lambda offset: outer(into(offset)),
            list if layer in _CLOSED else self.maps,
            self.depth + 1,
        )

    def deeper(self) -> Context:
        """The same place, one layer further in."""
        return Context(self.way, self.place, self.maps, self.depth + 1)


def _beginning(_: int) -> int:
    return 0


class InLeaf:
    """Leads from a place in a piece of a text to its place in the file."""

    __slots__ = ("leaf", "outer")

    def __init__(self, leaf: str, outer: Callable[[int], int]) -> None:
        self.leaf = leaf
        self.outer = outer

    def __call__(self, offset: int) -> int:
        return self.outer(place_in(self.leaf, offset))
