"""The report of ``dryfire run`` for people, the same words on a terminal and in a file.

The edits that made recordings stale come first, then a line a case with what else is needed to repair it; counts and
the next command stand at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_RECORDING,
)
from dryfire_action.repetition import wilson_interval
from dryfire_action.reports.base import base_lines
from dryfire_action.reports.causes import cause_lines
from dryfire_action.reports.lines import columns, line, padded, with_shown_path
from dryfire_action.reports.remedy import remedy_lines
from dryfire_action.reports.turns import missing_lines, told_lines
from dryfire_action.reports.verdicts import verdict_lines
from dryfire_action.reports.wording import count, headline, tally_of
from dryfire_action.results import CASE_OUTCOMES, NOT_CHECKED, counts
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dryfire_action.reports.lines import Line, Style
    from dryfire_action.results import CaseOutcome, CaseResult, Results, RunResult

# outcome -> mark, mark where the output has no such character, style
_MARKS: dict[CaseOutcome, tuple[str, str, Style]] = {
    "passed": ("✓", "+", "good"),
    "failed": ("✗", "x", "bad"),
    "stale": ("!", "!", "warn"),
    "missing": ("!", "!", "warn"),
    "damaged": ("!", "!", "bad"),
    "excluded": ("-", "-", "dim"),
    "skipped": ("-", "-", "warn"),
}
# What an encoding must have for the better marks to be used.
MARKS_TEXT = "✓✗…→"

_OUTCOME_WIDTH = max(map(len, CASE_OUTCOMES))
_MOST_NAME = 56
_MOST_LISTED = 5


def render(
    results: Results,
    *,
    exit_code: int,
    shown_path: Callable[[str], str] = str,
    verbose: bool = False,
    fancy: bool = True,
) -> tuple[Line, ...]:
    """The whole report. ``shown_path`` turns a path of the tree into the one to show, ``fancy`` allows more than ASCII.

    With ``verbose`` all assertions are shown, the turns of cases that did not pass, and nothing is cut.
    """
    report = _Report(shown_path, verbose, fancy)
    return (*report.causes(results), *report.suites(results), *report.summary(results, exit_code))


class _Report:
    """The settings that every part of one report is rendered under."""

    def __init__(self, shown_path: Callable[[str], str], verbose: bool, fancy: bool) -> None:
        self._shown_path = shown_path
        self._verbose = verbose
        self._fancy = fancy
        self._causes: dict[str, list[int]] = {}

    def causes(self, results: Results) -> Iterator[Line]:
        """The edits that made recordings stale, each once."""
        if not results.causes:
            return
        yield line((headline(tally_of(results)), "strong"))
        yield line()
        yield from cause_lines(
            results.causes,
            history=results.history,
            shown_path=self._shown_path,
            fancy=self._fancy,
            all_of_it=self._verbose,
        )

    def suites(self, results: Results) -> Iterator[Line]:
        """Every suite with its cases."""
        for number, cause in enumerate(results.causes, 1):
            for case_id in cause.cases:
                self._causes.setdefault(case_id, []).append(number)
        for suite in results.suites:
            yield line((visible(suite.name), "strong"), (f"  {self._path(suite.file)}", "dim"))
            width = min(max((columns(visible(case.name)) for case in suite.cases), default=0), _MOST_NAME)
            for case in suite.cases:
                yield self._case_line(case, width)
                yield from self._details(case)
            yield line()

    def _case_line(self, case: CaseResult, width: int) -> Line:
        mark, plain, style = _MARKS[case.outcome]
        name = visible(case.name)
        facts = "  ".join((*_facts(case), *self._numbers(case)))
        return line(
            (mark if self._fancy else plain, style),
            (f" {case.outcome:{_OUTCOME_WIDTH}}", style),
            "  ",
            padded(name, width) if facts else name,
            (f"  {facts}" if facts else "", "dim"),
            indent=2,
        )

    def _numbers(self, case: CaseResult) -> Iterator[str]:
        """Which of the causes a case is stale for."""
        numbers = self._causes.get(case.id, [])
        if numbers:
            shown = ", ".join(map(str, numbers[:_MOST_LISTED]))
            more = f" and {len(numbers) - _MOST_LISTED} more" if len(numbers) > _MOST_LISTED else ""
            yield f"{'cause' if len(numbers) == 1 else 'causes'} {shown}{more}"

    def _details(self, case: CaseResult) -> Iterator[Line]:
        run = case.shown_run
        if case.outcome == "passed":
            if self._verbose and run:
                yield from self._verdicts(run)
        else:
            said = run.error if run and run.error and not run.misses else ""
            if len(case.runs) > 1 and run and (self._verbose or case.outcome != "stale"):
                yield line((f"run {run.index}, of {len(case.runs)}:", "dim"), indent=6)
            for text in dict.fromkeys(text for text in (case.error, said) if text):
                # A miss is told by its turns, better than by the sentence that ended the run.
                if not (run and run.misses):
                    text = with_shown_path(text, case.cassette, self._shown_path)
                    yield from self._text(text, "" if case.outcome in NOT_CHECKED else "bad")
            if case.remedy:
                yield from self._text(case.remedy, "")
            if run:
                lines = told_lines if self._verbose else missing_lines
                yield from lines(run, indent=6)
                yield from self._verdicts(run)
        for notice in case.notices:
            yield line(("note: ", "warn"), visible(notice), indent=6)

    def _text(self, text: str, style: Style) -> Iterator[Line]:
        for row in text.splitlines():
            yield line((visible(row).strip(), style), indent=6)

    def _verdicts(self, run: RunResult) -> Iterator[Line]:
        return verdict_lines(
            run.verdicts, indent=6, shown_path=self._shown_path, fancy=self._fancy, all_of_it=self._verbose
        )

    def summary(self, results: Results, exit_code: int) -> Iterator[Line]:
        """Counts, what else is to be known, and what to do next."""
        numbers = counts(tuple(results.cases))
        words = [f"{numbers[outcome]} {outcome}" for outcome in CASE_OUTCOMES if numbers[outcome]]
        style: Style = "bad" if exit_code else "warn" if results.state != "clear" else "good"
        turns = _turn_counts(results)
        yield line(
            (f"{count(numbers['cases'], 'case')}: {', '.join(words) or 'nothing was checked'}", style),
            f"  ({turns})" if turns else "",
        )
        yield from self._remarks(results)
        yield from base_lines(results, fancy=self._fancy, all_of_it=self._verbose)
        if results.command:
            yield line()
            yield from remedy_lines(results, _what_to_record(results))
        if exit_code:
            yield line((f"exit {exit_code}: {_meaning(results, exit_code)}", style))

    def _remarks(self, results: Results) -> Iterator[Line]:
        if results.interrupted:
            yield line(("interrupted: ", "warn"), f"{count(results.not_run, 'case')} did not run or finish")
            if results.mode in ("auto", "record"):
                yield line("what was answered is kept: --cassette-mode auto goes on from there")
        elif results.stopped:
            yield line(("stopped: ", "warn"), results.stopped)
            yield line(f"{count(results.not_run, 'case')} did not run or finish")
            if results.mode != "off":
                yield line("what was answered is kept: --cassette-mode auto goes on from there")
        elif results.not_run:
            yield line(("stopped early: ", "warn"), f"{count(results.not_run, 'case')} did not run")
        if results.left_out:
            yield line(f"{count(results.left_out, 'case')} left out by arguments")
        unplayed = [case for case in results.cases if case.unplayed]
        if unplayed:
            total = sum(case.unplayed for case in unplayed)
            shown = unplayed if self._verbose else unplayed[:_MOST_LISTED]
            names = ", ".join(f"{visible(case.id)} ({case.unplayed})" for case in shown)
            rest = (
                f" and {count(len(unplayed) - len(shown), 'more case')}" if len(unplayed) > len(shown) else ""
            )
            yield line(f"{count(total, 'recorded exchange')} never asked for (unplayed): {names}{rest}")
        for warning in results.warnings:
            yield line(("warning: ", "warn"), visible(warning))

    def _path(self, path: str) -> str:
        return visible(self._shown_path(path))


def _facts(case: CaseResult) -> Iterator[str]:
    """What stands behind a case's name."""
    run = case.shown_run
    if case.outcome == "excluded":
        yield "passthrough, not replayed"
    elif run:
        turns = len({turn.index for turn in run.turns if turn.outcome != "not_reached"})
        yield f"{count(turns, 'turn'):8}"
        if run.trace and run.trace.usage.total:
            yield f"{run.trace.usage.total:,} tokens"
        if run.termination not in ("", "end_turn") and not run.misses:
            yield run.termination
    if len(case.runs) > 1:
        yield _repeated(case)
    if case.scripted:
        yield "scripted"


