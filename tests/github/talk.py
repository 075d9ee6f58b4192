"""What the tests of the GitHub client talk with: time that passes only when told, a client, markers and bodies."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dryfire_action.comment_marker import Marker
from dryfire_action.github.client import GitHub
from dryfire_action.github.comments import keep_comment
from tests.github_double import SHA

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.github.comments import Compose, Kept
    from tests.github_double import GitHubDouble, Token

KEY = "evals"


@dataclass
class Waiting:
    """A clock that stands still but for what is slept on it; ``slept`` lists every sleep in seconds."""

    now: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """The time, in seconds since 1970."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        assert seconds >= 0
        self.slept.append(seconds)
        self.now += seconds

    @property
    def waited(self) -> float:
        """All that was slept, in seconds."""
        return sum(self.slept)

    def drip(self) -> None:
        """Let some time pass for each byte that comes, slowly enough to be read before the next."""
        time.sleep(0.004)
        self.sleep(8)


def client(double: GitHubDouble, waiting: Waiting, token: Token | None = None) -> GitHub:
    """A client of the double that never really waits."""
    return GitHub(
        double.url, (token or double.token).text, clock=waiting.clock, sleep=waiting.sleep, most_waiting=90
    )


def marker(
    *, run: int = 10, attempt: int = 1, head: str = SHA, key: str = KEY, state: str = "stale"
) -> Marker:
    """A marker of a stale report."""
    return Marker(key=key, head=head, run=run, attempt=attempt, state=state, stale=1)


def body(mark: Marker, text: str = "one case is stale") -> str:
    """A comment that begins with a marker."""
    return f"{mark.text()}\n{text}\n"


def saying(mark: Marker, text: str = "one case is stale") -> Compose:
    """Says a text, whatever stood there before."""
    return lambda previous: (mark, body(mark, text))


def keep(
    double: GitHubDouble,
    waiting: Waiting,
    compose: Compose | None = None,
    *,
    token: Token | None = None,
    key: str = KEY,
    number: int = 7,
    github: GitHub | None = None,
) -> Kept:
    """Keep the comment on pull request 7 of the double."""
    made = github or client(double, waiting, token)
    return keep_comment(made, double.repository, number, key, compose or saying(marker()))


def once(do: Callable[[], None]) -> Callable[[], None]:
    """Something that is done the first time only."""
    left = [do]

    def first() -> None:
        if left:
            left.pop()()

    return first


def texts(github: GitHubDouble) -> list[str]:
    """What stands on pull request 7, without markers."""
    return [comment.body.split("\n", 1)[1].strip() for comment in github.comments(7)]
