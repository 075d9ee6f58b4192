"""How a divergence reads: the diff is cut with a count, redacted and harmless, and leaves out what is unset."""

from __future__ import annotations

import pytest

from dryfire_action.divergence import DIFF_LIMIT, ReplayDivergence, request_json, tool_request, unified
from dryfire_action.llm import LLMRequest, Message, ToolCall, ToolResult, ToolSpec

SECRET = "ghp_" + "Q7z9" * 9


def test_what_is_unset_is_left_out() -> None:
    assert request_json(LLMRequest("hi")) == {"messages": [{"role": "user", "content": "hi"}]}


def test_what_is_set_is_told_and_call_ids_are_not() -> None:
    request = LLMRequest(
        [
            Message(
                "assistant", tool_calls=(ToolCall("a", "lookup", {"id": 1}), ToolCall("b", "x", {}, "{"))
            ),
            Message("tool", tool_results=(ToolResult("a", "found"),)),
        ],
        model="m",
        system="Be brief.",
        tools=[ToolSpec("lookup", {"type": "object"})],
        params={"temperature": 0, "timeout": 5},
    )
    assert request_json(request) == {
        "model": "m",
        "system": "Be brief.",
        "params": {"temperature": 0},
        "tools": [{"name": "lookup", "description": None, "input_schema": {"type": "object"}}],
        "messages": [
            {
                "role": "assistant",
                "tool_calls": [
                    {"name": "lookup", "arguments": {"id": 1}},
                    {"name": "x", "malformed_arguments": "{"},
                ],
            },
            {"role": "tool", "tool_results": [{"content": "found", "is_error": False}]},
        ],
    }


@pytest.mark.parametrize("request_", [LLMRequest(f"use {SECRET}"), tool_request("login", {"with": SECRET})])
def test_secrets_are_taken_out(request_: LLMRequest) -> None:
    assert SECRET not in str(request_json(request_))
    assert SECRET in str(request_json(request_, None))


def test_a_long_diff_is_cut_and_says_how_much_is_missing() -> None:
    old, new = ({"lines": [f"{word} {number}" for number in range(200)]} for word in ("old", "new"))
    lines = unified(old, new).splitlines()
    assert len(lines) == DIFF_LIMIT + 1
    # 3 of the head, 3 before, 400 lines, 2 after
    assert lines[-1] == f"... {3 + 2 + 400 + 2 - DIFF_LIMIT} more lines"


def test_the_log_viewer_takes_no_commands_from_a_diff() -> None:
    assert "##[" not in unified({"a": "##[error]"}, {"a": "b"})


def test_an_extra_call_has_no_diff() -> None:
    found = ReplayDivergence("llm", 3, "m", "strict", "extra", actual={"messages": []})
    assert str(found) == "llm call #3: nothing is recorded here [strict]"
