"""A fingerprint that is expected is compared digest by digest, and only an equal one is given back unhashed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.beginning import Beginning
from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.fingerprint import Fingerprinter, LastHead, fingerprint_of
from dryfire_action.playback import ReplayingProvider
from tests.made_requests import long_conversation

HEADER = Header("s", "c", "anthropic", "m")


def recorded_answers(count: int) -> Cassette:
    """A cassette of the first turns of the long conversation."""
    asked = long_conversation(count)
    answer = {"text": "!", "stop_reason": "end_turn"}
    return Cassette(
        HEADER,
        tuple(Exchange(0, turn, 0, fingerprint_of(each), answer=answer) for turn, each in enumerate(asked)),
    )


def test_what_is_as_expected_is_hashed_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list(long_conversation(20))
    recorder, replay = Fingerprinter(), Fingerprinter()
    recorded = [recorder.fingerprint(request) for request in asked]
    monkeypatch.setattr("dryfire_action.fingerprint.sha256", None)
    for request, expected in zip(asked, recorded, strict=True):
        assert replay.fingerprint(request, expected) is expected


@pytest.mark.parametrize("turn", [0, 7, 19])
def test_one_message_that_is_not_as_expected_changes_every_key_from_there(turn: int) -> None:
    asked = list(long_conversation(20))
    recorded = [fingerprint_of(request) for request in asked]
    replay = Fingerprinter()
    for index, (request, expected) in enumerate(zip(asked, recorded, strict=True)):
        messages = list(request.messages)
        if index >= turn:
            messages[2 * turn] = replace(messages[2 * turn], content="something else")
        found = replay.fingerprint(replace(request, messages=tuple(messages)), expected)
        assert (found is expected) == (index < turn)
        assert found == fingerprint_of(replace(request, messages=tuple(messages)))


class Counted(list[Any]):
    """A list that counts how often something is read from it."""

    reads = 0

    def __getitem__(self, index: Any) -> Any:
        self.reads += 1
        return super().__getitem__(index)


def test_each_message_is_compared_with_the_expected_one_once() -> None:
    asked = long_conversation(20)
    recorded = [fingerprint_of(request) for request in asked]
    kept = Counted(recorded[-1].messages)
    replay = Fingerprinter()
    for request, each in zip(asked, recorded, strict=True):
        expected = replace(each, messages=Beginning(kept, len(each.messages)))
        assert replay.fingerprint(request, expected) is expected
    assert kept.reads == len(kept)


@pytest.mark.parametrize("form", [tuple, lambda messages: Beginning(list(messages), len(messages))])
def test_what_was_compared_with_one_recording_says_nothing_of_another(form: Any) -> None:
    asked = long_conversation(3)
    recorded = [fingerprint_of(request) for request in asked]
    replay = Fingerprinter()
    for request, expected in zip(asked[:2], recorded, strict=False):
        replay.fingerprint(request, expected)
    first, *rest = recorded[2].messages
    other = replace(recorded[2], messages=form([{**first, "role": "other"}, *rest]))
    assert replay.fingerprint(asked[2], other) == recorded[2] != other
    same = replace(recorded[2], messages=form(recorded[2].messages))
    assert replay.fingerprint(asked[2], same) is same


def test_a_replay_expects_what_is_recorded_at_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = ReplayingProvider(recorded_answers(3))
    monkeypatch.setattr("dryfire_action.fingerprint.sha256", None)
    answers = [asyncio.run(provider.complete(each)).text for each in long_conversation(3)]
    assert answers == ["!"] * 3


def test_conversations_that_begin_alike_may_share_the_digests_of_their_head(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cassette, shared, asked = recorded_answers(1), LastHead(), long_conversation(1)[0]
    asyncio.run(ReplayingProvider(cassette, last_head=shared).complete(asked))
    monkeypatch.setattr("dryfire_action.fingerprint.head_digests", None)
    assert asyncio.run(ReplayingProvider(cassette, last_head=shared).complete(asked)).text == "!"
    with pytest.raises(TypeError):
        asyncio.run(ReplayingProvider(cassette).complete(asked))
