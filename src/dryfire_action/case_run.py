"""Running one case: which provider answers, in which cassette its answers are, and what came of it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from dryfire_action.agent import AgentRunner
from dryfire_action.ambient import ReplayClock
from dryfire_action.cassette import Cassette
from dryfire_action.cassette_names import cassette_path, partial_path
from dryfire_action.checks import finished, judge
from dryfire_action.errors import CassetteDamaged, DryfireError, LimitReached, ProviderUnavailable
from dryfire_action.fingerprint import LastHead
from dryfire_action.ignore_rules import ignoring
from dryfire_action.likeness import Likeness, likeness
from dryfire_action.messages import NO_USAGE
from dryfire_action.mocks import MockedTools
from dryfire_action.patterns import compile_pattern
from dryfire_action.playback import ReplayingProvider
from dryfire_action.providers.scripted import ScriptStamp
from dryfire_action.redaction_settings import rules_with
from dryfire_action.repetition import case_passes
from dryfire_action.results import CaseResult, RunResult, TurnResult
from dryfire_action.shelf import Shelf
from dryfire_action.spending import Spending

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from random import Random

    from dryfire_action.agent import Run
    from dryfire_action.ambient import Clock
    from dryfire_action.cassette import Exchange
    from dryfire_action.foreign_recordings import ForeignRecordings
    from dryfire_action.messages import Provider
    from dryfire_action.playback import Miss, Played, RunTape
    from dryfire_action.retry import RetryPolicy
    from dryfire_action.suite import Case, Config, Mode
    from dryfire_action.tree import Tree

_NOT_COMPARED = Likeness(0, 0)
OTHER_RULES = "recorded under other ignore rules: dryfire rekey"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all cases of a run share: where files are, what day it is, and the settings of the command line.

    ``tree`` reads cassettes below ``root``, where they are also written; ``cwd`` is put on the import path for
    passthrough code; ``model`` is that of ``--model``; ``spending`` counts the live calls;
    recordings of another runner are a ``source`` that answers in the place of providers. The cases of a suite begin
    with the same system prompt and tools, whose digests are the ``last_head``.
    """

    tree: Tree
    root: Path
    cwd: Path
    today: str
    retry: RetryPolicy
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    model: str | None = None
    passthrough: Literal["run", "skip"] | None = None
    spending: Spending = field(default_factory=Spending)
    source: ForeignRecordings | None = None
    last_head: LastHead = field(default_factory=LastHead, repr=False)


async def run_case(case: Case, config: Config, mode: Mode, around: Surroundings) -> CaseResult:
    """Run ``case`` in ``mode``. Whatever goes wrong is in the result.

    Raised are cancellation, and ``LimitReached`` where the run may ask no further: then there is no result.
    """
    rule, path = case.passthrough_rule, ""
    if rule is None and mode != "off" and (not case.scripted or config.scripted):
        path = cassette_path(config.cassettes, case.suite, case.name, around.model)
    basis = CaseResult(
        case.suite,
        case.name,
        "failed",
        cassette=path,
        require_pass_rate=case.require_pass_rate,
        place=case.place,
        scripted=case.scripted,
    )
    if rule is not None and (around.passthrough or ("skip" if mode == "replay" else "run")) == "skip":
        why = f"passthrough: a mock runs real code ({rule.place}), so it is never recorded nor replayed"
        return replace(basis, outcome="excluded", error=why)
    try:
        if not basis.cassette:
            return await _live(case, config, around, basis)
        shelf = shelf_of(case, config, around, basis.cassette)
        if mode == "replay":
            return await _replayed(shelf, around, basis)
        return await _recorded(shelf, mode, around, basis)
    except LimitReached:
        raise
    except ProviderUnavailable as error:
        return replace(basis, outcome="skipped", error=error.message, remedy=error.remedy)
    except CassetteDamaged as error:
        return replace(basis, outcome="damaged", error=error.message, remedy=error.remedy)
    except DryfireError as error:
        return replace(basis, error=error.message, remedy=error.remedy, error_exit=error.exit_code)