def _repeated(case: CaseResult) -> str:
    passed, total = case.passed_runs, len(case.runs)
    words = f"{passed}/{total} runs passed"
    if 0 < passed < total:
        low, high = wilson_interval(passed, total)
        words += f" (95% interval {low:.0%} to {high:.0%})"
    return words


def _what_to_record(results: Results) -> str:
    outcomes = _outcomes_to_record(results)
    return (
        "Record what is missing:"
        if outcomes == ["missing"]
        else f"Re-record only what is {' or '.join(outcomes)}:"
    )


def _outcomes_to_record(results: Results) -> list[str]:
    found = {case.outcome for case in results.to_record}
    return [outcome for outcome in CASE_OUTCOMES if outcome in found]


def _meaning(results: Results, exit_code: int) -> str:
    """What made the exit code."""
    if exit_code == EXIT_INTERRUPTED:
        return "interrupted"
    if exit_code == EXIT_FAILED:
        return "an assertion failed"
    if exit_code == EXIT_RECORDING and results.stopped:
        return "the run may make no further call"
    if exit_code == EXIT_RECORDING:
        outcomes = _outcomes_to_record(results)
        if outcomes:
            return f"a recording is {' or '.join(outcomes)}"
        failed = any(run.termination == "provider_error" for case in results.cases for run in case.runs)
        return "a provider failed" if failed else "a case could not be recorded"
    if any(case.outcome == "skipped" for case in results.cases) and not results.allow_skipped:
        return "cases were skipped (--allow-skipped accepts that)"
    if not results.checked:
        return "nothing was checked (--allow-empty accepts that)"
    return "a case could not be run"


def _turn_counts(results: Results) -> str:
    found: dict[str, int] = {}
    for case in results.cases:
        for run in case.runs:
            for turn in run.turns:
                found[turn.outcome] = found.get(turn.outcome, 0) + 1
    if not found:
        return ""
    words = ", ".join(f"{number} {outcome.replace('_', ' ')}" for outcome, number in found.items())
    return f"{count(sum(found.values()), 'turn')}: {words}"
