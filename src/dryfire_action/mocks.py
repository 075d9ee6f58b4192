"""Answering tool calls from the rules of a suite: which rule fits a call, and what it answers.

Nothing here runs code that a suite names: an ``impl:`` rule answers only through the function that is handed
in.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING

from dryfire_action.agent import UnmockedTool
from dryfire_action.canonical_json import compiled
from dryfire_action.fingerprint import dotted
from dryfire_action.messages import ToolResult
from dryfire_action.suite import Fail, Impl, Return, Steps

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from dryfire_action.messages import JsonObject, JsonValue, ToolCall
    from dryfire_action.suite import MockRule, OnUnmocked

    # What runs an ``impl:`` rule with its own copy of the arguments; the result's call id is ignored.
    RunCode = Callable[[Impl, JsonObject], Awaitable[ToolResult]]

_encode = compiled(json.JSONEncoder(ensure_ascii=False, default=repr))
_SHOWN_LENGTH = 160
_SHOWN_RULES = 2


def matches(pattern: JsonValue, value: JsonValue) -> bool:
    """Whether ``pattern`` is a deep subset of ``value``; for ``when`` and for ``match`` in assertions alike.

    Every key of a pattern map must be there, and maps recurse. Everything else, lists included, must be equal
    as Python compares: ``1`` equals ``1.0`` and ``true``, and there is no subset inside a list.
    """
    return not mismatch(pattern, value)


def mismatch(pattern: JsonValue, value: JsonValue, path: str = "") -> str:
    """Why ``pattern`` is no deep subset of ``value``: the first difference as words, "" where it is one."""
    if isinstance(pattern, dict) and isinstance(value, dict):
        for key, wanted in pattern.items():
            inner = (path + dotted(key)).removeprefix(".")
            why = mismatch(wanted, value[key], inner) if key in value else f"{inner} is not there"
            if why:
                return why
        return ""
    if pattern == value:
        return ""
    return f"{path or 'it'} is {shortened(value)}, not {shortened(pattern)}"


def as_content(value: JsonValue) -> JsonValue:
    """A tool's answer as the model gets it: maps, texts and null as they are, all else as JSON text."""
    if value is None or isinstance(value, str | dict):
        return value
    return json.dumps(value, ensure_ascii=False)


def shortened(value: JsonValue) -> str:
    """``value`` as JSON text that fits a line of a report."""
    text = _encode(value).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


class MockedTools:
    """The tools of one run of one case, answered by its rules; of a tool's rules the first that fits wins.

    ``run_code`` runs the function of an ``impl:`` rule; without it a call of such a rule ends the run, as in
    a replay. A sequence counts the calls that its rule answered in this run. ``answered`` lists, for every
    call that got a result, its tool, its id and the rule, None where ``on_unmocked`` answered.
    """

    def __init__(
        self,
        mocks: Mapping[str, Sequence[MockRule]],
        on_unmocked: OnUnmocked = "error",
        *,
        run_code: RunCode | None = None,
    ) -> None:
        self._mocks = mocks
        self._on_unmocked = on_unmocked
        self._run_code = run_code
        self._answers: dict[tuple[str, int], int] = {}
        self.answered: list[tuple[str, str, MockRule | None]] = []

    async def answer(self, call: ToolCall) -> ToolResult:
        """The result of ``call``. Raises ``UnmockedTool`` where no rule fits, or only one that runs code."""
        for number, rule in enumerate(self._mocks.get(call.name, ())):
            if _fits(rule, call):
                answer = rule.answer
                if isinstance(answer, Impl):
                    result = await self._code_result(answer, rule, call)
                else:
                    result = _fixed_result(self._step(answer, number, call), call)
                break
        else:
            if self._on_unmocked == "error":
                raise UnmockedTool(call, _no_rule(call, self._mocks))
            rule, result = None, ToolResult(call.id, "")
        self.answered.append((call.name, call.id, rule))
        return result

    def _step(self, answer: Return | Fail | Steps, number: int, call: ToolCall) -> Return | Fail:
        if not isinstance(answer, Steps):
            return answer
        count = self._answers.get((call.name, number), 0)
        self._answers[call.name, number] = count + 1
        return answer.steps[min(count, len(answer.steps) - 1)]

    async def _code_result(self, impl: Impl, rule: MockRule, call: ToolCall) -> ToolResult:
        if self._run_code is None:
            raise UnmockedTool(
                call,
                f"{call.name!r} is answered by code ({impl.target}, {rule.place}), which makes this case a"
                " passthrough: a replay never runs code that a suite names",
            )
        if call.malformed_arguments is not None:
            # Real code must not be run with arguments that the model never sent.
            return ToolResult(call.id, f"the arguments are no JSON object: {call.malformed_arguments}", True)
        return replace(await self._run_code(impl, deepcopy(call.arguments)), call_id=call.id)


def _fits(rule: MockRule, call: ToolCall) -> bool:
    if rule.when is None:
        return True
    return call.malformed_arguments is None and matches(rule.when, call.arguments)


def _fixed_result(answer: Return | Fail, call: ToolCall) -> ToolResult:
    if isinstance(answer, Fail):
        return ToolResult(call.id, answer.message, True)
    return ToolResult(call.id, as_content(answer.value))


def _no_rule(call: ToolCall, mocks: Mapping[str, Sequence[MockRule]]) -> str:
    """One sentence: the call, and the rules that come nearest to it."""
    if call.malformed_arguments is not None:
        asked = f"{call.name!r} with arguments that are no JSON object, {shortened(call.malformed_arguments)}"
    else:
        asked = f"{call.name!r} with {shortened(call.arguments)}"
    rules = mocks.get(call.name, ())
    if not rules:
        from difflib import get_close_matches

        close = get_close_matches(call.name, mocks, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        return f"no mock answers {asked}: the tool has no mocks{hint}"
    if call.malformed_arguments is not None:
        return f"no mock answers {asked}: only a rule without `when` does, and {rules[0].place} has one"
    nearest = sorted(rules, key=lambda rule: -_likeness(rule.when, call.arguments))[:_SHOWN_RULES]
    shown = "; ".join(
        f"when {shortened(rule.when)} ({rule.place}): {mismatch(rule.when, call.arguments)}"
        for rule in nearest
    )
    return f"no mock answers {asked}; nearest {'rules' if len(nearest) > 1 else 'rule'}: {shown}"


def _likeness(pattern: JsonValue, value: JsonValue) -> float:
    """How much of a pattern fits: between 0 and 1, a key that is there with another value counts a little."""
    if not isinstance(pattern, dict) or not isinstance(value, dict):
        return 1.0 if pattern == value else 0.1
    if not pattern:
        return 1.0
    return sum(_likeness(wanted, value[key]) for key, wanted in pattern.items() if key in value) / len(
        pattern
    )