def shelf_of(case: Case, config: Config, around: Surroundings, path: str) -> Shelf:
    """Where the recording of ``case`` lies, ``path``, and by which rules it is made."""
    return Shelf(
        case=case,
        config=config,
        tree=around.tree,
        root=around.root,
        path=path,
        partial=partial_path(config.cassettes, path),
        rules=rules_with(config.redact),
        mask=ignoring((rule, compile_pattern(rule.pattern)) for rule in config.ignore),
    )


async def _live(case: Case, config: Config, around: Surroundings, basis: CaseResult) -> CaseResult:
    """Without any cassette: the provider answers, or the script does."""
    from dryfire_action.live_provider import LiveClock, LiveProvider

    inner = LiveProvider(
        case.provider, config, around.environ, around.tree, spending=around.spending, case=case.id
    )
    script = Script(case)
    results = []
    for index in range(case.repeat):
        run, tools = await run_agent(case, around, script.before(inner), LiveClock(around.spending, case.id))
        results.append(_judged(case, config, index, run, _live_turns(run), tools))
    notices = ("passthrough: run with its real code, not recorded",) if case.passthrough_rule else ()
    return _rolled_up(case, basis, results, notices=notices)


async def _replayed(shelf: Shelf, around: Surroundings, basis: CaseResult) -> CaseResult:
    """From the cassette and nothing else."""
    case, config = shelf.case, shelf.config
    cassette = shelf.read() or Cassette(shelf.header(), ())
    retries = max((exchange.attempt for exchange in cassette.exchanges), default=0)
    script = Script(case)
    results, unplayed = [], 0
    for index in range(case.repeat):
        replaying = ReplayingProvider(
            cassette, run=index, diagnose=True, mask=shelf.mask, last_head=around.last_head
        )
        run, tools = await run_agent(case, around, script.before(replaying), ReplayClock(), retries)
        left = replaying.left_over()
        unplayed += 0 if replaying.tape.misses else len(left)
        results.append(_judged(case, config, index, run, _turns(replaying.tape, left), tools))
    unplayed += sum(exchange.run >= case.repeat for exchange in cassette.exchanges)
    other_rules = cassette.header.ignore != config.ignore
    return _rolled_up(case, basis, results, unplayed=unplayed, notices=(OTHER_RULES,) if other_rules else ())


async def _recorded(shelf: Shelf, mode: Mode, around: Surroundings, basis: CaseResult) -> CaseResult:
    """Through the recorder; in ``auto`` it serves what is known and asks only for the rest."""
    from dryfire_action.case_recording import Recording
    from dryfire_action.live_provider import RecordingClock

    case, config = shelf.case, shelf.config
    script = Script(case)
    results = []
    with ExitStack() as stack:
        recording = Recording(
            shelf, mode, around.today, stack, around.environ, around.spending, around.source
        )
        # One after the other: they share a partial file, a script, and the bound on calls at a time.
        for index in range(case.repeat):
            recorder = recording.recorder(index)
            clock = RecordingClock(recorder.tape, around.spending, case.id)
            run, tools = await run_agent(
                case, around, script.before(recorder), clock, recording.most_attempts
            )
            results.append(_judged(case, config, index, run, _turns(recorder.tape, ()), tools))
        notice = recording.finish([result.termination for result in results])
    basis = replace(basis, recording=recording.facts)
    return _rolled_up(case, basis, results, notices=(notice,) if notice else ())


class Script:
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


async def run_agent(
    case: Case, around: Surroundings, provider: Provider, clock: Clock, retries: int = 0
) -> tuple[Run, MockedTools]:
    """One run of a case. ``retries`` are those that its recording took, whatever the command line allows now."""
    run_code = None
    if case.passthrough_rule:
        from dryfire_action.passthrough import run_impl

        run_code = partial(run_impl, folder=around.cwd)
    tools = MockedTools(case.mocks, case.on_unmocked, run_code=run_code)
    retry = around.retry
    if retries > retry.max_retries:
        retry = replace(retry, max_retries=retries)
    runner = AgentRunner(
        provider=provider,
        tools=tools,
        clock=clock,
        jitter=partial(_jitter_of, case),
        retry=retry,
        max_turns=case.max_turns,
    )
    return await runner.run(case.first_request, run_id=case.id), tools


