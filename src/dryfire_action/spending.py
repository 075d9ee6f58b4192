"""What a run asks of providers: how many calls and tokens it has taken so far, and how many it may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.errors import LimitReached
from dryfire_action.progress import Spent

if TYPE_CHECKING:
    from collections.abc import Callable

    from dryfire_action.errors import ProviderError
    from dryfire_action.messages import Usage


class Spending:
    """The live calls of all cases of a run, counted. Every attempt is a call; ``max_...`` None is no limit.

    Tokens are known once they have been paid for: the call that goes over ``max_tokens`` is the last one, and calls
    that are under way at that moment are finished and kept. ``tell`` is called with the case, the failure and the
    seconds of waiting, whenever something of that changed.
    """

    def __init__(self, max_calls: int | None = None, max_tokens: int | None = None) -> None:
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._cases: dict[str, Spent] = {}
        self._failures: dict[str, str] = {}
        self.total = Spent()
        self.reached = ""
        self.tell: Callable[[str, str, float | None], None] | None = None

    @property
    def calls(self) -> int:
        """All calls so far."""
        return self.total.calls

    @property
    def tokens(self) -> int:
        """The tokens of all answers so far."""
        return self.total.tokens

    def of(self, case: str) -> Spent:
        """What one case has taken so far."""
        return self._cases.get(case, Spent())

    def check(self) -> None:
        """Raise ``LimitReached`` where no further call may be made; from then on ``reached`` names the limit."""
        for name, limit, taken in (
            ("calls", self._max_calls, self.calls),
            ("tokens", self._max_tokens, self.tokens),
        ):
            if limit is not None and taken >= limit:
                self.reached = f"--max-{name} {limit}"
                raise LimitReached(f"{self.reached} allows no further call")

    def asked(self, case: str = "") -> None:
        """Count a call that ``case`` makes now."""
        self._add(case, Spent(calls=1))

    def paid(self, usage: Usage, case: str = "") -> None:
        """Count an answer to ``case``, and what it took."""
        self._add(case, Spent(turns=1, tokens=usage.total))

    def failed(self, error: ProviderError, case: str = "") -> None:
        """Keep why a call failed, to be told with the wait that may follow."""
        status = f"{error.status} " if error.status is not None else ""
        self._failures[case] = f"{status}{error.kind}"

    def waits(self, seconds: float, case: str = "") -> None:
        """Tell that ``case`` waits before its next attempt."""
        if self.tell:
            self.tell(case, self._failures.get(case, ""), seconds)

    def _add(self, case: str, more: Spent) -> None:
        self.total = self.total.plus(more)
        self._cases[case] = self.of(case).plus(more)
        if self.tell:
            self.tell(case, "", None)
