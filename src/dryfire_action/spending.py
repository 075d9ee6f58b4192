"""What a run asks of providers: how many calls and tokens it has taken so far, and how many it may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.errors import LimitReached

if TYPE_CHECKING:
    from dryfire_action.messages import Usage


class Spending:
    """The live calls of all cases of a run, counted. Every attempt is a call; ``max_...`` None is no limit.

    Tokens are known once they have been paid for: the call that goes over ``max_tokens`` is the last one, and calls
    that are under way at that moment are finished and kept.
    """

    def __init__(self, max_calls: int | None = None, max_tokens: int | None = None) -> None:
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self.calls = 0
        self.tokens = 0
        self.reached = ""

    def check(self) -> None:
        """Raise ``LimitReached`` where no further call may be made; from then on ``reached`` names the limit."""
        for name, limit, taken in (
            ("calls", self._max_calls, self.calls),
            ("tokens", self._max_tokens, self.tokens),
        ):
            if limit is not None and taken >= limit:
                self.reached = f"--max-{name} {limit}"
                raise LimitReached(f"{self.reached} allows no further call")

    def asked(self) -> None:
        """Count a call that is made now."""
        self.calls += 1

    def paid(self, usage: Usage) -> None:
        """Count what an answer took."""
        self.tokens += usage.total
