"""What an assertion looks at, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dryfire_action.findings import Subject, plural
from tests.made_runs import call, last, run_calling, run_of, turn

if TYPE_CHECKING:
    from dryfire_action.agent import Run


@pytest.mark.parametrize(
    ("run", "trajectory"),
    [
        pytest.param(run_calling("look", "refund"), "look → refund (end_turn)", id="1.8 calls in order"),
        pytest.param(
            run_of(turn(call("a"), call("b")), turn(call("a")), last("x")),
            "a → b → a (end_turn)",
            id="1.8 parallel calls",
        ),
        pytest.param(run_of(last("x")), "(end_turn)", id="1.8 no calls"),
        pytest.param(
            run_of(turn(call("a"), results=()), termination="unmocked_tool"),
            "a (unmocked_tool)",
            id="1.8 an unanswered call",
        ),
    ],
)
def test_1_8_the_trajectory_is_the_calls_and_the_end(run: Run, trajectory: str) -> None:
    assert Subject(run).trajectory == trajectory


@pytest.mark.parametrize(("count", "text"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls")])
def test_a_number_agrees_with_its_noun(count: int, text: str) -> None:
    assert plural(count, "call") == text
