"""One edit of a request is named as just that edit: the exact field, and what happened to it."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import replace

import pytest

from dryfire_action.field_changes import changes_between, top_level
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import Hook, Request, ScriptStep, ToolCall, ToolResult, ToolSpec
from tests.made_requests import (
    LOOKUP_SCHEMA,
    changed,
    key_of,
    rich_request,
    said,
    shuffled,
    swapped,
    with_,
    with_call,
    with_message,
    with_messages,
    with_params,
    with_result,
    with_schema,
    with_tool,
    without_param,
)

BASE = rich_request()
M = BASE.messages
SYSTEM = "Be brief.\nAnswer in French: café."
PICTURE = "https://example.org/dog.png"
TEXT_BLOCK = {"type": "text", "text": "What is on the picture?"}
CAT_BLOCK = {"type": "image", "source": {"type": "url", "url": "https://example.org/cat.png"}}
THOUGHT = {"type": "thinking", "thinking": "Two orders.", "signature": "c2ln"}

# What was edited -> (the request after it, the changes).
EDITS: dict[str, tuple[Request, list[str]]] = {
    # the head
    "provider": (with_(provider="bedrock"), ["changed provider"]),
    "model": (with_(model="large-1"), ["changed model"]),
    "system: a word": (with_(system="Be terse.\nAnswer in French: café."), ["changed system"]),
    "system: trailing space": (with_(system=SYSTEM + " "), ["changed system"]),
    "system: trailing newline": (with_(system=SYSTEM + "\n"), ["changed system"]),
    "system: CRLF": (with_(system=SYSTEM.replace("\n", "\r\n")), ["changed system"]),
    "system: decomposed": (with_(system=unicodedata.normalize("NFD", SYSTEM)), ["changed system"]),
    "system: empty": (with_(system=""), ["changed system"]),
    "system: removed": (with_(system=None), ["removed system"]),
    # params
    "max_tokens": (with_params(max_tokens=513), ["changed params.max_tokens"]),
    "temperature": (with_params(temperature=1), ["changed params.temperature"]),
    "temperature: 0.0 for 0": (with_params(temperature=0.0), ["changed params.temperature"]),
    "temperature: false for 0": (with_params(temperature=False), ["changed params.temperature"]),
    "temperature: text": (with_params(temperature="0"), ["changed params.temperature"]),
    "temperature: no longer sent": (without_param("temperature"), ["removed params.temperature"]),
    "temperature: null is not sent": (with_params(temperature=None), ["removed params.temperature"]),
    "top_p": (with_params(top_p=0.25), ["changed params.top_p"]),
    "stop_sequences: order": (
        with_params(stop_sequences=["STOP", "END"]),
        ["changed params.stop_sequences"],
    ),
    "tool_choice": (with_params(tool_choice={"type": "none"}), ["changed params.tool_choice"]),
    "a parameter of one provider": (with_params(num_ctx=8192), ["changed params.num_ctx"]),
    "a parameter nobody knows": (with_params(frobnicate=1), ["added params.frobnicate"]),
    "a parameter with an odd name": (with_params(**{"a.b": 1}), ['added params["a.b"]']),
    # hooks
    "hook version": (with_(hooks=(Hook("mask", "2"), Hook("date", "2"))), ["changed hooks[mask]"]),
    "hook added": (with_(hooks=(*BASE.hooks, Hook("log"))), ["added hooks[log]"]),
    "hook added in front": (with_(hooks=(Hook("log"), *BASE.hooks)), ["added hooks[log]"]),
    "hook removed": (with_(hooks=BASE.hooks[1:]), ["removed hooks[mask]"]),
    "hooks swapped": (with_(hooks=swapped(BASE.hooks)), ["reordered hooks.order"]),
    "hook twice": (with_(hooks=(*BASE.hooks, Hook("mask", "1"))), ["added hooks[mask#2]"]),
    "all hooks removed": (with_(hooks=()), ["removed hooks[mask]", "removed hooks[date]"]),
    # output schema
    "output_schema": (with_(output_schema={"type": "array"}), ["changed output_schema"]),
    "output_schema: removed": (with_(output_schema=None), ["removed output_schema"]),
    # tools
    "tool description": (with_tool(0, description="Find an order."), ["changed tools[lookup].description"]),
    "tool description: empty": (with_tool(0, description=""), ["changed tools[lookup].description"]),
    "tool description: removed": (with_tool(0, description=None), ["removed tools[lookup].description"]),
    "tool description: added, empty": (with_tool(2, description=""), ["added tools[notify].description"]),
    "tool schema: type": (with_schema(type="array"), ["changed tools[lookup].input_schema"]),
    "tool schema: required order": (
        with_schema(required=["kind", "id"]),
        ["changed tools[lookup].input_schema"],
    ),
    "tool schema: enum order": (
        with_schema(properties={**LOOKUP_SCHEMA["properties"], "kind": {"enum": ["invoice", "order"]}}),
        ["changed tools[lookup].input_schema"],
    ),
    "tool schema: default null or none": (
        with_schema(
            properties={**LOOKUP_SCHEMA["properties"], "id": {"type": "string", "default": None}},
        ),
        ["changed tools[lookup].input_schema"],
    ),
    "tool schema: default 1.0 for 1": (
        with_schema(
            properties={**LOOKUP_SCHEMA["properties"], "limit": {"type": "integer", "default": 1.0}},
        ),
        ["changed tools[lookup].input_schema"],
    ),
    "tool renamed": (with_tool(0, name="find"), ["removed tools[lookup]", "added tools[find]"]),
    "tool added": (with_(tools=(*BASE.tools, ToolSpec("a.b", {}))), ['added tools["a.b"]']),
    "tool added in front": (with_(tools=(ToolSpec("new", {}, "x"), *BASE.tools)), ["added tools[new]"]),
    "tool removed": (with_(tools=(BASE.tools[0], BASE.tools[2])), ["removed tools[refund]"]),
    "tools swapped": (with_(tools=swapped(BASE.tools)), ["reordered tools.order"]),
    "all tools removed": (
        with_(tools=()),
        ["removed tools[lookup]", "removed tools[refund]", "removed tools[notify]"],
    ),
    # the script
    "script: its text": (with_(script=ScriptStep(3, {"text": "A dog."})), ["changed script[3]"]),
    "script: it is over": (with_(script=ScriptStep(3, None)), ["changed script[3]"]),
    "script: another step": (
        with_(script=ScriptStep(4, {"text": "A cat."})),
        ["removed script[3]", "added script[4]"],
    ),
    "script: none": (with_(script=None), ["removed script[3]"]),
    # messages: what they say
    "text": (with_message(0, content="Where is ord_1002?"), ["changed messages[0].content"]),
    "text: trailing space": (with_message(0, content="Where is ord_1001? "), ["changed messages[0].content"]),
    "text: empty": (with_message(0, content=""), ["changed messages[0].content"]),
    "text: removed": (with_message(0, content=None), ["removed messages[0].content"]),
    "text: empty for none": (with_message(3, content=""), ["added messages[3].content"]),
    "text as a block": (
        with_message(0, content=[{"type": "text", "text": "Where is ord_1001?"}]),
        ["changed messages[0].content"],
    ),
    "role": (with_message(5, role="user"), ["changed messages[5].role"]),
    "block: text": (
        with_message(6, content=[{**TEXT_BLOCK, "text": "What is it?"}, CAT_BLOCK]),
        ["changed messages[6].content"],
    ),
    "block: report_131 another image": (
        with_message(6, content=[TEXT_BLOCK, {"type": "image", "source": {"type": "url", "url": PICTURE}}]),
        ["changed messages[6].content"],
    ),
    "blocks swapped": (with_message(6, content=[CAT_BLOCK, TEXT_BLOCK]), ["changed messages[6].content"]),
    "reasoning: text": (
        with_message(1, reasoning=({**THOUGHT, "thinking": "Three."},)),
        ["changed messages[1].reasoning[0]"],
    ),
    "reasoning: signature": (
        with_message(1, reasoning=({**THOUGHT, "signature": "c2lo"},)),
        ["changed messages[1].reasoning[0]"],
    ),
    "reasoning: added": (with_message(5, reasoning=(THOUGHT,)), ["added messages[5].reasoning[0]"]),
    "reasoning: removed": (with_message(1, reasoning=()), ["removed messages[1].reasoning[0]"]),
    # messages: calls
    "call name": (with_call(1, 0, name="find"), ["changed messages[1].tool_calls[0].name"]),
    "call argument": (
        with_call(1, 0, arguments={"id": "ord_1001", "limit": 2}),
        ["changed messages[1].tool_calls[0].arguments"],
    ),
    "call argument: under id": (
        with_call(1, 0, arguments={"id": "ord_1009", "limit": 1}),
        ["changed messages[1].tool_calls[0].arguments"],
    ),
    "call argument: report_32 1.0 for 1": (
        with_call(1, 0, arguments={"id": "ord_1001", "limit": 1.0}),
        ["changed messages[1].tool_calls[0].arguments"],
    ),
    "call argument: true for 1": (
        with_call(1, 0, arguments={"id": "ord_1001", "limit": True}),
        ["changed messages[1].tool_calls[0].arguments"],
    ),
    "call argument: missing for null": (
        with_call(1, 1, arguments={"id": "ord_2002"}),
        ["changed messages[1].tool_calls[1].arguments"],
    ),
    "malformed arguments": (
        with_call(3, 0, malformed_arguments='{"id": 2'),
        ["changed messages[3].tool_calls[0].malformed_arguments"],
    ),
    "malformed arguments: spaces": (
        with_call(3, 0, malformed_arguments='{"id":1'),
        ["changed messages[3].tool_calls[0].malformed_arguments"],
    ),
    "malformed arguments: now sound": (
        with_call(3, 0, malformed_arguments=None),
        ["removed messages[3].tool_calls[0].malformed_arguments"],
    ),
    "call added": (
        with_message(1, tool_calls=(*M[1].tool_calls, ToolCall("z", "notify"))),
        ["added messages[1].tool_calls[2]"],
    ),
    "call added in front": (
        with_message(1, tool_calls=(ToolCall("z", "notify"), *M[1].tool_calls)),
        ["added messages[1].tool_calls[0]"],
    ),
    "call removed": (
        with_message(1, tool_calls=M[1].tool_calls[:1]),
        ["removed messages[1].tool_calls[1]"],
    ),
    "parallel calls swapped": (
        with_message(1, tool_calls=swapped(M[1].tool_calls)),
        ["reordered messages[1].tool_calls.order"],
    ),
    # messages: results
    "result text": (with_result(2, 1, content="OK"), ["changed messages[2].tool_results[1].content"]),
    "result: under id": (
        with_result(2, 0, content={"id": "cust_8", "total": 780, "lines": [1, 2]}),
        ["changed messages[2].tool_results[0].content"],
    ),
    "result: 780.0 for 780": (
        with_result(2, 0, content={"id": "cust_7", "total": 780.0, "lines": [1, 2]}),
        ["changed messages[2].tool_results[0].content"],
    ),
    "result: list order": (
        with_result(2, 0, content={"id": "cust_7", "total": 780, "lines": [2, 1]}),
        ["changed messages[2].tool_results[0].content"],
    ),
    "result: null for text": (
        with_result(2, 1, content=None),
        ["changed messages[2].tool_results[1].content"],
    ),
    "result: JSON text for JSON": (
        with_result(2, 0, content='{"id": "cust_7", "total": 780, "lines": [1, 2]}'),
        ["changed messages[2].tool_results[0].content"],
    ),
    "error flag": (with_result(2, 1, is_error=False), ["changed messages[2].tool_results[1].is_error"]),
    "which call a result answers": (
        with_result(2, 1, call_id="a"),
        ["changed messages[2].tool_results[1].answers"],
    ),
    "a result that answers no call": (
        with_result(2, 1, call_id="nobody"),
        ["changed messages[2].tool_results[1].answers"],
    ),
    "result added": (
        with_message(2, tool_results=(*M[2].tool_results, ToolResult("a", "again"))),
        ["added messages[2].tool_results[2]"],
    ),
    "result removed": (
        with_message(2, tool_results=M[2].tool_results[:1]),
        ["removed messages[2].tool_results[1]"],
    ),
    "results swapped": (
        with_message(2, tool_results=swapped(M[2].tool_results)),
        ["reordered messages[2].tool_results.order"],
    ),
    # messages: which there are
    "message inserted": (with_messages(M[0], said("Hello?"), *M[1:]), ["added messages[1]"]),
    "message appended": (with_messages(*M, said("Hello?")), ["added messages[8]"]),
    "message removed": (with_messages(*M[:5], *M[6:]), ["removed messages[5]"]),
    "messages swapped": (with_messages(*M[:6], M[7], M[6]), ["reordered messages.order"]),
    "no messages": (with_messages(), [f"removed messages[{index}]" for index in range(8)]),
}


def test_the_table_is_as_long_as_it_must_be() -> None:
    assert len(EDITS) >= 40
    keys = {key_of(request) for request, _ in EDITS.values()}
    # Two rows are one request: `temperature: null` is a temperature that is not sent.
    assert len(keys) == len(EDITS) - 1


@pytest.mark.parametrize(("request_after", "changes"), EDITS.values(), ids=EDITS)
def test_an_edit_is_stale_and_names_exactly_its_field(request_after: Request, changes: list[str]) -> None:
    assert key_of(request_after) != key_of(BASE)
    assert changed(BASE, request_after) == changes


OPPOSITE = {"added": "removed", "removed": "added"}


@pytest.mark.parametrize(("request_after", "changes"), EDITS.values(), ids=EDITS)
def test_undoing_an_edit_names_the_same_field(request_after: Request, changes: list[str]) -> None:
    back = [each.split(" ", 1) for each in changed(request_after, BASE)]
    assert sorted(f"{OPPOSITE.get(kind, kind)} {path}" for kind, path in back) == sorted(changes)


@pytest.mark.parametrize(("request_after", "changes"), EDITS.values(), ids=EDITS)
def test_digests_stand_where_a_field_was_and_where_it_is(request_after: Request, changes: list[str]) -> None:
    for each in changes_between(fingerprint_of(BASE), fingerprint_of(request_after)):
        assert (each.old is None) == (each.change == "added")
        assert (each.new is None) == (each.change == "removed")
        assert each.old != each.new


def test_two_edits_are_both_named_head_first() -> None:
    after = replace(with_message(0, content="Hi"), model="large-1")
    assert changed(BASE, after) == ["changed model", "changed messages[0].content"]


def test_the_parts_that_changed_come_sorted_and_once() -> None:
    after = with_(model="large-1", hooks=(), tools=swapped(BASE.tools)[:2], messages=M[:3])
    changes = changes_between(fingerprint_of(BASE), fingerprint_of(after))
    assert top_level(changes) == ("hooks", "messages", "model", "tools")


def test_the_same_request_has_no_changes() -> None:
    again = Request(**{name: shuffled(getattr(BASE, name)) for name in BASE.__slots__})
    assert changed(BASE, again) == []


def test_another_fingerprint_version_is_the_only_change_named() -> None:
    old = fingerprint_of(BASE)
    new = fingerprint_of(with_(model="large-1"))
    other = type(new)({**new.head, "fingerprint_version": "2"}, new.messages, "other")
    assert [(each.path, each.change) for each in changes_between(old, other)] == [
        ("fingerprint_version", "changed")
    ]


def test_a_part_that_this_version_does_not_know_is_named_too() -> None:
    old = fingerprint_of(BASE)
    new = type(old)({**old.head, "budget.tokens": "0" * 16}, old.messages, "other")
    assert [(each.path, each.change) for each in changes_between(old, new)] == [("budget.tokens", "added")]


def test_many_tools_that_all_changed_are_told_in_time_that_grows_with_their_number() -> None:
    before, after = (
        Request(
            provider="p",
            messages=(),
            model="m",
            tools=tuple(ToolSpec(f"tool_{number}", f"{word} {number}", {}) for number in range(20_000)),
        )
        for word in ("old", "new")
    )
    began = time.monotonic()
    recorded, current = fingerprint_of(before), fingerprint_of(after)
    made = time.monotonic() - began
    assert len(changes_between(recorded, current)) == 20_000
    # It was a hundred times as long as making the fingerprints.
    assert time.monotonic() - began - made < 5 * made + 1
