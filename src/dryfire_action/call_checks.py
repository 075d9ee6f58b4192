"""Assertions on tool calls: which were made, how often, in which order, with which arguments and results.

"Calls" are all calls of all answered turns in order, executed or not. A function here is one row of
``checks.CHECKS``; the maps it is given are described in ``suite_checks``.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dryfire_action.findings import Finding, plural
from dryfire_action.mocks import mismatch, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dryfire_action.agent import Run
    from dryfire_action.findings import Subject
    from dryfire_action.messages import JsonObject, JsonValue, ToolCall, ToolResult


def calls_tool(arguments: JsonObject, subject: Subject) -> Finding:
    """The tool was called at least once or, with ``count``, exactly so often (0 is allowed)."""
    tool, count = arguments["tool"], arguments["count"]
    made = _times(tool, subject)
    if count is None:
        return _structural(subject, tool, "" if made else f"{tool} was not called", "at least one call")
    message = "" if made == count else f"{tool} was called {plural(made, 'time')}, not {count}"
    return _structural(subject, f"{tool} (count {count})", message, count)


def not_calls_tool(arguments: JsonObject, subject: Subject) -> Finding:
    """The tool was never called."""
    tool = arguments["tool"]
    made = _times(tool, subject)
    return _structural(subject, tool, f"{tool} was called {plural(made, 'time')}" if made else "", 0)


def min_tool_calls(arguments: JsonObject, subject: Subject) -> Finding:
    """The tool was called at least ``count`` times."""
    tool, count = arguments["tool"], arguments["count"]
    made = _times(tool, subject)
    message = "" if made >= count else f"{tool} was called {plural(made, 'time')}, not at least {count}"
    return _structural(subject, f"{tool} (at least {count})", message, count)


def no_tool_calls(_: JsonObject, subject: Subject) -> Finding:
    """No tool at all was called. There are no arguments."""
    made = len(subject.run.calls)
    return _structural(subject, "", f"the model made {plural(made, 'call')}" if made else "", 0)


def call_order(arguments: JsonObject, subject: Subject) -> Finding:
    """The names are a subsequence of the calls: in this order, with any other calls between them."""
    tools: list[str] = arguments["tools"]
    calls = iter(call.name for call in subject.run.calls)
    for position, tool in enumerate(tools):
        if tool not in calls:  # reads on to where the name stands
            after = f" after {tools[position - 1]}" if position else ""
            return _structural(subject, " → ".join(tools), f"there is no call of {tool}{after}", tools)
    return _structural(subject, " → ".join(tools), "", tools)


def parallel_calls(arguments: JsonObject, subject: Subject) -> Finding:
    """One turn made several calls: ``at_least`` so many, or all of ``tools`` (a name twice: twice).

    With ``never`` it is the other way round: no turn made two.
    """
    tools: list[str] = arguments["tools"]
    at_least: int = arguments["at_least"]
    turns = [[call.name for call in turn.response.tool_calls] for turn in subject.run.turns]
    most = max((len(names) for names in turns), default=0)
    if arguments["never"]:
        message = f"one turn made {plural(most, 'call')}" if most >= at_least else ""
        return _structural(subject, "never", message, "no turn with several calls")
    if tools:
        together = any(not Counter(tools) - Counter(names) for names in turns)
        message = "" if together else f"no turn called {', '.join(tools)} together"
        return _structural(subject, ", ".join(tools), message, tools)
    message = "" if most >= at_least else f"no turn made {plural(at_least, 'call')}, the most was {most}"
    return _structural(subject, f"at least {at_least}", message, at_least)


def tool_args(arguments: JsonObject, subject: Subject) -> Finding:
    """The arguments of the selected call contain ``match`` as a deep subset.

    ``index`` selects the n-th call of the tool, counted from 0 or, negative, from the end; ``call`` the n-th
    call of the whole run, whatever its tool, counted from 0, which must then be one of the tool; ``any``
    accepts any call of it.
    """
    match = arguments["match"]

    def fault(made: _Made) -> str:
        if made.call.malformed_arguments is not None:
            return f"the arguments are no JSON object: {shortened(made.call.malformed_arguments)}"
        return mismatch(match, made.call.arguments)

    about, message = _selected(arguments, subject.run, fault)
    return _structural(subject, about, message, match)


def tool_result(arguments: JsonObject, subject: Subject) -> Finding:
    """The result of the selected call has ``is_error``, the texts of ``contains`` and ``match`` as a deep subset.

    Calls are selected as in ``tool_args``. Texts are looked for in the result's text or JSON text, without
    regard to case. A pattern that is no text also fits the value that a result's text holds as JSON, as a
    mocked list does.
    """
    asked = {key: arguments[key] for key in ("match", "contains", "is_error") if key in arguments}

    def fault(made: _Made) -> str:
        return "the call got no result" if made.result is None else _result_fault(arguments, made.result)

    about, message = _selected(arguments, subject.run, fault)
    return _structural(subject, about, message, asked)


@dataclass(frozen=True, slots=True)
class _Made:
    """A call with its result, None where the run ended before it."""

    call: ToolCall
    result: ToolResult | None


def _selected(arguments: JsonObject, run: Run, fault: Callable[[_Made], str]) -> tuple[str, str]:
    """What the assertion is about, and what is wrong with the call it selects ("": nothing)."""
    tool: str = arguments["tool"]
    everything = _made(run)
    of_tool = [made for made in everything if made.call.name == tool]
    if arguments["any"]:
        faults = [fault(made) for made in of_tool]
        message = "" if "" in faults else _none_fits(tool, faults)
        return f"{tool} (any call)", message
    number = arguments["call"]
    if number is not None:
        about = f"{tool} (call {number} of the run)"
        if not 0 <= number < len(everything):
            return about, f"there is no call {number}: the run made {plural(len(everything), 'call')}"
        made = everything[number]
        if made.call.name != tool:
            return about, f"call {number} of the run is one of {made.call.name}"
        return about, fault(made)
    index = arguments["index"]
    about = tool if index == 0 else f"{tool} (index {index})"
    if not -len(of_tool) <= index < len(of_tool):
        return about, f"{tool} was called {plural(len(of_tool), 'time')}: there is no call with index {index}"
    return about, fault(of_tool[index])


def _none_fits(tool: str, faults: Sequence[str]) -> str:
    if not faults:
        return f"{tool} was not called"
    return "no call fits: " + "; ".join(f"index {index}: {fault}" for index, fault in enumerate(faults))


def _made(run: Run) -> list[_Made]:
    """All calls with their results, which stand in the order of a turn's calls."""
    return [
        _Made(call, turn.results[number] if number < len(turn.results) else None)
        for turn in run.turns
        for number, call in enumerate(turn.response.tool_calls)
    ]


def _result_fault(arguments: JsonObject, result: ToolResult) -> str:
    is_error = arguments["is_error"]
    if is_error is not None and result.is_error != is_error:
        return "the result is an error" if result.is_error else "the result is no error"
    content = result.content
    text = (
        content
        if isinstance(content, str)
        else json.dumps("" if content is None else content, ensure_ascii=False)
    )
    missing = [wanted for wanted in arguments["contains"] if wanted.casefold() not in text.casefold()]
    if missing:
        return f"the result {shortened(content)} does not contain {', '.join(map(shortened, missing))}"
    if "match" not in arguments:
        return ""
    pattern = arguments["match"]
    if isinstance(content, str) and not isinstance(pattern, str):
        content = _read(content)
    return mismatch(pattern, content)


def _read(text: str) -> JsonValue:
    """The value of a JSON text; other text stays text, which no pattern but a text fits."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _times(tool: str, subject: Subject) -> int:
    return sum(call.name == tool for call in subject.run.calls)


def _structural(subject: Subject, about: str, message: str, expected: JsonValue) -> Finding:
    return Finding(about, message, expected, subject.trajectory)
