"""Shards merged are the run that they are parts of; a shard that did not report is never a pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dryfire_action.errors import Place
from dryfire_action.field_changes import FieldChange
from dryfire_action.results import CaseResult, RunResult, TurnResult
from dryfire_action.suite import Case, Config, Suite
from tests.made_documents import Made, checked, made
from tests.reports.made import KEY, OTHER_KEY, SYSTEM, case, results, run, trace

if TYPE_CHECKING:
    from collections.abc import Sequence


EDITS = (
    SYSTEM,
    FieldChange("tools[find].description", "changed", "aa" * 4, "bb" * 4),
    FieldChange("messages[0].content", "changed", "cc" * 4, "dd" * 4),
    FieldChange("params.temperature", "added", None, "ee" * 4),
)


def turn(index: int, edits: Sequence[FieldChange]) -> TurnResult:
    """A turn that these edits made stale, or that replays."""
    if not edits:
        return TurnResult(index, 0, "replayed", KEY, KEY)
    return TurnResult(index, 0, "stale", KEY, OTHER_KEY, tuple(edits), equal=3, fields=4)


@st.composite
def runs(draw: st.DrawFn) -> Made:
    chosen, found = [], []
    for name in draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=4, unique=True).map(sorted)):
        suite = Suite(name, f"evals/{name}.eval.yaml", Config(), ())
        for number in range(draw(st.integers(1, 5))):
            place = Place(suite.file, 10 * number + 5)
            one = Case(
                name,
                f"case {number}",
                suite.file,
                place,
                "fake",
                "m",
                (),
                (),
                places={"system": Place("p.md")},
            )
            chosen.append((suite, one))
            edits = draw(st.lists(st.sampled_from(EDITS), unique=True, max_size=2))
            outcome = draw(st.sampled_from(["passed", "failed", "missing", "damaged", "excluded"]))
            turns = tuple(turn(index, edits) for index in range(draw(st.integers(1, 3))))
            made = RunResult(0, outcome == "passed", turns, termination="end_turn", trace=trace("x"))
            found.append(
                CaseResult(
                    name,
                    one.name,
                    "stale" if edits else outcome,
                    () if outcome == "excluded" and not edits else (replace(made, passed=not edits),),
                    cassette=f"{name}/{number}.json",
                    unplayed=draw(st.integers(0, 1)),
                    place=place,
                )
            )
    return Made(chosen, found, mode="replay", left_out=draw(st.integers(0, 3)), warnings=("one", "two"))


@settings(max_examples=60, deadline=None)
@given(
    made_run=runs(),
    total=st.integers(1, 5),
    where=st.lists(st.integers(0, 99), min_size=20, max_size=20),
    order=st.randoms(),
)
def test_the_shards_of_a_run_merged_are_that_run(
    made_run: Made, total: int, where: list[int], order: Any
) -> None:
    whole = made_run.results(range(len(made_run.found)))
    if not whole.checked:
        # Then no shard may pass, as the runner sees to: nothing was checked.
        return
    shards = [made(one) for one in made_run.shards(where[: len(made_run.found)], total)]
    for shard in shards:
        if not shard["counts"]["cases"] or shard["state"] == "nothing_checked":
            shard["exit_code"] = 0
    order.shuffle(shards)
    assert checked(*shards) == made(whole)


@settings(max_examples=60, deadline=None)
@given(made_run=runs(), total=st.integers(2, 5), gone=st.integers(1, 5))
def test_a_shard_that_did_not_report_is_never_a_pass(made_run: Made, total: int, gone: int) -> None:
    shards = [made(one) for one in made_run.shards(range(99)[: len(made_run.found)], total)]
    number = min(gone, total)
    found = checked(*(shards[: number - 1] + shards[number:]))
    assert found["exit_code"] == 2
    assert found["state"] == "stopped"
    assert [one["message"] for one in found["problems"]] == [f"shard {number}/{total} did not report"]


def shard(number: int, total: int, *names: str, elsewhere: int = 0) -> dict[str, Any]:
    """The document of a shard in which everything passed."""
    cases = (case(name, "passed", run(), place=Place("evals/s.eval.yaml", 3)) for name in names)
    return made(replace(results(*cases), shard=f"{number}/{total}", elsewhere=elsewhere, allow_empty=True))


@pytest.mark.parametrize(
    ("shards", "messages"),
    [
        ([shard(1, 2, "a", elsewhere=1), shard(2, 2, "b", elsewhere=1)], []),
        ([shard(1, 2, "a", "b"), shard(2, 2, elsewhere=2)], []),
        ([shard(1, 3, "a"), shard(3, 3, "b")], ["shard 2/3 did not report"]),
        ([shard(3, 3, "a")], ["shard 1/3 did not report", "shard 2/3 did not report"]),
        ([shard(1, 2, "a"), shard(2, 2, "b"), shard(2, 2, "b")], ["shard 2/2 reported twice"]),
        (
            [shard(1, 2, "a"), shard(1, 3, "b")],
            ["shard 2/2 did not report", "shard 2/3 did not report", "shard 3/3 did not report"],
        ),
        (
            [shard(1, 2, "a", elsewhere=2), shard(2, 2, "b", elsewhere=1)],
            ["the 2 shards are not parts of one run"],
        ),
        ([shard(9, 2, "a")], ["a result is of a shard that cannot be"]),
    ],
)
def test_shards_are_a_whole_run_or_a_problem(shards: list[dict[str, Any]], messages: list[str]) -> None:
    found = checked(*shards)
    assert [one["message"] for one in found["problems"]] == messages
    assert found["state"] == ("stopped" if messages else "clear")
    assert found["exit_code"] == (2 if messages else 0)
    assert found["shard"] is None


def test_of_very_many_missing_shards_some_are_named_and_the_rest_is_counted() -> None:
    messages = [one["message"] for one in checked(shard(1, 9999, "a"))["problems"]]
    assert len(messages) == 21
    assert messages[-1] == "9,978 more shards of 9999 did not report"
