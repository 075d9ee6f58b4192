"""One recording or one replay on its way: counts calls, finds what answers them, and keeps what is new.

The library's cassette puts it around clients and tools. Recording hands out what a replay will hand out.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dryfire_action import tracing
from dryfire_action.call_cassette import CallHeader, CallIndex, Found, Mode, RecordedCall
from dryfire_action.call_values import (
    RecordedError,
    failure_from,
    failure_json,
    from_json,
    to_json,
    type_name,
)
from dryfire_action.canonical_json import canonical
from dryfire_action.cassette import Exchange
from dryfire_action.divergence import ReplayDivergence, request_json
from dryfire_action.errors import CassetteMissError, DryfireError, ProviderError, UsageError
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.llm import LLMResponse, as_llm_response
from dryfire_action.messages import NO_USAGE, Request, Response
from dryfire_action.placeholders import answer_json, fresh_call_ids, response_from, restore, store
from dryfire_action.request_texts import RequestTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dryfire_action.call_values import Serialisers
    from dryfire_action.divergence import CallKind
    from dryfire_action.ignore_rules import Masker
    from dryfire_action.llm import AsyncLLMClient, LLMClient
    from dryfire_action.messages import JsonObject, JsonValue
    from dryfire_action.playback import Miss
    from dryfire_action.redact import Rules

REMEDY = (
    "if the change was meant, record it again: run the agent with Cassette() and save it over the recording"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One call on its way: what was asked, and what the recording has for it."""

    kind: CallKind
    name: str
    request: Request
    found: Found
    play: RecordedCall | None


class CallTape:
    """What a cassette does with each call, by its ``mode``; see ``Cassette`` for the options."""

    def __init__(
        self,
        mode: Mode,
        calls: Iterable[RecordedCall],
        header: CallHeader,
        *,
        record_new: bool,
        serialisers: Serialisers,
        exceptions: tuple[type[Exception], ...],
        rules: Rules,
        mask: Masker | None = None,
    ) -> None:
        self.mode = mode
        self.header = header
        self.index = CallIndex(calls)
        self.serialisers = serialisers
        self.new: list[RecordedCall] = []
        self.played: list[RecordedCall] = []
        self.divergences: list[ReplayDivergence] = []
        self.misses: list[tuple[Miss, ReplayDivergence]] = []
        self._record_new = record_new
        self._exceptions = exceptions
        self.rules = rules
        self.remedy = REMEDY
        self.kept: Callable[[RecordedCall], None] = lambda _: None
        self._mask = mask
        self._lock = threading.Lock()

    def ask(self, kind: CallKind, name: str, request: Request) -> Asked:
        """Count the call and look for it. Raises ``CassetteMissError`` where the mode neither plays nor calls."""
        if not isinstance(request, Request):
            raise UsageError(f"a cassette is asked with an LLMRequest, not with a {type(request).__name__}")
        current = fingerprint_of(request, self._mask)
        with self._lock:
            if self.mode == "record":
                found = Found(self.index.count(kind), current, None)
                return Asked(kind, name, request, found, None)
            text = request_json(request, self.rules)
            found = self.index.find(kind, name, current, mode=self.mode, text=text)
            if found.divergence:
                self.divergences.append(found.divergence)
                _mark(found.divergence)
            if found.miss and found.divergence:
                self.misses.append((found.miss, found.divergence))
            play, here = found.call, found.here
            if play is None and self.mode == "lenient" and here and self._fits(here, kind, name):
                self.index.play(here)
                play = here
            if play is None and self.mode != "fallthrough":
                assert found.miss is not None
                raise CassetteMissError(found.miss, found.divergence, remedy=self.remedy)
            if play is not None:
                self.played.append(replace(play, index=found.index))
        return Asked(kind, name, request, found, play)

    def _fits(self, here: RecordedCall, kind: CallKind, name: str) -> bool:
        """Whether lenient mode may play ``here``: no other tool's answer, and none twice."""
        return (kind == "llm" or here.name == name) and not self.index.is_played(here)

    def keep(
        self,
        asked: Asked,
        *,
        response: Response | None = None,
        value: JsonValue = None,
        error: Any = None,
        http: JsonObject | None = None,
    ) -> RecordedCall:
        """The call with its redacted outcome, kept. With ``http`` that is the answer, and ``response`` what it says."""
        outcome: JsonObject = error if error is not None else {"value": value}
        if http is not None:
            outcome = http
        elif response is not None:
            outcome = answer_json(response)
        canonical(outcome, "the answer")
        stored = store(outcome, RequestTexts(asked.request, self._mask), self.rules)
        index = asked.found.index
        exchange = Exchange(
            0,
            index,
            0,
            asked.found.current,
            answer=None if error is not None else stored.value,
            error=stored.value if error is not None else None,
            from_request=stored.from_request,
            usage=response.usage if response is not None else NO_USAGE,
            served=response.model_served if response is not None and http is not None else None,
            reasoning_altered=stored.reasoning_altered,
        )
        keeps_text = self.header.requests == "text"
        request = request_json(asked.request, self.rules) if keeps_text else None
        call = RecordedCall(asked.kind, index, asked.name, exchange, request)
        with self._lock:
            self.new.append(call)
            self.kept(call)
        return call

    @property
    def keeps(self) -> bool:
        """Whether what is called for real is kept."""
        return self.mode == "record" or self._record_new

    def failed(self, asked: Asked, error: Exception) -> Exception:
        """What the caller gets of an exception of a call for real, which is what a replay will raise."""
        # A miss further in, or a mistake in how the library is used, is nothing that the model or the tool said.
        if not self.keeps or (isinstance(error, DryfireError) and not isinstance(error, ProviderError)):
            return error
        told = failure_json(error)
        exchange = self.keep(asked, error=told).exchange
        assert exchange.error is not None
        restored = restore(exchange.error, exchange.from_request, asked.request)
        replayed = failure_from(restored, self._exceptions, tool=asked.kind == "tool")
        if type(replayed) is not type(error):
            name = type_name(type(error))
            warnings.warn(
                f"a replay will raise {type(replayed).__name__} where {name} was raised; "
                f"name its class to keep it: Cassette(exceptions=[...])",
                stacklevel=3,
            )
            return error
        return error if restored == told else replayed

    def returned(self, asked: Asked, result: Any) -> Any:
        """What the caller of a tool gets, which is what a replay will give."""
        if not self.keeps:
            return result
        value = to_json(result, f"the result of {asked.name}", self.serialisers)
        return self.value(self.keep(asked, value=value), asked)

    def answered(self, asked: Asked, response: Any) -> LLMResponse:
        """What the caller of a model gets, which is what a replay will give."""
        if not isinstance(response, Response):
            raise UsageError(f"the client answered with a {type(response).__name__}, not with an LLMResponse")
        if not self.keeps:
            return as_llm_response(response)
        return self.response(self.keep(asked, response=response), asked.request)

    def value(self, call: RecordedCall, asked: Asked) -> Any:
        """What a recorded call of a tool returned; raises what it raised."""
        exchange = call.exchange
        if exchange.error is not None:
            error = restore(exchange.error, exchange.from_request, asked.request)
            raise failure_from(error, self._exceptions, tool=True)
        assert exchange.answer is not None
        found = restore(exchange.answer, exchange.from_request, asked.request)
        return from_json(found["value"], self.serialisers)

    def response(self, call: RecordedCall, request: Request) -> LLMResponse:
        """What a recorded call of a model answered; raises what it raised."""
        exchange = call.exchange
        if exchange.error is not None:
            error = restore(exchange.error, exchange.from_request, request)
            raise failure_from(error, self._exceptions, tool=False)
        assert exchange.answer is not None
        if "http" in exchange.answer:
            raise UsageError(
                f"llm call #{call.index} was recorded over HTTP, and a wrapped client cannot play it",
                remedy="hand cassette.http_transport() to the SDK's client, or record it again",
            )
        answer = restore(exchange.answer, exchange.from_request, request)
        taken = {each.id for message in request.messages for each in message.tool_calls}
        ids = fresh_call_ids(taken, len(answer.get("tool_calls", ())))
        return as_llm_response(response_from(answer, ids, exchange.usage, served=exchange.served))

    def http(self, call: RecordedCall, request: Request) -> JsonObject | Exception:
        """What a recorded HTTP call brought: the answer as JSON, or the failure of the connection."""
        exchange = call.exchange
        if exchange.error is not None:
            error = restore(exchange.error, exchange.from_request, request)
            return RecordedError(error["kind"], error["message"])
        if exchange.answer is None or "http" not in exchange.answer:
            raise UsageError(
                f"llm call #{call.index} was recorded around a client, and HTTP cannot play it",
                remedy="wrap the client as when it was recorded, or record it again",
            )
        return restore(exchange.answer, exchange.from_request, request)


