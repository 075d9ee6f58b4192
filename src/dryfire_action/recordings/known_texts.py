"""Texts that were searched and hold nothing: what was said in one request stands in every later one again, and the
same prompt in every file. So it is with lists of objects: every request of an agent lists the same tools.

What is found in a text depends on the rules, on the name it stands under, and on how deep in other texts it may go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dryfire_action.secret_keys import KeyKind
    from dryfire_action.secret_rule_set import Rules

# Characters: of one text, and of all that are kept.
_LONGEST = 20_000
_MOST = 3_000_000
# Lists: how long the JSON may be in which one stands (characters), how many items it may have, and under how many names
# one is kept.
LONGEST_WITH_LISTS = 200_000
_MOST_ITEMS = 500
_MOST_NAMES = 20


class KnownTexts:
    """The texts known under some rules."""

    __slots__ = ("_clean", "_lists", "_size")

    def __init__(self) -> None:
        self._clean: dict[tuple[str, str | None, KeyKind | None], int] = {}
        self._lists: dict[str, tuple[int, list[Any]]] = {}
        self._size = 0

    def is_clean(self, text: str, name: str | None, kind: KeyKind | None, depth: int) -> bool:
        """Whether a text under a name of a kind is known to hold nothing, in so many layers or in more."""
        if type(text) is not str and getattr(text, "is_binary", False):
            # The same text without its tag need not be opened.
            return False
        return self._clean.get((text, name, kind), -1) >= depth

    def add_clean(self, text: str, name: str | None, kind: KeyKind | None, depth: int) -> None:
        """Keep that a text holds nothing. `LocatedText` and its kind are kept as what they say."""
        if len(text) > _LONGEST:
            return
        self._size += len(text)
        if self._size > _MOST:
            self._clean.clear()
            self._size = len(text)
        self._clean[str(text), name, kind] = depth

    def clean_items(self, node: list[Any], name: str, depth: int) -> int:
        """How many items a list begins with that the list last kept under its name began with, in so many layers or
        in more. A conversation grows at its end."""
        known_depth, known = self._lists.get(name, (-1, node))
        if known_depth < depth:
            return 0
        count = 0
        try:
            if known == node:
                return len(node)
            for item, other in zip(node, known, strict=False):
                if item != other:
                    break
                count += 1
        except RecursionError:
            return 0
        return count

    def add_clean_list(self, node: list[Any], name: str, depth: int) -> None:
        """Keep that a list of JSON objects holds nothing."""
        if len(node) <= _MOST_ITEMS:
            if len(self._lists) >= _MOST_NAMES:
                self._lists.clear()
            self._lists[name] = depth, node


_known: dict[tuple[int, bool], KnownTexts] = {}


def of(rules: Rules) -> KnownTexts:
    """The texts known under some rules; those of a team are not among them."""
    key = (id(rules.plan), rules.samples)
    known = _known.get(key)
    if known is None:
        known = _known[key] = KnownTexts()
    return known
