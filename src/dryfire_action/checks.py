"""Judging a run: the table of assertions, and why a run fails whatever its assertions say.

A new kind of assertion is one function and one row here, and one row in ``suite_checks`` that reads its
arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action import call_checks, run_checks, text_checks
from dryfire_action.agent import UNFINISHED
from dryfire_action.errors import DryfireError
from dryfire_action.findings import Finding, Subject
from dryfire_action.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dryfire_action.agent import Run
    from dryfire_action.messages import JsonObject
    from dryfire_action.suite import Case, Check

    # The normalised arguments of an assertion, and what it is about.
    CheckFunction = Callable[[JsonObject, Subject], Finding]

CHECKS: dict[str, CheckFunction] = {
    "calls_tool": call_checks.calls_tool,
    "not_calls_tool": call_checks.not_calls_tool,
    "min_tool_calls": call_checks.min_tool_calls,
    "no_tool_calls": call_checks.no_tool_calls,
    "call_order": call_checks.call_order,
    "parallel_calls": call_checks.parallel_calls,
    "tool_args": call_checks.tool_args,
    "tool_result": call_checks.tool_result,
    "final_contains": text_checks.final_contains,
    "final_not_contains": text_checks.final_not_contains,
    "final_matches": text_checks.final_matches,
    "final_json": text_checks.final_json,
    "max_turns": run_checks.max_turns,
    "terminates": run_checks.terminates,
    "latency_under_ms": run_checks.latency_under_ms,
    "cost_under": run_checks.cost_under,
}


def judge(case: Case, run: Run, *, prices: Mapping[str, JsonObject]) -> tuple[Verdict, ...]:
    """The verdict of every assertion of ``case`` on ``run``, in the order of the file.

    ``prices`` maps ``provider:model`` to USD per million tokens (see ``findings.Subject``). An assertion that
    cannot be judged, for want of a price or because its pattern runs too long, fails and says so.
    """
    subject = Subject(run, case.provider, case.model, prices)
    return tuple(_verdict(check, subject) for check in case.checks)


def finished(case: Case, run: Run) -> str:
    """Why ``run`` fails whatever the assertions of ``case`` say; "" where nothing stands against it.

    A call that nothing answers and a provider's failure always do. A run that was cut short does unless the
    case expects just that (``terminates``) or allows it (``allow_unfinished``).
    """
    ended = run.termination
    if ended in ("unmocked_tool", "provider_error"):
        return run.error or f"the run ended with {ended}"
    if ended not in UNFINISHED or case.allow_unfinished:
        return ""
    if any(check.kind == "terminates" and check.arguments["reason"] == ended for check in case.checks):
        return ""
    why = f" ({run.error})" if run.error else ""
    return (
        f"the run did not finish: {ended}{why}; if that is what should happen, expect `terminates: {ended}`"
        " or set `allow_unfinished: true`"
    )


def _verdict(check: Check, subject: Subject) -> Verdict:
    try:
        finding = CHECKS[check.kind](check.arguments, subject)
    except DryfireError as error:
        return Verdict(check.kind, check.kind, False, str(error), check.arguments, None, check.place)
    return Verdict(
        kind=check.kind,
        description=f"{check.kind}: {finding.about}" if finding.about else check.kind,
        passed=not finding.message,
        message=finding.message,
        expected=finding.expected,
        actual=finding.actual,
        place=check.place,
    )
