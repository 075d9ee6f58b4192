"""The values of a case have the digests that fingerprints have of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from dryfire_action.case_values import held_by, values_of
from dryfire_action.field_changes import changes_between
from dryfire_action.fingerprint import Fingerprint, digest, fingerprint_of
from dryfire_action.ignore_rules import IgnoreRule, ignoring
from dryfire_action.messages import Message, Request, ScriptStep, ToolCall
from dryfire_action.mocks import MockedTools
from dryfire_action.patterns import compile_pattern
from dryfire_action.suite import Case
from tests.memory_tree import load_case

SUITE = """
system: Be brief. Today is 2025-01-31.
params: {temperature: 780.0, "odd key": [1, true]}
tools:
  - name: lookup
    description: Look up.
    input_schema: {type: object}
  - {name: "odd name", input_schema: {}}
"""
CASE = """
input:
  - {role: user, content: hi}
  - role: assistant
    content: null
    tool_calls: [{id: a, name: lookup, arguments: {id: 1}}, {id: b, name: lookup, arguments: "{"}]
  - role: tool
    tool_results: [{call_id: b, content: {x: 1.0}}, {call_id: a, content: gone, is_error: true}]
mocks:
  lookup:
    - {when: {id: 1}, return: {status: sent}}
    - {when: {id: 2}, return: [1, 2.0]}
    - {when: {id: 3}, return: 5}
    - {when: {id: 4}, error: busy}
    - sequence: [{error: first}, {return: null}, {return: "last ü"}]
"""


@pytest.fixture(scope="module")
def case() -> Case:
    return load_case(CASE, SUITE)


def request_of(case: Case) -> Request:
    return Request(case.provider, case.model, case.messages, case.system, case.tools, params=case.params)


def as_text(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else digest(list(value))


def test_every_field_of_the_first_request_is_there(case: Case) -> None:
    found = held_by(case)
    fields = fingerprint_of(request_of(case)).fields
    missing = [path for path, value in fields.items() if as_text(value) not in found]
    assert missing == ["fingerprint_version"]


@pytest.mark.parametrize(
    ("arguments", "times"), [({"id": 1}, 1), ({"id": 2}, 1), ({"id": 3}, 1), ({"id": 4}, 1), ({}, 3)]
)
def test_what_mocks_answer_is_there_as_the_model_gets_it(case: Case, arguments: object, times: int) -> None:
    tools = MockedTools(case.mocks)
    calls = [ToolCall(f"c{k}", "lookup", arguments) for k in range(times)]  # type: ignore[arg-type]
    results = tuple(asyncio.run(tools.answer(call)) for call in calls)
    messages = (Message("assistant", tool_calls=tuple(calls)), Message("tool", tool_results=results))
    fields = fingerprint_of(Request("p", "m", messages)).fields
    found = values_of(case)
    for index, result in enumerate(results):
        path = f"messages[1].tool_results[{index}]"
        assert found[as_text(fields[f"{path}.content"])] == result.content
        assert as_text(fields[f"{path}.is_error"]) in found


def test_script_steps_are_there() -> None:
    case = load_case("script: [{text: hello}, {fails: {message: busy, status: 503}}]", "provider: fake")
    for index, step in enumerate(case.script):
        fields = fingerprint_of(Request("fake", "m", (), script=ScriptStep(index, step))).fields
        assert values_of(case)[as_text(fields[f"script[{index}]"])] == step
        assert held_by(case)[as_text(fields[f"script[{index}]"])].place == case.places[f"script[{index}]"]


def without(case: Case, part: str) -> Request:
    request = request_of(case)
    if part == "tool":
        return replace(request, tools=request.tools[1:])
    if part == "order":
        return replace(request, tools=request.tools[::-1])
    if part == "message":
        return replace(request, messages=request.messages[1:])
    message = request.messages[2 if part == "result" else 1]
    if part == "call":
        message = replace(message, tool_calls=message.tool_calls[1:])
    else:
        message = replace(message, tool_results=message.tool_results[1:])
    messages = tuple(message if message.role == old.role else old for old in request.messages)
    return replace(request, messages=messages)


REMOVED = {
    "tool": {"description": "Look up.", "input_schema": {"type": "object"}},
    "order": ["lookup", "odd name"],
    "message": {"role": "user", "content": "hi"},
    "call": {"name": "lookup", "arguments": {"id": 1}},
    "result": {"content": {"x": 1.0}},
}


@pytest.mark.parametrize("part", REMOVED)
def test_what_was_removed_as_a_whole_is_there(case: Case, part: str) -> None:
    def printed(request: Request) -> Fingerprint:
        return fingerprint_of(request)

    changes = changes_between(printed(request_of(case)), printed(without(case, part)))
    olds = [change.old for change in changes if change.change in ("removed", "reordered")]
    assert olds
    assert values_of(case)[str(olds[0])] == REMOVED[part]


def test_places_are_as_exact_as_they_are_known(case: Case) -> None:
    held = held_by(case)
    assert held[digest("Be brief. Today is 2025-01-31.")].place == case.places["system"]
    assert held[digest({"id": 1})].place == case.places["messages[1].tool_calls[0].arguments"]
    assert held[digest({"status": "sent"})].place == case.mocks["lookup"][0].place
    assert held[digest("busy")].place == case.mocks["lookup"][3].place
    assert held[digest(case.model)].place == case.place, "a built-in setting stands nowhere"


@pytest.mark.parametrize(
    "path", ["messages[2].tool_results[0].content", "messages[*].tool_results[*].content"]
)
def test_ignore_rules_reach_mocks_wherever_they_will_stand(case: Case, path: str) -> None:
    rule = IgnoreRule(path, "se.t")
    mask = ignoring([(rule, compile_pattern(rule.pattern))])
    assert mask is not None
    masked = digest(mask("messages[2].tool_results[0].content", {"status": "sent"}))
    assert masked not in values_of(case)
    assert values_of(case, [rule])[masked] == {"status": "sent"}
    assert values_of(case, [rule])[digest({"status": "sent"})] == {"status": "sent"}


def test_values_keep_their_number_type(case: Case) -> None:
    assert repr(values_of(case)[digest(780.0)]) == "780.0"
    assert digest(780) not in values_of(case)


def test_an_unmocked_call_is_answered_with_nothing() -> None:
    case = load_case("on_unmocked: passthrough")
    assert values_of(case)[digest("")] == ""
