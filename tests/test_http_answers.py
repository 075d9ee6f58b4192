"""HTTP answers as a recording keeps them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dryfire_action.http_answers import HttpAnswer, check, from_json, parsed, to_json
from dryfire_action.redact import DEFAULT_RULES, find

STREAM = {"content-type": "text/event-stream; charset=utf-8"}
SECRET = "sk-" + "ant-api03-" + "q7" * 48


def kept(answer: HttpAnswer) -> Any:
    found = to_json(answer, DEFAULT_RULES)
    check(json.loads(json.dumps(found)))
    return found


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b'{"a": 1}', {"json": {"a": 1}}),
        (b"[1, 2]", {"json": [1, 2]}),
        (b'{"a": 1, "a": 2}', {"text": '{"a": 1, "a": 2}'}),
        (b"NaN", {"text": "NaN"}),
        ("<p>é</p>".encode(), {"text": "<p>é</p>"}),
        (b"\xff\x00", {"base64": "/wA="}),
        (b"", {}),
    ],
)
def test_a_body_is_kept_in_the_form_that_people_can_read(body: bytes, form: dict[str, Any]) -> None:
    found = kept(HttpAnswer(200, {"Content-Type": "x/y", "Date": "now", "Set-Cookie": "a=b"}, (body,)))
    assert found == {"http": {"status": 200, "headers": {"content-type": "x/y"}, **form}}
    back = from_json(found)
    assert json.loads(back.body) == form["json"] if "json" in form else back.body == body


EVENTS = st.lists(
    st.one_of(
        st.dictionaries(st.text(min_size=1), st.text() | st.integers() | st.none(), max_size=3).map(
            lambda value: f"data: {json.dumps(value)}"
        ),
        st.just("data: [DONE]"),
        st.just(": ping"),
        st.just("event: message_stop\ndata: {}"),
        st.just("id: 7\nretry: 10\ndata: two\ndata: lines"),
    ),
    max_size=6,
)


@given(EVENTS, st.sampled_from(["\n", "\r\n"]), st.integers(1, 40))
def test_a_stream_comes_back_event_by_event(events: list[str], end: str, cut: int) -> None:
    body = "".join(event.replace("\n", end) + end * 2 for event in events).encode()
    pieces = tuple(body[at : at + cut] for at in range(0, len(body), cut))
    back = from_json(kept(HttpAnswer(200, STREAM, pieces)))
    assert back.streamed
    assert len(back.chunks) == len(events)
    for chunk, event in zip(back.chunks, events, strict=True):
        assert read(chunk.decode()) == read(event)
    # What was given out once is given out like that again.
    assert from_json(kept(HttpAnswer(200, STREAM, back.chunks))) == back


def read(event: str) -> list[Any]:
    """The fields of an event as a client reads them: JSON by value, all else by text, in no order among the names."""
    found: list[Any] = []
    for line in event.strip("\n").split("\n"):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        found.append((name, repr(json.loads(value)) if value.startswith("{") else value))
    return sorted(found)


@given(st.integers(0, 30), st.lists(st.integers(1, len(SECRET) + 40), max_size=8))
def test_a_secret_is_whole_in_one_piece_wherever_a_stream_was_cut(before: int, cuts: list[int]) -> None:
    text = "x" * before + " " + SECRET + " end"
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    pieces = [text[start:end] for start, end in pairwise(places)]
    body = "".join(
        f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': each}}]})}\n\n" for each in pieces
    )
    found = kept(HttpAnswer(200, STREAM, (body.encode(),)))
    _, events = parsed(found)
    assert events is not None
    texts = [event["choices"][0]["delta"]["content"] for event in events]
    assert "".join(texts) == text
    assert len(texts) == len(pieces)
    assert any(SECRET in each for each in texts)
    assert any(finding.value == SECRET for finding in find(found))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"http": {}},
        {"http": {"status": "200"}},
        {"http": {"status": 200, "events": {}}},
        {"http": {"status": 200, "html": ""}},
        {"http": {"status": 200}, "text": ""},
    ],
)
def test_what_is_no_answer_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="answer"):
        check(wrong)


@pytest.mark.parametrize(
    "encoded",
    [
        b"\xff\x00" + SECRET.encode() + b"\x81",
        "é ".encode("latin-1") + SECRET.encode("latin-1"),
        SECRET.encode("utf-16"),
        SECRET.encode("utf-16-be") + b"\xff",
    ],
)
def test_a_secret_in_bytes_that_are_no_text_is_crossed_out(encoded: bytes) -> None:
    found = kept(HttpAnswer(200, {"content-type": "application/octet-stream"}, (encoded,)))
    body = from_json(found).body
    assert len(body) == len(encoded)
    assert SECRET[8:40].encode() not in body.replace(b"\0", b"")
    assert body[:1] == encoded[:1] and body[-1:] in (encoded[-1:], b"x")


def test_bytes_without_a_secret_stay_as_they_are() -> None:
    body = bytes(range(256)) * 40 + b"name@example" + "plain words, and no secret".encode("utf-16")
    assert from_json(kept(HttpAnswer(200, {}, (body,)))).body == body


HALVES = SECRET[:6], SECRET[6:]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/event-stream", "".join(f"data: {half}\n\n" for half in HALVES)),
        ("text/event-stream", "".join(f"data: {json.dumps({'completion': half})}\n\n" for half in HALVES)),
        (
            "text/event-stream",
            f"data: {json.dumps({'choices': [{'index': 0}, {'index': 1, 'delta': {'content': HALVES[0]}}]})}\n\n"
            f"data: {json.dumps({'choices': [{'index': 1, 'delta': {'content': HALVES[1]}}]})}\n\n",
        ),
        (
            "application/x-ndjson",
            "".join(f"{json.dumps({'message': {'content': half}})}\n" for half in HALVES),
        ),
        ("application/json", json.dumps([{"parts": [{"text": half}]} for half in HALVES])),
    ],
)
def test_a_secret_in_pieces_is_whole_in_one_of_them_in_every_kind_of_stream(kind: str, body: str) -> None:
    found = kept(HttpAnswer(200, {"content-type": kind}, (body.encode(),)))
    assert SECRET in json.dumps(found)
    assert any(finding.value == SECRET for finding in find(found))
