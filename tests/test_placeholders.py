"""What is stored holds no secret, and what is handed out is the same whether it was just recorded or replayed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action import redact
from dryfire_action.canonical_json import canonical
from dryfire_action.errors import ProviderError
from dryfire_action.ignore_rules import IgnoreRule, ignoring
from dryfire_action.messages import (
    Message,
    Request,
    Response,
    ScriptStep,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
)
from dryfire_action.placeholders import (
    Stored,
    answer_json,
    error_from,
    error_json,
    fresh_call_ids,
    response_from,
    restore,
    store,
)
from dryfire_action.redact import DEFAULT_RULES, Rules, TeamRule
from dryfire_action.request_texts import RequestTexts, pointed_to

MAIL = "ann" + "@" + "corp.io"
OTHER_MAIL = "bob" + "@" + "corp.io"
TOKEN = "gh" + "p_" + "q7R2" * 9
KEY = "sk-" + "ant-api03-" + "q7" * 46


def request(content: Any = "Hi", **settings: Any) -> Request:
    return Request("p", "m", (Message("user", content),), **settings)


def answer(text: str | None = None, *arguments: Any, **more: Any) -> dict[str, Any]:
    calls = tuple(ToolCall(f"c{number}", "lookup", each) for number, each in enumerate(arguments))
    return answer_json(Response(text=text, tool_calls=calls, **more))


def stored_for(
    value: dict[str, Any], asked: Request, rules: Rules = DEFAULT_RULES, mask: Any = None
) -> Stored:
    return store(value, RequestTexts(asked, mask), rules)


# ---- what is stored


def test_a_secret_of_the_request_becomes_a_pointer_beside_the_answer() -> None:
    asked = request(f"I am {MAIL}.")
    stored = stored_for(answer(f"Hello {MAIL}!"), asked, DEFAULT_RULES)
    assert stored.value["text"] == "Hello [redacted:email:1]!"
    assert stored.from_request == {"[redacted:email:1]": "messages[0].content[5:16]"}
    assert restore(stored.value, stored.from_request, asked)["text"] == f"Hello {MAIL}!"


def test_a_secret_that_stands_nowhere_in_the_request_is_gone_for_good() -> None:
    stored = stored_for(answer(f"Ask {MAIL}"), request(), DEFAULT_RULES)
    assert stored.from_request == {}
    assert restore(stored.value, {}, request())["text"] == "Ask [redacted:email:1]"


def test_the_same_secret_has_one_marker_and_another_has_another() -> None:
    stored = stored_for(answer(f"{MAIL} {OTHER_MAIL} {MAIL}"), request(), DEFAULT_RULES)
    assert stored.value["text"] == "[redacted:email:1] [redacted:email:2] [redacted:email:1]"


def test_a_marker_that_stands_in_the_answer_already_is_not_taken() -> None:
    asked = request(MAIL)
    text = f"[redacted:email:1] and {MAIL} and [redacted:email:2]"
    stored = stored_for(answer(text), asked, DEFAULT_RULES)
    assert stored.value["text"] == "[redacted:email:1] and [redacted:email:3] and [redacted:email:2]"
    assert restore(stored.value, stored.from_request, asked)["text"] == text


@pytest.mark.parametrize(
    "value",
    [
        answer(None, {"mail": MAIL, "n": 1.0, "list": [True, None, {"deep": [f"<{TOKEN}>"]}]}),
        answer(None, {MAIL: 1, OTHER_MAIL: 2}),
        answer(json.dumps({"token": TOKEN, "inner": json.dumps({"mail": MAIL})})),
        answer(f"password={TOKEN} {MAIL} {KEY}"),
        answer("", reasoning=({"type": "thinking", "thinking": f"They are {MAIL}"},)),
        {
            "text": None,
            "tool_calls": [{"id": "call_0", "name": "f", "malformed_arguments": '{"a": "' + MAIL}],
        },
        error_json(ProviderError(f"bad key {KEY} of {MAIL}", kind="Auth", status=401, retry_after=5)),
    ],
    ids=["arguments", "keys", "JSON in JSON", "text", "reasoning", "malformed", "error"],
)
def test_nothing_secret_is_stored_and_all_that_the_request_holds_comes_back(value: dict[str, Any]) -> None:
    asked = request(f"{MAIL} {OTHER_MAIL} {TOKEN} {KEY}")
    stored = stored_for(value, asked, DEFAULT_RULES)
    written = json.dumps([stored.value, dict(stored.from_request)])
    assert not any(secret in written for secret in (MAIL, OTHER_MAIL, TOKEN, KEY))
    assert list(redact.find(stored.value)) == []
    assert canonical(restore(stored.value, stored.from_request, asked)) == canonical(value)


def test_a_secret_for_a_name_of_a_tool_is_taken_out_and_comes_back_where_the_request_has_it() -> None:
    value = answer(None, {"a": 1})
    value["tool_calls"][0]["name"] = KEY
    for asked in (request(KEY), request()):
        stored = stored_for(value, asked, DEFAULT_RULES)
        assert KEY not in json.dumps(stored.value)
        restored = restore(stored.value, stored.from_request, asked)
        assert (restored == value) == bool(stored.from_request)


def test_names_of_tools_and_sealed_reasoning_stay_as_they_are() -> None:
    sealed = {"type": "thinking", "signature": KEY, "thinking": "plain"}
    stored = stored_for(answer(None, {"a": 1}, reasoning=(sealed,)), request(), DEFAULT_RULES)
    assert stored.value["reasoning"] == [sealed]
    assert not stored.reasoning_altered
    assert stored.value["tool_calls"][0]["name"] == "lookup"


def test_reasoning_that_had_to_be_altered_says_so() -> None:
    part = {"type": "thinking", "signature": "s" * 40, "thinking": f"Mail {MAIL}"}
    stored = stored_for(answer("ok", reasoning=(part,)), request(MAIL), DEFAULT_RULES)
    assert stored.reasoning_altered
    assert stored.value["reasoning"][0]["signature"] == "s" * 40


def test_a_secret_within_a_secret_leaves_no_pointer_to_what_is_gone() -> None:
    long = f"{MAIL} and very much more text that nobody would take for anything else"
    stored = stored_for(answer(None, {"password": long}), request(f"{MAIL} {TOKEN}"), DEFAULT_RULES)
    written = json.dumps(stored.value)
    assert all(marker in written for marker in stored.from_request)
    assert MAIL not in written


def test_a_rule_that_matches_parts_of_markers_comes_to_an_end() -> None:
    greedy = Rules(team=(TeamRule("Any Word!", re.compile(r"[a-z]+"), 0),))
    asked = request("one two [redacted:x:1]")
    value = answer(f"one two {MAIL} [redacted:x:1]")
    stored = stored_for(value, asked, greedy)
    assert all(redact.MARKER_PATTERN.fullmatch(marker) for marker in stored.from_request)
    assert "one" not in stored.value["text"]
    assert "mail" not in re.sub(redact.MARKER_PATTERN, "", stored.value["text"])


# ---- pointers


REQUESTS: dict[str, Request] = {
    "system": request(system=f"You are {MAIL}"),
    "tools[lookup].description": request(tools=(ToolSpec("lookup", {}, f"Mail {MAIL}"),)),
    "tools[lookup].input_schema.properties.x.default": request(
        tools=(ToolSpec("lookup", {"properties": {"x": {"default": MAIL}}}),)
    ),
    'tools["odd name"].description': request(tools=(ToolSpec("odd name", {}, MAIL),)),
    "params.seed[1]": request(params={"seed": ["a", MAIL]}),
    'params["a.b"]': request(params={"a.b": MAIL}),
    "output_schema.title": request(output_schema={"title": MAIL}),
    "script[3].text": request(script=ScriptStep(3, {"text": MAIL})),
    "messages[0].content": request(f"x {MAIL}"),
    "messages[0].content[1].text": request([{"type": "text", "text": "a"}, {"type": "text", "text": MAIL}]),
}


@pytest.mark.parametrize("path", REQUESTS)
def test_a_pointer_names_a_text_that_is_digested(path: str) -> None:
    pointer = RequestTexts(REQUESTS[path]).pointer_to(MAIL)
    assert pointer is not None
    assert pointer.rpartition("[")[0] == path
    assert pointed_to(pointer, REQUESTS[path]) == MAIL


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("reasoning[0].thinking", Message("assistant", reasoning=({"thinking": MAIL},))),
        (
            "tool_calls[0].arguments.to[0]",
            Message("assistant", tool_calls=(ToolCall("a", "f", {"to": [MAIL]}),)),
        ),
        (
            "tool_calls[0].malformed_arguments",
            Message("assistant", tool_calls=(ToolCall("a", "f", {}, MAIL),)),
        ),
        ("tool_results[0].content", Message("tool", tool_results=(ToolResult("a", MAIL),))),
        (
            "tool_results[0].content{1}",
            Message("tool", tool_results=(ToolResult("a", {"z": 1, "a b": MAIL, "A": 2}),)),
        ),
        ("tool_results[0].content{0}", Message("tool", tool_results=(ToolResult("a", {MAIL: MAIL}),))),
    ],
)
def test_a_pointer_leads_into_any_part_of_a_message(path: str, message: Message) -> None:
    asked = replace(request("Hi"), messages=(Message("user", "Hi"), message))
    assert RequestTexts(asked).pointer_to(MAIL) == f"messages[1].{path}[0:{len(MAIL)}]"
    assert pointed_to(f"messages[1].{path}[0:{len(MAIL)}]", asked) == MAIL


@pytest.mark.parametrize(
    "asked",
    [
        request(params={"user": MAIL, "extra_headers": {"x": MAIL}, "cache_control": {"k": MAIL}}),
        request([{"type": "text", "text": "Hi", "cache_control": {"k": MAIL}}]),
        replace(request(), messages=(Message("user", "Hi", raw={"id": MAIL}),)),
        replace(request(), messages=(Message("tool", tool_results=(ToolResult(MAIL, "ok"),)),)),
        request(params={"a": {MAIL: 1}}),
    ],
    ids=["transport", "cache marks", "raw", "call ids", "keys of mappings"],
)
def test_what_is_not_digested_as_it_stands_is_never_pointed_to(asked: Request) -> None:
    assert RequestTexts(asked).pointer_to(MAIL) is None


@pytest.mark.parametrize(
    ("rule", "pointed"),
    [
        (IgnoreRule("messages[*].content", "id-[0-9]+"), False),
        (IgnoreRule("messages[0].content", "id-[0-9]+"), False),
        (IgnoreRule("system", "id-[0-9]+"), True),
        (IgnoreRule("messages[*].content", "never"), True),
    ],
)
def test_a_text_with_an_ignored_span_is_never_pointed_to(rule: IgnoreRule, pointed: bool) -> None:
    asked = request(f"id-4711 {MAIL}")
    mask = ignoring([(rule, re.compile(rule.pattern))])
    assert (RequestTexts(asked, mask).pointer_to(MAIL) is not None) == pointed
    stored = stored_for(answer(MAIL), asked, DEFAULT_RULES, mask)
    assert bool(stored.from_request) == pointed


@pytest.mark.parametrize("key", ["mail", "a.b", "n1"])
def test_an_ignore_rule_reaches_every_text_of_its_field(key: str) -> None:
    results = Message("tool", tool_results=(ToolResult("a", {key: [f"id-4711 {MAIL}"]}),))
    rule = IgnoreRule("messages[*].tool_results[*].content", "id-[0-9]+")
    asked = replace(request("Hi"), messages=(results,))
    assert RequestTexts(asked).pointer_to(MAIL) is not None
    assert RequestTexts(asked, ignoring([(rule, re.compile(rule.pattern))])).pointer_to(MAIL) is None


def test_texts_are_found_in_the_latest_request_of_a_conversation() -> None:
    first = request("Hi")
    texts = RequestTexts(first)
    assert texts.pointer_to(MAIL) is None
    longer = replace(first, messages=(*first.messages, Message("user", f"a{MAIL}"), Message("user", MAIL)))
    texts.read(longer)
    assert texts.pointer_to(MAIL) == "messages[1].content[1:12]"
    assert texts.pointer_to(f"Hi\0a{MAIL}") is None, "two texts that follow each other are not one"
    texts.read(replace(first, messages=(Message("user", MAIL),)))
    assert texts.pointer_to(MAIL) == "messages[0].content[0:11]"
    texts.read(request("Hi", system=MAIL))
    assert texts.pointer_to(MAIL) == "system[0:11]"


@pytest.mark.parametrize(
    "pointer",
    [
        *(
            "",
            "system",
            "system[0:99]",
            "system[3:3]",
            "system[2:1]",
            "system[a:b]",
            "messages[7].content[0:1]",
        ),
        "messages[0].content[0:" + "9" * 5_000 + "]",
        "messages[" + "9" * 5_000 + "].content[0:1]",
        "tools[0:1]",
    ],
)
def test_a_pointer_that_leads_nowhere_leaves_its_marker(pointer: str) -> None:
    asked = request("Hi", system="abc")
    assert pointed_to(pointer, asked) is None
    assert restore({"text": "[redacted:email:1]"}, {"[redacted:email:1]": pointer}, asked) == {
        "text": "[redacted:email:1]"
    }


SECRETS = (MAIL, OTHER_MAIL, TOKEN, KEY)
PIECES = st.sampled_from([*SECRETS, "[redacted:email:1]", "[redacted:", "]", ":1]", "x", '"', "password="])
TEXTS = st.lists(PIECES, max_size=7).map(" ".join)
TREES = st.recursive(
    TEXTS
    | st.none()
    | st.booleans()
    | st.integers()
    | TEXTS.map(lambda text: json.dumps({"password": text})),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("password"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(TREES, TEXTS, st.booleans())
def test_storing_loses_nothing_that_the_request_holds_and_keeps_nothing_secret(
    tree: Any, text: str, held: bool
) -> None:
    value = answer(text, {"v": tree})
    asked = request([{"held": canonical(value).decode(), "texts": texts_in(value)}] if held else "Hi")
    stored = stored_for(value, asked, DEFAULT_RULES)
    written = json.dumps(stored.value, ensure_ascii=False)
    assert list(redact.find(stored.value)) == []
    assert all(secret not in written for secret in SECRETS)
    assert all(marker in written for marker in stored.from_request)
    if held:
        assert canonical(restore(stored.value, stored.from_request, asked)) == canonical(value)
    else:
        assert stored.from_request == {}


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *texts_in(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


# ---- JSON of answers and errors


def test_an_answer_survives_its_json() -> None:
    calls = (ToolCall("x", "f", {"a": 1}), ToolCall("y", "g", {}, "{oops"))
    response = Response("t", calls, "tool_use", ({"type": "thinking"},), Usage(1, 2), 7, "m-1")
    found = response_from(answer_json(response), ["x", "y"], Usage(1, 2), latency_ms=7, served="m-1")
    assert found == response


def test_an_error_survives_its_json() -> None:
    error = ProviderError("no", kind="Overloaded", status=529, retry_after=1.5)
    found = error_from(json.loads(json.dumps(error_json(error))))
    assert (found.kind, found.message, found.status, found.retry_after, found.retryable) == (
        "Overloaded",
        "no",
        529,
        1.5,
        True,
    )
    plain = error_from(error_json(ProviderError("no")))
    assert (plain.status, plain.retry_after, plain.retryable) == (None, None, False)


@pytest.mark.parametrize(
    ("taken", "count", "expected"),
    [
        (set(), 2, ["call_0", "call_1"]),
        ({"call_0", "call_1"}, 1, ["call_2"]),
        ({"a", "call_2"}, 2, ["call_3", "call_4"]),
        ({"call_1"}, 2, ["call_2", "call_3"]),
        (set(), 0, []),
    ],
)
def test_call_ids_are_new_in_the_conversation(taken: set[str], count: int, expected: list[str]) -> None:
    assert fresh_call_ids(taken, count) == expected
