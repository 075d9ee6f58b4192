"""How each vendor's real SDK fails, and that one call is one request."""

from __future__ import annotations

import asyncio
import socket
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.ambient import FakeClock
from dryfire_action.errors import ProviderError, UsageError
from dryfire_action.providers import make_provider
from dryfire_action.retry import RetryPolicy, with_retries
from tests.providers.asking import ask, request
from tests.providers.wire_server import Reply

if TYPE_CHECKING:
    from tests.providers.spoken import Spoken
    from tests.providers.wire_server import Wire


def failed(wire: Wire, asked: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(wire, asked)
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (400, "invalid_request_error", False),
        (401, "authentication_error", False),
        (404, "not_found_error", False),
        (408, "timeout_error", True),
        (413, "request_too_large", False),
        (429, "rate_limit_error", True),
        (429, "insufficient_quota", False),
        (500, "api_error", True),
        (503, "UNAVAILABLE", True),
        (529, "overloaded_error", True),
    ],
)
def test_a_refusal_is_told_in_the_providers_own_words_after_one_request(
    wire: Wire, spoke: Spoken, status: int, kind: str, retryable: bool
) -> None:
    error = failed(wire.plan(Reply(spoke.error(status, kind, "because of this"), status)), request(spoke))
    assert (error.status, error.kind, error.message) == (status, kind, "because of this")
    assert error.retryable is retryable
    assert error.retry_after is None
    assert len(wire.asked) == 1, "an SDK tried again by itself"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_how_long_to_wait_is_what_the_provider_asks_for(
    wire: Wire, spoke: Spoken, headers: dict[str, str], seconds: float | None
) -> None:
    wire.plan(Reply(spoke.error(429, "rate_limit_error", "slow down"), 429, headers))
    assert failed(wire, request(spoke)).retry_after == seconds


def test_google_says_in_the_body_how_long_to_wait(wire: Wire) -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota", "details": [detail]}}
    assert failed(wire.plan(Reply(body, 429)), request("gemini")).retry_after == 36.5


def test_busy_and_then_an_answer_is_two_requests_and_one_wait(wire: Wire, spoke: Spoken) -> None:
    wire.plan(
        Reply(spoke.error(503, "overloaded_error", "busy"), 503, {"retry-after": "2"}),
        spoke.answer("Here", []),
    )
    clock = FakeClock()
    told: list[tuple[int, float | None]] = []

    async def through_retries() -> Any:
        made = make_provider(spoke.name, environ=wire.environ)
        return await with_retries(
            lambda: made.complete(request(spoke)),
            RetryPolicy(),
            sleep=clock.sleep,
            jitter=lambda: Random(1),
            failed=lambda error, attempt, wait: told.append((attempt, wait)),
        )

    answer, attempts = asyncio.run(through_retries())
    assert (answer.text, attempts, told, clock.slept) == ("Here", 2, [(0, 2.0)], [2.0])
    assert len(wire.asked) == 2


def test_a_connection_that_dies_can_be_tried_again(wire: Wire, spoke: Spoken) -> None:
    error = failed(wire.plan(Reply(dead=True)), request(spoke))
    assert (error.status, error.retryable) == (None, True)
    assert error.message
    assert len(wire.asked) == 1


def test_nobody_listening_can_be_tried_again_and_says_so(wire: Wire, spoke: Spoken) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        environ = {name: value.replace(wire.url, address) for name, value in wire.environ.items()}
        with pytest.raises(ProviderError) as caught:
            asyncio.run(make_provider(spoke.name, environ=environ).complete(request(spoke)))
    assert caught.value.retryable
    assert "connect" in caught.value.message.lower()


def test_a_provider_that_does_not_answer_in_time_can_be_tried_again(spoke: Spoken, wire: Wire) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        environ = {name: value.replace(wire.url, address) for name, value in wire.environ.items()}
        asked = request(spoke, params={"timeout": 0.2})
        with pytest.raises(ProviderError) as caught:
            asyncio.run(make_provider(spoke.name, environ=environ).complete(asked))
    assert caught.value.retryable
    assert "Timeout" in caught.value.kind


