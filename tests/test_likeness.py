"""Likeness: how many fields two requests share, wherever in the conversation they stand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.likeness import Likeness, likeness
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec
from tests.work import steps

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKUP = ToolSpec("lookup", "Look it up.", {"type": "object"})
REFUND = ToolSpec("refund", "Pay back.", {"type": "object"})
CALL = Message("assistant", tool_calls=(ToolCall("a", "lookup", {"n": 1}), ToolCall("b", "lookup", {"n": 2})))
RESULTS = Message("tool", tool_results=(ToolResult("a", "sent"), ToolResult("b", "lost")))
# version, provider, model, system, 2 tools of 2 fields and their order; 2, 5 and 7 fields of messages
BASE = Request("fake", "m", (Message("user", "Hello"), CALL, RESULTS), "Be kind.", (LOOKUP, REFUND))
FIELDS = 9 + 2 + 5 + 7


def with_messages(request: Request, *messages: Message) -> Request:
    return replace(request, messages=messages)


@pytest.mark.parametrize(
    ("edit", "equal", "fields"),
    [
        pytest.param(lambda r: r, FIELDS, FIELDS, id="the same"),
        pytest.param(lambda r: replace(r, system="Be brief."), FIELDS - 1, FIELDS, id="one field"),
        pytest.param(lambda r: replace(r, system=None), FIELDS - 1, FIELDS - 1, id="one field less"),
        pytest.param(
            lambda r: replace(r, params={"temperature": 0}), FIELDS, FIELDS + 1, id="one field more"
        ),
        pytest.param(lambda r: replace(r, tools=(REFUND, LOOKUP)), FIELDS - 1, FIELDS, id="tools swapped"),
        pytest.param(
            lambda r: with_messages(r, Message("user", "First"), *r.messages),
            FIELDS,
            FIELDS + 2,
            id="a message put before all others makes none of them unequal",
        ),
        pytest.param(
            lambda r: with_messages(
                r, *r.messages[:2], replace(RESULTS, tool_results=RESULTS.tool_results[::-1])
            ),
            FIELDS,
            FIELDS,
            id="results swapped: the fields are the same, and only their order is not",
        ),
        pytest.param(
            lambda r: with_messages(r, replace(r.messages[0], content="Hi"), *r.messages[1:]),
            FIELDS - 1,
            FIELDS,
            id="a text before equal messages",
        ),
    ],
)
def test_fields_are_counted_wherever_they_stand(
    edit: Callable[[Request], Request], equal: int, fields: int
) -> None:
    assert likeness(fingerprint_of(BASE), fingerprint_of(edit(BASE))) == Likeness(equal, fields)


def test_a_field_of_the_recording_counts_once() -> None:
    once = Request("fake", "m", (Message("user", "yes"),))
    twice = with_messages(once, Message("user", "yes"), Message("user", "yes"))
    assert likeness(fingerprint_of(once), fingerprint_of(twice)) == Likeness(5, 7)
    assert likeness(fingerprint_of(twice), fingerprint_of(once)) == Likeness(5, 5)


def test_a_long_conversation_that_only_grew_takes_no_time() -> None:
    messages = tuple(Message("user", f"message {number}") for number in range(5_000))
    old, new = (fingerprint_of(replace(BASE, messages=messages, system=text)) for text in ("a", "b"))
    found: list[Likeness] = []
    assert steps(lambda: found.append(likeness(old, new))) < 20 * 5_000
    assert found[0].fields - found[0].equal == 1
