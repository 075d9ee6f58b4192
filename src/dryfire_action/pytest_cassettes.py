"""The cassette of one test: where its file lies, how it is opened for each mode, and when it is written.

A test that fails while it is recorded leaves no recording, and loses none: its answers stay in a folder that git
ignores, and ``--cassette-mode auto`` goes on from there.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import call_cassette_file
from dryfire_action.canonical_json import digest
from dryfire_action.errors import CassetteDamaged, CassetteMissError, DryfireError, UsageError
from dryfire_action.http_transport import ReplayStopped
from dryfire_action.network_block import blocked
from dryfire_action.providers.endpoints import ENDPOINTS
from dryfire_action.pytest_files import (
    LIBRARY_OPTIONS,
    command_for,
    options_of,
    partial_path,
    path_of,
    shown,
    typed,
)
from dryfire_action.replay_cassette import Cassette

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dryfire_action.call_cassette import RecordedCall
    from dryfire_action.network_block import NetworkBlock

# What stands for a key that a replay does not need, and an SDK insists on.
NO_KEY = "replayed-without-a-key"


@dataclass(slots=True)
class RecordedTest:
    """The recording of one test on its way.

    ``mode`` is record, replay, auto or off. ``problem`` is why nothing can be replayed at all, ``error`` what the test
    failed for as far as its recording is concerned.
    """

    nodeid: str
    command: str
    path: Path
    mode: str
    cassette: Cassette
    problem: DryfireError | None = None
    error: DryfireError | None = None
    at: str = ""
    block: NetworkBlock | None = None
    is_passed: bool = False
    wrote: bool = False
    lenient: bool = False
    known: tuple[RecordedCall, ...] = field(default=(), repr=False)

    def failed(self, error: BaseException) -> None:
        """Take ``error`` for the recording's where it is; what ends the test then says so in few words."""
        known = error.error if isinstance(error, ReplayStopped) else error
        if isinstance(known, DryfireError):
            self.at = _place(error, self.path)
            self._stop(self.problem or known, error)
        self._say_what_was_swallowed(error)

    def passed(self) -> None:
        """The body of the test is through: see whether the recording is, too."""
        self._say_what_was_swallowed(None)
        if self.problem is not None:
            self._stop(self.problem)
        if self.mode in ("record", "auto") and not (self.cassette.tape.new or self.cassette.tape.played):
            self._stop(_nothing_recorded())
        if self.mode == "replay":
            try:
                self.cassette.finish()
            except DryfireError as error:
                self._stop(error)
        self.is_passed = True

    def _say_what_was_swallowed(self, error: BaseException | None) -> None:
        """A miss or a blocked connection fails the test, whatever the agent made of it."""
        tried = self.block.attempts if self.block else []
        misses = [] if self.lenient else self.cassette.tape.misses
        if misses and self.mode == "replay":
            miss, divergence = misses[0]
            told = CassetteMissError(miss, divergence, remedy=self.cassette.tape.remedy)
            self._stop(self.problem or told, error)
        if tried:
            self._stop(tried[0], error)

    def _stop(self, error: DryfireError, cause: BaseException | None = None) -> None:
        self.error = error
        failed = pytest.fail.Exception(str(error), pytrace=False)
        raise failed.with_traceback(cause.__traceback__ if cause else None) from None

    def keep(self) -> None:
        """Write the recording where there is a new one: the test is over."""
        if self.mode not in ("record", "auto") or not self.is_passed:
            return
        tape = self.cassette.tape
        if tape.new or self.cassette.unplayed or self._partial.exists():
            calls = sorted([*tape.played, *tape.new], key=lambda call: (call.kind, call.index))
            call_cassette_file.save(self.path, self.cassette.header, calls)
            self.wrote = True
        self._partial.unlink(missing_ok=True)

    @property
    def kept_partial(self) -> bool:
        """Whether answers were paid for and did not become a recording."""
        return self.mode in ("record", "auto") and not self.is_passed and self._partial.exists()

    @property
    def _partial(self) -> Path:
        return partial_path(self.path)

    def note(self, call: RecordedCall) -> None:
        """Put a new call onto the disk before its answer is used."""
        folder = self._partial.parent
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        call_cassette_file.append(self._partial, self.cassette.header, call)


@contextmanager
def opened(item: pytest.Item, mode: str) -> Iterator[RecordedTest]:
    """The recording of ``item``, in force until the block ends; it is written then, if the test passed."""
    options = options_of(item)
    if options.get("mode") is not None:
        mode = "replay"
    recording = _prepared(item, mode, options)
    seen = options.get("record_clients", item.config.getini("cassette_record_clients"))
    allowed = [*item.config.getini("cassette_allow_hosts"), *options.get("allow_hosts", ())]
    with ExitStack() as stack:
        if recording.mode == "replay":
            stack.enter_context(_without_keys(recording.known))
        if recording.mode != "off":
            what: Any = "everything" if recording.mode == "replay" else "providers"
            recording.block = stack.enter_context(blocked(what, test=item.nodeid, allowed=allowed))
        if seen:
            from dryfire_action.patched_clients import recording_clients

            stack.enter_context(recording_clients(recording.cassette.tape))
        yield recording
    recording.keep()


