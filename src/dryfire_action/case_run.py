"""Running one case: which provider answers, in which cassette its answers are, and what came of it."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Literal

from dryfire_action.agent import AgentRunner
from dryfire_action.ambient import ReplayClock, SystemClock
from dryfire_action.cassette import Cassette, Header, complete_part, keeping_old_facts
from dryfire_action.cassette_names import cassette_path, partial_path
from dryfire_action.cassette_store import (
    check_names,
    read_cassette,
    read_partial,
    recording_to,
    remove_partial,
    write_cassette,
)
from dryfire_action.checks import finished, judge
from dryfire_action.errors import CassetteDamaged, DryfireError, ProviderUnavailable, UsageError
from dryfire_action.fingerprint import ignoring
from dryfire_action.messages import Request
from dryfire_action.mocks import MockedTools
from dryfire_action.passthrough import run_impl
from dryfire_action.patterns import compile_pattern
from dryfire_action.playback import (
    RecordingProvider,
    ReplayingProvider,
    occurrences_joined,
    refuse_other_origin,
)
from dryfire_action.providers import make_provider
from dryfire_action.providers.scripted import ScriptStamp
from dryfire_action.redact import RULESET_VERSION, Rules
from dryfire_action.repetition import case_passes
from dryfire_action.results import CaseResult, RunResult, TurnResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from dryfire_action.agent import Run
    from dryfire_action.cassette import Exchange
    from dryfire_action.cassette_store import Partial
    from dryfire_action.fingerprint import Masker
    from dryfire_action.messages import Provider, Response
    from dryfire_action.playback import Played, RunTape
    from dryfire_action.retry import RetryPolicy
    from dryfire_action.suite import Case, Config, Mode
    from dryfire_action.tree import Tree


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all cases of a run share: where files are, what day it is, and the settings of the command line.

    ``tree`` reads cassettes below ``root``, where they are also written; ``cwd`` is put on the import path for
    passthrough code; ``model`` is that of ``--model``.
    """

    tree: Tree
    root: Path
    cwd: Path
    today: str
    retry: RetryPolicy
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    model: str | None = None
    passthrough: Literal["run", "skip"] | None = None


@dataclass(frozen=True, slots=True)
class _Setup:
    """One case with everything that is worked out once for all its runs."""

    case: Case
    config: Config
    mode: Mode
    around: Surroundings
    rules: Rules
    mask: Masker | None
    path: str
    partial: str


async def run_case(case: Case, config: Config, mode: Mode, around: Surroundings) -> CaseResult:
    """Run ``case`` in ``mode``. Whatever goes wrong is in the result; nothing is raised but cancellation."""
    path = cassette_path(config.cassettes, case.suite, case.name, around.model)
    basis = CaseResult(
        case.suite,
        case.name,
        "failed",
        require_pass_rate=case.require_pass_rate,
        place=case.place,
        scripted=case.scripted,
    )
    try:
        rule = case.passthrough_rule
        if rule is not None:
            skip = around.passthrough == "skip" or (around.passthrough is None and mode == "replay")
            if skip:
                why = (
                    f"passthrough: a mock runs real code ({rule.place}), so it is never recorded nor replayed"
                )
                return replace(basis, outcome="excluded", error=why)
        mask = ignoring((rule, compile_pattern(rule.pattern)) for rule in config.ignore)
        setup = _Setup(
            case,
            config,
            mode,
            around,
            Rules(),
            mask,
            path,
            partial_path(config.cassettes, path),
        )
        if rule is not None or mode == "off" or (case.scripted and not config.scripted):
            return await _live(setup, basis)
        basis = replace(basis, cassette=path)
        return await (_replayed if mode == "replay" else _recorded)(setup, basis)
    except ProviderUnavailable as error:
        return replace(basis, outcome="skipped", error=error.message, remedy=error.remedy)
    except CassetteDamaged as error:
        return replace(basis, outcome="damaged", error=error.message, remedy=error.remedy, cassette=path)
    except DryfireError as error:
        return replace(basis, error=error.message, remedy=error.remedy, error_exit=error.exit_code)


async def _live(setup: _Setup, basis: CaseResult) -> CaseResult:
    """Without any cassette: the provider answers, or the script does."""
    inner = _Live(setup)
    script = _Script(setup.case)
    results = []
    for index in range(setup.case.repeat):
        run, tools = await _agent(setup, script.before(inner))
        results.append(_judged(setup, index, run, _live_turns(run), tools))
    notices = ("passthrough: run with its real code, not recorded",) if setup.case.passthrough_rule else ()
    return _rolled_up(setup, basis, results, notices=notices)


