"""The first line of every comment of ours: whose it is, what it was made of, and what it says.

It is a comment of HTML, which nobody sees. Its grammar is fixed and takes words, numbers and commit ids only, so no
title, branch or path ever stands in it; and it counts only as the very first bytes of a body, so nobody can plant one
inside a text that we quote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PREFIX = "<!-- dryfire-action:"
_KEY = r"[a-z0-9-]{1,64}"
_HEAD = r"[0-9a-f]{7,64}"
# No number that GitHub hands out has more digits.
_NUMBER = r"[0-9]{1,18}"
_LINE = re.compile(
    rf'{PREFIX}v1 key="({_KEY})" head="({_HEAD})" run="({_NUMBER})\.({_NUMBER})" state="({_KEY})"'
    rf' stale="({_NUMBER})" -->(?:\r?\n|\Z)'
)


@dataclass(frozen=True, slots=True)
class Marker:
    """What a comment says of itself.

    ``key`` tells several comments on one pull request apart. ``head`` is the commit that the comment speaks of, ``run``
    and ``attempt`` the workflow run that wrote it, ``state`` what it came to, in one word, and ``stale`` how many cases
    were to be recorded. Raises ``ValueError`` for values outside the grammar.
    """

    key: str
    head: str
    run: int
    attempt: int
    state: str
    stale: int

    def __post_init__(self) -> None:
        if _LINE.fullmatch(self.text()) is None:
            raise ValueError(f"these values make no marker: {self}")

    def text(self) -> str:
        """The line, without its end."""
        return (
            f'{PREFIX}v1 key="{self.key}" head="{self.head}" run="{self.run}.{self.attempt}" '
            f'state="{self.state}" stale="{self.stale}" -->'
        )

    def is_older_than(self, other: Marker) -> bool:
        """Whether another run, or another attempt at this one, has spoken since. Of another key nothing is older."""
        return self.key == other.key and (self.run, self.attempt) < (other.run, other.attempt)


def parse_marker(body: str) -> Marker | None:
    """The marker that ``body`` begins with; None where its first bytes are no marker."""
    found = _LINE.match(body)
    if found is None:
        return None
    key, head, run, attempt, state, stale = found.groups()
    return Marker(key, head, int(run), int(attempt), state, int(stale))
