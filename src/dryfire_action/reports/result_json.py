"""The result file (``--json-out``), for other programs: format ``dryfire-result/1``.

``schemas/dryfire-result-1.schema.json`` describes it, and whoever reads it can hold it against that. Every key is
always there. What may be shown is decided here, before anything is written.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dryfire_action.messages import NO_USAGE
from dryfire_action.redact import DEFAULT_RULES
from dryfire_action.reports.redaction import redacted
from dryfire_action.reports.shown import (
    PROVIDER_FAILED,
    may_hide,
    may_tell_actual,
    may_tell_difference,
    may_tell_why,
)
from dryfire_action.results import NOT_CHECKED, cost_of, counts
from dryfire_action.text_diff import as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dryfire_action.behaviour import BehaviourChange, Difference, NoLongerReplayed
    from dryfire_action.causes import Cause
    from dryfire_action.errors import Place, Problem
    from dryfire_action.messages import Usage
    from dryfire_action.reports.shown import Show
    from dryfire_action.results import CaseResult, Results, RunResult, SuiteResult, TurnResult, Verdict

FORMAT = "dryfire-result/1"


def document(
    results: Results,
    *,
    commit: str | None,
    show: Show,
    exit_code: int,
    problems: Sequence[Problem] = (),
) -> dict[str, Any]:
    """The result file as a value. ``problems`` are why nothing could be run, where that is so.

    ``show`` says how much text it holds: ``names`` only names, ``prompts`` also what the suites say, ``all`` also
    answers, arguments and results. ``no_longer_replayed`` and ``behaviour`` are null where nothing was compared. Every
    text in it is redacted, by the rules that ``results`` brings. Raises ``PatternTimeout`` for one that takes too long.
    """
    cases = tuple(results.cases)
    found = {
        "format": FORMAT,
        "exit_code": exit_code,
        "state": "stopped" if problems else results.state,
        "commit": commit,
        "base": results.base,
        "not_compared": _text(results.not_compared),
        "shard": results.shard or None,
        "elsewhere": results.elsewhere,
        "mode": results.mode,
        "show": show,
        "complete": results.complete,
        "interrupted": results.interrupted,
        "left_out": results.left_out,
        "not_run": results.not_run,
        "counts": counts(cases),
        "causes": [_cause(cause, show) for cause in results.causes],
        "history": _text(results.history),
        "suites": [_suite(suite, show) for suite in results.suites],
        "not_checked": [
            {"case": case.id, "reason": case.outcome, "text": case.error}
            for case in cases
            if case.outcome in NOT_CHECKED
        ],
        "no_longer_replayed": _each(gone_document, results.no_longer_replayed),
        "unplayed": [{"case": case.id, "exchanges": case.unplayed} for case in cases if case.unplayed],
        "behaviour": _each(lambda change: behaviour_document(change, show), results.behaviour),
        "rerecord": _rerecord(results),
        "problems": [_problem(problem, show) for problem in problems],
        "warnings": [warning for warning in (results.stopped, *results.warnings) if warning],
    }
    return redacted(found, results.rules or DEFAULT_RULES)


def text(found: Mapping[str, Any]) -> str:
    """The document as the file holds it."""
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of the result file."""
    name = "dryfire-result-1.schema.json"
    text = files("dryfire_action").joinpath("schemas", name).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _suite(suite: SuiteResult, show: Show) -> dict[str, Any]:
    return {"name": suite.name, "file": suite.file, "cases": [_case(case, show) for case in suite.cases]}


def _case(case: CaseResult, show: Show) -> dict[str, Any]:
    shown = case.shown_run
    error = case.error or (shown.error if shown and not shown.passed else "")
    return {
        "name": case.name,
        "outcome": case.outcome,
        "error": _error(error, any(run.termination == "provider_error" for run in case.runs), show),
        "remedy": _text(case.remedy),
        "cassette": case.cassette or None,
        "scripted": case.scripted,
        "passed_runs": case.passed_runs,
        "require_pass_rate": case.require_pass_rate,
        "notices": list(case.notices),
        **_place(case.place),
        "assertions": [_assertion(verdict, show) for verdict in (shown.verdicts if shown else ())],
        "runs": [_run(run, show) for run in case.runs],
    }


