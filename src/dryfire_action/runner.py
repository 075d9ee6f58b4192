"""Running suites: which cases, in which mode, how many at once, and what it all adds up to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dryfire_action.ambient import run_through
from dryfire_action.case_run import Surroundings, run_case
from dryfire_action.cassette_file import SIZE_LIMIT
from dryfire_action.errors import EXIT_USAGE, LimitReached
from dryfire_action.progress import Progress, Spent
from dryfire_action.recording_facts import notices
from dryfire_action.redaction_settings import team_rules
from dryfire_action.rerecording import rerecord_command
from dryfire_action.results import CaseResult, Results, SuiteResult
from dryfire_action.retry import RetryPolicy
from dryfire_action.sharding import in_shard, others_check_something, refuse_recording, why_empty
from dryfire_action.spending import Spending
from dryfire_action.tree import FolderTree

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
    from pathlib import Path

    from dryfire_action.causes import Cause
    from dryfire_action.foreign_recordings import ForeignRecordings
    from dryfire_action.sharding import Shard
    from dryfire_action.suite import Case, Mode, Suite
    from dryfire_action.tree import Tree


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line asks for.

    ``mode`` None is each suite's own, else ``replay``. ``filter`` is part of a case's name, ``cases`` are exact
    ``suite::case`` ids, ``tags`` any of a suite's. ``passthrough`` None runs such cases except in replay. ``cwd`` is
    the folder the command was called in, relative to the root. Only the cases of ``shard`` are run. Of the live calls
    of all cases there are at most ``max_calls``, and none once they have taken ``max_tokens``.
    """

    mode: Mode | None = None
    filter: str | None = None
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    fail_fast: bool = False
    concurrency: int = 4
    model: str | None = None
    passthrough: Literal["run", "skip"] | None = None
    max_retries: int = 3
    max_calls: int | None = None
    max_tokens: int | None = None
    allow_skipped: bool = False
    allow_empty: bool = False
    shard: Shard | None = None
    cwd: str = ""


def run_suites(
    suites: Sequence[Suite],
    options: RunOptions,
    *,
    root: Path,
    today: str,
    environ: Mapping[str, str],
    progress: Callable[[Progress], None] | None = None,
    tree: Tree | None = None,
    source: ForeignRecordings | None = None,
) -> Results:
    """Run the selected cases of ``suites`` and roll the results up in suite order.

    ``root`` is the tree's root on disk, ``today`` the date for new recordings (``YYYY-MM-DD``). An interrupt keeps
    what has finished: the results then say so. A replay may read recordings from another ``tree``: git's index.
    Recordings of another runner may be the ``source`` that answers in the place of providers.
    """
    around = Surroundings(
        tree=tree or FolderTree(root, limit=SIZE_LIMIT),
        root=root,
        cwd=root / options.cwd,
        today=today,
        retry=RetryPolicy(max_retries=options.max_retries),
        environ=environ,
        model=options.model,
        passthrough=options.passthrough,
        spending=Spending(options.max_calls, options.max_tokens),
        source=source,
    )
    asked = selected(suites, options)
    refuse_recording(options.shard, {mode_of(suite, options) for suite, _ in asked})
    own = in_shard(asked, options.shard, around.tree, options.model)
    chosen = [asked[number] for number in own]
    # Before the first call is paid for: what a new name or other ignore rules made unfindable is found again.
    settled = _settled(chosen, options, root)
    found: dict[int, CaseResult] = {}
    waits = any(_waits(suite, case, options) for suite, case in chosen)
    interrupted = _run_interruptible(_run_all(chosen, options, around, found, progress, waits), waits)
    by_suite: dict[str, list[CaseResult]] = {}
    for number, result in found.items():
        if result.cassette in settled:
            found[number] = replace(result, notices=(*result.notices, settled[result.cassette]))
    for number in sorted(found):
        by_suite.setdefault(chosen[number][0].file, []).append(found[number])
    total = sum(len(suite.cases) for suite in suites)
    return Results(
        suites=tuple(
            SuiteResult(suite.name, suite.file, tuple(by_suite[suite.file]))
            for suite in suites
            if suite.file in by_suite
        ),
        mode=options.mode,
        complete=len(found) == len(chosen),
        interrupted=interrupted,
        stopped=_why_stopped(around.spending),
        left_out=total - len(asked),
        shard=str(options.shard or ""),
        elsewhere=len(asked) - len(chosen),
        not_run=len(chosen) - len(found),
        allow_skipped=options.allow_skipped,
        allow_empty=options.allow_empty or others_check_something(asked, own),
        command=rerecord_command(chosen, found, options.cwd, options.model),
        command_from_root=rerecord_command(chosen, found, "", options.model),
        causes=_causes(chosen, found),
        warnings=(
            *(warning for suite in suites for warning in suite.warnings),
            *notices(found[number].recording for number in sorted(found)),
            *_why_empty(suites, options, asked),
            *why_empty(options.shard, len(asked), len(chosen)),
        ),
        rules=team_rules(suite.config for suite in suites),
    )


def _causes(chosen: Sequence[tuple[Suite, Case]], found: Mapping[int, CaseResult]) -> tuple[Cause, ...]:
    stale = [
        (chosen[number], found[number].cassette, run, run.trace)
        for number in sorted(found)
        for run in found[number].runs
        if run.misses and run.trace
    ]
    if not stale:
        return ()
    from dryfire_action.causes import StaleRun, causes_of

    return causes_of(
        StaleRun(case, cassette, run.turns, trace.messages, run.rules, suite.config.ignore)
        for (suite, case), cassette, run, trace in stale
    )


