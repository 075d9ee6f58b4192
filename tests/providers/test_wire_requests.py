"""Reading requests off the wire: the other way round than the provider modules write them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.fingerprint import fingerprint_of
from dryfire_action.messages import Message, Request, ToolCall, ToolResult, ToolSpec
from dryfire_action.providers import anthropic, gemini, openai_chat, openai_responses
from dryfire_action.providers.wire_requests import family_of, is_provider_host, read_request, read_response
from tests.providers.asking import ASKED_TWICE, HELLO, WEATHER

if TYPE_CHECKING:
    from dryfire_action.providers.wire_requests import WireRequest

URLS = {
    "anthropic": "https://api.anthropic.com/v1/messages",
    "openai": "https://api.openai.com/v1/chat/completions",
    "openai-responses": "https://api.openai.com/v1/responses",
    "gemini": "https://generativelanguage.googleapis.com/v1/models/m-1:generateContent",
}
WRITTEN: dict[str, Any] = {
    "anthropic": anthropic.to_wire,
    "openai": openai_chat.to_wire,
    "openai-responses": openai_responses.to_wire,
    "gemini": gemini.to_wire,
}
EACH = pytest.mark.parametrize("name", list(URLS))


def read(name: str, body: Any, url: str = "") -> WireRequest:
    return read_request("POST", url or URLS[name], json.dumps(body).encode())


def sent(request: Request) -> Any:
    """The body that our own provider sends for ``request``."""
    wire = WRITTEN[request.provider](request)
    if request.provider != "gemini":
        return wire
    config = wire.pop("config")
    named = {name: config.pop(name) for name in ("system_instruction", "tools") if name in config}
    named["system_instruction"] = {"parts": [{"text": named["system_instruction"]}]}
    return {"contents": wire["contents"], **named, **({"generationConfig": config} if config else {})}


CONVERSATIONS: dict[str, tuple[Message, ...]] = {
    "a question": HELLO,
    "two calls, one failed": ASKED_TWICE,
    "an answer": (*HELLO, Message("assistant", "Both."), Message("user", "And Ulm?")),
    "blocks": (Message("user", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),),
    "results in the other order": (
        *ASKED_TWICE[:2],
        Message("tool", tool_results=tuple(reversed(ASKED_TWICE[2].tool_results))),  # that of the calls
    ),
}


@EACH
@pytest.mark.parametrize("conversation", CONVERSATIONS.values(), ids=list(CONVERSATIONS))
def test_what_our_own_provider_sends_is_read_as_the_request_it_was(
    name: str, conversation: tuple[Message, ...]
) -> None:
    if name == "gemini" and conversation is ASKED_TWICE:
        pytest.skip("results are sent in the order of their calls there, which is all that tells them apart")
    written = tuple(
        replace(
            message,
            # The wire carries text; for a suite's JSON result that is its JSON text, but at Google.
            tool_results=tuple(
                replace(result, content=as_sent(name, result.content)) for result in message.tool_results
            ),
        )
        for message in conversation
    )
    params = {"max_tokens": 99} if name == "anthropic" else {"temperature": 0.5}
    request = Request(name, "m-1", written, system="Be brief.", tools=(WEATHER,), params=params)
    found = read(name, sent(request))
    assert fingerprint_of(found.request).changes(fingerprint_of(request)) == ()
    assert found.elsewhere == ()


def as_sent(name: str, content: Any) -> Any:
    return content if isinstance(content, str) or name == "gemini" else json.dumps(content)


@EACH
def test_an_output_schema_is_a_field_of_its_own(name: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    params = {"max_tokens": 99} if name == "anthropic" else {}
    request = Request(name, "m-1", HELLO, system="Be brief.", output_schema=schema, params=params)
    found = read(name, sent(request)).request
    assert found.output_schema == schema
    assert fingerprint_of(found).changes(fingerprint_of(request)) == ()


@EACH
def test_ids_of_calls_are_no_fields(name: str) -> None:
    body = sent(Request(name, "m-1", ASKED_TWICE, system="Be brief."))
    other = json.loads(re.sub(r'"call_?0*(\d)"', r'"toolu_9\1"', json.dumps(body)))
    assert read(name, body).request.messages
    assert fingerprint_of(read(name, body).request) == fingerprint_of(read(name, other).request)


def test_cache_marks_are_no_fields() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    plain = {
        "model": "m",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 9,
    }
    marked = {
        **plain,
        "system": [{"type": "text", "text": "Be brief.", **mark}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", **mark}]}],
    }
    assert fingerprint_of(read("anthropic", plain).request) == fingerprint_of(
        read("anthropic", marked).request
    )


@pytest.mark.parametrize(
    ("name", "body", "path"),
    [
        ("anthropic", {"thinking": {"type": "enabled"}}, "params.thinking"),
        ("anthropic", {"tools": [{"type": "web_search_1", "name": "web_search", "max_uses": 3}]}, "tools"),
        ("openai", {"response_format": {"type": "json_object"}}, "params.response_format"),
        ("openai", {"tool_choice": "required"}, "params.tool_choice"),
        ("openai-responses", {"reasoning": {"effort": "low"}}, "params.reasoning"),
        ("openai-responses", {"tools": [{"type": "web_search"}]}, "tools[web_search]"),
        ("gemini", {"generationConfig": {"topK": 3}}, "params.topK"),
        ("gemini", {"safetySettings": []}, "params.safetySettings"),
        ("gemini", {"tools": [{"googleSearch": {}}]}, "params.tools"),
    ],
)
def test_whatever_else_a_body_says_counts(name: str, body: Any, path: str) -> None:
    messages = [{"role": "user", "content": "hi"}]
    base = (
        {"contents": [{"parts": [{"text": "hi"}]}]}
        if name == "gemini"
        else {"model": "m", "messages": messages}
    )
    if name == "openai-responses":
        base = {"model": "m", "input": "hi"}
    found = fingerprint_of(read(name, base).request).changes(fingerprint_of(read(name, base | body).request))
    assert found
    assert all(change.path.startswith(path) for change in found)


@pytest.mark.parametrize("order", [("text", "call"), ("call", "text")], ids=["text first", "call first"])
def test_a_call_before_a_text_is_another_conversation(order: tuple[str, ...]) -> None:
    text = {"type": "text", "text": "So."}
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    blocks = {"text": text, "call": call}
    plain = fingerprint_of(_said([text, call]))
    changed = plain.changes(fingerprint_of(_said([blocks[name] for name in order])))
    assert bool(changed) == (order[0] == "call")


def _said(content: list[Any]) -> Request:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": content}]
    return read("anthropic", {"model": "m", "messages": messages}).request


def test_thinking_and_encrypted_reasoning_go_back_and_count() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "abc"}
    found = _said([thought, {"type": "text", "text": "So."}]).messages[1]
    assert found.reasoning == (thought,)
    items = [
        {"role": "user", "content": "hi"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "xyz"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "id": "fc_1"},
        {"type": "function_call_output", "call_id": "c", "output": "1"},
    ]
    request = read("openai-responses", {"model": "m", "input": items}).request
    assert [message.role for message in request.messages] == ["user", "assistant", "tool"]
    assert request.messages[1].reasoning == (
        {"type": "reasoning", "summary": [], "encrypted_content": "xyz"},
    )
    assert request.messages[1].tool_calls == (ToolCall("c", "f"),)
    assert request.messages[2].tool_results == (ToolResult("c", "1"),)


@pytest.mark.parametrize(
    ("name", "body", "elsewhere"),
    [
        ("openai-responses", {"previous_response_id": "resp_1"}, ("previous_response_id",)),
        ("openai-responses", {"prompt": {"id": "p"}, "conversation": "c"}, ("conversation", "prompt")),
        ("openai-responses", {"input": [{"type": "item_reference", "id": "i"}]}, ("item_reference",)),
        ("gemini", {"cachedContent": "c"}, ("cachedContent",)),
        ("anthropic", {"container": "c"}, ("container",)),
    ],
)
def test_what_the_provider_keeps_is_named(name: str, body: Any, elsewhere: tuple[str, ...]) -> None:
    base = {"anthropic": {"messages": []}, "openai-responses": {}, "gemini": {"contents": []}}[name]
    assert read(name, {"model": "m", **base, **body}).elsewhere == elsewhere


def test_a_system_prompt_is_one_wherever_it_is_written() -> None:
    chat = read("openai", {"model": "m", "messages": [{"role": "system", "content": "Be brief."}]}).request
    items = [{"role": "system", "content": [{"type": "input_text", "text": "Be brief."}]}]
    responses = read("openai-responses", {"model": "m", "input": items}).request
    assert chat.system == responses.system == "Be brief."
    late = [{"role": "user", "content": "hi"}, {"role": "system", "content": "Now be long."}]
    assert [each.role for each in read("openai", {"model": "m", "messages": late}).request.messages] == [
        "user",
        "system",
    ]


def test_both_spellings_of_google_are_one() -> None:
    tool = {"name": "f", "description": "d", "parameters": {"type": "OBJECT"}}
    camel = {
        "contents": [],
        "systemInstruction": {"parts": [{"text": "a"}]},
        "tools": [{"functionDeclarations": [tool]}],
    }
    snake = {
        "contents": [],
        "system_instruction": {"parts": [{"text": "a"}]},
        "tools": [{"function_declarations": [tool]}],
    }
    assert read("gemini", camel) == read("gemini", snake)
    assert read("gemini", camel).request.tools == (ToolSpec("f", {"type": "OBJECT"}, "d"),)


@pytest.mark.parametrize(
    ("url", "family"),
    [
        ("https://a.test/v1/messages", "messages"),
        ("https://a.test/v1/messages?beta=true", "messages"),
        ("https://a.test/v1/messages/count_tokens", None),
        ("https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1", "chat"),
        ("https://a.test/v1beta/models/m:streamGenerateContent?alt=sse", "generate_content"),
        ("https://a.test/v1/models/m:countTokens", None),
        ("https://a.test/v1/responses/resp_1/cancel", None),
    ],
)
def test_a_format_is_known_by_the_end_of_the_path(url: str, family: str | None) -> None:
    assert family_of("POST", url) == family
    assert family_of("GET", url) is None


def test_hosts_that_are_providers_of_their_own_have_their_name() -> None:
    body = {"model": "m", "messages": []}
    assert read("openai", body, "https://api.deepseek.com/chat/completions").request.provider == "deepseek"
    assert read("openai", body, "http://127.0.0.1:1/v1/chat/completions").request.provider == "openai"


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("api.openai.com", True),
        ("API.Anthropic.com.", True),
        ("me.openai.azure.com", True),
        ("europe-west1-aiplatform.googleapis.com", True),
        ("bedrock-runtime.eu-central-1.amazonaws.com", True),
        ("openrouter.ai", True),
        ("example.com", False),
        ("notapi.openai.com.evil.test", False),
    ],
)
def test_hosts_of_providers_are_known(host: str, known: bool) -> None:
    assert is_provider_host(host) is known


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"model": 1}', b'{"messages": 3, "model": "m"}', b"\xff"]
)
def test_what_is_no_such_body_is_read_as_a_whole(body: bytes) -> None:
    found = read_request("POST", URLS["openai"], body)
    assert found.family is None
    assert found.request.provider == "http"
    fingerprint_of(found.request)


def test_an_answer_that_cannot_be_read_tells_nothing() -> None:
    assert read_response("chat", {"choices": []}, None) is None
    assert read_response("chat", {"error": {"message": "no"}}, None) is None
    assert read_response(None, {}, None) is None
