"""What a run would ask of providers, as values: the calls and tokens of every case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.messages import NO_USAGE, Usage, total_usage

if TYPE_CHECKING:
    from dryfire_action.suite import Case


@dataclass(frozen=True, slots=True)
class CaseForecast:
    """The live calls that one case would make. With ``at_least`` there may be more: not all of it was ever recorded.

    ``usage`` is what the recorded answers took that would be asked for again; ``why`` is "" or why there is no call.
    """

    case: Case
    calls: int = 0
    usage: Usage = NO_USAGE
    at_least: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would ask, case by case, in order."""

    cases: tuple[CaseForecast, ...]

    @property
    def calls(self) -> int:
        """The calls of all cases, those of scripts among them."""
        return sum(case.calls for case in self.cases)

    @property
    def scripted(self) -> int:
        """The calls that only ask a script, and cost nothing."""
        return sum(case.calls for case in self.cases if case.case.scripted)

    @property
    def usage(self) -> Usage:
        """The tokens of all cases, as far as recordings tell."""
        return total_usage(case.usage for case in self.cases)

    @property
    def at_least(self) -> bool:
        """Whether there may be more calls than that."""
        return any(case.at_least for case in self.cases)
