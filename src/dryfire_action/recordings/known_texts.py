"""Texts that were searched and hold nothing: what was said in one request stands in every later one again, and the
same prompt in every file.

What is found in a text depends on the rules, on the name it stands under, and on how deep in other texts it may go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dryfire_action.secret_rule_set import Rules

# Characters: of one text, and of all that are kept.
_LONGEST = 20_000
_MOST = 3_000_000


class KnownTexts:
    """The texts known under some rules."""

    __slots__ = ("_clean", "_size")

    def __init__(self) -> None:
        self._clean: dict[tuple[str, str | None], int] = {}
        self._size = 0

    def is_clean(self, text: str, name: str | None, depth: int) -> bool:
        """Whether a text under a name is known to hold nothing, in so many layers or in more."""
        return self._clean.get((text, name), -1) >= depth

    def add_clean(self, text: str, name: str | None, depth: int) -> None:
        """Keep that a text holds nothing. `LocatedText` and its kind are kept as what they say."""
        if len(text) > _LONGEST:
            return
        self._size += len(text)
        if self._size > _MOST:
            self._clean.clear()
            self._size = len(text)
        self._clean[str(text), name] = depth


_known: dict[tuple[int, bool], KnownTexts] = {}


def of(rules: Rules) -> KnownTexts:
    """The texts known under some rules; those of a team are not among them."""
    key = (id(rules.plan), rules.samples)
    known = _known.get(key)
    if known is None:
        known = _known[key] = KnownTexts()
    return known