class TapedClient:
    """A model behind a tape."""

    def __init__(self, tape: CallTape, client: LLMClient | None) -> None:
        self._tape = tape
        self._client = client

    def complete(self, request: Any) -> LLMResponse:
        """The recorded answer, or the real one."""
        asked = self._tape.ask("llm", getattr(request, "model", ""), request)
        if asked.play:
            return self._tape.response(asked.play, request)
        client = _needed(self._client, self._tape)
        try:
            response = client.complete(request)
        except Exception as error:
            raised = self._tape.failed(asked, error)
            if raised is error:
                raise
            raise raised from None
        return self._tape.answered(asked, response)


class AsyncTapedClient:
    """A model behind a tape, to be awaited."""

    def __init__(self, tape: CallTape, client: AsyncLLMClient | None) -> None:
        self._tape = tape
        self._client = client

    async def complete(self, request: Any) -> LLMResponse:
        """The recorded answer, or the real one."""
        asked = self._tape.ask("llm", getattr(request, "model", ""), request)
        if asked.play:
            return self._tape.response(asked.play, request)
        client = _needed(self._client, self._tape)
        try:
            response = await client.complete(request)
        except Exception as error:
            raised = self._tape.failed(asked, error)
            if raised is error:
                raise
            raise raised from None
        return self._tape.answered(asked, response)


def _needed(client: Any, tape: CallTape) -> Any:
    if client is None:
        raise UsageError(
            f"the call must be made for real in mode {tape.mode!r}, and no client was given",
            remedy="hand one in: cassette.wrap_llm(client)",
        )
    return client


def _mark(divergence: ReplayDivergence) -> None:
    """Tell the span and the trace that the call is in; outside of a run there is nobody to tell."""
    trace, span = tracing.current_trace(), tracing.current_span()
    if span is not None and span.kind == divergence.kind:  # not the span of a step around it
        span.attributes["replay_diverged"] = True
    if trace is not None:
        told = trace.metadata.setdefault(
            "replay_divergence",
            {
                "kind": divergence.kind,
                "index": divergence.index,
                "name": divergence.name,
                "mode": divergence.mode,
                "reason": divergence.reason,
                "fields": list(divergence.fields),
                "diff": divergence.diff,
                "recorded_key": divergence.recorded_key,
                "actual_key": divergence.actual_key,
                "count": 0,
            },
        )
        told["count"] += 1
