"""Differences are aligned before they are named: one insertion, removal or swap is one change."""

from __future__ import annotations

import pytest

from dryfire_action.field_changes import ALIGNMENT_LIMIT, changes_between
from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import Message, Request, ToolCall, ToolResult
from tests.made_requests import answering, calling, changed, conversation, said

A, B, C, D, E = (said(text) for text in "abcde")
ASSISTANT = Message("assistant", "ok")


def lookups(*names: str, prefix: str = "") -> tuple[Message, Message]:
    """A turn that looks up ``names``, and its results."""
    calls = tuple(ToolCall(f"{prefix}{name}", "lookup", {"id": name}) for name in names)
    return calling(*calls), answering(
        *(ToolResult(call.id, f"found {call.arguments['id']}") for call in calls)
    )


X, Y = lookups("x"), lookups("y")
XY, YX, X_ONLY, Y_ONLY, XYZ = (
    lookups(*names) for names in (("x", "y"), ("y", "x"), ("x",), ("y",), ("x", "y", "z"))
)
PLAIN = [Message("assistant", "thinking aloud", reasoning=({"t": each},)) for each in "123"]

ALIGNED: dict[str, tuple[Request, Request, list[str]]] = {
    "inserted in front": (conversation(A, B), conversation(C, A, B), ["added messages[0]"]),
    "inserted between": (conversation(A, B), conversation(A, C, B), ["added messages[1]"]),
    "appended": (conversation(A, B), conversation(A, B, C), ["added messages[2]"]),
    "removed in front": (conversation(A, B, C), conversation(B, C), ["removed messages[0]"]),
    "removed at the end": (conversation(A, B, C), conversation(A, B), ["removed messages[2]"]),
    "two removed apart": (
        conversation(A, B, C, D, E),
        conversation(A, C, E),
        ["removed messages[1]", "removed messages[3]"],
    ),
    "two inserted apart": (
        conversation(A, C, E),
        conversation(A, B, C, D, E),
        ["added messages[1]", "added messages[3]"],
    ),
    "one of two equal ones removed": (conversation(A, A, B), conversation(A, B), ["removed messages[1]"]),
    "swapped": (conversation(A, B, C), conversation(A, C, B), ["reordered messages.order"]),
    "turned round": (conversation(A, B, C, D), conversation(D, C, B, A), ["reordered messages.order"]),
    "moved to the end": (conversation(A, B, C), conversation(B, C, A), ["reordered messages.order"]),
    "edited": (conversation(A, B, C), conversation(A, D, C), ["changed messages[1].content"]),
    "edited, and one inserted before": (
        conversation(A, B, C),
        conversation(E, A, D, C),
        ["added messages[0]", "changed messages[2].content"],
    ),
    "edited, and one removed before": (
        conversation(E, A, B, C),
        conversation(A, D, C),
        ["removed messages[0]", "changed messages[1].content"],
    ),
    "swapped, and another edited": (
        conversation(A, B, ASSISTANT, C),
        conversation(B, A, ASSISTANT, D),
        ["reordered messages.order", "changed messages[3].content"],
    ),
    "swapped, and another inserted": (
        conversation(A, B, C),
        conversation(B, A, C, D),
        ["reordered messages.order", "added messages[3]"],
    ),
    "the role and the text": (
        conversation(A, B),
        conversation(A, ASSISTANT),
        ["changed messages[1].role", "changed messages[1].content"],
    ),
    "an insertion next to an edit goes where most is equal": (
        conversation(A, ASSISTANT, C),
        conversation(A, D, Message("assistant", "okay"), C),
        ["added messages[1]", "changed messages[2].content"],
    ),
    # calls and what answers them
    "a turn with calls inserted": (
        conversation(A, *X),
        conversation(A, *Y, *X),
        ["added messages[1]", "added messages[2]"],
    ),
    "a turn with calls removed": (
        conversation(A, *Y, *X),
        conversation(A, *X),
        ["removed messages[1]", "removed messages[2]"],
    ),
    "turns with calls swapped": (
        conversation(A, *X, *Y),
        conversation(A, *Y, *X),
        ["reordered messages.order"],
    ),
    "parallel calls and their results swapped": (
        conversation(A, *XY),
        conversation(A, *YX),
        ["reordered messages[1].tool_calls.order", "reordered messages[2].tool_results.order"],
    ),
    "a parallel call added with its result": (
        conversation(A, *XY),
        conversation(A, *XYZ),
        ["added messages[1].tool_calls[2]", "added messages[2].tool_results[2]"],
    ),
    "a parallel call removed with its result, answers counts no more": (
        conversation(A, *XYZ),
        conversation(A, lookups("y", "z")[0], lookups("y", "z")[1]),
        ["removed messages[1].tool_calls[0]", "removed messages[2].tool_results[0]"],
    ),
    "only who answers whom": (
        conversation(A, XY[0], answering(ToolResult("x", "1"), ToolResult("y", "2"))),
        conversation(A, XY[0], answering(ToolResult("y", "1"), ToolResult("x", "2"))),
        ["changed messages[2].tool_results[0].answers", "changed messages[2].tool_results[1].answers"],
    ),
    "a late result of an earlier turn, and a turn between": (
        conversation(A, X[0], X[1], said("again"), answering(ToolResult("x", "late"))),
        conversation(A, X[0], X[1], *Y, said("again"), answering(ToolResult("x", "late"))),
        ["added messages[3]", "added messages[4]"],
    ),
    "what was removed is counted as it was recorded": (
        conversation(A, Message("assistant", "b", reasoning=({"t": 1},))),
        conversation(Message("assistant", "b")),
        ["removed messages[0]", "removed messages[1].reasoning[0]"],
    ),
    "what was added is counted as it is": (
        conversation(Message("assistant", "b")),
        conversation(A, Message("assistant", "b", reasoning=({"t": 1},))),
        ["added messages[0]", "added messages[1].reasoning[0]"],
    ),
    # reasoning
    "a thought added in front": (
        conversation(Message("assistant", reasoning=({"t": 1},))),
        conversation(Message("assistant", reasoning=({"t": 0}, {"t": 1}))),
        ["added messages[0].reasoning[0]"],
    ),
    "thoughts swapped": (
        conversation(Message("assistant", reasoning=({"t": 0}, {"t": 1}))),
        conversation(Message("assistant", reasoning=({"t": 1}, {"t": 0}))),
        ["reordered messages[0].reasoning.order"],
    ),
    "messages that differ in thoughts only": (
        conversation(*PLAIN),
        conversation(PLAIN[0], PLAIN[2]),
        ["removed messages[1]"],
    ),
}


