"""The result file (``--json-out``), for other programs: format ``dryfire-result/1``.

``schemas/dryfire-result-1.schema.json`` describes it, and whoever reads it can hold it against that. Every key is
always there. What may be shown is decided here, before anything is written.
"""

from __future__ import annotations

import json
import os
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dryfire_action.results import counts
from dryfire_action.visible import cut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dryfire_action.errors import Place, Problem
    from dryfire_action.results import CaseResult, Results, RunResult, SuiteResult, TurnResult, Verdict

FORMAT = "dryfire-result/1"
Show = Literal["names", "prompts", "all"]

# Assertions whose message speaks of names, counts and times only; the others quote answers, arguments or results.
_WITHOUT_ANSWER_TEXT = frozenset(
    {
        *("calls_tool", "not_calls_tool", "min_tool_calls", "no_tool_calls", "call_order", "parallel_calls"),
        *("max_turns", "terminates", "latency_under_ms", "cost_under"),
    }
)
# Assertions whose actual value is the trajectory: the names of the tools called, and how the run ended.
_WITH_TRAJECTORY = _WITHOUT_ANSWER_TEXT | {"tool_args", "tool_result"}
_MOST_CHARACTERS = 20_000


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
    answers, arguments and results. ``causes``, ``no_longer_replayed`` and ``behaviour`` are null or empty where nothing
    was compared.
    """
    cases = tuple(results.cases)
    return {
        "format": FORMAT,
        "exit_code": exit_code,
        "commit": commit,
        "shard": None,
        "mode": results.mode,
        "show": show,
        "complete": results.complete,
        "interrupted": results.interrupted,
        "left_out": results.left_out,
        "not_run": results.not_run,
        "counts": counts(cases),
        "causes": [],
        "suites": [_suite(suite, show) for suite in results.suites],
        "not_checked": [
            {"case": case.id, "reason": case.outcome, "text": _safe(case.error)}
            for case in cases
            if case.outcome in ("excluded", "skipped")
        ],
        "no_longer_replayed": None,
        "unplayed": [{"case": case.id, "exchanges": case.unplayed} for case in cases if case.unplayed],
        "behaviour": None,
        "rerecord": _rerecord(results),
        "problems": [_problem(problem, show) for problem in problems],
        "warnings": [_safe(warning) for warning in results.warnings],
    }


def write(path: Path, found: Mapping[str, Any]) -> None:
    """Put the document into the file at ``path`` in one step. Raises ``OSError``; then the file is as it was."""
    # A lone surrogate has no UTF-8; its escape, which this error handler makes, is what JSON writes for it.
    content = (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


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
        "notices": [_safe(notice) for notice in case.notices],
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
        "tokens": _tokens([run]),
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
    }


def _assertion(verdict: Verdict, show: Show) -> dict[str, Any]:
    everything = show == "all"
    message = verdict.message if everything or verdict.kind in _WITHOUT_ANSWER_TEXT else ""
    actual = verdict.actual if everything or verdict.kind in _WITH_TRAJECTORY else None
    return {
        "kind": verdict.kind,
        "description": verdict.kind if show == "names" else _safe(verdict.description),
        "passed": verdict.passed,
        "message": _text(message),
        "expected": None if show == "names" else _value(verdict.expected),
        "actual": _value(actual),
        **_place(verdict.place),
    }


def _rerecord(results: Results) -> dict[str, Any]:
    """What re-recording takes, as far as the recordings that it replaces tell."""
    runs = [run for case in results.to_record for run in case.runs]
    calls = sum(turn.outcome in ("stale", "missing", "not_reached") for run in runs for turn in run.turns)
    return {"command": results.command, "calls": calls, "tokens": _tokens(runs)}


def _tokens(runs: Sequence[RunResult]) -> dict[str, int]:
    used = [run.trace.usage for run in runs if run.trace]
    return {
        "input": sum(usage.input_tokens for usage in used),
        "output": sum(usage.output_tokens for usage in used),
    }


def _problem(problem: Problem, show: Show) -> dict[str, Any]:
    return {
        "file": problem.place.file or None,
        "line": problem.place.line if problem.place.file else None,
        "column": problem.place.column if problem.place.file else None,
        "message": problem.slug if show == "names" else _safe(problem.message),
        "hint": None if show == "names" else _text(problem.hint),
    }


def _error(error: str, provider_failed: bool, show: Show) -> str | None:
    # A provider may quote the request; then the reason is no name.
    return "provider_error" if error and provider_failed and show == "names" else _text(error)


def _place(place: Place | None) -> dict[str, Any]:
    return {"file": place.file if place else None, "line": place.line if place else None}


def _text(text: str) -> str | None:
    return _safe(text) if text else None


def _value(value: Any) -> Any:
    """A JSON value with every text in it made safe."""
    if isinstance(value, str):
        return _safe(value)
    if isinstance(value, dict):
        return {_safe(str(key)): _value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    return value


def _safe(text: str) -> str:
    """The one place that every free text passes on its way into the file."""
    return cut(text, _MOST_CHARACTERS)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
