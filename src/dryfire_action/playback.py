"""Replaying: a provider that answers from a recording, and what it has in common with the one that makes recordings.

A replay is served by key: within one run of one case, the n-th request with a key gets the n-th exchange with that
key. There is no nearest match, no wrap-around and no provider behind it. What is not recorded is a ``Miss``: a value
that says what was recorded in that place instead and which fields differ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dryfire_action.errors import CassetteMissError, UsageError
from dryfire_action.field_changes import changes_between
from dryfire_action.fingerprint import Fingerprint, Fingerprinter
from dryfire_action.placeholders import error_from, fresh_call_ids, response_from, restore
from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dryfire_action.cassette import Cassette, Exchange
    from dryfire_action.field_changes import FieldChange
    from dryfire_action.fingerprint import LastHead
    from dryfire_action.ignore_rules import Masker
    from dryfire_action.messages import Request, Response

PlayedOutcome = Literal["replayed", "recorded", "stale", "missing"]


@dataclass(frozen=True, slots=True)
class Miss:
    """A request that a replay could not answer, at its place in the case.

    ``recorded`` is the exchange that stands at this place (None: nothing does), ``changes`` the fields in which its
    request differs, ``times_recorded`` and ``times_asked`` how often this very request was recorded and asked for.
    ``empty``: nothing at all is recorded for this run.
    """

    run: int
    turn: int
    attempt: int
    current: Fingerprint
    recorded: Exchange | None
    changes: tuple[FieldChange, ...]
    times_recorded: int
    times_asked: int
    empty: bool = False

    @property
    def outcome(self) -> Literal["stale", "missing"]:
        """``stale`` where another request is recorded at this place, else ``missing``."""
        return "stale" if self.changes else "missing"

    @property
    def where(self) -> str:
        """The place in words, with the run where it is not the first."""
        turn = f"turn {self.turn}" + (f", attempt {self.attempt}" if self.attempt else "")
        return f"run {self.run}, {turn}" if self.run else turn

    @property
    def sentence(self) -> str:
        """The miss in one sentence, naming the fields that changed."""
        where = self.where
        if self.changes:
            fields = ", ".join(f"{change.path} ({change.change})" for change in self.changes)
            return f"{where}: recorded for another request; changed: {fields}"
        if self.times_recorded:
            return (
                f"{where}: this request is recorded {_times(self.times_recorded)} and was asked for more times than "
                f"that ({_times(self.times_asked)})"
            )
        if self.empty:
            return f"{where}: the cassette is empty, nothing can be replayed"
        return f"{where}: nothing is recorded here"


@quick_init
@dataclass(frozen=True, slots=True)
class Played:
    """One request that went through a recorder or a replay, and what became of it.

    ``exchange`` is what answered it, ``miss`` why nothing could. In diagnosis both may be set: the request was not
    recorded, and the answer recorded at its place was fed forward.
    """

    run: int
    turn: int
    attempt: int
    outcome: PlayedOutcome
    current: Fingerprint
    exchange: Exchange | None = None
    miss: Miss | None = None


class RunTape:
    """One run's place in a case and everything that went through: what recorder and replay have in common.

    Turn and attempt are counted by outcome: after an answer comes the next turn, after a failure the next attempt.
    ``fingerprinter`` is that of the rules of an earlier version, where they count.
    """

    def __init__(
        self, run: int = 0, mask: Masker | None = None, fingerprinter: Fingerprinter | None = None
    ) -> None:
        self.run = run
        self.mask = mask
        self.turn = 0
        self.attempt = 0
        self.played: list[Played] = []
        self._fingerprinter = fingerprinter or Fingerprinter(mask)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges that answered, placed where they answered."""
        return tuple(played.exchange for played in self.played if played.exchange is not None)

    @property
    def misses(self) -> tuple[Miss, ...]:
        """All requests that were not recorded."""
        return tuple(played.miss for played in self.played if played.miss is not None)

    def fingerprint(self, request: Request, expected: Fingerprint | None = None) -> Fingerprint:
        """The fingerprint of ``request``, the next in this run's conversation; ``expected`` is what it may well be."""
        return self._fingerprinter.fingerprint(request, expected)

    def give(
        self,
        exchange: Exchange,
        request: Request,
        outcome: PlayedOutcome,
        current: Fingerprint,
        miss: Miss | None = None,
    ) -> Response:
        """Hand out what ``exchange`` holds, restored for ``request``: returns the answer or raises the failure."""
        placed = exchange
        if exchange.place != (self.run, self.turn, self.attempt):
            placed = replace(exchange, run=self.run, turn=self.turn, attempt=self.attempt)
        self.played.append(Played(self.run, self.turn, self.attempt, outcome, current, placed, miss))
        if exchange.error is not None:
            self.attempt += 1
            raise error_from(restore(exchange.error, exchange.from_request, request))
        self.turn, self.attempt = self.turn + 1, 0
        assert exchange.answer is not None
        answer = restore(exchange.answer, exchange.from_request, request)
        ids = fresh_call_ids(self._fingerprinter.call_ids, len(answer.get("tool_calls", ())))
        return response_from(
            answer, ids, exchange.usage, latency_ms=exchange.latency_ms, served=exchange.served
        )

    def missed(self, miss: Miss) -> None:
        """Note a request that nothing answered."""
        self.played.append(Played(self.run, self.turn, self.attempt, miss.outcome, miss.current, miss=miss))