@pytest.mark.parametrize(("old", "new", "changes"), ALIGNED.values(), ids=ALIGNED)
def test_an_edit_is_named_as_few_changes_as_it_was(old: Request, new: Request, changes: list[str]) -> None:
    assert changed(old, new) == changes


def test_a_large_unequal_block_is_paired_by_position() -> None:
    size = int(ALIGNMENT_LIMIT**0.5) + 1
    old = conversation(*(said(f"old {number}") for number in range(size)))
    new = conversation(*(said(f"new {number}") for number in range(size + 1)))
    found = changed(old, new)
    assert found == [f"changed messages[{number}].content" for number in range(size)] + [
        f"added messages[{size}]"
    ]


def test_a_small_edit_of_a_long_conversation_is_found_whatever_its_length() -> None:
    messages = [said(f"text {number}") for number in range(2_000)]
    old = conversation(*messages)
    assert changed(old, conversation(*messages[:1_000], C, *messages[1_000:])) == ["added messages[1000]"]
    assert changed(old, conversation(*messages[1:])) == ["removed messages[0]"]
    assert changed(old, conversation(*messages[:7], D, *messages[8:])) == ["changed messages[7].content"]


def test_a_large_block_that_was_only_reordered_is_one_change() -> None:
    messages = [said(f"text {number}") for number in range(500)]
    assert changed(conversation(*messages), conversation(*reversed(messages))) == ["reordered messages.order"]


def test_the_digest_of_an_added_message_is_the_same_wherever_it_stands() -> None:
    """So the same edit in two cases is one cause."""
    first = changes_between(fingerprint_of(conversation(A)), fingerprint_of(conversation(A, C)))
    second = changes_between(fingerprint_of(conversation(B, D)), fingerprint_of(conversation(B, D, C)))
    assert first[0].new == second[0].new
    assert first[0].path != second[0].path
