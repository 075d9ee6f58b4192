"""Work counted in steps of the interpreter, which are the same on every machine however busy it is."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def steps(work: Callable[[], object]) -> int:
    """How often functions are called and return in some work, built-in ones too."""
    count = 0

    def traced(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += 1

    # What the collector takes away meanwhile would be counted too.
    gc.disable()
    sys.setprofile(traced)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count
