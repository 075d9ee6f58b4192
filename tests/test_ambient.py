"""Clocks and ids that a test controls, and the real ones."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from dryfire_action.ambient import FakeClock, ReplayClock, SequentialIds, SystemClock, random_id, run_through

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_ids_count_up_from_one() -> None:
    ids = SequentialIds()
    assert [ids(), ids(), ids()] == ["run_1", "run_2", "run_3"]
    assert SequentialIds()() == "run_1"
    assert SequentialIds("case")() == "case_1"


def test_random_ids_are_all_different() -> None:
    assert len({random_id() for _ in range(100)}) == 100


def test_a_fake_clock_goes_on_when_it_is_slept_on() -> None:
    clock = FakeClock(100.0)
    asyncio.run(clock.sleep(2.5))
    asyncio.run(clock.sleep(0.0))
    assert (clock.now(), clock.slept) == (102.5, [2.5, 0.0])


def test_a_negative_sleep_does_not_turn_it_back() -> None:
    clock = FakeClock(10.0)
    asyncio.run(clock.sleep(-3.0))
    assert (clock.now(), clock.slept) == (10.0, [-3.0])


def test_a_fake_clock_can_be_set_also_back() -> None:
    clock = FakeClock()
    clock.advance(5.0)
    assert clock.now() == 5.0
    clock.set(1.0)
    assert clock.now() == 1.0


def test_without_auto_advance_a_sleeper_waits_until_it_is_moved_past() -> None:
    async def scenario() -> list[str]:
        clock = FakeClock(auto_advance=False)
        woken: list[str] = []

        async def sleeper(name: str, seconds: float) -> None:
            await clock.sleep(seconds)
            woken.append(name)

        tasks = [asyncio.create_task(sleeper("short", 1.0)), asyncio.create_task(sleeper("long", 3.0))]
        await clock.wait_for_sleep(2)
        assert woken == []
        clock.advance(1.5)
        await asyncio.sleep(0.01)
        assert woken == ["short"]
        clock.set(0.5)
        await asyncio.sleep(0.01)
        assert woken == ["short"]
        clock.set(3.0)
        await asyncio.gather(*tasks)
        assert clock.now() == 3.0
        return woken

    assert asyncio.run(scenario()) == ["short", "long"]


def test_waiting_for_a_sleep_that_never_comes_is_an_error_with_both_counts() -> None:
    clock = FakeClock()
    asyncio.run(clock.sleep(1.0))
    with pytest.raises(AssertionError, match="waited for 2 sleeps, saw 1"):
        asyncio.run(clock.wait_for_sleep(2))


def test_a_replay_never_waits() -> None:
    before = time.monotonic()
    asyncio.run(ReplayClock().sleep(3600.0))
    assert time.monotonic() - before < 60.0


def test_the_system_clock_waits_and_never_goes_back() -> None:
    clock = SystemClock()
    before = clock.now()
    asyncio.run(clock.sleep(0.01))
    assert clock.now() >= before + 0.005


def test_what_does_not_wait_needs_no_event_loop() -> None:
    async def work() -> str:
        await ReplayClock().sleep(60.0)
        return "done"

    async def failing() -> None:
        raise KeyError("x")

    assert run_through(work()) == "done"
    with pytest.raises(KeyError):
        run_through(failing())


def test_what_waits_after_all_is_an_error() -> None:
    class Waiting:
        def __await__(self) -> Iterator[None]:
            yield

    async def work() -> None:
        await Waiting()

    with pytest.raises(RuntimeError, match="waited"):
        run_through(work())
