"""Recorded calls of models and tools, and which of them answers the next one. Pure: files are another module's.

A call is found by the key of its request. Where several recorded calls share a key, the one at the same index is taken,
else the first that was not played yet. Calls of models and of tools are counted separately.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dryfire_action.divergence import CallKind, ReplayDivergence
from dryfire_action.field_changes import changes_between
from dryfire_action.playback import Miss

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dryfire_action.cassette import Exchange
    from dryfire_action.fingerprint import Fingerprint
    from dryfire_action.ignore_rules import IgnoreRule
    from dryfire_action.messages import JsonObject, JsonValue

Mode = Literal["record", "strict", "lenient", "fallthrough"]
Requests = Literal["text", "digests"]
KINDS: tuple[CallKind, ...] = ("llm", "tool")


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One recorded call. ``index`` counts the calls of its kind from 0, ``name`` is the model or the tool.

    ``exchange`` is what was answered and the fingerprint of what was asked; a tool's answer is ``{"value": ...}``.
    ``request`` is the redacted request, None where only digests are kept.
    """

    kind: CallKind
    index: int
    name: str
    exchange: Exchange
    request: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class CallHeader:
    """What a file of calls says of itself. ``is_async`` tells whether the model was called asynchronously, ``ignore``
    are the rules for volatile text that it was recorded under.
    """

    provider: str = ""
    version: str = ""
    requests: Requests = "text"
    is_async: bool = False
    redaction: str = ""
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    ignore: tuple[IgnoreRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What the recording has for one call: the ``call`` to play by key, or the ``miss`` and the call at its index."""

    index: int
    current: Fingerprint
    call: RecordedCall | None
    here: RecordedCall | None = None
    miss: Miss | None = None
    divergence: ReplayDivergence | None = None


class CallIndex:
    """The recorded calls by key and by index; knows which were played."""

    def __init__(self, calls: Iterable[RecordedCall] = ()) -> None:
        self.calls = tuple(calls)
        self._at = {(call.kind, call.index): call for call in self.calls}
        self._by_key: dict[tuple[CallKind, str], list[RecordedCall]] = {}
        for call in self.calls:
            self._by_key.setdefault((call.kind, call.exchange.key), []).append(call)
        self._played: set[tuple[CallKind, int]] = set()
        self._asked: dict[tuple[CallKind, str], int] = {}
        self._count: dict[CallKind, int] = dict.fromkeys(KINDS, 0)
        self._furthest: dict[CallKind, int] = dict.fromkeys(KINDS, -1)

    @property
    def unplayed(self) -> tuple[RecordedCall, ...]:
        """The calls that were recorded and not played so far."""
        return tuple(call for call in self.calls if (call.kind, call.index) not in self._played)

    def count(self, kind: CallKind) -> int:
        """The index of the next call of this kind, which is counted from now on whatever comes of it."""
        index = self._count[kind]
        self._count[kind] += 1
        return index

    def find(self, kind: CallKind, name: str, current: Fingerprint, *, mode: str, text: JsonObject) -> Found:
        """What answers the next call. ``text`` is its redacted request, for the explanation of a miss."""
        index = self.count(kind)
        key = (kind, current.key)
        self._asked[key] = self._asked.get(key, 0) + 1
        same = self._by_key.get(key, [])
        free = [call for call in same if (kind, call.index) not in self._played]
        here = self._at.get((kind, index))
        if free:
            call = here if here in free else free[0]
            assert call is not None
            late = call.index < self._furthest[kind]
            self.play(call)
            divergence = None
            if late:
                divergence = self._divergence(kind, index, name, mode, current, call, text, order=True)
            return Found(index, current, call, here, divergence=divergence)
        repeated = bool(same)
        changes = changes_between(here.exchange.fingerprint, current) if here and not repeated else ()
        miss = Miss(
            run=0,
            turn=index,
            attempt=0,
            current=current,
            recorded=here.exchange if here else None,
            changes=changes,
            times_recorded=len(same),
            times_asked=self._asked[key],
            empty=not self.calls,
        )
        divergence = self._divergence(kind, index, name, mode, current, here, text, repeated=repeated)
        return Found(index, current, None, here, miss, divergence)

    def play(self, call: RecordedCall) -> None:
        """Take ``call`` as played."""
        self._played.add((call.kind, call.index))
        self._furthest[call.kind] = max(self._furthest[call.kind], call.index)

    def is_played(self, call: RecordedCall) -> bool:
        """Whether ``call`` was played."""
        return (call.kind, call.index) in self._played

    def _divergence(
        self,
        kind: CallKind,
        index: int,
        name: str,
        mode: str,
        current: Fingerprint,
        recorded: RecordedCall | None,
        text: JsonObject,
        *,
        order: bool = False,
        repeated: bool = False,
    ) -> ReplayDivergence:
        compared = recorded is not None and not order and not repeated
        return ReplayDivergence(
            kind=kind,
            index=index,
            name=name,
            mode=mode,
            reason="order" if order else "repeated" if repeated else "request" if recorded else "extra",
            changes=changes_between(recorded.exchange.fingerprint, current) if recorded and compared else (),
            recorded_key=recorded.exchange.key if recorded else None,
            actual_key=current.key,
            recorded=recorded.request if recorded else None,
            actual=text,
            recorded_index=recorded.index if recorded else None,
        )
