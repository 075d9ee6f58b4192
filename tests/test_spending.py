"""Limits on calls and tokens: where a run stops, what it keeps, and that `auto` goes on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dryfire_action.errors import LimitReached
from dryfire_action.messages import Usage
from dryfire_action.spending import Spending
from tests.made_cases import Told, a_case, a_suite, asks, by_turn, fails, live, run, says

if TYPE_CHECKING:
    from pathlib import Path

    from dryfire_action.suite import Suite

USED = Usage(input_tokens=90, output_tokens=10)
TURNS = (asks({"n": 1}, usage=USED), asks({"n": 2}, usage=USED), says("sent", usage=USED))


def three_cases() -> Suite:
    return a_suite(*(a_case(name) for name in ("a", "b", "c")))


def finished(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob(".dryfire/cassettes/*/*.json"))


@pytest.mark.parametrize(
    ("limit", "calls", "cassettes", "reached"),
    [
        ({"max_calls": 0}, 0, 0, "--max-calls 0"),
        ({"max_calls": 2}, 2, 0, "--max-calls 2"),
        ({"max_calls": 3}, 3, 1, "--max-calls 3"),
        ({"max_calls": 8}, 8, 2, "--max-calls 8"),
        ({"max_calls": 9}, 9, 3, ""),
        ({"max_tokens": 0}, 0, 0, "--max-tokens 0"),
        ({"max_tokens": 1}, 1, 0, "--max-tokens 1"),
        ({"max_tokens": 400}, 4, 1, "--max-tokens 400"),
        ({"max_tokens": 401}, 5, 1, "--max-tokens 401"),
        ({"max_calls": 9, "max_tokens": 200}, 2, 0, "--max-tokens 200"),
    ],
)
def test_a_run_stops_before_the_call_too_many_and_auto_pays_only_for_the_rest(
    tmp_path: Path, limit: dict[str, int], calls: int, cassettes: int, reached: str
) -> None:
    with live(told := by_turn(*TURNS)):
        results = run(tmp_path, three_cases(), mode="record", concurrency=1, **limit)
    assert (told.calls, len(finished(tmp_path))) == (calls, cassettes)
    assert (reached in results.stopped) if reached else not results.stopped
    assert (results.state, results.exit_code) == (("stopped", 3) if reached else ("clear", 0))
    assert results.not_run == 3 - cassettes
    with live(rest := by_turn(*TURNS)):
        again = run(tmp_path, three_cases(), mode="auto")
    assert (again.exit_code, rest.calls, len(finished(tmp_path))) == (0, 9 - calls, 3)
    with live(Told()):
        assert run(tmp_path, three_cases(), mode="replay").exit_code == 0


def test_an_attempt_is_a_call(tmp_path: Path) -> None:
    with live(told := Told(fails(503), fails(503), says("ok"))):
        results = run(tmp_path, a_suite(a_case()), mode="record", max_calls=2)
    assert (told.calls, results.exit_code) == (2, 3)
    assert "2 calls were made" in results.stopped


def test_what_is_recorded_is_no_call(tmp_path: Path) -> None:
    with live(by_turn(*TURNS)):
        run(tmp_path, three_cases(), mode="record")
    for mode in ("auto", "replay"):
        with live(Told()):
            assert run(tmp_path, three_cases(), mode=mode, max_calls=0).exit_code == 0


def test_calls_that_are_under_way_are_finished_and_kept(tmp_path: Path) -> None:
    with live(told := by_turn(*TURNS)):
        results = run(tmp_path, three_cases(), mode="record", concurrency=3, max_calls=4)
    assert (told.calls, results.exit_code) == (4, 3)
    with live(rest := by_turn(*TURNS)):
        assert run(tmp_path, three_cases(), mode="auto").exit_code == 0
    assert rest.calls == 5


def test_a_limit_holds_without_a_recording_too(tmp_path: Path) -> None:
    with live(told := by_turn(*TURNS)):
        results = run(tmp_path, three_cases(), mode="off", concurrency=1, max_calls=4)
    assert (told.calls, results.exit_code, results.not_run) == (4, 3, 2)


def test_the_first_limit_that_is_reached_is_named() -> None:
    spending = Spending(max_calls=1, max_tokens=100)
    spending.check()
    spending.asked()
    spending.paid(USED)
    with pytest.raises(LimitReached, match="--max-calls 1 allows no further call"):
        spending.check()
    assert (spending.calls, spending.tokens, spending.reached) == (1, 100, "--max-calls 1")
