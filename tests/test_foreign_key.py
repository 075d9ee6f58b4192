"""The key of another runner's recordings, held against keys that it made itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.foreign_key import differences, key_of, reduced
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec

TOOL = ToolSpec("t", {"type": "object"})
HELLO = Message("user", "hi")


def request(*messages: Message, **settings: object) -> Request:
    return Request("anthropic", "claude-sonnet-4-6", messages, tools=(TOOL,), **settings)  # type: ignore[arg-type]


CALLED = (
    HELLO,
    Message("assistant", None, (ToolCall("toolu_1", "t"),)),
    Message("tool", tool_results=(ToolResult("toolu_1", {"ok": True}),)),
)
ODD = (
    Message(
        "user",
        [
            {"type": "text", "text": "x", "id": "A"},
            {"id": "B", "n": 1e16, "m": 1e-7, "k": 780.0, "i": 780},
        ],
    ),
    Message("assistant", None, (ToolCall("toolu_9", "t", {"id": "B", "q": '\u2028\x7f\n"'}),)),
    Message("tool", tool_results=(ToolResult("toolu_9", {"id": "C", "tool_call_id": 5}),)),
)


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        (request(HELLO), "f27124abbf84d84e"),
        (request(*CALLED), "11baae1ca99a0a94"),
        (request(*ODD, system="Cafe\u0301 1e16"), "8da759ffac1c5a3c"),
    ],
)
def test_keys_are_those_that_the_other_runner_makes(asked: Request, key: str) -> None:
    assert key_of(reduced(asked)) == key
    assert key_of(reduced(asked), 2) == f"{key}#2"


@pytest.mark.parametrize("temperature", [None, 0, 0.0])
def test_a_temperature_that_is_not_set_is_zero(temperature: float | None) -> None:
    params = {} if temperature is None else {"temperature": temperature}
    assert key_of(reduced(request(HELLO, params=params))) == "f27124abbf84d84e"
    assert key_of(reduced(request(HELLO, params={"temperature": 0.5}))) != "f27124abbf84d84e"


def test_what_has_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        key_of(reduced(request(Message("user", [{"n": float("nan")}]))))


ids = st.text(alphabet="abc", min_size=1, max_size=3)


@settings(deadline=None, max_examples=50)
@given(ids, ids)
def test_what_an_id_is_called_does_not_count_but_which_it_is(first: str, second: str) -> None:
    def key(call: str, argument: str) -> str:
        calls = (ToolCall(call, "t", {"id": argument}),)
        return key_of(reduced(request(HELLO, Message("assistant", None, calls))))

    assert (key(first, second) == key("x", "y")) == (first != second)
    assert key(first, first) == key("x", "x")


def test_differences_are_named_by_field() -> None:
    old = reduced(request(*CALLED, system="Cafe\u0301"))
    assert differences(old, reduced(request(*CALLED, system="Caf\u00e9"))) == []
    other = Request(
        "anthropic",
        "claude-sonnet-4-6",
        (*CALLED[:2], Message("tool", tool_results=(ToolResult("toolu_1", {"ok": False}),))),
        system="Tea",
        tools=(ToolSpec("t", {"type": "object"}, "Does it."), ToolSpec("u.v", {})),
    )
    assert differences(old, reduced(other)) == [
        "system",
        "messages[2].tool_results",
        "tools[t].description",
        'tools["u.v"]',
        "tools.order",
    ]
    assert differences(old, reduced(request(HELLO, system="Cafe\u0301"))) == ["messages"]
