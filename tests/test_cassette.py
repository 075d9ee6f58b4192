"""Exchanges: what counts as the same answer, what keeps its date, and what an unfinished recording may serve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dryfire_action.cassette import Cassette, Exchange, Header, complete_part, keeping_old_facts, same_outcome
from dryfire_action.fingerprint import Fingerprint
from dryfire_action.messages import Usage

HEADER = Header("s", "c", "p", "m")


def exchange(turn: int = 0, text: str = "yes", *, key: str = "", **facts: Any) -> Exchange:
    found = Exchange(0, turn, 0, Fingerprint({}, (), key or f"k{turn}"), "2026-01-01", {"text": text})
    return replace(found, **facts)


def failure(turn: int = 0, attempt: int = 0) -> Exchange:
    return exchange(turn, attempt=attempt, answer=None, error={"kind": "x"})


OLD = exchange(usage=Usage(3, 4), latency_ms=70, served="m-1")
NEW = exchange(recorded="2026-02-02", usage=Usage(9, 9), latency_ms=5, served="m-2")


def test_an_equal_answer_keeps_its_date_latency_usage_and_model() -> None:
    assert keeping_old_facts([NEW], Cassette(HEADER, (OLD,))) == (OLD,)


@pytest.mark.parametrize(
    "other",
    [
        replace(NEW, answer={"text": "no"}),
        replace(NEW, answer=None, error={"kind": "x"}),
        replace(NEW, fingerprint=Fingerprint({}, (), "another")),
        replace(NEW, from_request={"[redacted:email:1]": "system[0:4]"}),
        replace(NEW, cuts=(1,)),
        replace(NEW, run=1),
    ],
    ids=["answer", "error", "key", "pointers", "pieces", "run"],
)
def test_any_other_exchange_has_facts_of_its_own(other: Exchange) -> None:
    assert keeping_old_facts([other], Cassette(HEADER, (OLD,))) == (other,)
    assert same_outcome(other, replace(NEW, run=other.run)) == (other.run == 1)


def test_without_an_old_recording_all_facts_are_new() -> None:
    assert keeping_old_facts([NEW], None) == (NEW,)


def test_of_equal_requests_the_nth_is_compared_with_the_nth() -> None:
    old = [exchange(0, "pending", key="k", latency_ms=1), exchange(1, "done", key="k", latency_ms=2)]
    new = [replace(each, latency_ms=9) for each in old]
    assert keeping_old_facts(new, Cassette(HEADER, tuple(old))) == tuple(old)
    assert [each.latency_ms for each in keeping_old_facts(new[1:], Cassette(HEADER, tuple(old)))] == [9]


def test_what_a_run_ended_in_is_not_served_and_what_it_recovered_from_is() -> None:
    recovered = (failure(0), exchange(0, attempt=1))
    assert complete_part((*recovered, failure(1), failure(1, 1))) == recovered
    assert complete_part((failure(0),)) == ()


def test_a_cassette_is_as_old_as_its_newest_answer() -> None:
    assert Cassette(HEADER, (NEW, OLD)).recorded == "2026-02-02"
    assert Cassette(HEADER, ()).recorded == ""


def test_a_cassette_counts_its_runs() -> None:
    assert Cassette(HEADER, (OLD, exchange(1), replace(OLD, run=2))).runs == 2