async def _replayed(setup: _Setup, basis: CaseResult) -> CaseResult:
    """From the cassette and nothing else."""
    cassette = _read(setup) or Cassette(_header(setup), ())
    script = _Script(setup.case)
    results, unplayed = [], 0
    for index in range(setup.case.repeat):
        replaying = ReplayingProvider(
            cassette,
            run=index,
            expect_provider=setup.config.expect_provider,
            expect_version=setup.config.expect_version,
            diagnose=True,
            mask=setup.mask,
        )
        run, tools = await _agent(setup, script.before(replaying), waits=False)
        left = replaying.left_over()
        unplayed += 0 if replaying.tape.misses else len(left)
        results.append(_judged(setup, index, run, _turns(replaying.tape, left), tools))
    unplayed += sum(exchange.run >= setup.case.repeat for exchange in cassette.exchanges)
    return _rolled_up(setup, basis, results, unplayed=unplayed)


async def _recorded(setup: _Setup, basis: CaseResult) -> CaseResult:
    """Through the recorder; in ``auto`` it serves what is known and asks only for the rest."""
    old = _old(setup)
    with ExitStack() as stack:
        recording = _Recording(setup, stack, old)
        script = _Script(setup.case)

        async def one(index: int) -> RunResult:
            recorder = recording.recorder(index)
            run, tools = await _agent(setup, script.before(recorder))
            return _judged(setup, index, run, _turns(recorder.tape, ()), tools)

        if setup.case.scripted:  # all runs read on in one script
            results = [await one(index) for index in range(setup.case.repeat)]
        else:
            results = list(await asyncio.gather(*(one(index) for index in range(setup.case.repeat))))
        notice = recording.finish(results)
    return _rolled_up(setup, basis, results, notices=(notice,) if notice else ())


class _Recording:
    """One recording of a case: what is known beforehand, the partial file, and the cassette at the end."""

    def __init__(self, setup: _Setup, stack: ExitStack, old: Cassette | None) -> None:
        self._setup = setup
        self._stack = stack
        self._old = old
        self._partial: Partial | None = None
        self._tapes: dict[int, RunTape] = {}
        self._known: tuple[Exchange, ...] = ()
        self._begun: tuple[Exchange, ...] = ()
        if setup.mode == "auto":
            unfinished = read_partial(setup.around.tree, setup.partial)
            self._begun = complete_part(unfinished.exchanges) if unfinished else ()
            self._known = occurrences_joined(self._begun, old.exchanges if old else ())
        self._live = _Live(setup, self._begin)

    def recorder(self, run: int) -> RecordingProvider:
        """The recorder of one run."""
        recorder = RecordingProvider(
            self._live,
            run=run,
            mask=self._setup.mask,
            rules=self._setup.rules,
            today=self._setup.around.today,
            keep=self._keep,
            known=self._known,
        )
        self._tapes[run] = recorder.tape
        return recorder

    def finish(self, results: Sequence[RunResult]) -> str:
        """Replace the cassette if every run came to an end of its own; else say where the rest is kept."""
        setup = self._setup
        exchanges = [e for run in sorted(self._tapes) for e in self._tapes[run].exchanges]
        if any(result.termination == "provider_error" for result in results):
            kept = f"; what was answered is kept in {setup.partial}" if self._partial else ""
            return f"the recording is not complete{kept}, and --cassette-mode auto goes on from there"
        served = next((e.served for e in reversed(exchanges) if e.served), None)
        header = replace(
            _header(setup), served=served, sdk=self._live.sdk, sdk_version=self._live.sdk_version
        )
        if self._partial is None and self._old is not None:
            # Nothing was asked: what the header says of the time of recording stays true.
            header = replace(self._old.header, redaction=header.redaction)
        cassette = Cassette(header, keeping_old_facts(exchanges, self._old))
        write_cassette(setup.around.root, setup.path, cassette)
        self._stack.close()
        remove_partial(setup.around.root, setup.partial)
        return ""

    def _begin(self) -> None:
        # Before the first live call, so that two recordings of one case never both pay.
        if self._partial is None:
            self._partial = self._stack.enter_context(
                recording_to(self._setup.around.root, self._setup.partial)
            )
            self._partial.go_on(Cassette(_header(self._setup), self._begun))

    def _keep(self, exchange: Exchange) -> None:
        assert self._partial is not None
        self._partial.append(exchange)


class _Script:
    """Where the runs of a scripted case are in their common script; nothing for any other case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._stamp: ScriptStamp | None = None

    def before(self, inner: Provider) -> Provider:
        """What the next run asks, so that ``inner`` sees the script's step in each request."""
        if not self._case.scripted:
            return inner
        start = self._stamp.count if self._stamp else 0
        self._stamp = ScriptStamp(inner, self._case.script, start=start)
        return self._stamp


