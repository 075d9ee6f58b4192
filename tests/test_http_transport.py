"""Recording and replaying in the HTTP layer, through the vendors' real SDKs and a server on this machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import pytest

from dryfire_action.errors import CassetteMissError, UsageError
from dryfire_action.http_transport import ReplayStopped, ServerStateWarning
from dryfire_action.llm import LLMRequest
from dryfire_action.replay import Cassette
from tests.providers import sdk_calls, spoken
from tests.providers.conftest import _few_authorities as _few_authorities
from tests.providers.wire_server import Reply, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.providers.spoken import Spoken
    from tests.providers.wire_server import Wire

NOWHERE = "http://127.0.0.1:9"
CALLS: Any = [("get_weather", {"city": "Oslo"})]
SECRET = "sk-" + "ant-api03-" + "q7" * 48
PASSWORD = "correct-" + "horse9-battery"
WAYS = pytest.mark.parametrize(
    ("sync", "stream"), [(True, False), (True, True), (False, False), (False, True)], ids=str
)


@pytest.fixture
def wire() -> Any:
    with serving() as server:
        yield server


@pytest.fixture(params=spoken.ALL, ids=lambda each: each.name)
def spoke(request: pytest.FixtureRequest) -> Any:
    return request.param


def reply(spoke: Spoken, *, stream: bool, text: str = "Let me see.") -> Any:
    if stream:
        half = len(text) // 2
        return spoke.stream([text[:half], text[half:]], CALLS)
    return spoke.answer(text, CALLS)


def asked(
    spoke: Spoken, cassette: Cassette, url: str, *, sync: bool = True, stream: bool = False, **more: Any
) -> list[Any]:
    made = sdk_calls.client(spoke, url, cassette.http_transport(), sync=sync)
    return sdk_calls.ask(spoke, made, sync=sync, stream=stream, **sdk_calls.arguments(spoke, **more))


def through_file(cassette: Cassette, tmp_path: Path, **options: Any) -> Cassette:
    cassette.save(tmp_path / "calls.jsonl")
    return Cassette.load(tmp_path / "calls.jsonl", **options)


@WAYS
def test_what_was_recorded_is_replayed_without_any_server(
    spoke: Spoken, wire: Wire, tmp_path: Path, sync: bool, stream: bool
) -> None:
    wire.plan(reply(spoke, stream=stream))
    cassette = Cassette()
    live = asked(spoke, cassette, wire.url, sync=sync, stream=stream)
    with through_file(cassette, tmp_path) as replay:
        assert asked(spoke, replay, NOWHERE, sync=sync, stream=stream) == live
    assert len(wire.asked) == 1
    assert cassette.calls[0].exchange.usage.input_tokens == 10
    assert cassette.calls[0].exchange.served == "served-1"


def test_sync_and_async_and_streamed_or_not_is_one_request(spoke: Spoken, wire: Wire) -> None:
    keys = set()
    for sync, stream in [(True, False), (False, True)]:
        wire.plan(reply(spoke, stream=stream))
        cassette = Cassette()
        asked(spoke, cassette, wire.url, sync=sync, stream=stream)
        keys.add(cassette.exchanges[0].key)
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"description": "Tells the weather of today."}, "tools[get_weather].description"),
        ({"prompt": "Rome?"}, "messages[0].content"),
        ({"temperature": 0.5}, "params.temperature"),
    ],
)
def test_an_edit_is_named_by_its_field(spoke: Spoken, wire: Wire, change: dict[str, Any], field: str) -> None:
    wire.plan(reply(spoke, stream=False))
    cassette = Cassette()
    asked(spoke, cassette, wire.url)
    replay = Cassette(mode="strict", calls=cassette.calls)
    if spoke.name == "anthropic" and "temperature" in change:
        change = {"extra_body": change}  # this SDK has no name for it any more
    with pytest.raises(ReplayStopped) as stopped:
        asked(spoke, replay, NOWHERE, **change)
    error = stopped.value.error
    assert isinstance(error, CassetteMissError)
    assert error.divergence
    assert error.divergence.fields == (field,)
    assert "--- recorded" in str(stopped.value)


def test_a_miss_is_no_failure_that_an_sdk_tries_again(spoke: Spoken, wire: Wire) -> None:
    replay = Cassette(mode="strict")
    with pytest.raises(ReplayStopped, match="nothing is recorded"):
        asked(spoke, replay, wire.url)
    assert len(replay.divergences) == 1
    assert wire.asked == []


@pytest.mark.parametrize("sync", [True, False])
def test_a_refusal_and_the_retry_that_recovered_replay(
    spoke: Spoken, wire: Wire, tmp_path: Path, sync: bool
) -> None:
    busy = Reply(spoke.error(503, "overloaded_error", "busy"), 503, {"retry-after-ms": "1", "x-secret": "no"})
    wire.plan(busy, reply(spoke, stream=False))
    retries: Any = (
        {"retry_options": {"attempts": 2, "initial_delay": 0.001, "max_delay": 0.002}}
        if spoke.name == "gemini"
        else {"max_retries": 1}
    )
    cassette = Cassette()
    made = sdk_calls.client(spoke, wire.url, cassette.http_transport(), sync=sync, **retries)
    live = sdk_calls.ask(spoke, made, sync=sync, **sdk_calls.arguments(spoke))
    assert [call.exchange.answer["http"]["status"] for call in cassette.calls if call.exchange.answer] == [
        503,
        200,
    ]
    with through_file(cassette, tmp_path) as replay:
        made = sdk_calls.client(spoke, NOWHERE, replay.http_transport(), sync=sync, **retries)
        assert sdk_calls.ask(spoke, made, sync=sync, **sdk_calls.arguments(spoke)) == live
    assert "x-secret" not in (tmp_path / "calls.jsonl").read_text(encoding="utf-8")


def test_no_key_and_no_header_of_the_request_is_in_the_file(
    spoke: Spoken, wire: Wire, tmp_path: Path
) -> None:
    wire.plan(reply(spoke, stream=False))
    cassette = Cassette()
    asked(spoke, cassette, wire.url)
    cassette.save(tmp_path / "calls.jsonl")
    text = (tmp_path / "calls.jsonl").read_text(encoding="utf-8")
    assert "key-of-" not in text
    assert "user-agent" not in text.lower()
    assert "127.0.0.1" not in text


@pytest.mark.parametrize("stream", [False, True])
def test_a_secret_in_an_answer_is_redacted_and_the_caller_gets_what_a_replay_gives(
    spoke: Spoken, wire: Wire, tmp_path: Path, stream: bool
) -> None:
    text = f"Take {SECRET} for it."
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
    wire.plan(spoke.stream(pieces) if stream else spoke.answer(text, []))
    cassette = Cassette()
    live = asked(spoke, cassette, wire.url, stream=stream)
    assert SECRET not in json.dumps(live)
    replay = through_file(cassette, tmp_path)
    assert asked(spoke, replay, NOWHERE, stream=stream) == live
    written = (tmp_path / "calls.jsonl").read_text(encoding="utf-8")
    assert "q7q7" not in written
    assert "[redacted:" in written


@pytest.mark.parametrize("stream", [False, True])
def test_a_secret_that_the_request_holds_comes_back_from_the_request(
    spoke: Spoken, wire: Wire, tmp_path: Path, stream: bool
) -> None:
    text = f"You said {SECRET} to me."
    pieces = [text[at : at + 9] for at in range(0, len(text), 9)]
    wire.plan(spoke.stream(pieces) if stream else spoke.answer(text, []))
    cassette = Cassette()
    live = asked(spoke, cassette, wire.url, stream=stream, prompt=f"My key is {SECRET}.")
    assert SECRET in json.dumps(live)
    replay = through_file(cassette, tmp_path)
    assert asked(spoke, replay, NOWHERE, stream=stream, prompt=f"My key is {SECRET}.") == live
    assert "q7q7" not in (tmp_path / "calls.jsonl").read_text(encoding="utf-8")


def test_a_secret_that_is_one_by_its_name_alone_is_found_across_pieces(wire: Wire, tmp_path: Path) -> None:
    pieces = ["The pass", "word: ", PASSWORD[:9], PASSWORD[9:], " is old."]
    wire.plan(spoken.CHAT.stream(pieces))
    cassette = Cassette()
    asked(spoken.CHAT, cassette, wire.url, stream=True)
    cassette.save(tmp_path / "calls.jsonl")
    assert "battery" not in (tmp_path / "calls.jsonl").read_text(encoding="utf-8")


def test_a_stream_keeps_its_pieces(spoke: Spoken, wire: Wire) -> None:
    wire.plan(spoke.stream(["It is ", "3 ", "degrees."]))
    cassette = Cassette()
    live = asked(spoke, cassette, wire.url, stream=True)
    replay = Cassette(mode="strict", calls=cassette.calls)
    again = asked(spoke, replay, NOWHERE, stream=True)
    assert len(again) == len(live) >= 3
    assert [json.dumps(each) for each in again] == [json.dumps(each) for each in live]


def test_events_are_chunks_of_their_own(wire: Wire) -> None:
    wire.plan(spoken.CHAT.stream(["a", "b"]))
    cassette = Cassette()
    body = {"model": "m", "messages": [], "stream": True}
    url = f"{wire.url}/v1/chat/completions"
    with (
        httpx2.Client(transport=cassette.http_transport()) as client,
        client.stream("POST", url, json=body) as answer,
    ):
        chunks = list(answer.iter_raw())
    assert chunks[-1] == b"data: [DONE]\n\n"
    assert all(chunk.startswith(b"data: {") and chunk.endswith(b"}\n\n") for chunk in chunks[:-1])


@pytest.mark.parametrize("sync", [True, False])
def test_a_stream_that_broke_off_breaks_off_again(wire: Wire, tmp_path: Path, sync: bool) -> None:
    wire.plan(spoken.MESSAGES.stream(["It is ", "3"], keep=4, cut=True))
    cassette = Cassette()
    with pytest.raises(Exception) as live:
        asked(spoken.MESSAGES, cassette, wire.url, sync=sync, stream=True)
    replay = through_file(cassette, tmp_path)
    with pytest.raises(Exception) as again:
        asked(spoken.MESSAGES, replay, NOWHERE, sync=sync, stream=True)
    assert type(again.value) is type(live.value)
    assert str(again.value) == str(live.value)
    assert "Protocol" in type(live.value).__name__


@pytest.mark.parametrize("library", [httpx, httpx2], ids=lambda each: each.__name__)
def test_a_connection_that_failed_fails_again_as_itself(library: Any, wire: Wire, tmp_path: Path) -> None:
    wire.plan(Reply(dead=True))
    url = f"{wire.url}/v1/chat/completions"
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    cassette = Cassette()
    with (
        library.Client(transport=cassette.http_transport()) as client,
        pytest.raises(library.RemoteProtocolError) as live,
    ):
        client.post(url, json=body)
    replay = through_file(cassette, tmp_path)
    with (
        library.Client(transport=replay.http_transport()) as client,
        pytest.raises(library.RemoteProtocolError) as again,
    ):
        client.post(url, json=body)
    assert str(again.value) == str(live.value)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=lambda each: each.__name__)
def test_any_other_call_is_kept_as_a_whole(library: Any, wire: Wire, tmp_path: Path) -> None:
    """Embeddings, counts of tokens: no format that is known by field, and part of what the agent does."""
    wire.plan({"data": [1, 2]})
    audio = library.MockTransport(lambda _: library.Response(200, content=b"\x00\xff"))
    cassette = Cassette()
    with library.Client(transport=cassette.http_transport()) as client:
        first = client.post(f"{wire.url}/v1/embeddings?key={SECRET}&a=1", json={"input": "x"}).json()
    with library.Client(transport=cassette.http_transport(audio)) as client:
        second = client.post(f"{wire.url}/v1/audio", content=b"\xff\xfe").content
    replay = through_file(cassette, tmp_path)
    with library.Client(transport=replay.http_transport()) as client:
        assert client.post(f"{NOWHERE}/v1/embeddings?key=other&a=1", json={"input": "x"}).json() == first
        assert client.post(f"{NOWHERE}/v1/audio", content=b"\xff\xfe").content == second == b"\x00\xff"
    replay = Cassette(mode="strict", calls=cassette.calls)
    with (
        library.Client(transport=replay.http_transport()) as client,
        pytest.raises(ReplayStopped, match=r"params\.query"),
    ):
        client.post(f"{NOWHERE}/v1/embeddings?a=2", json={"input": "x"})
    assert "q7q7" not in (tmp_path / "calls.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["previous_response_id", "conversation", "prompt"])
def test_what_the_provider_keeps_itself_is_warned_of_by_name(wire: Wire, name: str) -> None:
    wire.plan(spoken.RESPONSES.answer("Yes.", []), spoken.RESPONSES.answer("Yes.", []))
    value = {"id": "pmpt_1"} if name == "prompt" else "resp_1"
    cassette = Cassette()
    made = sdk_calls.client(spoken.RESPONSES, wire.url, cassette.http_transport(), sync=True)
    with pytest.warns(ServerStateWarning, match=f"^{name}: ") as caught:
        for _ in range(2):
            made.responses.create(model="m", input="hi", **{name: value})
    assert len(caught) == 1
    assert f"params.{name}" in cassette.exchanges[0].fingerprint.fields


def test_modes_are_those_of_the_cassette(wire: Wire) -> None:
    wire.plan(spoken.CHAT.answer("One.", []), spoken.CHAT.answer("Two.", []))
    cassette = Cassette()
    first = asked(spoken.CHAT, cassette, wire.url)
    lenient = Cassette(mode="lenient", calls=cassette.calls)
    assert asked(spoken.CHAT, lenient, NOWHERE, prompt="Rome?") == first
    assert lenient.first_divergence
    falling = Cassette(mode="fallthrough", calls=cassette.calls, record_new=True)
    assert asked(spoken.CHAT, falling, wire.url) == first
    assert asked(spoken.CHAT, falling, wire.url, prompt="Rome?") != first
    assert [call.index for call in falling.calls] == [0, 1]


def test_a_recording_of_http_is_not_played_by_a_wrapped_client_nor_the_other_way_round(wire: Wire) -> None:
    wire.plan(spoken.CHAT.answer("One.", []))
    cassette = Cassette()
    made = sdk_calls.client(spoken.CHAT, wire.url, cassette.http_transport(), sync=True)
    made.chat.completions.create(model="m-1", messages=[{"role": "user", "content": "hi"}])
    replay = Cassette(mode="strict", calls=cassette.calls)
    with pytest.raises(UsageError, match="recorded over HTTP"):
        replay.wrap_llm().complete(LLMRequest("hi", model="m-1", provider="openai"))


def test_the_form_of_suites_holds_no_http_answers(wire: Wire, tmp_path: Path) -> None:
    wire.plan(spoken.CHAT.answer("One.", []))
    cassette = Cassette()
    asked(spoken.CHAT, cassette, wire.url)
    with pytest.raises(UsageError, match=r"\.jsonl"):
        cassette.save(tmp_path / "calls.json")


def test_volatile_text_is_left_out_by_a_rule_and_the_file_says_so(wire: Wire, tmp_path: Path) -> None:
    wire.plan(spoken.CHAT.answer("One.", []))
    rule = {"path": "messages[*].content", "pattern": r"\d{4}-\d{2}-\d{2}"}
    cassette = Cassette(ignore=[rule])
    live = asked(spoken.CHAT, cassette, wire.url, prompt="It is 2026-01-02.")
    replay = through_file(cassette, tmp_path)
    assert asked(spoken.CHAT, replay, NOWHERE, prompt="It is 2027-03-04.") == live
    assert [each.pattern for each in replay.header.ignore] == [rule["pattern"]]


def test_an_inner_transport_makes_the_real_calls() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={"host": request.url.host})

    cassette = Cassette()
    transport = cassette.http_transport(httpx2.MockTransport(answer))
    with httpx2.Client(transport=transport) as client:
        assert client.get("http://models.test/v1/models").json() == {"host": "models.test"}
    assert cassette.calls[0].name == "GET /v1/models"