def _why_stopped(spending: Spending) -> str:
    if not spending.reached:
        return ""
    made = "call was" if spending.calls == 1 else "calls were"
    return f"{spending.calls:,} {made} made, of {spending.tokens:,} tokens; {spending.reached} allows no further one"


async def _run_all(
    chosen: Sequence[tuple[Suite, Case]],
    options: RunOptions,
    around: Surroundings,
    found: dict[int, CaseResult],
    progress: Callable[[Progress], None] | None,
    waits: bool,
) -> None:
    """Run the cases with a few workers; ``found`` is filled as they finish, so that an interrupt loses nothing."""
    waiting = iter(enumerate(chosen))
    stopped = False
    spending, scripted = around.spending, {case.id for _, case in chosen if case.scripted}

    def tell(case: str, outcome: str = "", failure: str = "", wait: float | None = None) -> None:
        # Of a script nobody needs to know how far it has come.
        if progress and (outcome or case not in scripted):
            run, own = spending.total, Spent() if case in scripted else spending.of(case)
            progress(Progress(len(found), len(chosen), case, outcome, run, own, failure, wait))

    spending.tell = lambda case, failure, wait: tell(case, "", failure, wait)

    async def work() -> None:
        nonlocal stopped
        for number, (suite, case) in waiting:
            if stopped:
                return
            result = await _guarded(suite, case, mode_of(suite, options), around)
            if result is None:
                stopped = True
                return
            found[number] = result
            allowed = options.allow_skipped and result.outcome == "skipped"
            if options.fail_fast and result.exit_code and not allowed:
                stopped = True
            tell(case.id, result.outcome)
            if waits:
                # A replay among them does not wait, and an interrupt is only seen where somebody does.
                await asyncio.sleep(0)

    if not waits:
        await work()
        return
    import asyncio

    await asyncio.gather(*(work() for _ in range(min(max(options.concurrency, 1), len(chosen)))))


async def _guarded(suite: Suite, case: Case, mode: Mode, around: Surroundings) -> CaseResult | None:
    """What became of a case; None where a limit on calls stopped it."""
    try:
        return await run_case(case, suite.config, mode, around)
    except LimitReached:
        return None
    except Exception as error:
        # A fault of ours in one case must not take the others' results away; it is named, and exit code 2.
        return CaseResult(
            case.suite,
            case.name,
            "failed",
            error=f"internal error: {type(error).__name__}: {error}",
            remedy="this is a fault of dryfire; please report it with the suite",
            place=case.place,
            error_exit=EXIT_USAGE,
        )


def _settled(chosen: Sequence[tuple[Suite, Case]], options: RunOptions, root: Path) -> dict[str, str]:
    if all(mode_of(suite, options) in ("replay", "off") for suite, _ in chosen):
        return {}
    from dryfire_action.before_recording import settle

    return settle(chosen, options.mode, root, options.model)


def mode_of(suite: Suite, options: RunOptions) -> Mode:
    """The mode that the cases of ``suite`` are run in."""
    return options.mode or suite.config.mode or "replay"


def _waits(suite: Suite, case: Case, options: RunOptions) -> bool:
    """Whether anything but a recording may answer: a provider, a script with its waits, or real code."""
    if mode_of(suite, options) != "replay":
        return True
    if case.passthrough_rule is not None:
        return options.passthrough == "run"
    return case.scripted and not suite.config.scripted


def _run_interruptible(work: Coroutine[None, None, None], waits: bool) -> bool:
    """Run ``work`` to its end; whether it was interrupted."""
    try:
        if not waits:
            run_through(work)
            return False
        return _watched(work)
    except KeyboardInterrupt:
        return True


def _watched(work: Coroutine[None, None, None]) -> bool:
    import asyncio

    async def watched() -> bool:
        try:
            await work
        except asyncio.CancelledError:
            return True
        return False

    return asyncio.run(watched())


def selected(suites: Iterable[Suite], options: RunOptions) -> list[tuple[Suite, Case]]:
    """The cases that ``options`` ask for, each with its suite, in order."""
    return [(suite, case) for suite in suites for case in suite.cases if _selected(suite, case, options)]


def _selected(suite: Suite, case: Case, options: RunOptions) -> bool:
    if options.tags and not set(options.tags) & set(suite.tags):
        return False
    if options.filter is not None and options.filter not in case.name:
        return False
    return not options.cases or case.id in options.cases


def _why_empty(
    suites: Sequence[Suite], options: RunOptions, chosen: Sequence[tuple[Suite, Case]]
) -> tuple[str, ...]:
    """Why no case was selected, and for each exact id that no case has, what may have been meant."""
    ids = [case.id for suite in suites for case in suite.cases]
    found = []
    for wanted in options.cases:
        if wanted not in ids:
            from difflib import get_close_matches

            near = get_close_matches(wanted, ids, n=1)
            found.append(f"no case is called {wanted!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    if chosen or found:
        return tuple(found)
    if not ids:
        return ("nothing was checked: the suites hold no cases",)
    asked = [f"--filter {options.filter!r}"] if options.filter is not None else []
    asked += [f"--tag {tag!r}" for tag in options.tags]
    return (f"nothing was checked: none of {len(ids)} cases fits {' and '.join(asked)}",)
