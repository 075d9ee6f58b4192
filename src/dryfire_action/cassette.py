"""The cassette: the ordered exchanges of one case, with a header that says what they were recorded against.

An exchange keeps digests of the request and never its content; its answer is the redacted one (see
``placeholders``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dryfire_action.messages import NO_USAGE
from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dryfire_action.fingerprint import Fingerprint
    from dryfire_action.ignore_rules import IgnoreRule
    from dryfire_action.messages import JsonObject, Usage


@quick_init
@dataclass(frozen=True, slots=True)
class Header:
    """What a cassette was recorded for and against. Names are the true ones, whatever the file is called.

    ``sdk`` and ``sdk_version`` name the provider's client library, ``served`` the model that answered if the provider
    said so, ``redaction`` the version of the redaction rules, ``scripted`` whether no model was asked at all.
    ``origin`` is "" for what a provider answered, ``loopback`` for a server on the same machine, ``dryfire`` for what
    was taken over from recordings of the public runner of that name.
    """

    suite: str
    case: str
    provider: str
    model: str
    scripted: bool = False
    sdk: str | None = None
    sdk_version: str | None = None
    served: str | None = None
    redaction: str = ""
    origin: str = ""
    ignore: tuple[IgnoreRule, ...] = ()


@quick_init
@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded outcome of one attempt: an answer or an error, never both.

    ``answer`` and ``error`` are JSON as they stand in the file, markers in place of secrets; ``from_request`` maps
    markers to the piece of the request's text that they stand for, as ``messages[0].content[16:26]``. ``cuts`` are the
    offsets at which a streamed text was cut into pieces. ``recorded`` is a date, ``YYYY-MM-DD``.
    """

    run: int
    turn: int
    attempt: int
    fingerprint: Fingerprint
    recorded: str = ""
    answer: JsonObject | None = None
    error: JsonObject | None = None
    from_request: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    latency_ms: int = 0
    served: str | None = None
    cuts: tuple[int, ...] = ()
    reasoning_altered: bool = False

    @property
    def key(self) -> str:
        """The key of the request it answered."""
        return self.fingerprint.key

    @property
    def place(self) -> tuple[int, int, int]:
        """``(run, turn, attempt)``."""
        return (self.run, self.turn, self.attempt)


@dataclass(frozen=True, slots=True)
class Cassette:
    """The exchanges of one case, ordered by run, turn and attempt."""

    header: Header
    exchanges: tuple[Exchange, ...]

    @property
    def recorded(self) -> str:
        """The date of its newest answer ("" where there is none)."""
        return max((exchange.recorded for exchange in self.exchanges), default="")

    @property
    def runs(self) -> int:
        """How many runs it holds."""
        return len({exchange.run for exchange in self.exchanges})


def same_outcome(first: Exchange, second: Exchange) -> bool:
    """Whether two exchanges hold the same answer to the same request, however long it took and whenever it was."""
    return (
        first.key == second.key
        and first.answer == second.answer
        and first.error == second.error
        and first.from_request == second.from_request
        and first.cuts == second.cuts
    )


def keeping_old_facts(exchanges: Sequence[Exchange], old: Cassette | None) -> tuple[Exchange, ...]:
    """``exchanges``, where an answer that did not change keeps its date, latency, usage and served model.

    So recording the same answers again leaves the file as it was.
    """
    known: dict[tuple[int, str], list[Exchange]] = {}
    for exchange in reversed(old.exchanges if old else ()):
        known.setdefault((exchange.run, exchange.key), []).append(exchange)
    found = []
    for exchange in exchanges:
        before = known.get((exchange.run, exchange.key))
        candidate = before.pop() if before else None
        if candidate is not None and same_outcome(candidate, exchange):
            exchange = replace(
                exchange,
                recorded=candidate.recorded,
                usage=candidate.usage,
                latency_ms=candidate.latency_ms,
                served=candidate.served,
            )
        found.append(exchange)
    return tuple(found)


def complete_part(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """``exchanges`` without the failures a run ended in: what ``auto`` may serve when it goes on from a partial.

    A failure that a later attempt recovered from stays.
    """
    answered = {(e.run, e.turn) for e in exchanges if e.answer is not None}
    return tuple(e for e in exchanges if (e.run, e.turn) in answered)
