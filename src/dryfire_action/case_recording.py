"""The recording of one case: what is known beforehand, the answers as they come in, and the cassette at the end."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dryfire_action.cassette import Cassette, Header, keeping_old_facts, same_outcome
from dryfire_action.cassette_partial import recording_to
from dryfire_action.cassette_store import (
    check_plain_names,
    check_target,
    write_cassette,
)
from dryfire_action.errors import CassetteDamaged, RecordingError, UsageError
from dryfire_action.importing import ImportingProvider
from dryfire_action.live_provider import LiveProvider
from dryfire_action.recorder import RecordingProvider, occurrences_joined
from dryfire_action.recording_facts import RecordingFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import ExitStack

    from dryfire_action.cassette import Exchange
    from dryfire_action.cassette_partial import Partial
    from dryfire_action.foreign_recordings import ForeignRecordings
    from dryfire_action.messages import JsonObject, JsonValue, Provider
    from dryfire_action.playback import RunTape
    from dryfire_action.shelf import Shelf
    from dryfire_action.spending import Spending
    from dryfire_action.suite import Mode


class Recording:
    """One recording of a case. In ``auto`` it serves what is known, of the unfinished recording first.

    ``stack`` holds the partial file, from the first live call on until it is closed; ``environ`` holds the keys. A
    ``source`` answers in the place of the provider.
    """

    def __init__(
        self,
        shelf: Shelf,
        mode: Mode,
        today: str,
        stack: ExitStack,
        environ: Mapping[str, str],
        spending: Spending | None = None,
        source: ForeignRecordings | None = None,
    ) -> None:
        self._source = source
        self._shelf = shelf
        self._goes_on = mode == "auto"
        self._today = today
        self._stack = stack
        self._partial: Partial | None = None
        self._tapes: list[RunTape] = []
        try:
            self._old = shelf.read()
        except CassetteDamaged:
            # Only who asks to record again may replace a file that cannot be trusted.
            if self._goes_on:
                raise
            self._old = None
        self._unfinished = shelf.read_unfinished() if self._goes_on else None
        self._known: tuple[Exchange, ...] = ()
        if self._goes_on:
            self._known = occurrences_joined(_exchanges(self._unfinished), _exchanges(self._old))
        self._live = LiveProvider(
            shelf.case.provider, shelf.config, environ, shelf.tree, self._begin, spending, shelf.case.id
        )
        self._asked = False

    @property
    def most_attempts(self) -> int:
        """The highest number of an attempt that may be served: a recorded recovery must not end for want of retries."""
        return max((exchange.attempt for exchange in self._known), default=0)

    def recorder(self, run: int) -> RecordingProvider:
        """The recorder of one run."""
        inner: Provider = self._live
        if self._source is not None and not self._shelf.case.scripted:
            inner = ImportingProvider(
                self._source, self._shelf.case, self._shelf.config, run=run, begin=self._begin
            )
        recorder = RecordingProvider(
            inner,
            run=run,
            mask=self._shelf.mask,
            rules=self._shelf.rules,
            today=self._today,
            keep=self._keep,
            known=self._known,
        )
        self._tapes.append(recorder.tape)
        return recorder

    def finish(self, terminations: Sequence[str]) -> str:
        """Replace the cassette, given how the runs ended; "" or a notice why that was not done.

        A run that the provider broke off is no recording: what was answered stays in the partial file.
        """
        if "provider_error" in terminations:
            kept = f"; what was answered is kept in {self._shelf.partial}" if self._asked else ""
            return f"the recording is not complete{kept}, and --cassette-mode auto goes on from there"
        tapes = self._tapes
        exchanges = keeping_old_facts([e for tape in tapes for e in tape.exchanges], self._old)
        if not self._asked and self._old and exchanges == self._old.exchanges:
            if self._unfinished and self._told_already(self._unfinished):
                # Left by a kill just before the end; unless somebody is recording now, and then it is theirs.
                with suppress(RecordingError):
                    self._hold().remove()
            return ""
        if not self._asked and "unmocked_tool" in terminations:
            # Most likely a slip in the suite: answers that were paid for must not go because of it.
            return "the recording goes on after the call that nothing answers, and is kept as it is"
        partial = self._hold()
        write_cassette(self._shelf.root, self._shelf.path, Cassette(self._header(exchanges), exchanges))
        partial.remove()
        return ""

    @property
    def facts(self) -> RecordingFacts | None:
        """What was recorded live, beside what was recorded before; None where nobody was asked."""
        case, before = self._shelf.case, self._old.header if self._old else None
        if not self._asked or case.scripted or self._source is not None:
            return None
        live = [
            played.exchange for tape in self._tapes for played in tape.played if played.outcome == "recorded"
        ]
        return RecordingFacts(
            sdk=self._live.sdk or "",
            version=self._live.sdk_version or "",
            version_before=(before.sdk_version if before and before.sdk == self._live.sdk else None) or "",
            model=case.model,
            served=tuple(sorted({each.served for each in live if each and each.served})),
            served_before=(before.served if before and before.model == case.model else None) or "",
            one_sample=case.repeat == 1 and _temperature(case.params) != 0,
        )

    def _header(self, exchanges: Sequence[Exchange]) -> Header:
        served = next((exchange.served for exchange in reversed(exchanges) if exchange.served), None)
        before = self._unfinished or self._old
        found = self._own_header() if self._asked or before is None else before.header
        if self._old and any(played.outcome == "replayed" for tape in self._tapes for played in tape.played):
            # It says what redacted all of the answers, and some are served as they were.
            before_now = self._old.header
            found = replace(found, redaction=before_now.redaction, origin=before_now.origin or found.origin)
        return replace(found, served=served)

    def _own_header(self) -> Header:
        taken_over = self._source is not None and not self._shelf.case.scripted
        return replace(
            self._shelf.header(),
            sdk=self._live.sdk,
            sdk_version=self._live.sdk_version,
            origin="dryfire" if taken_over else self._live.origin,
        )

    def _told_already(self, unfinished: Cassette) -> bool:
        old = _exchanges(self._old)
        return all(any(same_outcome(exchange, other) for other in old) for exchange in unfinished.exchanges)

    def _begin(self) -> None:
        """Called before every live call: from the first on no other process may record this case, and pay too."""
        if not self._asked:
            self._refuse_unexpected()
            header = self._own_header()
            check_plain_names(header.suite, header.case)
            check_target(self._shelf.root, self._shelf.path)
            self._hold().begin(Cassette(header, _exchanges(self._unfinished)))
            self._asked = True

    def _refuse_unexpected(self) -> None:
        """Raise ``UsageError`` for a recording that a replay would refuse, before anything is paid for."""
        config, made = self._shelf.config, self._own_header()
        for what, expected, found in (
            ("provider", config.expect_provider, made.provider),
            (f"version of {made.sdk or made.provider}", config.expect_version, made.sdk_version or "none"),
        ):
            if expected is not None and expected != found:
                raise UsageError(
                    f"cassettes.expect wants recordings of the {what} {expected!r}, and this one would be of {found!r}",
                    remedy="use what is expected, or change cassettes.expect in dryfire.yaml",
                )

    def _hold(self) -> Partial:
        if self._partial is None:
            self._partial = self._stack.enter_context(recording_to(self._shelf.root, self._shelf.partial))
            if self._goes_on and self._changed():
                raise RecordingError(
                    f"{self._shelf.path}: another process has just recorded this case",
                    remedy="run again with --cassette-mode auto: it asks only for what is still not recorded",
                )
        return self._partial

    def _changed(self) -> bool:
        return (self._shelf.read(), self._shelf.read_unfinished()) != (self._old, self._unfinished)

    def _keep(self, exchange: Exchange) -> None:
        assert self._partial is not None
        self._partial.append(exchange)


def _temperature(params: JsonObject) -> JsonValue:
    """The temperature that is sent; where an SDK has no name for it, suites write it into the body."""
    body = params.get("extra_body")
    return params.get("temperature", body.get("temperature") if isinstance(body, dict) else None)


def _exchanges(cassette: Cassette | None) -> tuple[Exchange, ...]:
    return cassette.exchanges if cassette else ()
