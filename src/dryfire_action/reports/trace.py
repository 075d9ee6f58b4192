"""One run of one case, turn by turn: what was answered and called, from where, and what the assertions say."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dryfire_action.reports.lines import line, with_shown_path
from dryfire_action.reports.turns import told_lines
from dryfire_action.reports.verdicts import verdict_lines
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dryfire_action.agent import Turn
    from dryfire_action.reports.lines import Line
    from dryfire_action.results import CaseResult, RunResult, TurnResult


def render(
    case: CaseResult, run: RunResult | None, *, shown_path: Callable[[str], str] = str, fancy: bool = True
) -> Iterator[Line]:
    """The run as lines: each turn in full, then the end, then every assertion."""
    yield line(
        (visible(case.id), "strong"), f"  {case.outcome}", ("  scripted" if case.scripted else "", "dim")
    )
    if case.cassette:
        yield line((visible(shown_path(case.cassette)), "dim"))
    if run is None:
        for text in (case.error, case.remedy):
            for row in with_shown_path(text, case.cassette, shown_path).splitlines():
                yield line(visible(row), indent=2)
        return
    if len(case.runs) > 1:
        passed = "passed" if run.passed else "did not pass"
        yield line(f"run {run.index}, of runs 0 to {len(case.runs) - 1}: {passed}")
    yield line()
    yield from told_lines(run, indent=0, key=True)
    yield line()
    yield line("ended: ", (run.termination, "strong"), f"  {visible(run.error)}" if run.error else "")
    if run.misses:
        yield line(("Assertions are not judged on answers that were recorded for another request.", "dim"))
    yield from verdict_lines(run.verdicts, indent=0, shown_path=shown_path, fancy=fancy, all_of_it=True)


def document(case: CaseResult, run: RunResult | None) -> dict[str, Any]:
    """The run as a JSON value: ``case``, ``outcome``, ``error``, ``run`` (null where nothing ran) with ``turns``."""
    found: dict[str, Any] = {
        "case": case.id,
        "outcome": case.outcome,
        "error": case.error or None,
        "remedy": case.remedy or None,
        "cassette": case.cassette or None,
        "scripted": case.scripted,
        "run": None,
    }
    if run is None:
        return found
    answered = {turn.index: turn for turn in run.trace.turns} if run.trace else {}
    found["run"] = {
        "index": run.index,
        "passed": run.passed,
        "termination": run.termination,
        "error": run.error or None,
        "turns": [
            _turn(told, answered.get(told.index) if told is _last_attempt(run, told) else None)
            for told in run.turns
        ],
        "assertions": [asdict(verdict) for verdict in run.verdicts],
    }
    return found


def _turn(told: TurnResult, turn: Turn | None) -> dict[str, Any]:
    found = asdict(told)
    if turn is None:
        return {**found, "answer": None}
    response = turn.response
    return {
        **found,
        "answer": {
            "text": response.text,
            "stop_reason": response.stop_reason,
            "tool_calls": [asdict(call) for call in response.tool_calls],
            "tool_results": [asdict(result) for result in turn.results],
            "usage": asdict(response.usage),
            "latency_ms": response.latency_ms,
            "model_served": response.model_served,
        },
    }


def _last_attempt(run: RunResult, told: TurnResult) -> TurnResult:
    """The attempt of this turn that was answered, if one was: the last."""
    return [turn for turn in run.turns if turn.index == told.index][-1]
