"""Assertions on a run as a whole: turns, end, time and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import run_checks
from dryfire_action.findings import CheckError, Subject
from dryfire_action.messages import Usage
from tests.made_runs import call, last, run_calling, run_of, turn

if TYPE_CHECKING:
    from dryfire_action.agent import Run

SLOW = run_of(turn(call("look"), latency_ms=400), last("done", latency_ms=100))
TWO_TURNS = run_calling("look")
NO_TURNS = run_of(termination="max_turns_exceeded")

ROWS: dict[str, tuple[str, dict[str, Any], Run, str]] = {
    "1.8 max_turns": ("max_turns", {"limit": 2}, TWO_TURNS, ""),
    "1.8 max_turns exceeded": (
        "max_turns",
        {"limit": 1},
        TWO_TURNS,
        "the run took 2 turns, more than 1",
    ),
    "1.8 max_turns of no turns": ("max_turns", {"limit": 0}, NO_TURNS, ""),
    "0 terminates": ("terminates", {"reason": "end_turn"}, TWO_TURNS, ""),
    "0 terminates as expected": ("terminates", {"reason": "max_turns_exceeded"}, NO_TURNS, ""),
    "0 terminates otherwise": (
        "terminates",
        {"reason": "refusal"},
        TWO_TURNS,
        "the run ended with end_turn, not with refusal",
    ),
    "1.8 latency_under_ms sums the turns": ("latency_under_ms", {"limit": 501}, SLOW, ""),
    "1.8 latency_under_ms is strict": (
        "latency_under_ms",
        {"limit": 500},
        SLOW,
        "the model took 500 ms, not less than 500 ms",
    ),
}


@pytest.mark.parametrize(("kind", "arguments", "run", "message"), ROWS.values(), ids=ROWS.keys())
def test_1_8_assertions_on_a_run(kind: str, arguments: dict[str, Any], run: Run, message: str) -> None:
    finding = getattr(run_checks, kind)(arguments, Subject(run))
    assert finding.message == message
    assert finding.expected == next(iter(arguments.values()))
    assert finding.actual == (500 if run is SLOW else Subject(run).trajectory)


PLAIN = {"input": 3.0, "output": 15.0}
CACHED = {"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write": 3.75}
COSTS: dict[str, tuple[dict[str, float], list[Usage], float]] = {
    "1.8 input and output": (PLAIN, [Usage(1000, 100)], 0.0045),
    "1.8 all turns": (PLAIN, [Usage(1000, 100), Usage(2000, 0)], 0.0105),
    "1.8 nothing used": (PLAIN, [Usage()], 0.0),
    "1.8 read from the cache": (CACHED, [Usage(1000, 0, cache_read_tokens=800)], 0.00084),
    "1.8 written to the cache": (CACHED, [Usage(1000, 0, cache_write_tokens=800)], 0.006),
    "1.8 no price for the cache": (PLAIN, [Usage(1000, 0, 800, 800)], 0.0054),
    "more read than sent": (CACHED, [Usage(100, 0, cache_read_tokens=1000)], 0.0003),
}


@pytest.mark.parametrize(("price", "usages", "usd"), COSTS.values(), ids=COSTS.keys())
def test_1_8_the_cost_of_a_run(price: dict[str, float], usages: list[Usage], usd: float) -> None:
    run = run_of(*(last("done", usage=usage) for usage in usages))
    assert run_checks.cost(Subject(run, "acme", "m-1", {"acme:m-1": price})) == pytest.approx(usd)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        pytest.param(0.0046, "", id="1.8 less"),
        pytest.param(0.0045, "the run cost 0.004500 USD, not less than 0.0045 USD", id="1.8 strictly"),
        pytest.param(0.001, "the run cost 0.004500 USD, not less than 0.001 USD", id="1.8 more"),
    ],
)
def test_1_8_cost_under(limit: float, message: str) -> None:
    run = run_of(last("done", usage=Usage(1000, 100)))
    finding = run_checks.cost_under({"limit": limit}, Subject(run, "acme", "m-1", {"acme:m-1": PLAIN}))
    assert (finding.message, finding.about, finding.expected) == (message, f"{limit:g} USD", limit)
    assert finding.actual == pytest.approx(0.0045)


@pytest.mark.parametrize(
    "prices",
    [{}, {"m-1": PLAIN}, {"other:m-1": PLAIN}, {"acme:m-1": {"input": 3.0}}],
    ids=["0 no prices", "0 the bare model", "0 another provider", "0 half a price"],
)
def test_0_cost_under_an_unpriced_model_is_an_error_that_says_where_to_put_a_price(
    prices: dict[str, Any],
) -> None:
    run = run_of(last("done"))
    with pytest.raises(CheckError) as caught:
        run_checks.cost_under({"limit": 1.0}, Subject(run, "acme", "m-1", prices))
    assert caught.value.message == "there is no price for the model acme:m-1"
    assert "into dryfire.yaml, in USD per million tokens" in caught.value.remedy
    assert 'prices: {"acme:m-1": {input: ..., output: ...}}' in caught.value.remedy