def _jitter_of(case: Case) -> Random:
    from random import Random

    return Random(case.id)  # cases wait differently, and a replay tells the same waits as its recording


def _turns(tape: RunTape, rest: Sequence[Exchange]) -> tuple[TurnResult, ...]:
    played = tuple(_turn(item) for item in tape.played)
    if not tape.misses:
        return played
    reached = {(item.turn, item.attempt) for item in tape.played}
    unreached = (e for e in rest if (e.turn, e.attempt) not in reached)
    return (
        *played,
        *(TurnResult(e.turn, e.attempt, "not_reached", recorded=e.key, usage=e.usage) for e in unreached),
    )


def _turn(played: Played) -> TurnResult:
    miss = played.miss
    recorded = miss.recorded if miss else played.exchange
    alike = likeness(recorded.fingerprint, played.current) if miss and recorded else _NOT_COMPARED
    return TurnResult(
        played.turn,
        played.attempt,
        played.outcome,
        recorded.fingerprint.key if recorded else None,
        played.current.key,
        miss.changes if miss else (),
        _why_missing(miss) if miss and not miss.changes else "",
        alike.equal,
        alike.fields,
        recorded.usage if recorded else NO_USAGE,
    )


def _why_missing(miss: Miss) -> str:
    """Why there is no answer: of a case that was never recorded there is no cassette to be called empty."""
    if not miss.empty:
        return miss.sentence
    return f"{miss.where}: nothing is recorded for this {'run' if miss.run else 'case'}"


def _live_turns(run: Run) -> tuple[TurnResult, ...]:
    return tuple(TurnResult(turn.index, turn.attempts - 1, "live") for turn in run.turns)


def _judged(
    case: Case, config: Config, index: int, run: Run, turns: tuple[TurnResult, ...], tools: MockedTools
) -> RunResult:
    rules = {call_id: rule.place for _, call_id, rule in tools.answered if rule}
    if any(turn.outcome in ("stale", "missing") for turn in turns):
        # The verdict is settled; assertions on answers to another request would say nothing.
        return RunResult(index, False, turns, (), run.termination, run.error, run, rules)
    verdicts = judge(case, run, prices=config.prices)
    error = finished(case, run)
    passed = not error and all(verdict.passed for verdict in verdicts)
    return RunResult(index, passed, turns, verdicts, run.termination, error, run, rules)


def _rolled_up(
    case: Case,
    basis: CaseResult,
    runs: Sequence[RunResult],
    *,
    unplayed: int = 0,
    notices: tuple[str, ...] = (),
) -> CaseResult:
    outcome = _outcome(case, runs)
    # Written out, because every case needs it and `replace` takes three times as long.
    found = CaseResult(
        basis.suite,
        basis.name,
        outcome,
        tuple(runs),
        require_pass_rate=basis.require_pass_rate,
        cassette=basis.cassette,
        unplayed=unplayed,
        notices=notices,
        place=basis.place,
        scripted=basis.scripted,
        recording=basis.recording,
    )
    if outcome == "failed" and found.shown_run:
        return replace(found, error=found.shown_run.error)
    return found


def _outcome(case: Case, runs: Sequence[RunResult]) -> Literal["stale", "missing", "passed", "failed"]:
    missed = {turn.outcome for run in runs for turn in run.misses}
    if missed:
        return "stale" if "stale" in missed else "missing"
    passed = case_passes(sum(run.passed for run in runs), len(runs), case.require_pass_rate)
    ended_badly = any(run.termination in ("provider_error", "unmocked_tool") for run in runs)
    return "passed" if passed and not ended_badly else "failed"
