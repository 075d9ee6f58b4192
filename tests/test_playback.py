"""A replay is served by key, from this run of this case alone; what is not recorded is a miss that says why."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.errors import CassetteMissError, ProviderError, UsageError
from dryfire_action.fingerprint import Fingerprinter, fingerprint_of
from dryfire_action.ignore_rules import IgnoreRule, ignoring
from dryfire_action.messages import Message, Request, Response, ToolCall, ToolResult, Usage
from dryfire_action.patterns import compile_pattern
from dryfire_action.placeholders import answer_json, error_json
from dryfire_action.playback import Played, ReplayingProvider, RunIndex, RunTape, refuse_other_origin
from tests.made_cases import asks, fails, says

HEADER = Header("s", "c", "told", "m", sdk_version="1.2")


def request(*texts: str, **settings: Any) -> Request:
    return Request(
        **{"provider": "told", "model": "m", "messages": tuple(Message("user", t) for t in texts)} | settings
    )


def exchange(
    asked: Request,
    outcome: Response | ProviderError,
    turn: int = 0,
    attempt: int = 0,
    run: int = 0,
    **facts: Any,
) -> Exchange:
    found = Exchange(run, turn, attempt, fingerprint_of(asked), "2026-01-01", **facts)
    if isinstance(outcome, ProviderError):
        return replace(found, error=error_json(outcome))
    return replace(found, answer=answer_json(outcome), usage=outcome.usage)


def replaying(*exchanges: Exchange, **settings: Any) -> ReplayingProvider:
    return ReplayingProvider(Cassette(HEADER, exchanges), **settings)


def ask(provider: ReplayingProvider, asked: Request) -> Response:
    return asyncio.run(provider.complete(asked))


def missed(provider: ReplayingProvider, asked: Request) -> Any:
    with pytest.raises(CassetteMissError) as caught:
        ask(provider, asked)
    return caught.value.miss


# ---- served by key


def test_the_nth_request_with_a_key_gets_the_nth_exchange_with_it() -> None:
    provider = replaying(exchange(request("a"), says("pending")), exchange(request("a"), says("done"), 1))
    assert [ask(provider, request("a")).text for _ in range(2)] == ["pending", "done"]
    assert provider.left_over() == ()


def test_asked_more_often_than_recorded_is_missing_and_says_so() -> None:
    provider = replaying(exchange(request("a"), says("pending")), exchange(request("a"), says("done"), 1))
    for _ in range(2):
        ask(provider, request("a"))
    miss = missed(provider, request("a"))
    assert (miss.outcome, miss.changes, miss.times_recorded, miss.times_asked) == ("missing", (), 2, 3)
    assert miss.sentence == (
        "turn 2: this request is recorded twice and was asked for more times than that (3 times)"
    )
    assert missed(provider, request("a")).times_asked == 4, "there is no wrap-around"


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1, "recorded once and was asked for more times than that (twice)"),
        (2, "recorded twice and was asked for more times than that (3 times)"),
        (3, "recorded 3 times and was asked for more times than that (4 times)"),
    ],
)
def test_how_often_is_said_in_words(times: int, said: str) -> None:
    provider = replaying(*(exchange(request("a"), says("x"), turn) for turn in range(times)))
    for _ in range(times):
        ask(provider, request("a"))
    assert missed(provider, request("a")).sentence == f"turn {times}: this request is {said}"


def test_the_order_of_asking_does_not_matter() -> None:
    provider = replaying(exchange(request("a"), says("A")), exchange(request("b"), says("B"), 1))
    assert ask(provider, request("b")).text == "B"
    assert ask(provider, request("a")).text == "A"


def test_another_request_at_this_place_is_stale_and_names_the_fields() -> None:
    provider = replaying(exchange(request("a", system="x"), says("A")))
    miss = missed(provider, request("a", system="y", params={"temperature": 0}))
    assert miss.outcome == "stale"
    assert [(change.path, change.change) for change in miss.changes] == [
        ("params.temperature", "added"),
        ("system", "changed"),
    ]
    assert miss.sentence == (
        "turn 0: recorded for another request; changed: params.temperature (added), system (changed)"
    )
    assert [each.turn for each in provider.left_over()] == [0]


def test_nothing_recorded_at_this_place_is_missing() -> None:
    provider = replaying(exchange(request("a"), says("A")))
    ask(provider, request("a"))
    miss = missed(provider, request("b"))
    assert (miss.outcome, miss.sentence) == ("missing", "turn 1: nothing is recorded here")


def test_an_empty_cassette_is_said_to_be_empty() -> None:
    assert missed(replaying(), request("a")).sentence == (
        "turn 0: the cassette is empty, nothing can be replayed"
    )


def test_a_run_is_served_its_own_exchanges_only() -> None:
    recorded = (exchange(request("a"), says("first"), run=0), exchange(request("a"), says("second"), run=1))
    assert ask(replaying(*recorded, run=1), request("a")).text == "second"
    miss = missed(replaying(*recorded, run=2), request("a"))
    assert miss.sentence.startswith("run 2, turn 0: ")


def test_what_was_never_asked_for_is_left_over_in_the_order_of_the_recording() -> None:
    recorded = tuple(exchange(request(text), says(text), turn) for turn, text in enumerate("abaca"))
    provider = replaying(*recorded)
    assert provider.left_over() == recorded
    for text in ("c", "a"):
        ask(provider, request(text))
    assert [each.turn for each in provider.left_over()] == [1, 2, 4]


def test_a_request_that_was_not_asked_for_before_is_missed_as_asked_for_never() -> None:
    recorded = exchange(request("a"), says("A"), 1, run=2)
    tape, current = RunTape(2), fingerprint_of(request("b"))
    tape.turn = 1
    miss = RunIndex([recorded], 2).miss(tape, current)
    assert (miss.run, miss.turn, miss.attempt) == (2, 1, 0)
    assert (miss.current, miss.recorded, miss.empty) == (current, recorded, False)
    assert (miss.times_recorded, miss.times_asked) == (0, 0)


def test_text_that_is_ignored_does_not_count_on_either_side() -> None:
    rule = IgnoreRule("messages[*].content", r"\d{4}-\d{2}-\d{2}")
    mask = ignoring([(rule, compile_pattern(rule.pattern))])
    recorded = replace(
        exchange(request("on 2026-01-01"), says("A")),
        fingerprint=fingerprint_of(request("on 2026-01-01"), mask),
    )
    provider = replaying(recorded, mask=mask)
    assert provider.tape.mask is mask
    assert ask(provider, request("on 2026-12-31")).text == "A"
    assert missed(replaying(recorded), request("on 2026-12-31")).outcome == "stale"


def test_a_tape_fingerprints_by_the_rules_it_is_handed() -> None:
    rule = IgnoreRule("system", "x")
    mask = ignoring([(rule, compile_pattern("x"))])
    asked = request("a", system="1x")
    assert RunTape(0, mask).fingerprint(asked) == fingerprint_of(asked, mask) != fingerprint_of(asked)


def test_a_tape_takes_the_fingerprinter_it_is_handed() -> None:
    rule = IgnoreRule("system", "x")
    own = Fingerprinter(ignoring([(rule, compile_pattern("x"))]))
    one, other = request("a", system="1x"), request("a", system="1xx")
    assert RunTape(fingerprinter=own).fingerprint(one) != fingerprint_of(one)
    assert RunTape().fingerprint(other) == fingerprint_of(other)
    assert RunTape().run == 0


def test_a_miss_at_a_later_attempt_says_which() -> None:
    provider = replaying(exchange(request("a"), fails(503)))
    with pytest.raises(ProviderError):
        ask(provider, request("a"))
    assert missed(provider, request("b")).sentence.startswith("turn 0, attempt 1: ")


def test_attempts_are_counted_until_one_is_answered() -> None:
    failures = [exchange(request("a"), fails(503), 0, attempt) for attempt in range(3)]
    provider = replaying(
        *failures, exchange(request("a"), says("ok"), 0, 3), exchange(request("b"), says("B"), 1)
    )
    for _ in failures:
        with pytest.raises(ProviderError):
            ask(provider, request("a"))
    for text in "ab":
        ask(provider, request(text))
    assert [(each.turn, each.attempt) for each in provider.tape.played] == [
        *((0, attempt) for attempt in range(4)),
        (1, 0),
    ]


# ---- what went through


def test_what_was_replayed_is_noted_with_its_place_and_both_of_its_sides() -> None:
    recorded = exchange(request("a"), says("A"), run=1)
    provider = replaying(recorded, run=1)
    ask(provider, request("a"))
    assert provider.tape.played == [Played(1, 0, 0, "replayed", fingerprint_of(request("a")), recorded)]
    assert provider.tape.exchanges[0] is recorded, "in its own place it is taken as it is"
    assert provider.tape.misses == ()


def test_what_was_missed_is_noted_with_its_place_and_why() -> None:
    provider = replaying(exchange(request("a"), fails(503), run=1), run=1)
    with pytest.raises(ProviderError):
        ask(provider, request("a"))
    miss = missed(provider, request("b"))
    assert provider.tape.played[1:] == [
        Played(1, 0, 1, "missing", fingerprint_of(request("b")), exchange=None, miss=miss)
    ]
    assert provider.tape.misses == (miss,)
    assert [each.turn for each in provider.tape.exchanges] == [0], "a miss answered nothing"


def test_an_exchange_is_placed_where_it_answered() -> None:
    recorded = (
        exchange(request("a"), says("A"), 0, 0, 1),
        exchange(request("b"), fails(503), 1, 0, 1),
        exchange(request("b"), says("B"), 1, 1, 1),
    )
    failed, tape = recorded[1], RunTape(2)
    for each in (recorded[2], failed, recorded[0]):
        asked = request("a" if each is recorded[0] else "b")
        with pytest.raises(ProviderError) if each is failed else nullcontext():
            tape.give(each, asked, "recorded", tape.fingerprint(asked))
    assert [each.place for each in tape.exchanges] == [(2, 0, 0), (2, 1, 0), (2, 1, 1)]
    assert [each.answer for each in tape.exchanges] == [recorded[2].answer, None, recorded[0].answer]


# ---- what is handed out


def test_an_answer_comes_with_the_facts_of_its_recording() -> None:
    usage = Usage(3, 4)
    recorded = exchange(request("a"), says("A", usage=usage), latency_ms=70, served="m-2")
    answer = ask(replaying(recorded), request("a"))
    assert (answer.usage, answer.latency_ms, answer.model_served) == (usage, 70, "m-2")


@pytest.mark.parametrize("outcome", [says("for [redacted:email:1]"), fails(503, "for [redacted:email:1]")])
def test_what_a_recording_quotes_of_the_request_is_put_back(outcome: Response | ProviderError) -> None:
    asked = request("mail a@b.io")
    quotes = {"[redacted:email:1]": "messages[0].content[5:11]"}
    provider = replaying(exchange(asked, outcome, from_request=quotes))
    if isinstance(outcome, Response):
        assert ask(provider, asked).text == "for a@b.io"
    else:
        with pytest.raises(ProviderError, match=r"^for a@b\.io"):
            ask(provider, asked)


def test_a_recorded_failure_is_raised_again_with_all_it_said() -> None:
    provider = replaying(
        exchange(request("a"), fails(429, "slow down", retry_after=7)),
        exchange(request("a"), says("ok"), 0, 1),
    )
    with pytest.raises(ProviderError) as caught:
        ask(provider, request("a"))
    error = caught.value
    assert (error.kind, error.message, error.status, error.retry_after, error.retryable) == (
        "Overloaded",
        "slow down",
        429,
        7,
        True,
    )
    assert ask(provider, request("a")).text == "ok"
    assert [(each.turn, each.attempt) for each in provider.tape.played] == [(0, 0), (0, 1)]


def test_calls_get_ids_that_are_new_in_the_conversation() -> None:
    first = request("a")
    provider = replaying(exchange(first, asks({"n": 1}, {"n": 2})))
    answer = ask(provider, first)
    assert [call.id for call in answer.tool_calls] == ["call_0", "call_1"]
    second = replace(
        first,
        messages=(
            *first.messages,
            Message("assistant", tool_calls=(ToolCall("call_2", "lookup", {}), ToolCall("x", "lookup", {}))),
            Message("tool", tool_results=(ToolResult("call_2", "ok"), ToolResult("x", "ok"))),
        ),
    )
    provider = replaying(exchange(second, asks({"n": 3})))
    assert [call.id for call in ask(provider, second).tool_calls] == ["call_3"]


# ---- diagnosis


def test_in_diagnosis_the_answer_of_this_place_is_fed_forward_and_the_run_has_failed_all_the_same() -> None:
    recorded = (
        exchange(request("a", system="x"), says("A")),
        exchange(request("a", "b", system="x"), says("B"), 1),
    )
    provider = replaying(*recorded, diagnose=True)
    assert ask(provider, request("a", system="y")).text == "A"
    assert ask(provider, request("a", "c", system="y")).text == "B"
    assert [[change.path for change in miss.changes] for miss in provider.tape.misses] == [
        ["system"],
        ["system", "messages[1].content"],
    ]
    assert [each.outcome for each in provider.tape.played] == ["stale", "stale"]


def test_in_diagnosis_what_is_fed_forward_is_noted_with_the_miss_and_quotes_the_request_at_hand() -> None:
    recorded = exchange(
        request("mail a@b.io", system="x"),
        says("to [redacted:email:1]"),
        from_request={"[redacted:email:1]": "messages[0].content[5:11]"},
    )
    provider = replaying(recorded, diagnose=True)
    asked = request("mail c@d.io", system="x")
    assert ask(provider, asked).text == "to c@d.io"
    (played,) = provider.tape.played
    assert played.miss is not None
    assert (played.outcome, played.exchange, played.miss.recorded) == ("stale", recorded, recorded)
    assert played.current == played.miss.current == fingerprint_of(asked)


def test_in_diagnosis_a_recorded_failure_is_fed_forward_too() -> None:
    provider = replaying(exchange(request("a", system="x"), fails(503)), diagnose=True)
    with pytest.raises(ProviderError):
        ask(provider, request("a", system="y"))
    assert provider.tape.misses[0].outcome == "stale"


def test_in_diagnosis_a_place_without_a_recording_is_still_a_miss() -> None:
    provider = replaying(diagnose=True)
    assert missed(provider, request("a")).outcome == "missing"
    assert [each.outcome for each in provider.tape.played] == ["missing"]


# ---- what was expected


@pytest.mark.parametrize(
    ("header", "expected", "message"),
    [
        (HEADER, {"expect_provider": "anthropic"}, "the provider 'told', expected 'anthropic'"),
        (HEADER, {"expect_version": "1.3"}, "version 1.2 of 'told', expected 1.3"),
        (HEADER, {"expect_version": ""}, "version 1.2 of 'told', expected "),
        (
            replace(HEADER, sdk_version=None),
            {"expect_version": "1.3"},
            "version unknown of 'told', expected 1.3",
        ),
    ],
)
def test_a_recording_of_another_origin_is_refused(
    header: Header, expected: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        ReplayingProvider(Cassette(header, ()), **expected)  # type: ignore[arg-type]
    assert str(caught.value).splitlines() == [
        f"the cassette was recorded against {message}",
        "  record it again, or change what is expected",
    ]


def test_a_recording_of_no_known_version_is_what_is_expected_by_no_version() -> None:
    refuse_other_origin(Cassette(replace(HEADER, sdk_version=None), ()), None, "")


def test_a_recording_of_the_expected_origin_is_served() -> None:
    provider = replaying(exchange(request("a"), says("A")), expect_provider="told", expect_version="1.2")
    assert ask(provider, request("a")).text == "A"
    assert provider.name == "told"
