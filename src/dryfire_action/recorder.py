"""Recording: a provider that writes down what another one answered, failures included.

A recorder hands out what a replay of its recording will hand out, so that both go the same way from there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dryfire_action.canonical_json import canonical
from dryfire_action.cassette import Exchange
from dryfire_action.errors import ProviderError
from dryfire_action.placeholders import Stored, answer_json, error_json, store
from dryfire_action.playback import RunIndex, RunTape
from dryfire_action.redact import DEFAULT_RULES
from dryfire_action.request_texts import RequestTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dryfire_action.fingerprint import Fingerprint
    from dryfire_action.ignore_rules import Masker
    from dryfire_action.messages import JsonObject, Provider, Request, Response
    from dryfire_action.redact import Rules


class RecordingProvider:
    """Passes requests on to ``inner`` and keeps what it answered, failures included.

    The caller gets exactly what a replay will give. ``keep`` is called with every exchange before its answer is handed
    out, so that nothing paid for is lost. ``known`` (see ``auto``) is served first where it has the very request.
    """

    def __init__(
        self,
        inner: Provider,
        *,
        run: int = 0,
        mask: Masker | None = None,
        rules: Rules = DEFAULT_RULES,
        today: str = "",
        keep: Callable[[Exchange], None] = lambda _: None,
        known: Iterable[Exchange] = (),
    ) -> None:
        self.name = inner.name
        self.tape = RunTape(run, mask)
        self.index = RunIndex(known, run)
        self._inner = inner
        self._texts = RequestTexts(mask=mask)
        self._rules = rules
        self._today = today
        self._keep = keep

    async def complete(self, request: Request) -> Response:
        """The answer of ``inner`` as a replay will give it; raises its ``ProviderError``."""
        current = self.tape.fingerprint(request)
        exchange = self.index.next_with(current.key)
        if exchange is not None:
            return self.tape.give(exchange, request, "replayed", current)
        exchange = await self._asked(request, current)
        self._keep(exchange)
        return self.tape.give(exchange, request, "recorded", current)

    async def _asked(self, request: Request, current: Fingerprint) -> Exchange:
        failed: ProviderError | None = None
        try:
            response = await self._inner.complete(request)
        except ProviderError as error:
            failed = error
        # An answer that is taken over from an older recording was given on another day.
        day = getattr(self._inner, "recorded_on", "") or self._today
        place = Exchange(self.tape.run, self.tape.turn, self.tape.attempt, current, recorded=day)
        if failed is not None:
            stored = self._stored(error_json(failed), request)
            whole = stored.value.get("text") == "".join(failed.chunks)
            return replace(
                place,
                error=stored.value,
                from_request=stored.from_request,
                cuts=_cuts(failed.chunks) if whole else (),
            )
        stored = self._stored(answer_json(response), request)
        return replace(
            place,
            answer=stored.value,
            from_request=stored.from_request,
            usage=response.usage,
            latency_ms=response.latency_ms,
            served=response.model_served,
            cuts=() if stored.value["text"] != response.text else _cuts(response.chunks),
            reasoning_altered=stored.reasoning_altered,
        )

    def _stored(self, value: JsonObject, request: Request) -> Stored:
        canonical(
            value, "the answer"
        )  # what JSON cannot hold is refused by name, before anything is made of it
        self._texts.read(request)
        return store(value, self._texts, self._rules)


def occurrences_joined(newer: Iterable[Exchange], older: Iterable[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges of ``newer``, and those of ``older`` that come after them.

    Per run and key the n-th of each stand for the same request, and then the one of the later date counts; of the same
    date it is the newer one.
    """
    found = list(newer)
    places: dict[tuple[int, str], list[int]] = {}
    for number, exchange in enumerate(found):
        places.setdefault((exchange.run, exchange.key), []).append(number)
    for exchange in older:
        same = places.get((exchange.run, exchange.key))
        if not same:
            found.append(exchange)
        elif exchange.recorded > found[number := same.pop(0)].recorded:
            found[number] = exchange
    return tuple(found)


def _cuts(chunks: tuple[str, ...]) -> tuple[int, ...]:
    found, position = [], 0
    for chunk in chunks[:-1]:
        position += len(chunk)
        found.append(position)
    return tuple(found)
