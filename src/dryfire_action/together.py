"""Doing several things at once: kept apart, because it needs an event loop and most of the engine does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

Value = TypeVar("Value")


async def gathered(work: Sequence[Coroutine[Any, Any, Value]]) -> Sequence[Value]:
    """The values of ``work``, done together, in its order. The first exception ends the others and is raised."""
    import asyncio

    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