@pytest.mark.parametrize(
    "body",
    [b"<html>502</html>", b"", b"[]", b"null", b'{"choices": []}', b'{"content": [{"type": "tool_use"}]}'],
)
def test_an_answer_that_is_none_is_a_failure_and_no_fault(wire: Wire, spoke: Spoken, body: bytes) -> None:
    if spoke.name == "gemini" and body.startswith(b"{"):
        assert ask(wire.plan(Reply(body)), request(spoke)).stop_reason == "error"
        return
    error = failed(wire.plan(Reply(body)), request(spoke))
    assert (error.kind, error.retryable) == ("UnreadableAnswer", False)


def test_a_page_of_a_proxy_is_shown_as_the_reason(wire: Wire, spoke: Spoken) -> None:
    error = failed(wire.plan(Reply(b"upstream is gone", 502)), request(spoke))
    assert (error.status, error.retryable) == (502, True)
    assert "upstream is gone" in error.message


@pytest.mark.parametrize("body", [b"", b"{}", b'{"error": null}', b'{"error": "no"}', b"[1]", b'"x"'])
def test_a_refusal_without_a_reason_still_has_one(wire: Wire, spoke: Spoken, body: bytes) -> None:
    error = failed(wire.plan(Reply(body, 500)), request(spoke))
    assert (error.status, error.retryable) == (500, True)
    assert error.message
    assert error.kind


def test_a_failure_inside_an_answer_is_a_failure(wire: Wire) -> None:
    body = {"status": "failed", "error": {"code": "server_error", "message": "it broke"}, "output": []}
    error = failed(wire.plan(body), request("openai-responses"))
    assert (error.kind, error.message, error.retryable) == ("server_error", "it broke", True)


def test_a_gateway_may_put_its_error_where_the_answer_should_be(wire: Wire) -> None:
    body = {"error": {"code": 502, "message": "upstream"}, "choices": None}
    error = failed(wire.plan(body), request("openai"))
    assert (error.status, error.message, error.retryable) == (502, "upstream", True)


PARAMS = [
    ("anthropic", {"temperature": 0}, "params.temperature: anthropic "),
    ("openai", {"top_k": 4}, "params.top_k: openai "),
    ("openai-responses", {"stop": ["x"]}, "params.stop: openai "),
    ("gemini", {"max_tokens": 4}, "params.max_tokens: google-genai "),
]


@pytest.mark.parametrize(("name", "params", "message"), PARAMS)
def test_a_parameter_that_the_installed_sdk_does_not_take_is_an_error_before_the_call(
    wire: Wire, name: str, params: dict[str, Any], message: str
) -> None:
    import anthropic

    if name == "anthropic" and int(anthropic.__version__.partition(".")[0]) < 1:
        params, message = {"temprature": 0}, "params.temprature: anthropic "
    with pytest.raises(UsageError) as caught:
        ask(wire, request(name, params=params))
    assert caught.value.message.startswith(message)
    assert "extra_body" in caught.value.remedy
    assert not wire.asked


def test_a_parameter_without_a_name_in_the_sdk_can_be_passed_on(wire: Wire, spoke: Spoken) -> None:
    passed = {"new_one": {"a": [1]}}
    params = {"http_options": {"extra_body": passed}} if spoke.name == "gemini" else {"extra_body": passed}
    ask(wire.plan(spoke.answer("Hi", [])), request(spoke, params=params))
    assert wire.bodies[0]["new_one"] == {"a": [1]}


@pytest.mark.parametrize("params", [{"api_key": "k"}, {"max_retries": 3}, {"model": "m"}])
def test_what_does_not_belong_into_a_suite_is_refused(
    wire: Wire, spoke: Spoken, params: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match=next(iter(params))):
        ask(wire, request(spoke, params=params))
    assert not wire.asked


def test_a_value_that_the_sdk_refuses_is_an_error_in_words(wire: Wire) -> None:
    with pytest.raises(UsageError, match="does not take this request"):
        ask(wire, request("gemini", params={"max_output_tokens": "many"}))
    assert not wire.asked
