"""Results made by hand, as a run would find them."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from dryfire_action.agent import Run, Turn
from dryfire_action.errors import EXIT_INTERRUPTED, Place
from dryfire_action.field_changes import FieldChange
from dryfire_action.messages import Response, ToolCall, ToolResult, Usage
from dryfire_action.reports.lines import as_text
from dryfire_action.reports.terminal import render
from dryfire_action.results import CaseResult, Results, RunResult, SuiteResult, TurnResult, Verdict

if TYPE_CHECKING:
    from dryfire_action.results import CaseOutcome

SYSTEM = FieldChange("system", "changed", "12ab" * 4, "34cd" * 4)
KEY, OTHER_KEY = "3f2a" * 4, "9c01" * 4
COMMAND = "dryfire run evals/s.eval.yaml --cassette-mode auto"


def replayed(*indices: int) -> tuple[TurnResult, ...]:
    """Turns that replay fresh."""
    return tuple(TurnResult(index, 0, "replayed", KEY, KEY) for index in indices)


def stale(index: int, *changes: FieldChange, **more: Any) -> TurnResult:
    """A stale turn."""
    return TurnResult(index, 0, "stale", KEY, OTHER_KEY, changes or (SYSTEM,), **more)


def trace(*texts: str, usage: Usage = Usage(), termination: Any = "end_turn") -> Run:  # noqa: B008
    """A run whose turns call `lookup` each but the last, which answers."""
    turns = []
    for index, text in enumerate(texts):
        last = index == len(texts) - 1
        call = ToolCall(f"call_{index}", "lookup", {"n": index})
        response = Response(text, () if last else (call,), "end_turn" if last else "tool_use", usage=usage)
        turns.append(Turn(index, 1, response, () if last else (ToolResult(call.id, {"found": index}),)))
    return Run("id", termination, tuple(turns), (), ())


def run(*turns: TurnResult, passed: bool = True, index: int = 0, **more: Any) -> RunResult:
    """A run that ended by itself."""
    return RunResult(index, passed, turns or replayed(0), **{"termination": "end_turn", **more})


def verdict(passed: bool = False, **more: Any) -> Verdict:
    """An assertion, that a tool was called."""
    base: dict[str, Any] = {
        "kind": "calls_tool",
        "description": "calls_tool: refund",
        "passed": passed,
        "message": "" if passed else "refund was not called",
        "expected": "at least one call",
        "actual": "lookup (end_turn)",
        "place": Place("evals/s.eval.yaml", 31, 9),
    }
    return Verdict(**{**base, **more})


def case(name: str, outcome: CaseOutcome = "passed", *runs: RunResult, **more: Any) -> CaseResult:
    """A case of the suite `s`."""
    return CaseResult("s", name, outcome, runs, **more)


def results(*cases: CaseResult, **more: Any) -> Results:
    """Results of the one suite `s` (of none where there are no cases)."""
    suites = (SuiteResult("s", "evals/s.eval.yaml", cases),) if cases else ()
    return Results(suites, **more)


def text(found: Results, **settings: Any) -> str:
    """The report as plain text."""
    code = EXIT_INTERRUPTED if found.interrupted else found.exit_code
    return as_text(render(found, **{"exit_code": code, **settings})).strip()


def picture(block: str) -> str:
    """An expected report; the first line's indent is that of the first line."""
    return cleandoc(block)
