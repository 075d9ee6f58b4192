"""A machine's clock that jumps: recordings stay whole, waits stay short, and nothing that was paid for is lost."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.providers import failures, live
from tests.made_cases import Told, a_case, asks, by_turn, cassette_of, fails, partial_of, run_one, says
from tests.made_cases import live as answering
from tests.providers import wire_server
from tests.providers.asking import ask, request
from tests.providers.spoken import MESSAGES
from tests.providers.wire_server import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.providers.wire_server import Wire

TURNS = (asks({"n": 1}), asks({"n": 2}), says("sent"))
DAYS = ["2026-11-29", "1970-01-01", "2099-12-31"]


@pytest.fixture
def wire() -> Iterator[Wire]:
    """The loopback server."""
    with wire_server.serving() as server:
        yield server


def days(root: Path) -> list[str]:
    document: dict[str, Any] = json.loads(cassette_of(root).read_text(encoding="utf-8"))
    return [exchange["recorded"] for exchange in document["exchanges"]]


@pytest.mark.parametrize("first", DAYS)
@pytest.mark.parametrize("then", DAYS)
def test_the_date_may_be_any_when_a_recording_goes_on(tmp_path: Path, first: str, then: str) -> None:
    with answering(Told(*TURNS[:2], fails(400))):
        run_one(tmp_path, a_case(), mode="record", today=first)
    assert partial_of(tmp_path).exists()
    with answering(rest := by_turn(*TURNS)):
        result = run_one(tmp_path, a_case(), mode="auto", today=then)
    assert (rest.calls, result.outcome) == (1, "passed")
    assert days(tmp_path) == [first, first, then]
    with answering(Told()):
        assert run_one(tmp_path, a_case(), mode="replay", today=first).outcome == "passed"


@pytest.mark.parametrize("first", DAYS)
@pytest.mark.parametrize("then", DAYS)
def test_the_same_answers_on_any_other_day_leave_the_file_as_it_is(
    tmp_path: Path, first: str, then: str
) -> None:
    with answering(by_turn(*TURNS)):
        run_one(tmp_path, a_case(), mode="record", today=first)
    before = cassette_of(tmp_path).read_bytes()
    with answering(by_turn(*TURNS)):
        run_one(tmp_path, a_case(), mode="record", today=then)
    assert cassette_of(tmp_path).read_bytes() == before


@pytest.mark.parametrize("first", DAYS)
@pytest.mark.parametrize("then", DAYS)
def test_a_re_recording_that_broke_off_is_finished_on_any_day(tmp_path: Path, first: str, then: str) -> None:
    with answering(by_turn(*TURNS)):
        run_one(tmp_path, a_case(), mode="record", today=first)
    with answering(Told(asks({"n": 7}), fails(400))):
        run_one(tmp_path, a_case(), mode="record", today=then)
    with answering(by_turn(*TURNS)):
        assert run_one(tmp_path, a_case(), mode="auto", today=then).outcome == "passed"
    with answering(Told()):
        assert run_one(tmp_path, a_case(), mode="replay").outcome == "passed"


def test_a_call_that_took_less_than_no_time_took_none(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([100.0, 40.0])
    monkeypatch.setattr(live, "perf_counter", lambda: next(ticks))
    assert ask(wire.plan(MESSAGES.answer("3 degrees", [])), request(MESSAGES)).latency_ms == 0


@pytest.mark.parametrize(("now", "waits"), [("2026-11-29", 30.0), ("1970-01-01", 60.0), ("2099-12-31", 0.0)])
def test_a_date_to_wait_for_is_no_longer_than_the_cap_and_never_negative(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, now: str, waits: float
) -> None:
    from random import Random

    from dryfire_action.errors import ProviderError
    from dryfire_action.retry import RetryPolicy

    until = format_datetime(datetime(2026, 11, 29, 0, 0, 30, tzinfo=UTC), usegmt=True)
    clock = datetime.fromisoformat(f"{now}T00:00:00+00:00").timestamp()
    monkeypatch.setattr(failures.time, "time", lambda: clock)
    wire.plan(Reply(MESSAGES.error(503, "api_error", "busy"), 503, {"retry-after": until}))
    with pytest.raises(ProviderError) as caught:
        ask(wire, request(MESSAGES))
    assert RetryPolicy().wait(caught.value, 1, Random(0)) == waits
