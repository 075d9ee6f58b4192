"""A recorder keeps what it was answered before it hands it out, and hands out what a replay will."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.errors import FingerprintError, ProviderError, RecordingError
from dryfire_action.fingerprint import Fingerprint
from dryfire_action.messages import Message, Request, Response, Usage
from dryfire_action.playback import ReplayingProvider
from dryfire_action.recorder import RecordingProvider, occurrences_joined
from tests.made_cases import Told, asks, fails, says

MAIL = "ann" + "@" + "corp.io"
REQUEST = Request("told", "m", (Message("user", f"I am {MAIL}"),))


def ask(provider: Any, asked: Request = REQUEST) -> Response:
    return asyncio.run(provider.complete(asked))


def test_what_a_recorder_hands_out_is_what_a_replay_hands_out() -> None:
    answer = asks(
        {"to": MAIL}, usage=Usage(3, 4), latency_ms=5, model_served="m-2", raw={"id": "x"}, chunks=("a",)
    )
    recorder = RecordingProvider(Told(answer))
    given = ask(recorder)
    assert given == ask(ReplayingProvider(Cassette(Header("s", "c", "told", "m"), recorder.tape.exchanges)))
    assert given.tool_calls[0].arguments == {"to": MAIL}
    assert (given.tool_calls[0].id, given.raw, given.usage, given.latency_ms) == (
        "call_0",
        None,
        Usage(3, 4),
        5,
    )


def test_an_answer_is_kept_redacted_before_it_is_handed_out() -> None:
    kept: list[Exchange] = []
    told = Told(says(f"Hello {MAIL}"))
    recorder = RecordingProvider(told, keep=kept.append, today="2026-11-29", run=2)
    assert ask(recorder).text == f"Hello {MAIL}"
    (exchange,) = kept
    assert exchange.answer is not None
    assert exchange.answer["text"] == "Hello [redacted:email:1]"
    assert exchange.from_request == {"[redacted:email:1]": "messages[0].content[5:16]"}
    assert (exchange.place, exchange.recorded) == ((2, 0, 0), "2026-11-29")


def test_an_answer_that_cannot_be_kept_is_not_handed_out() -> None:
    def refuse(_: Exchange) -> None:
        raise RecordingError("the disk is full")

    with pytest.raises(RecordingError):
        ask(RecordingProvider(Told(says("paid for")), keep=refuse))


def test_a_failure_is_kept_redacted_and_raised() -> None:
    recorder = RecordingProvider(Told(fails(503, f"busy, {MAIL}", retry_after=2), says("ok")))
    with pytest.raises(ProviderError) as caught:
        ask(recorder)
    assert (caught.value.message, caught.value.status, caught.value.retry_after) == (f"busy, {MAIL}", 503, 2)
    assert ask(recorder).text == "ok"
    failed, answered = recorder.tape.exchanges
    assert failed.error == {
        "kind": "Overloaded",
        "message": "busy, [redacted:email:1]",
        "status": 503,
        "retry_after": 2,
        "retryable": True,
    }
    assert (failed.place, answered.place) == ((0, 0, 0), (0, 0, 1))


def test_what_is_known_is_served_and_not_asked_for() -> None:
    first = RecordingProvider(Told(says("known")))
    ask(first)
    told = Told(says("new"))
    second = RecordingProvider(told, known=first.tape.exchanges)
    assert [ask(second).text for _ in range(2)] == ["known", "new"]
    assert [each.outcome for each in second.tape.played] == ["replayed", "recorded"]
    assert told.calls == 1


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        (says("\ud83d"), "the answer.text"),
        (asks({"score": float("nan")}), "the answer.tool_calls[0].arguments.score"),
        (says("x", reasoning=({"n": float("inf")},)), "the answer.reasoning[0].n"),
    ],
)
def test_an_answer_that_json_cannot_hold_is_refused_by_name(answer: Response, path: str) -> None:
    with pytest.raises(FingerprintError) as caught:
        ask(RecordingProvider(Told(answer), keep=pytest.fail))
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("text", "chunks", "cuts"),
    [
        ("abc", ("a", "bc"), (1,)),
        ("abc", (), ()),
        ("abc", ("abc",), ()),
        (f"to {MAIL}", ("to", f" {MAIL}"), ()),
    ],
    ids=["pieces", "whole", "one piece", "redacted: the places would be wrong"],
)
def test_the_pieces_of_a_streamed_text_are_kept_as_offsets(
    text: str, chunks: tuple[str, ...], cuts: tuple[int, ...]
) -> None:
    recorder = RecordingProvider(Told(says(text, chunks=chunks)))
    ask(recorder)
    assert recorder.tape.exchanges[0].cuts == cuts


# ---- going on from what is known


def exchange(key: str, text: str, recorded: str = "2026-01-02", run: int = 0) -> Exchange:
    return Exchange(run, 0, 0, Fingerprint({}, (), key), recorded, {"text": text})


def test_of_the_same_occurrence_the_newer_counts_and_the_rest_follows() -> None:
    newer = [exchange("a", "new a1"), exchange("b", "new b1")]
    older = [exchange("a", "old a1"), exchange("c", "old c1"), exchange("a", "old a2")]
    found = occurrences_joined(newer, older)
    assert [each.answer["text"] for each in found if each.answer] == ["new a1", "new b1", "old c1", "old a2"]


def test_what_was_left_lying_about_does_not_replace_what_was_recorded_since() -> None:
    left, since = exchange("a", "left", "2026-01-01"), exchange("a", "since", "2026-02-01")
    assert occurrences_joined([left], [since]) == (since,)


def test_each_run_has_occurrences_of_its_own() -> None:
    found = occurrences_joined([exchange("a", "new", run=1)], [exchange("a", "old")])
    assert [(each.run, each.answer and each.answer["text"]) for each in found] == [(1, "new"), (0, "old")]
    assert replace(found[1], run=1) == exchange("a", "old", run=1)