class _Live:
    """The live provider of a case, made at the first call: until then nobody needs a key."""

    def __init__(self, setup: _Setup, begin: Callable[[], None] = lambda: None) -> None:
        self.name = setup.case.provider
        self.sdk: str | None = None
        self.sdk_version: str | None = None
        self._setup = setup
        self._begin = begin
        self._provider: Provider | None = None

    async def complete(self, request: Request) -> Response:
        """Ask the provider. Raises ``ProviderUnavailable`` where it cannot be asked at all."""
        if self._provider is None:
            self._provider = _provider(self._setup)
            self.sdk = getattr(self._provider, "sdk", None)
            self.sdk_version = getattr(self._provider, "sdk_version", None)
        self._begin()
        return await self._provider.complete(request)


def _provider(setup: _Setup) -> Provider:
    try:
        return make_provider(setup.case.provider)
    except UsageError as error:
        raise ProviderUnavailable(error.message, remedy=error.remedy) from None


async def _agent(setup: _Setup, provider: Provider, *, waits: bool = True) -> tuple[Run, MockedTools]:
    case = setup.case
    run_code = partial(run_impl, folder=setup.around.cwd) if case.passthrough_rule else None
    tools = MockedTools(case.mocks, case.on_unmocked, run_code=run_code)
    runner = AgentRunner(
        provider=provider,
        tools=tools,
        clock=SystemClock() if waits else ReplayClock(),
        jitter=Random(),
        retry=setup.around.retry,
        max_turns=case.max_turns,
    )
    request = Request(
        provider=case.provider,
        model=case.model,
        messages=case.messages,
        system=case.system,
        tools=case.tools,
        params=case.params,
    )
    return await runner.run(request, run_id=case.id), tools


def _header(setup: _Setup) -> Header:
    case = setup.case
    return Header(
        suite=case.suite,
        case=case.name,
        provider=case.provider,
        model=case.model,
        scripted=case.scripted,
        redaction=RULESET_VERSION,
        ignore=setup.config.ignore,
    )


def _read(setup: _Setup) -> Cassette | None:
    cassette = read_cassette(setup.around.tree, setup.path)
    if cassette is not None:
        check_names(cassette, setup.path, setup.case.suite, setup.case.name)
        try:
            refuse_other_origin(cassette, setup.config.expect_provider, setup.config.expect_version)
        except UsageError as error:
            raise CassetteDamaged(setup.path, error.message, remedy=error.remedy) from None
    return cassette


def _old(setup: _Setup) -> Cassette | None:
    try:
        return _read(setup)
    except CassetteDamaged:
        # Only who asks to record again may replace a file that cannot be trusted.
        if setup.mode == "record":
            return None
        raise


def _turns(tape: RunTape, rest: Sequence[Exchange]) -> tuple[TurnResult, ...]:
    played = tuple(_turn(item) for item in tape.played)
    if not tape.misses:
        return played
    reached = {(item.turn, item.attempt) for item in tape.played}
    unreached = (e for e in rest if (e.turn, e.attempt) not in reached)
    return (*played, *(TurnResult(e.turn, e.attempt, "not_reached", recorded=e.key) for e in unreached))


def _turn(played: Played) -> TurnResult:
    miss = played.miss
    recorded = miss.recorded if miss else played.exchange
    return TurnResult(
        index=played.turn,
        attempt=played.attempt,
        outcome=played.outcome,
        recorded=recorded.key if recorded else None,
        current=played.current.key,
        changes=miss.changes if miss else (),
        note=miss.sentence if miss and not miss.changes else "",
    )


def _live_turns(run: Run) -> tuple[TurnResult, ...]:
    return tuple(TurnResult(turn.index, turn.attempts - 1, "live") for turn in run.turns)


def _judged(
    setup: _Setup, index: int, run: Run, turns: tuple[TurnResult, ...], tools: MockedTools
) -> RunResult:
    rules = {call_id: rule.place for _, call_id, rule in tools.answered if rule}
    if any(turn.outcome in ("stale", "missing") for turn in turns):
        # The verdict is settled; assertions on answers to another request would say nothing.
        return RunResult(index, False, turns, (), run.termination, run.error, run, rules)
    verdicts = judge(setup.case, run, prices=setup.config.prices)
    error = finished(setup.case, run)
    passed = not error and all(verdict.passed for verdict in verdicts)
    return RunResult(index, passed, turns, verdicts, run.termination, error, run, rules)


def _rolled_up(
    setup: _Setup,
    basis: CaseResult,
    runs: Sequence[RunResult],
    *,
    unplayed: int = 0,
    notices: tuple[str, ...] = (),
) -> CaseResult:
    found = replace(basis, runs=tuple(runs), unplayed=unplayed, notices=notices)
    outcomes = {turn.outcome for run in runs for turn in run.misses}
    if outcomes:
        return replace(found, outcome="stale" if "stale" in outcomes else "missing")
    passed = case_passes(found.passed_runs, len(runs), setup.case.require_pass_rate)
    ended_badly = any(run.termination in ("provider_error", "unmocked_tool") for run in runs)
    if passed and not ended_badly:
        return replace(found, outcome="passed")
    shown = found.shown_run
    return replace(found, error=shown.error if shown else "")