def _run(run: RunResult, show: Show) -> dict[str, Any]:
    return {
        "index": run.index,
        "passed": run.passed,
        "termination": run.termination or None,
        "error": _error(run.error, run.termination == "provider_error", show),
        "tokens": _tokens(run.trace.usage if run.trace else NO_USAGE),
        "turns": [_turn(turn) for turn in run.turns],
    }


def _turn(turn: TurnResult) -> dict[str, Any]:
    return {
        "index": turn.index,
        "attempt": turn.attempt,
        "outcome": turn.outcome,
        "recorded": turn.recorded,
        "current": turn.current,
        "changes": [
            {"path": change.path, "change": change.change, "old": change.old, "new": change.new}
            for change in turn.changes
        ],
        "note": _text(turn.note),
        "equal": turn.equal,
        "fields": turn.fields,
        "tokens": _tokens(turn.usage),
    }


def _assertion(verdict: Verdict, show: Show) -> dict[str, Any]:
    message = verdict.message if may_tell_why(verdict.kind, show) else ""
    actual = verdict.actual if may_tell_actual(verdict.kind, show) else None
    return {
        "kind": verdict.kind,
        "description": verdict.kind if show == "names" else verdict.description,
        "passed": verdict.passed,
        "message": _text(message),
        "expected": None if show == "names" else verdict.expected,
        "actual": actual,
        **_place(verdict.place),
    }


def _cause(cause: Cause, show: Show) -> dict[str, Any]:
    shown = not may_hide(cause.path, show)
    return {
        "path": cause.path,
        "change": cause.change,
        "old": cause.old,
        "new": cause.new,
        "cases": list(cause.cases),
        "turns": cause.turns,
        "where": [_place(place) for place in cause.where],
        "diff": _text(as_text(cause.diff)) if shown else None,
        "inside": _text(cause.inner) if shown else None,
        "note": _text(cause.note),
    }


def gone_document(one: NoLongerReplayed) -> dict[str, Any]:
    """A case that the base replays and the head does not."""
    return {"case": one.case, "reason": one.reason, "text": one.sentence}


def behaviour_document(change: BehaviourChange, show: Show) -> dict[str, Any]:
    """How one case behaves differently; texts and arguments are there only under ``show`` ``all``."""
    return {
        "case": change.case,
        "kind": change.kind,
        "differences": [_difference(difference, show) for difference in change.differences],
        "calls_before": list(change.calls_before),
        "calls_after": list(change.calls_after),
        "tokens_before": _tokens(change.tokens_before),
        "tokens_after": _tokens(change.tokens_after),
    }


def _difference(difference: Difference, show: Show) -> dict[str, Any]:
    shown = may_tell_difference(difference.what, show)
    return {
        "run": difference.run,
        "turn": difference.turn,
        "what": difference.what,
        "before": difference.before if shown else None,
        "after": difference.after if shown else None,
    }


def _each(make: Callable[[Any], dict[str, Any]], found: Iterable[Any] | None) -> list[dict[str, Any]] | None:
    return None if found is None else [make(one) for one in found]


def _rerecord(results: Results) -> dict[str, Any]:
    """What re-recording takes, as far as the recordings that it replaces tell.

    The file is read elsewhere than where the run was: so the command is that for the top of the repository.
    """
    cost = cost_of(results.cases)
    return {
        "command": results.command_from_root or results.command,
        "calls": cost.calls,
        "tokens": _tokens(cost.usage),
    }


def _tokens(usage: Usage) -> dict[str, int]:
    return {"input": usage.input_tokens, "output": usage.output_tokens}


def _problem(problem: Problem, show: Show) -> dict[str, Any]:
    return {
        "file": problem.place.file or None,
        "line": problem.place.line if problem.place.file else None,
        "column": problem.place.column if problem.place.file else None,
        "message": problem.slug if show == "names" else problem.message,
        "hint": None if show == "names" else _text(problem.hint),
    }


def _error(error: str, provider_failed: bool, show: Show) -> str | None:
    # A provider may quote the request; then the reason is no name.
    return PROVIDER_FAILED if error and provider_failed and show == "names" else _text(error)


def _place(place: Place | None) -> dict[str, Any]:
    return {"file": place.file if place else None, "line": place.line if place else None}


def _text(text: str) -> str | None:
    return text if text else None