class RunIndex:
    """The exchanges of one run of a cassette by key and by place; knows how often each key was asked for."""

    def __init__(self, exchanges: Iterable[Exchange], run: int) -> None:
        self.exchanges = tuple(exchange for exchange in exchanges if exchange.run == run)
        self.asked: dict[str, int] = {}
        self._by_key: dict[str, list[Exchange]] = {}
        self._by_place: dict[tuple[int, int, int], Exchange] = {}
        by_place, by_key = self._by_place, self._by_key
        for exchange in self.exchanges:
            by_place[run, exchange.turn, exchange.attempt] = exchange
            by_key.setdefault(exchange.fingerprint.key, []).append(exchange)

    def next_with(self, key: str) -> Exchange | None:
        """The exchange for the next request with this key; None once all of them were asked for."""
        before = self.asked.get(key, 0)
        self.asked[key] = before + 1
        recorded = self._by_key.get(key, ())
        return recorded[before] if before < len(recorded) else None

    def at(self, tape: RunTape) -> Exchange | None:
        """The exchange that was recorded where ``tape`` is."""
        return self._by_place.get((tape.run, tape.turn, tape.attempt))

    def miss(self, tape: RunTape, current: Fingerprint) -> Miss:
        """Why the request that ``tape`` is at cannot be answered."""
        recorded = self.at(tape)
        times = len(self._by_key.get(current.key, ()))
        changes = changes_between(recorded.fingerprint, current) if recorded and not times else ()
        return Miss(
            run=tape.run,
            turn=tape.turn,
            attempt=tape.attempt,
            current=current,
            recorded=recorded,
            changes=changes,
            times_recorded=times,
            times_asked=self.asked.get(current.key, 0),
            empty=not self.exchanges,
        )

    def left_over(self) -> tuple[Exchange, ...]:
        """Recorded, but never asked for."""
        found = []
        for key, recorded in self._by_key.items():
            found.extend(recorded[self.asked.get(key, 0) :])
        return tuple(sorted(found, key=lambda exchange: exchange.place)) if found else ()


class ReplayingProvider:
    """Answers one run from a cassette and from nothing else.

    A request that is not recorded raises ``CassetteMissError``. With ``diagnose`` the answer recorded at its place is
    fed forward instead, where there is one, so that later changes are found too: the run has failed all the same, as
    ``tape.misses`` says. ``expect_provider`` and ``expect_version`` refuse a cassette that was recorded against
    another provider or SDK version (``UsageError``). Conversations of the same values may share a ``last_head``.
    """

    def __init__(
        self,
        cassette: Cassette,
        *,
        run: int = 0,
        expect_provider: str | None = None,
        expect_version: str | None = None,
        diagnose: bool = False,
        mask: Masker | None = None,
        last_head: LastHead | None = None,
    ) -> None:
        refuse_other_origin(cassette, expect_provider, expect_version)
        self.name = cassette.header.provider
        self.tape = RunTape(run, mask, Fingerprinter(mask, last_head))
        self.index = RunIndex(cassette.exchanges, run)
        self._diagnose = diagnose

    def left_over(self) -> tuple[Exchange, ...]:
        """The exchanges of this run that were recorded and not asked for so far."""
        return self.index.left_over()

    async def complete(self, request: Request) -> Response:
        """The recorded answer to ``request``; raises the recorded ``ProviderError``, or ``CassetteMissError``."""
        here = self.index.at(self.tape)
        current = self.tape.fingerprint(request, here.fingerprint if here else None)
        exchange = self.index.next_with(current.key)
        if exchange is not None:
            return self.tape.give(exchange, request, "replayed", current)
        miss = self.index.miss(self.tape, current)
        if self._diagnose and miss.recorded is not None:
            return self.tape.give(miss.recorded, request, miss.outcome, current, miss)
        self.tape.missed(miss)
        raise CassetteMissError(miss)


def refuse_other_origin(cassette: Cassette, provider: str | None, version: str | None) -> None:
    """Raise ``UsageError`` where ``cassette`` was recorded against another provider or SDK version than expected.

    None means not checked.
    """
    header = cassette.header
    remedy = "record it again, or change what is expected"
    if provider is not None and provider != header.provider:
        raise UsageError(
            f"the cassette was recorded against the provider {header.provider!r}, expected {provider!r}",
            remedy=remedy,
        )
    if version is not None and version != (header.sdk_version or ""):
        raise UsageError(
            f"the cassette was recorded against version {header.sdk_version or 'unknown'} of {header.provider!r}, "
            f"expected {version}",
            remedy=remedy,
        )


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"
