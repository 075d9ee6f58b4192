"""What an assertion is given to look at, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dryfire_action.errors import DryfireError
from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.agent import Run
    from dryfire_action.messages import JsonObject, JsonValue


class CheckError(DryfireError):
    """An assertion that cannot be judged (no price, an unusable schema): the verdict fails with this text."""

    slug = "check"


@quick_init
@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: a run, the model that was asked for, and prices.

    ``prices`` maps ``provider:model`` to USD per million tokens under ``input``, ``output`` and, optionally,
    ``cache_read`` and ``cache_write``.
    """

    run: Run
    provider: str = ""
    model: str = ""
    prices: Mapping[str, JsonObject] = field(default_factory=dict)

    @property
    def trajectory(self) -> str:
        """The names of all calls in order and how the run ended: ``lookup → refund (end_turn)``."""
        names = " → ".join(call.name for call in self.run.calls)
        return f"{names} ({self.run.termination})".lstrip()


@quick_init
@dataclass(frozen=True, slots=True)
class Finding:
    """What one assertion found. ``about`` names what it looked for, ``message`` is empty where it holds."""

    about: str
    message: str
    expected: JsonValue = None
    actual: JsonValue = None


def plural(count: int, noun: str) -> str:
    """A number with its noun: ``1 call``, ``2 calls``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