def _prepared(item: pytest.Item, mode: str, options: dict[str, Any]) -> RecordedTest:
    path = path_of(item, options)
    given = {name: options[name] for name in LIBRARY_OPTIONS if name in options}
    given.setdefault("ignore", ())
    given["metadata"] = {"test": item.nodeid, **given.get("metadata", {})}
    problem: DryfireError | None = None
    known: tuple[RecordedCall, ...] = ()
    if mode in ("replay", "auto"):
        try:
            known = _recorded(path)
            if mode == "auto":
                known = _with_partial(known, partial_path(path))
            elif not known:
                problem = _missing(item, path, options.get("mode"))
        except CassetteDamaged as error:
            problem = CassetteDamaged(shown(path, item), error.what, line=error.line, remedy=error.remedy)
    lenient = mode == "replay" and options.get("mode") == "lenient"
    as_library: Any = {"record": "record", "off": "record", "auto": "fallthrough"}
    cassette = Cassette(
        mode=as_library.get(mode, "lenient" if lenient else "strict"),
        calls=known,
        record_new=mode == "auto",
        **given,
    )
    command = command_for([typed(item)])
    cassette.tape.remedy = f"if the change was meant, record it again: {command}"
    recording = RecordedTest(
        item.nodeid, command, path, mode, cassette, problem, lenient=lenient, known=known
    )
    if mode in ("record", "auto"):
        if mode == "record":
            recording._partial.unlink(missing_ok=True)
        cassette.tape.kept = recording.note
    return recording


def _recorded(path: Path) -> tuple[RecordedCall, ...]:
    return call_cassette_file.load(path)[1] if path.exists() else ()


def _with_partial(known: tuple[RecordedCall, ...], partial: Path) -> tuple[RecordedCall, ...]:
    """The recorded calls, and those of a recording that did not end: where both answer a request, the newer does."""
    try:
        newer = call_cassette_file.load(partial)[1] if partial.exists() else ()
    except CassetteDamaged:  # its writer was killed in the middle of a line, and nobody ever used that answer
        newer = call_cassette_file.readable(partial)
    newer = tuple(call for at, call in enumerate(newer) if not _ended_in(call, newer[at + 1 :]))
    replaced = Counter((call.kind, call.exchange.key) for call in newer)
    kept = []
    for call in known:
        key = (call.kind, call.exchange.key)
        replaced[key] -= 1
        if replaced[key] < 0:
            kept.append(call)
    after = max((call.index for call in kept), default=-1) + 1
    return (*kept, *(replace(call, index=after + number) for number, call in enumerate(newer)))


def _ended_in(call: RecordedCall, later: Iterable[RecordedCall]) -> bool:
    """Whether ``call`` is a failure that no later try recovered from: that is asked again, and not replayed."""
    answer = call.exchange.answer
    failed = answer is None or answer.get("http", {}).get("status", 200) >= 400
    return failed and call.kind == "llm" and all(other.exchange.key != call.exchange.key for other in later)


@contextmanager
def _without_keys(calls: Iterable[RecordedCall]) -> Iterator[None]:
    """A word in place of each key that is not set and whose provider is replayed: SDKs want one to begin with."""
    recorded = {call.exchange.fingerprint.head.get("provider") for call in calls if call.kind == "llm"}
    # Where nothing is recorded, that is what the test is to fail for.
    names = {endpoint.key for endpoint in ENDPOINTS if not recorded or digest(endpoint.name) in recorded}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: NO_KEY for name, value in before.items() if not value})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _missing(item: pytest.Item, path: Path, pinned: str | None) -> UsageError:
    command = command_for([typed(item)]).replace("auto", "record")
    # Under such a marker no command records, and the same one would be recommended for ever.
    first = f'take mode="{pinned}" out of its marker, which keeps it from recording; then ' if pinned else ""
    return UsageError(
        f"nothing is recorded for this test: there is no {shown(path, item)}",
        remedy=f"{first}record it, which calls the model: {command}",
    )


def _nothing_recorded() -> UsageError:
    return UsageError(
        "nothing was recorded: no call went through the cassette",
        remedy="wrap what calls: cassette.wrap_llm(client), cassette.wrap_tool(function), cassette.http_transport(); or"
        " let it see clients that a framework builds: @pytest.mark.cassette(record_clients=True)",
    )


def _place(error: BaseException, cassette: Path) -> str:
    """The last line of the people's own code that ``error`` went through, as ``file:line``; "" where there is none."""
    found = ""
    trace = error.__traceback__
    own = _own_folder(cassette)
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(own) and "site-packages" not in file.parts:
            found = f"{file.relative_to(own).as_posix()}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _own_folder(cassette: Path) -> Path:
    here = Path.cwd()
    return here if cassette.is_relative_to(here) else cassette.parent
