"""Everything ambient that a run needs, as values to hand in: time, waiting and identifiers.

The engine reads no clock and makes no id of its own; a test or a replay hands in one that it controls.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

# What waits imports asyncio itself: loading it takes as long as replaying a small suite.
Value = TypeVar("Value")


class Clock(Protocol):
    """Tells the time in seconds and waits."""

    def now(self) -> float:
        """Seconds; only differences mean something."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait ``seconds``."""
        ...


class SystemClock:
    """The machine's own clock. ``now`` is the monotonic clock itself: every turn of a replay asks it five times."""

    now = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        """Wait ``seconds`` for real."""
        import asyncio

        await asyncio.sleep(seconds)


class ReplayClock(SystemClock):
    """A clock that never waits: a replay has nothing to wait for."""

    async def sleep(self, seconds: float) -> None:
        """Return at once."""


class FakeClock:
    """A clock that tests set: starts at ``start``, moves only when told or, with ``auto_advance``, when slept on.

    ``slept`` lists the seconds of every sleep.
    """

    def __init__(self, start: float = 0.0, *, auto_advance: bool = True) -> None:
        import asyncio

        self._now = start
        self._auto_advance = auto_advance
        self._moved = asyncio.Event()
        self.slept: list[float] = []

    def now(self) -> float:
        """The time it was set to, in seconds."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Return once ``seconds`` have passed on this clock."""
        self.slept.append(seconds)
        until = self._now + max(seconds, 0.0)
        if self._auto_advance:
            self._now = until
        while self._now < until:
            self._moved.clear()
            await self._moved.wait()

    def advance(self, seconds: float) -> None:
        """Move the clock on by ``seconds``."""
        self.set(self._now + seconds)

    def set(self, now: float) -> None:
        """Set the clock to ``now``, which may lie in the past."""
        self._now = now
        self._moved.set()

    async def wait_for_sleep(self, count: int = 1) -> None:
        """Let other tasks go on until ``count`` sleeps have begun; ``AssertionError`` after 100 rounds."""
        import asyncio

        for _ in range(100):
            if len(self.slept) >= count:
                return
            await asyncio.sleep(0)
        raise AssertionError(f"waited for {count} sleeps, saw {len(self.slept)}")


class SequentialIds:
    """Ids a test can write down: ``run_1``, ``run_2``, ..."""

    def __init__(self, prefix: str = "run") -> None:
        self._prefix = prefix
        self._count = 0

    def __call__(self) -> str:
        """The next id."""
        self._count += 1
        return f"{self._prefix}_{self._count}"


def random_id() -> str:
    """An id that nobody else has."""
    import uuid

    return uuid.uuid4().hex


def run_through(work: Coroutine[Any, Any, Value]) -> Value:
    """The value of ``work``, which waits for nothing: no replay does, so it needs no event loop.

    Raises ``RuntimeError`` where it waits after all.
    """
    try:
        work.send(None)
    except StopIteration as done:
        value: Value = done.value
        return value
    work.close()
    raise RuntimeError("what should not wait waited")
