"""For any two requests the keys are equal exactly when there is no field change, however the keys were come by."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dryfire_action.canonical_json import digest, digest_of_parsed
from dryfire_action.errors import FingerprintError
from dryfire_action.field_changes import changes_between
from dryfire_action.fingerprint import Fingerprint, Fingerprinter, fingerprint_of
from dryfire_action.messages import Hook, Message, Request, ScriptStep, ToolCall, ToolResult, ToolSpec
from tests.made_requests import shuffled

if TYPE_CHECKING:
    from collections.abc import Callable

Draw = Any

ODD_NAMES = ["a.b", "a b", 'a"b', "a]b", "a].description", "[*]", "a\nb", "é", "e\u0301", "a#2", "order", ""]
NAMES = st.sampled_from(["a", "b", "lookup", *ODD_NAMES])
TEXTS = st.sampled_from(["", "a", "b", "a\n", "a\r\n", "é", "e\u0301", "call_0", "2026-11-29"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 0.0, -0.0, 1.0, 2**53, 2**53 + 1, "", "a", "1"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=2)
IDS = st.sampled_from(["a", "b", "call_0", "call_1", "call_10"])

calls = st.builds(ToolCall, IDS, NAMES, OBJECTS, st.none() | TEXTS)
results = st.builds(ToolResult, IDS, VALUES, st.booleans())
messages = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    st.none() | TEXTS | st.lists(OBJECTS, max_size=2),
    st.lists(calls, max_size=3, unique_by=lambda call: call.id).map(tuple),
    st.lists(results, max_size=3).map(tuple),
    st.lists(OBJECTS, max_size=2).map(tuple),
    st.none() | OBJECTS,
)
tools = st.builds(ToolSpec, NAMES, OBJECTS, st.none() | TEXTS)
hooks = st.builds(Hook, NAMES, TEXTS)
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "provider": st.sampled_from(["openai", "anthropic"]),
    "model": st.sampled_from(["small-1", "large-1"]),
    "messages": st.lists(messages, max_size=4).map(tuple),
    "system": st.none() | TEXTS,
    "tools": st.lists(tools, max_size=3, unique_by=lambda tool: tool.name).map(tuple),
    "params": st.dictionaries(
        NAMES | st.sampled_from(["temperature", "timeout", "cache_control"]), VALUES, max_size=2
    ),
    "hooks": st.lists(hooks, max_size=3).map(tuple),
    "output_schema": st.none() | OBJECTS,
    "script": st.none() | st.builds(ScriptStep, st.integers(0, 1), st.none() | OBJECTS),
}
requests = st.builds(Request, **PARTS)


def edited(draw: Draw, items: tuple[Any, ...], strategy: st.SearchStrategy[Any]) -> tuple[Any, ...]:
    """``items`` with one put in, taken out, replaced or moved."""
    found = list(items)
    edit = draw(st.sampled_from(["insert", "remove", "replace", "move", "double"]))
    if edit == "insert" or not found:
        found.insert(draw(st.integers(0, len(found))), draw(strategy))
        return tuple(found)
    place = draw(st.integers(0, len(found) - 1))
    if edit == "replace":
        found[place] = draw(strategy)
        return tuple(found)
    item = found[place] if edit == "double" else found.pop(place)
    if edit in ("move", "double"):
        found.insert(draw(st.integers(0, len(found))), item)
    return tuple(found)


def unique(items: tuple[Any, ...], key: Callable[[Any], str]) -> tuple[Any, ...]:
    return tuple({key(item): item for item in items}.values())


def edited_message(draw: Draw, message: Message) -> Message:
    part = draw(st.sampled_from(["content", "tool_calls", "tool_results", "reasoning", "role", "raw"]))
    if part == "tool_calls":
        found = unique(edited(draw, message.tool_calls, calls), lambda call: call.id)
        return replace(message, tool_calls=found)
    if part == "tool_results":
        return replace(message, tool_results=edited(draw, message.tool_results, results))
    if part == "reasoning":
        return replace(message, reasoning=edited(draw, message.reasoning, OBJECTS))
    return replace(message, **{part: getattr(draw(messages), part)})


@st.composite
def mutations(draw: Draw, base: st.SearchStrategy[Request] = requests) -> tuple[Request, Request]:
    """A request, and the same with a few edits."""
    first = draw(base)
    second = first
    for _ in range(draw(st.integers(0, 3))):
        part = draw(st.sampled_from([*PARTS, "messages", "messages", "message", "message"]))
        if part == "message" and second.messages:
            place = draw(st.integers(0, len(second.messages) - 1))
            message = edited_message(draw, second.messages[place])
            changed = (*second.messages[:place], message, *second.messages[place + 1 :])
            second = replace(second, messages=changed)
        elif part in ("messages", "message"):
            second = replace(second, messages=edited(draw, second.messages, messages))
        elif part == "tools":
            second = replace(second, tools=unique(edited(draw, second.tools, tools), lambda tool: tool.name))
        elif part == "hooks":
            second = replace(second, hooks=edited(draw, second.hooks, hooks))
        else:
            second = replace(second, **{part: draw(PARTS[part])})
    return first, second


PAIRS = mutations() | st.tuples(requests, requests)
ORDER = re.compile(r"(hooks|tools|messages|messages\[\d+\]\.(tool_calls|tool_results|reasoning))\.order\Z")
MEMBER = re.compile(
    r"(hooks|tools)\[.*\]\Z|messages\[\d+\](\.(tool_calls|tool_results)\[\d+\])?\Z", re.DOTALL
)


@given(PAIRS)
@example((Request("p", "m", ()), Request("p", "m", (), params={"": 1})))
def test_keys_are_equal_exactly_when_nothing_changed(pair: tuple[Request, Request]) -> None:
    old, new = map(fingerprint_of, pair)
    changes, back = changes_between(old, new), changes_between(new, old)
    assert (old.key == new.key) == (not changes) == (not back)
    assert (old.fields == new.fields) == (not changes)


@given(PAIRS)
def test_every_change_names_a_field_or_a_documented_whole(pair: tuple[Request, Request]) -> None:
    old, new = map(fingerprint_of, pair)
    changes = changes_between(old, new)
    fields = {"added": new.fields, "removed": old.fields, "changed": {**old.fields, **new.fields}}
    for change in changes:
        if change.change == "reordered":
            assert ORDER.match(change.path)
            continue
        known = fields[change.change]
        inside = any(path.startswith((f"{change.path}.", f"{change.path}[")) for path in known)
        assert change.path in known or (inside and MEMBER.match(change.path)), change
    named = [(change.path, change.change) for change in changes]
    assert len(set(named)) == len(named)


@given(requests)
def test_mapping_order_raw_and_ids_are_no_part_of_a_request(request: Request) -> None:
    again = replace(
        request,
        params=shuffled(request.params),
        tools=tuple(replace(tool, input_schema=shuffled(tool.input_schema)) for tool in request.tools),
        messages=tuple(
            replace(
                message,
                raw={"n": index},
                content=shuffled(message.content),
                tool_calls=tuple(replace(call, id=f"new {call.id}") for call in message.tool_calls),
                tool_results=tuple(_following(result, request) for result in message.tool_results),
            )
            for index, message in enumerate(request.messages)
        ),
    )
    assert fingerprint_of(again).key == fingerprint_of(request).key


def _following(result: ToolResult, request: Request) -> ToolResult:
    """``result`` with the new name of the id it refers to, where a call has it at all."""
    before: set[str] = set()
    for message in request.messages:
        if any(result is each for each in message.tool_results):
            break
        before.update(call.id for call in message.tool_calls)
    return replace(result, call_id=f"new {result.call_id}") if result.call_id in before else result


@given(st.lists(messages, max_size=6), st.data())
def test_a_fingerprint_is_the_same_however_the_conversation_came_to_be(
    said: list[Message], data: st.DataObject
) -> None:
    """Grown by some messages, cut at any place, rewritten in the middle, or built anew; and whatever is expected."""
    fingerprinter = Fingerprinter()
    before: list[Fingerprint] = []
    base = data.draw(requests)
    conversation: tuple[Message, ...] = ()
    for message in said:
        step = data.draw(st.sampled_from(["grow", "grow", "grow", "cut", "rewrite", "copy", "head"]))
        if step == "cut":
            conversation = conversation[: data.draw(st.integers(0, len(conversation)))]
        elif step == "rewrite":
            conversation = edited(data.draw, conversation, messages)
        elif step == "copy":
            conversation = tuple(replace(each) for each in conversation)
        elif step == "head":
            base = data.draw(requests)
        conversation = (*conversation, message)
        request = replace(base, messages=conversation)
        truly = fingerprint_of(request)
        expected = data.draw(st.sampled_from([None, truly, *before]))
        before.append(fingerprinter.fingerprint(request, expected))
        assert before[-1] == truly
        ids = {call.id for each in conversation for call in each.tool_calls}
        assert fingerprinter.call_ids == ids


@given(requests, requests)
def test_a_refused_request_leaves_no_trace_in_the_next_fingerprint(first: Request, second: Request) -> None:
    fingerprinter = Fingerprinter()
    fingerprinter.fingerprint(first)
    bad = Message("user", "\ud83d")
    for refused in (
        replace(first, messages=(*first.messages, *second.messages, bad)),
        replace(first, system="\ud83d"),
    ):
        with pytest.raises(FingerprintError):
            fingerprinter.fingerprint(refused)
        assert fingerprinter.fingerprint(second) == fingerprint_of(second)
        assert fingerprinter.fingerprint(first) == fingerprint_of(first)


@given(VALUES)
def test_what_a_parser_made_has_the_digest_that_it_always_has(value: Any) -> None:
    assert digest_of_parsed(json.loads(json.dumps(value))) == digest(value)
