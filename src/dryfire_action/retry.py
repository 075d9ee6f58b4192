"""Trying again: which failures of a provider are worth it, and how long to wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from random import Random

    from dryfire_action.messages import Response


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long: at most ``max_retries`` further attempts, waits in seconds.

    A provider's own ``retry_after`` is obeyed up to ``max_wait``; without one the wait is drawn evenly between nothing
    and ``base`` times two to the power of the failures so far, at most ``max_wait``.
    """

    max_retries: int = 3
    base: float = 0.5
    max_wait: float = 60.0

    def wait(self, error: ProviderError, failures: int, jitter: Random) -> float:
        """Seconds to wait after the ``failures``-th failure."""
        if error.retry_after is not None:
            return min(max(error.retry_after, 0.0), self.max_wait)
        # A float holds no power beyond 1023; any wait is capped long before.
        return jitter.uniform(0.0, min(self.base * 2.0 ** min(failures - 1, 1000), self.max_wait))


async def with_retries(
    ask: Callable[[], Awaitable[Response]],
    policy: RetryPolicy,
    *,
    sleep: Callable[[float], Awaitable[None]],
    jitter: Callable[[], Random],
    failed: Callable[[ProviderError, int, float | None], None],
) -> tuple[Response, int]:
    """The answer of ``ask`` and how many attempts it took.

    ``jitter`` returns what waits are drawn from. Every failure is told to ``failed`` with the number of the
    attempt (from 0) and the seconds until the next, None if there is none. Raises the last ``ProviderError`` when it
    cannot or need not be tried again.
    """
    attempt = 0
    while True:
        try:
            return await ask(), attempt + 1
        except ProviderError as error:
            if not error.retryable or attempt >= policy.max_retries:
                failed(error, attempt, None)
                raise
            wait = policy.wait(error, attempt + 1, jitter())
            failed(error, attempt, wait)
            await sleep(wait)
            attempt += 1
