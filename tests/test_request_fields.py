"""Finding the texts behind a field change in two redacted requests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dryfire_action.divergence import request_json, tool_request
from dryfire_action.field_changes import changes_between
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec
from dryfire_action.request_fields import changed_values, request_fields
from dryfire_action.text_diff import ABSENT

BASE = Request(
    "anthropic",
    "small-1",
    (
        Message("user", "When?"),
        Message("assistant", None, (ToolCall("a", "board", {"from": "Ulm"}),)),
        Message("tool", tool_results=(ToolResult("a", "12:00"),)),
    ),
    system="Be brief.",
    tools=(ToolSpec("board", {"type": "object"}, "Departures."), ToolSpec("odd.name", {}, "Odd.")),
    params={"top_p": 0.5, "odd.param": 1},
    output_schema={"type": "string"},
)


def inserted(request: Request) -> Request:
    return replace(request, messages=(Message("user", "Hello."), *request.messages))


CHANGES = {
    "system": (replace(BASE, system="Be long."), "Be brief.", "Be long."),
    "model": (replace(BASE, model="large-1"), "small-1", "large-1"),
    "params.top_p": (replace(BASE, params={"top_p": 1, "odd.param": 1}), 0.5, 1),
    "tools[board].description": (
        replace(BASE, tools=(ToolSpec("board", {"type": "object"}, "Trains."), BASE.tools[1])),
        "Departures.",
        "Trains.",
    ),
    "tools.order": (replace(BASE, tools=BASE.tools[::-1]), ["board", "odd.name"], ["odd.name", "board"]),
    "messages[2].tool_results[0].content": (
        replace(
            BASE, messages=(*BASE.messages[:2], Message("tool", tool_results=(ToolResult("a", "13:00"),)))
        ),
        "12:00",
        "13:00",
    ),
    "messages[1].tool_calls[0].arguments": (
        replace(
            BASE,
            messages=(
                BASE.messages[0],
                Message("assistant", None, (ToolCall("a", "board", {"from": "Bonn"}),)),
                BASE.messages[2],
            ),
        ),
        {"from": "Ulm"},
        {"from": "Bonn"},
    ),
}


@pytest.mark.parametrize("path", list(CHANGES))
def test_the_values_of_a_changed_field_are_found(path: str) -> None:
    changed, old, new = CHANGES[path]
    (change,) = changes_between(fingerprint_of(BASE), fingerprint_of(changed))
    assert change.path == path
    assert changed_values(change, request_json(BASE), request_json(changed)) == (old, new, True)


def test_a_value_is_found_where_messages_moved() -> None:
    changed = inserted(replace(BASE, messages=(Message("user", "Where?"), *BASE.messages[1:])))
    found = changes_between(fingerprint_of(BASE), fingerprint_of(changed))
    values = {
        change.path: changed_values(change, request_json(BASE), request_json(changed)) for change in found
    }
    assert ("When?", "Where?", True) in values.values() or ("When?", "Hello.", True) in values.values()


def test_what_was_not_there_is_absent() -> None:
    changed = replace(BASE, system=None)
    (change,) = changes_between(fingerprint_of(BASE), fingerprint_of(changed))
    assert changed_values(change, request_json(BASE), request_json(changed)) == ("Be brief.", ABSENT, True)


def test_without_texts_nothing_is_known() -> None:
    (change,) = changes_between(fingerprint_of(BASE), fingerprint_of(replace(BASE, system="x")))
    assert changed_values(change, None, request_json(BASE)) == (ABSENT, ABSENT, False)


def test_the_arguments_of_a_tool_are_fields_too() -> None:
    first, second = (tool_request("board", {"from": name}) for name in ("Ulm", "Bonn"))
    (change,) = changes_between(fingerprint_of(first), fingerprint_of(second))
    found = changed_values(change, request_json(first), request_json(second))
    assert found == ({"from": "Ulm"}, {"from": "Bonn"}, True)


def test_every_field_of_the_fingerprint_is_there_but_the_envelope() -> None:
    paths = {path for path, _ in request_fields(request_json(BASE))}
    missing = set(fingerprint_of(BASE).fields) - paths
    assert missing == {"fingerprint_version", "messages[2].tool_results[0].answers"}
