"""How far a run has come, for whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass

from dryfire_action.quick_init import quick_init


@quick_init
@dataclass(frozen=True, slots=True)
class Spent:
    """Live calls that were made, those of them that were answered (turns), and the tokens of the answers."""

    calls: int = 0
    turns: int = 0
    tokens: int = 0

    def plus(self, more: Spent) -> Spent:
        """Both together."""
        return Spent(self.calls + more.calls, self.turns + more.turns, self.tokens + more.tokens)

    @property
    def words(self) -> str:
        """The numbers in words; attempts are told where some call was not answered at once."""
        if not self.calls:
            return ""
        parts = [_count(self.turns, "turn")]
        if self.calls != self.turns:
            parts.append(_count(self.calls, "attempt"))
        if self.tokens:
            parts.append(_count(self.tokens, "token"))
        return ", ".join(parts)


@quick_init
@dataclass(frozen=True, slots=True)
class Progress:
    """Told after each case that finished, and after each live call: how many cases of how many, and which is meant.

    ``outcome`` is "" while the case goes on; ``run`` is what all cases took so far, ``own`` what this one took. Before
    another attempt ``failure`` says why it is needed, and ``wait`` how many seconds it is away.
    """

    done: int
    total: int
    case: str
    outcome: str
    run: Spent = Spent()
    own: Spent = Spent()
    failure: str = ""
    wait: float | None = None

    @property
    def again(self) -> str:
        """The wait in words."""
        return "" if self.wait is None else f"{self.failure or 'failed'}; trying again in {self.wait:.1f} s"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
