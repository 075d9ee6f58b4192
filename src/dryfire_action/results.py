"""What a run of suites found: values only, rolled up the same way for every report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dryfire_action.errors import EXIT_FAILED, EXIT_PASSED, EXIT_RECORDING, EXIT_USAGE
from dryfire_action.messages import NO_USAGE, total_usage
from dryfire_action.quick_init import quick_init

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dryfire_action.agent import Run
    from dryfire_action.behaviour import BehaviourChange, NoLongerReplayed
    from dryfire_action.causes import Cause
    from dryfire_action.errors import Place
    from dryfire_action.field_changes import FieldChange
    from dryfire_action.messages import JsonValue, Usage
    from dryfire_action.recording_facts import RecordingFacts
    from dryfire_action.redact import Rules

TurnOutcome = Literal["replayed", "recorded", "live", "stale", "missing", "failed", "not_reached"]
State = Literal["clear", "shrunk", "skipped", "failed", "stale", "nothing_checked", "stopped"]
CaseOutcome = Literal["passed", "failed", "stale", "missing", "damaged", "excluded", "skipped"]
CASE_OUTCOMES: tuple[CaseOutcome, ...] = (
    "passed",
    "failed",
    "stale",
    "missing",
    "damaged",
    "excluded",
    "skipped",
)
# Of cases: what only recording again puts right, and what was neither judged nor replayed.
TO_RECORD: tuple[CaseOutcome, ...] = ("stale", "missing", "damaged")
NOT_CHECKED: tuple[CaseOutcome, ...] = ("excluded", "skipped")
# Of turns: what recording again asks a provider for.
TO_ASK: tuple[TurnOutcome, ...] = ("stale", "missing", "not_reached")


@quick_init
@dataclass(frozen=True, slots=True)
class TurnResult:
    """One attempt of one turn. ``recorded`` and ``current`` are keys; ``changes`` says why they differ.

    ``note`` is a sentence for what fields cannot say ("recorded 2 times, asked 3 times", "not reached"). Of a stale
    turn, ``equal`` says how many of the request's ``fields`` the recorded one has too. ``usage`` is the recording's.
    """

    index: int
    attempt: int
    outcome: TurnOutcome
    recorded: str | None = None
    current: str | None = None
    changes: tuple[FieldChange, ...] = ()
    note: str = ""
    equal: int = 0
    fields: int = 0
    usage: Usage = NO_USAGE


@quick_init
@dataclass(frozen=True, slots=True)
class Verdict:
    """What one assertion says. ``message`` is empty when it passed."""

    kind: str
    description: str
    passed: bool
    message: str = ""
    expected: JsonValue = None
    actual: JsonValue = None
    place: Place | None = None


@quick_init
@dataclass(frozen=True, slots=True)
class RunResult:
    """One execution of a case. ``verdicts`` is empty where the run was stale or missing: then nothing is judged.

    ``error`` is why it failed apart from its assertions (the provider's reason, an unmocked tool, not finished).
    ``rules`` are the places of the mock rules that answered, by call id.
    """

    index: int
    passed: bool
    turns: tuple[TurnResult, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    termination: str = ""
    error: str = ""
    trace: Run | None = None
    rules: Mapping[str, Place] = field(default_factory=dict)

    @property
    def misses(self) -> tuple[TurnResult, ...]:
        """The turns that are stale or missing."""
        return tuple(turn for turn in self.turns if turn.outcome in ("stale", "missing"))


@quick_init
@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of one case. ``error`` says why in one line; ``cassette`` is the path of its recording, if any.

    ``unplayed`` counts recorded exchanges that were never asked for; ``error_exit`` is the exit code of a case that
    failed before anything could be judged, ``recording`` what was recorded live.
    """

    suite: str
    name: str
    outcome: CaseOutcome
    runs: tuple[RunResult, ...] = ()
    error: str = ""
    remedy: str = ""
    require_pass_rate: float = 1.0
    cassette: str = ""
    unplayed: int = 0
    notices: tuple[str, ...] = ()
    place: Place | None = None
    scripted: bool = False
    error_exit: int = EXIT_FAILED
    recording: RecordingFacts | None = None

    @property
    def id(self) -> str:
        """``suite::case``."""
        return f"{self.suite}::{self.name}"

    @property
    def shown_run(self) -> RunResult | None:
        """The run that stands for the case: the first that did not pass, else the first."""
        failing = (run for run in self.runs if not run.passed)
        return next(failing, self.runs[0] if self.runs else None)

    @property
    def passed_runs(self) -> int:
        """How many of its runs passed."""
        return sum(run.passed for run in self.runs)

    @property
    def exit_code(self) -> int:
        """What this case alone makes of the exit code."""
        if self.outcome in ("passed", "excluded"):
            return EXIT_PASSED
        if self.outcome == "skipped":
            return EXIT_USAGE
        if self.outcome != "failed" or any(run.termination == "provider_error" for run in self.runs):
            return EXIT_RECORDING
        return self.error_exit


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The results of one suite's cases, in the order of the file."""

    name: str
    file: str
    cases: tuple[CaseResult, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """Everything one ``dryfire run`` found.

    ``left_out`` counts the cases that arguments left out, ``not_run`` those an early stop left, ``complete`` is False
    when the run stopped early (``--fail-fast``, an interrupt, or a limit on calls, which ``stopped`` then names),
    ``mode`` is the cassette mode that was asked for (None: each suite's own), ``causes`` are the edits that made turns
    stale, ``history`` why old texts of theirs could not be found ("": all were, or nobody asked).

    ``command`` re-records only what is stale ("" when nothing is) in the folder of the run, ``command_from_root`` at
    the top of the repository.

    ``shard`` says which part of several this is ("2/8", "": the whole), ``elsewhere`` counts the cases of the others.

    ``base`` is the commit that was compared with, ``no_longer_replayed`` what it replays and this does not,
    ``behaviour`` what its recordings did otherwise; ``not_compared`` says why there was no comparison where one was
    asked for. Both lists are None where nothing was compared. By ``rules`` (None: those of the table) is redacted what
    leaves the machine.
    """

    suites: tuple[SuiteResult, ...]
    mode: str | None = None
    complete: bool = True
    interrupted: bool = False
    stopped: str = ""
    left_out: int = 0
    shard: str = ""
    elsewhere: int = 0
    not_run: int = 0
    allow_skipped: bool = False
    allow_empty: bool = False
    command: str = ""
    command_from_root: str = ""
    causes: tuple[Cause, ...] = ()
    history: str = ""
    base: str | None = None
    not_compared: str = ""
    no_longer_replayed: tuple[NoLongerReplayed, ...] | None = None
    behaviour: tuple[BehaviourChange, ...] | None = None
    warnings: tuple[str, ...] = ()
    rules: Rules | None = None

    @property
    def cases(self) -> Iterator[CaseResult]:
        """All case results, in suite order."""
        return (case for suite in self.suites for case in suite.cases)

    @property
    def checked(self) -> int:
        """How many cases were judged or at least replayed: all but those excluded and skipped."""
        return sum(case.outcome not in NOT_CHECKED for case in self.cases)

    @property
    def to_record(self) -> tuple[CaseResult, ...]:
        """The cases whose recordings are stale, missing or damaged."""
        return tuple(case for case in self.cases if case.outcome in TO_RECORD)

    @property
    def state(self) -> State:
        """What it all comes to. Only ``clear`` may be shown as an all-clear.

        Of several, the first of: ``stopped`` by an interrupt or a limit, ``nothing_checked``, ``stale`` (or missing, or
        damaged), ``failed``, ``skipped`` cases, ``stopped`` early, ``shrunk`` (the base replays more), ``clear``.
        """
        outcomes = {case.outcome for case in self.cases}
        if self.interrupted or self.stopped:
            return "stopped"
        if not self.checked:
            return "skipped" if "skipped" in outcomes else "nothing_checked"
        if outcomes.intersection(TO_RECORD):
            return "stale"
        if "failed" in outcomes:
            return "failed"
        if "skipped" in outcomes:
            return "skipped"
        if not self.complete:
            return "stopped"
        return "shrunk" if self.no_longer_replayed else "clear"

    @property
    def exit_code(self) -> int:
        """The exit code of them all: of several the first of 2, 3, 1 (an interrupt is the caller's 130)."""
        codes = {case.exit_code for case in self.cases if case.outcome != "skipped" or not self.allow_skipped}
        if self.stopped:
            codes.add(EXIT_RECORDING)
        elif not self.checked and not self.allow_empty:
            codes.add(EXIT_USAGE)
        return next(
            (code for code in (EXIT_USAGE, EXIT_RECORDING, EXIT_FAILED) if code in codes), EXIT_PASSED
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What recording again takes, as far as the recordings that it replaces tell: calls of the model, and tokens."""

    calls: int
    usage: Usage


def cost_of(cases: Iterable[CaseResult]) -> Cost:
    """What it takes to record what is stale or missing in ``cases``. What a damaged file held is not known."""
    turns = [turn for case in cases for run in case.runs for turn in run.turns if turn.outcome in TO_ASK]
    return Cost(len(turns), total_usage(turn.usage for turn in turns))


def counts(cases: Sequence[CaseResult]) -> dict[str, int]:
    """How many cases had each outcome, and how many turns there were, under the names of the result file."""
    outcomes = Counter(case.outcome for case in cases)
    return {
        "cases": len(cases),
        **{outcome: outcomes[outcome] for outcome in CASE_OUTCOMES},
        "turns": sum(len(run.turns) for case in cases for run in case.runs),
    }
