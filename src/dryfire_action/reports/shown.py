"""How much text may stand in a result file: what ``show`` lets through, and how a result is cut down to less of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Show = Literal["names", "prompts", "all"]
# From the strictest on.
SHOWS: tuple[Show, ...] = ("names", "prompts", "all")

# Assertions whose message speaks of names, counts and times only; the others quote answers, arguments or results.
_WITHOUT_ANSWER_TEXT = frozenset(
    {
        *("calls_tool", "not_calls_tool", "min_tool_calls", "no_tool_calls", "call_order", "parallel_calls"),
        *("max_turns", "terminates", "latency_under_ms", "cost_under"),
    }
)
# Assertions whose actual value is the trajectory: the names of the tools called, and how the run ended.
_WITH_TRAJECTORY = _WITHOUT_ANSWER_TEXT | {"tool_args", "tool_result"}
# The parts of a request whose texts are a conversation, or a script of one: they are shown under ``all`` only.
_CONVERSATION = re.compile(r"(?:messages|script)\b")
# What differs in behaviour by names alone: the tools called, and how a turn ended.
_NAMED_DIFFERENCES = frozenset({"tools", "stop_reason"})
# What stands for a text that is no name.
PROVIDER_FAILED = "provider_error"
_SOME_PROBLEM = "spec"


def may_hide(path: str, show: str) -> bool:
    """Whether the text of the field ``path`` is left out of the file."""
    return show == "names" or (show == "prompts" and bool(_CONVERSATION.match(path)))


def may_tell_why(kind: str, show: str) -> bool:
    """Whether the message of a failed assertion of this ``kind`` may be told."""
    return show == "all" or kind in _WITHOUT_ANSWER_TEXT


def may_tell_actual(kind: str, show: str) -> bool:
    """Whether the value that an assertion of this ``kind`` found may be told."""
    return show == "all" or kind in _WITH_TRAJECTORY


def may_tell_difference(what: str, show: str) -> bool:
    """Whether the values before and after of a difference in behaviour may be told."""
    return show == "all" or what in _NAMED_DIFFERENCES


def strictest(shows: Iterable[Show]) -> Show:
    """The one of ``shows`` that lets the least text through; there must be one."""
    return min(shows, key=SHOWS.index)


def narrowed(document: Mapping[str, Any], show: Show) -> dict[str, Any]:
    """A result as it would be under ``show``, if that lets less text through than its own."""
    if SHOWS.index(show) >= SHOWS.index(document["show"]):
        return dict(document)
    behaviour = document["behaviour"]
    return {
        **document,
        "show": show,
        "suites": [
            {**suite, "cases": [_case(case, show) for case in suite["cases"]]} for suite in document["suites"]
        ],
        "causes": [
            {**cause, "diff": None, "inside": None} if may_hide(cause["path"], show) else cause
            for cause in document["causes"]
        ],
        "behaviour": None if behaviour is None else [_behaviour(change, show) for change in behaviour],
        "problems": [
            {**problem, "message": _SOME_PROBLEM, "hint": None} if show == "names" else problem
            for problem in document["problems"]
        ],
    }


def _case(case: Mapping[str, Any], show: Show) -> dict[str, Any]:
    runs = [_run(run, show) for run in case["runs"]]
    failed = any(run["termination"] == PROVIDER_FAILED for run in runs)
    return {
        **case,
        "error": PROVIDER_FAILED if show == "names" and failed and case["error"] else case["error"],
        "assertions": [_assertion(check, show) for check in case["assertions"]],
        "runs": runs,
    }


def _run(run: Mapping[str, Any], show: Show) -> dict[str, Any]:
    failed = run["termination"] == PROVIDER_FAILED
    return {**run, "error": PROVIDER_FAILED if show == "names" and failed and run["error"] else run["error"]}


def _assertion(check: Mapping[str, Any], show: Show) -> dict[str, Any]:
    kind = check["kind"]
    return {
        **check,
        "description": kind if show == "names" else check["description"],
        "message": check["message"] if may_tell_why(kind, show) else None,
        "expected": None if show == "names" else check["expected"],
        "actual": check["actual"] if may_tell_actual(kind, show) else None,
    }


def _behaviour(change: Mapping[str, Any], show: Show) -> dict[str, Any]:
    return {
        **change,
        "differences": [
            one if may_tell_difference(one["what"], show) else {**one, "before": None, "after": None}
            for one in change["differences"]
        ],
    }
