"""What reaches the model counts, what does not is left out, and what has no exact JSON is refused with its path."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from dryfire_action import fingerprint as fingerprint_module
from dryfire_action.canonical_json import digest, dotted, quoted
from dryfire_action.errors import FingerprintError
from dryfire_action.field_changes import changes_between
from dryfire_action.fingerprint import (
    CACHE_MARKS,
    FINGERPRINT_VERSION,
    TRANSPORT_PARAMS,
    Fingerprinter,
    KeyChain,
    fingerprint_of,
)
from dryfire_action.messages import (
    Hook,
    Message,
    Request,
    Response,
    ScriptStep,
    ToolResult,
    ToolSpec,
    answer_message,
    parse_arguments,
)
from tests.made_requests import (
    answering,
    changed,
    conversation,
    key_of,
    long_conversation,
    rich_request,
    said,
    shuffled,
    with_,
    with_call,
    with_message,
    with_messages,
    with_params,
    with_result,
    with_tool,
)

BASE = rich_request()
M = BASE.messages


def renamed(*ids: str) -> Request:
    """The rich request with other ids for its calls a, b and c."""
    names = dict(zip("abc", ids, strict=True))
    return with_messages(
        *(
            replace(
                message,
                tool_calls=tuple(replace(call, id=names[call.id]) for call in message.tool_calls),
                tool_results=tuple(replace(r, call_id=names[r.call_id]) for r in message.tool_results),
            )
            for message in M
        )
    )


def sent_as_text(text: str) -> Request:
    """The rich request, where the arguments of the first call came as JSON text."""
    arguments, malformed = parse_arguments(text)
    return with_call(1, 0, arguments=arguments, malformed_arguments=malformed)


def marked(block: int) -> Request:
    """The rich request with a cache mark on a block of its picture message."""
    blocks: Any = [dict(each) for each in M[6].content or ()]  # type: ignore[arg-type]
    blocks[block]["cache_control"] = {"type": "ephemeral"}
    return with_message(6, content=blocks)


SAME: dict[str, Request] = {
    "other call ids": renamed("toolu_a1", "toolu_z9", "call_77"),
    "ids like ours": renamed("call_0", "call_1", "call_2"),
    "ids like ours in the wrong order": renamed("call_1", "call_0", "call_2"),
    "ids that are each other's prefix": renamed("call_1", "call_10", "call_100"),
    "ids that restart in the next turn": renamed("f:0", "f:1", "f:0"),
    "mapping order of the params": with_(params=shuffled(BASE.params)),
    "mapping order of a schema": with_tool(0, input_schema=shuffled(BASE.tools[0].input_schema)),
    "mapping order of the output schema": with_(output_schema=shuffled(BASE.output_schema)),
    "mapping order of arguments": with_call(1, 0, arguments={"limit": 1, "id": "ord_1001"}),
    "mapping order of a result": with_result(2, 0, content={"lines": [1, 2], "total": 780, "id": "cust_7"}),
    "mapping order of blocks": with_message(6, content=shuffled(M[6].content)),
    "mapping order of reasoning": with_message(1, reasoning=tuple(map(shuffled, M[1].reasoning))),
    "another raw": with_message(1, raw={"id": "msg_2", "usage": {"input_tokens": 9}}),
    "no raw": with_message(1, raw=None),
    "a raw that is no JSON": with_message(1, raw={"at": object()}),
    "a cache mark on the first block": marked(0),
    "a cache mark on the second block": marked(1),
    "a parameter set to null": with_params(seed=None),
    "arguments as JSON text": sent_as_text('{"id":"ord_1001","limit":1}'),
    "arguments as JSON text, spaced and turned": sent_as_text(' { "limit" : 1 ,\n"id": "ord_1001" } '),
    "arguments as JSON text, escaped": sent_as_text('{"id": "\\u006frd_1001", "limit": 1}'),
    "a description of null": with_tool(2, description=None),
    "tuples for lists": with_result(2, 0, content={"id": "cust_7", "total": 780, "lines": (1, 2)}),
    "tools as a list": with_(tools=list(BASE.tools)),
    "messages as a list": with_(messages=list(M)),
    **{f"the parameter {name}": with_params(**{name: "x"}) for name in sorted(TRANSPORT_PARAMS)},
    **{f"the parameter {name}": with_params(**{name: "x"}) for name in sorted(CACHE_MARKS)},
}


def test_the_table_of_edits_that_change_nothing_is_long_enough() -> None:
    assert len(SAME) >= 20


@pytest.mark.parametrize("request_after", SAME.values(), ids=SAME)
def test_what_does_not_reach_the_model_stays_fresh(request_after: Request) -> None:
    assert key_of(request_after) == key_of(BASE)
    assert changed(BASE, request_after) == []


def test_an_answer_counts_by_what_it_says_and_not_by_its_envelope() -> None:
    first = Response("hi", raw={"id": "1"}, latency_ms=5, model_served="small-1-0101")
    second = Response("hi", raw={"id": "2"}, latency_ms=9, chunks=("h", "i"))
    keys = {key_of(conversation(said("hi"), answer_message(each))) for each in (first, second)}
    assert len(keys) == 1


# ---- the fields of a fingerprint


def test_every_field_has_its_path() -> None:
    fields = fingerprint_of(BASE).fields
    assert next(iter(fields)) == "fingerprint_version"
    assert fields["fingerprint_version"] == str(FINGERPRINT_VERSION)
    assert fields["hooks.order"] == ("mask", "date")
    assert fields["tools.order"] == ("lookup", "refund", "notify")
    assert {
        *("provider", "model", "system", "output_schema", "params.num_ctx", "script[3]"),
        *("hooks[mask]", "tools[lookup].description", "tools[notify].input_schema"),
        *("messages[0].role", "messages[0].content", "messages[1].reasoning[0]"),
        *("messages[1].tool_calls[1].name", "messages[1].tool_calls[1].arguments"),
        *("messages[2].tool_results[0].answers", "messages[2].tool_results[0].content"),
        *("messages[2].tool_results[1].is_error", "messages[3].tool_calls[0].malformed_arguments"),
    } <= fields.keys()
    assert "tools[notify].description" not in fields
    assert "messages[3].content" not in fields
    assert all(re.fullmatch("[0-9a-f]{16}", each) for path, each in fields.items() if path.count("order") == 0
               and path != "fingerprint_version")  # fmt: skip


def test_the_digest_of_a_field_is_that_of_its_value() -> None:
    fields = fingerprint_of(BASE).fields
    assert fields["messages[1].tool_calls[0].arguments"] == digest({"limit": 1, "id": "ord_1001"})
    assert fields["messages[2].tool_results[1].answers"] == digest([0, 1])
    assert fields["hooks[date]"] == digest("2")


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        (BASE, "8e2b94639ba07272"),
        (conversation(), "71f76187a01e8af3"),
        (conversation(said("hi")), "e16885486a7f8c60"),
    ],
    ids=["rich", "empty", "short"],
)
def test_the_keys_of_a_version_stay_what_recordings_hold(asked: Request, key: str) -> None:
    assert (FINGERPRINT_VERSION, fingerprint_of(asked).key) == (1, key)


def test_a_hook_named_like_a_second_one_is_told_apart_from_it() -> None:
    numbered = (Hook("a", "1"), Hook("a", "2"), Hook("a#2", "3"))
    fields = fingerprint_of(with_(hooks=numbered)).fields
    assert fields["hooks.order"] == ("a", "a#2", '"a#2"')
    assert [fields[f"hooks[{name}]"] for name in ("a", "a#2", '"a#2"')] == [digest(each) for each in "123"]
    for place in range(3):
        edited = [*numbered]
        edited[place] = replace(edited[place], version="9")
        assert len(changed(with_(hooks=numbered), with_(hooks=tuple(edited)))) == 1


@pytest.mark.parametrize(
    "name", ["a.b", "a b", 'a"b', "a]b", "a\nb", "é", "", "a.description", "order", "\0"]
)
def test_odd_names_are_quoted_and_stay_apart(name: str) -> None:
    tool = with_(tools=(ToolSpec(name, {}, "one"), ToolSpec("b", {})))
    again = with_(tools=(ToolSpec(name, {}, "two"), ToolSpec("b", {})))
    assert changed(tool, again) == [f"changed tools[{quoted(name)}].description"]
    assert changed(with_(params={name: 1}), with_(params={name: 2})) == [f"changed params{dotted(name)}"]
    assert "\n" not in quoted(name) + dotted(name)


def test_plain_names_are_not_quoted() -> None:
    assert (quoted("get_order-2"), dotted("get_order-2")) == ("get_order-2", ".get_order-2")
    assert (quoted("a.b"), dotted("a.b")) == ('"a.b"', '["a.b"]')


# ---- a turn costs the same, however long the conversation


def test_the_work_per_turn_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []
    real = fingerprint_module.sha256

    def counting(data: bytes) -> Any:
        hashed.append(len(data))
        return real(data)

    monkeypatch.setattr("dryfire_action.fingerprint.sha256", counting)
    monkeypatch.setattr("dryfire_action.canonical_json.sha256", counting)
    fingerprinter = Fingerprinter()
    work = []
    for request in long_conversation(200):
        hashed.clear()
        fingerprinter.fingerprint(request)
        work.append((len(hashed), sum(hashed)))
    assert work[1] == work[19] == work[199]
    assert work[0] != work[1], "the counter sees nothing"


def test_a_hook_that_changes_a_message_in_place_is_seen() -> None:
    block = {"type": "text", "text": "one"}
    request = with_messages(Message("user", [block]))
    fingerprinter = Fingerprinter()
    before = fingerprinter.fingerprint(request).key
    block["text"] = "two"
    assert fingerprinter.fingerprint(request).key == key_of(request) != before


@pytest.mark.parametrize(
    ("part", "one", "other"),
    [
        ("provider", "anthropic", "openai"),
        ("model", "small-1", "large-1"),
        ("system", "Be brief.", "Be polite."),
        ("hooks", (Hook("a"),), ()),
        ("params", {"temperature": 1}, {"temperature": True}),
        ("output_schema", {"minimum": 1}, {"minimum": 1.0}),
        ("tools", (ToolSpec("t", {"minimum": 0}),), (ToolSpec("t", {"minimum": False}),)),
        ("messages", (answering(ToolResult("a", [1])),), (answering(ToolResult("a", [1.0])),)),
    ],
)
def test_parts_that_change_within_one_run_are_seen_even_where_python_calls_them_equal(
    part: str, one: Any, other: Any
) -> None:
    fingerprinter = Fingerprinter()
    base = with_(hooks=())
    first, second = (replace(base, **{part: value}) for value in (one, other))
    found = [fingerprinter.fingerprint(each).key for each in (first, second, first)]
    assert found == [key_of(first), key_of(second), key_of(first)]
    assert found[0] != found[1]


def test_a_chain_that_forgets_messages_goes_on_as_if_they_had_never_been() -> None:
    chain, fresh = KeyChain(), KeyChain()
    for role in ("user", "assistant", "tool"):
        chain.append({"role": role})
    before = chain.fingerprint({})
    chain.keep(1)
    assert [each["role"] for each in before.messages] == ["user", "assistant", "tool"]
    fresh.append({"role": "user"})
    assert chain.fingerprint({}) == fresh.fingerprint({})
    for each in (chain, fresh):
        each.append({"role": "system"})
    assert chain.fingerprint({}) == fresh.fingerprint({})


def test_a_fingerprint_tells_its_changes_to_another_by_field_and_by_part() -> None:
    old, new = fingerprint_of(BASE), fingerprint_of(with_(system="Be polite.", model="large-1"))
    assert [(each.path, each.change) for each in old.changes(new)] == [
        (each.path, each.change) for each in changes_between(old, new)
    ]
    assert {each.path for each in old.changes(new)} == {"system", "model"}
    assert old.diff(new) == ("model", "system")
    assert (old.changes(old), old.diff(old)) == ((), ())


def test_hooks_that_are_handed_in_come_after_those_of_the_request() -> None:
    last = Hook("last", "7")
    assert fingerprint_of(BASE, hooks=[last]) == fingerprint_of(with_(hooks=(*BASE.hooks, last)))
    assert fingerprint_of(BASE, hooks=()) == fingerprint_of(BASE)


# ---- what has no fingerprint

NAN = float("nan")
NO_TEXT: Any = 3
REFUSED: dict[str, Request] = {
    "system: JSON has no number nan": with_(system=NAN),
    "model: JSON has no number nan": with_(model=NAN),
    "provider: JSON has no number nan": with_(provider=NAN),
    "output_schema.minimum: JSON has no number nan": with_(output_schema={"minimum": NAN}),
    "params.seed: JSON has no number nan": with_params(seed=NAN),
    "params: the name 3 is no text": with_(params={NO_TEXT: 1}),
    r'params["\ud800"]: the text holds a lone surrogate, which no provider can be sent': with_params(
        **{"\ud800": 1}
    ),
    "hooks[a]: JSON has no number nan": with_(hooks=(Hook("a", NAN),)),  # type: ignore[arg-type]
    "hooks: the name 3 is no text": with_(hooks=(Hook(NO_TEXT),)),
    "hooks: a set has no order that could be recorded; hand in a tuple": with_(hooks={Hook("a")}),
    "tools: the name 3 is no text": with_(tools=(ToolSpec(NO_TEXT, {}),)),
    "tools: a set has no order that could be recorded; hand in a tuple": with_(tools=set()),
    "tools[a]: two tools have this name": with_(tools=(ToolSpec("a", {}), ToolSpec("a", {"type": "object"}))),
    "tools[lookup].description: JSON has no number nan": with_tool(0, description=NAN),
    "tools[lookup].input_schema.minimum: JSON has no number nan": with_tool(0, input_schema={"minimum": NAN}),
    "messages[0].role: JSON has no number nan": with_message(0, role=NAN),
    "messages[0].content[0]: JSON has no number nan": with_message(0, content=[NAN]),
    "messages[1].reasoning[0]: JSON has no number nan": with_message(1, reasoning=(NAN,)),
    "messages[1].tool_calls: two calls of one turn share an id": renamed("same", "same", "c"),
    "messages[1].tool_calls[0].name: JSON has no number nan": with_call(1, 0, name=NAN),
    "messages[1].tool_calls[0].arguments.id: JSON has no number nan": with_call(1, 0, arguments={"id": NAN}),
    "messages[2].tool_results[1].content: JSON has no number nan": with_result(2, 1, content=NAN),
    "messages[2].tool_results[1].is_error: JSON has no number nan": with_result(2, 1, is_error=NAN),
    "script[3].text: JSON has no number nan": with_(script=ScriptStep(3, {"text": NAN})),
}


@pytest.mark.parametrize(("told", "request_"), REFUSED.items(), ids=REFUSED)
def test_what_has_no_exact_json_is_refused_with_its_path(told: str, request_: Request) -> None:
    with pytest.raises(FingerprintError) as caught:
        fingerprint_of(request_)
    assert (str(caught.value), caught.value.path) == (told, told.partition(": ")[0])


def test_a_message_that_was_refused_is_refused_again_and_leaves_no_trace() -> None:
    fingerprinter = Fingerprinter()
    refused = conversation(said("hi"), Message("user", [NAN]), said("bye"))
    for _ in range(2):
        with pytest.raises(FingerprintError):
            fingerprinter.fingerprint(refused)
    good = conversation(said("hi"), said("there"), said("bye"))
    assert fingerprinter.fingerprint(good) == fingerprint_of(good)
