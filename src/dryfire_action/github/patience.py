"""How long to wait for GitHub: before the next write, after a refusal, and altogether.

The rules are those of GitHub's "best practices for using the REST API": obey `retry-after`; else, where no request
remains, wait until `x-ratelimit-reset`; else, after a secondary limit, at least a minute and longer each time. Between
calls that write lies a second.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from dryfire_action.github.failures import GitHubError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SECONDS_BETWEEN_WRITES = 1.0
SECONDS_OF_A_SECONDARY_LIMIT = 60.0
MOST_TRIES = 5
SECONDARY_LIMIT = ("secondary rate limit", "abuse detection")


class Patience:
    """Keeps account of the seconds that calls and waiting take. ``clock`` gives seconds since 1970, ``sleep`` waits."""

    def __init__(
        self, clock: Callable[[], float], sleep: Callable[[float], None], most_seconds: float
    ) -> None:
        self.clock = clock
        self._sleep = sleep
        self.left = most_seconds
        self._wrote: float | None = None

    def wait(self, seconds: float, why: GitHubError) -> None:
        """Wait; raises ``why`` at once where so much time is not left."""
        if seconds >= self.left:
            raise why
        started = self.clock()
        self._sleep(seconds)
        self.spend_since(started)

    def spend_since(self, started: float) -> None:
        """Count the time since ``started`` as used. A clock that was set back uses nothing."""
        self.left -= max(0.0, self.clock() - started)

    def before_a_write(self) -> None:
        """Wait until a second has passed since the last call that wrote."""
        now = self.clock()
        if self._wrote is not None and now < self._wrote + SECONDS_BETWEEN_WRITES:
            # A clock that was set back does not make us wait for longer than the second.
            pause = min(SECONDS_BETWEEN_WRITES, self._wrote + SECONDS_BETWEEN_WRITES - now)
            self.wait(pause, GitHubError("out of time", "no time is left to write to GitHub"))
        self._wrote = self.clock()

    def wrote(self) -> None:
        """Note that a call that writes has come to its end."""
        self._wrote = self.clock()


def seconds_of_a_limit(
    status: int, headers: Mapping[str, str], message: str, tries: int, now: float
) -> float | None:
    """How long a rate limit asks to wait after ``tries`` refusals; None where an answer is no rate limit.

    ``headers`` are looked up in lower case.
    """
    if status not in (403, 429):
        return None
    asked = seconds_asked_for(headers, now)
    if asked is not None:
        return asked
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdecimal():
        # One more, as GitHub's clock and ours need not agree to the second.
        return max(0.0, float(headers["x-ratelimit-reset"]) - now) + 1
    if status == 429 or any(words in message.casefold() for words in SECONDARY_LIMIT):
        return float(SECONDS_OF_A_SECONDARY_LIMIT * 2 ** (tries - 1))
    return None


def seconds_asked_for(headers: Mapping[str, str], now: float) -> float | None:
    """What `retry-after` asks for, a number of seconds or a date; None where it is absent or makes no sense."""
    text = headers.get("retry-after", "").strip()
    if text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now) if text else None
    except (ValueError, OverflowError):
        return None


def seconds_after_a_failure(tries: int) -> float:
    """How long to wait after the ``tries``-th failure in a row that says nothing of waiting: 1, 2, 4, 8."""
    return float(2 ** (tries - 1))
