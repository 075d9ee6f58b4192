"""Causes: every edit once, echoes never. Runs are drawn by hand: what changed at which turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dryfire_action.causes import INCONSISTENT, MODEL_OVERRIDE, StaleRun, causes_of
from dryfire_action.errors import Place
from dryfire_action.field_changes import FieldChange
from dryfire_action.messages import Message, ToolCall, ToolResult
from dryfire_action.results import TurnResult
from dryfire_action.suite import Case, MockRule, Return

if TYPE_CHECKING:
    from dryfire_action.causes import Cause
    from dryfire_action.field_changes import Change

SYSTEM = FieldChange("system", "changed", "a" * 16, "b" * 16)
MODEL = FieldChange("model", "changed", "1" * 16, "2" * 16)
TOOL = FieldChange("tools[lookup].description", "changed", "c" * 16, "d" * 16)
PROVIDER = FieldChange("provider", "changed", "3" * 16, "4" * 16)
ORDER = FieldChange("tools.order", "reordered", "e" * 16, "f" * 16)


def result(message: int, number: int = 0, old: str = "5", new: str = "6") -> FieldChange:
    """A tool result that changed."""
    return FieldChange(f"messages[{message}].tool_results[{number}].content", "changed", old * 16, new * 16)


def text(message: int, old: str = "7", new: str = "8") -> FieldChange:
    """A message's text that changed."""
    return FieldChange(f"messages[{message}].content", "changed", old * 16, new * 16)


def arguments(message: int) -> FieldChange:
    """The arguments of a message's first call."""
    return FieldChange(f"messages[{message}].tool_calls[0].arguments", "changed", "9" * 16, "0" * 16)


def script(step: int, change: Change) -> FieldChange:
    """A step of the script that came, went or changed."""
    old, new = (None if change == "added" else "1" * 16), (None if change == "removed" else "2" * 16)
    return FieldChange(f"script[{step}]", change, old, new)


def stale_run(name: str, *turns: tuple[FieldChange, ...], inputs: int = 1, places: object = None) -> StaleRun:
    """A run of a case with ``inputs`` messages of its own, two made by each turn, and these changes a turn."""
    messages: list[Message] = [Message("user", "hello") for _ in range(inputs)]
    for number in range(len(turns)):
        messages.append(Message("assistant", tool_calls=(ToolCall(f"call_{number}", "lookup"),)))
        messages.append(Message("tool", tool_results=(ToolResult(f"call_{number}", "text"),)))
    case = Case(
        suite="shop",
        name=name,
        file="evals/shop.eval.yaml",
        place=Place("evals/shop.eval.yaml", 9),
        provider="fake",
        model="m",
        messages=tuple(messages[:inputs]),
        checks=(),
        places=places if isinstance(places, dict) else {"system": Place("prompts/support.md", 4)},
    )
    rules = {f"call_{number}": Place("evals/shop.eval.yaml", 20 + number) for number in range(len(turns))}
    found = [
        TurnResult(index, 0, "stale" if changes else "replayed", "old", "new", changes)
        for index, changes in enumerate(turns)
    ]
    return StaleRun(case, f".dryfire/cassettes/shop/{name}.json", found, messages, rules)


def drawn(causes: tuple[Cause, ...]) -> list[str]:
    """Each cause as ``path change cases turns @places``."""
    return [
        f"{cause.path} {cause.change} {len(cause.cases)} cases {cause.turns} turns"
        + "".join(f" @{place.file}:{place.line}" for place in cause.where)
        for cause in causes
    ]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param(
            [stale_run(f"case {n}", (SYSTEM,), (SYSTEM,)) for n in range(40)],
            ["system changed 40 cases 80 turns @prompts/support.md:4"],
            id="one prompt edit under forty cases is one cause",
        ),
        pytest.param(
            [stale_run("a", (SYSTEM,), (SYSTEM, result(2)), (SYSTEM, result(2)))],
            [
                "system changed 1 cases 3 turns @prompts/support.md:4",
                "messages[2].tool_results[0].content changed 1 cases 2 turns @evals/shop.eval.yaml:20",
            ],
            id="a prompt edit and a mock edit are two causes",
        ),
        pytest.param(
            [stale_run("a", (), (result(2),), (result(2), text(3)), (result(2), text(3)))],
            ["messages[2].tool_results[0].content changed 1 cases 3 turns @evals/shop.eval.yaml:20"],
            id="an answer that quotes a changed result is its echo",
        ),
        pytest.param(
            [stale_run("a", (), (result(2),), (result(2), arguments(3), result(4, old="3", new="4")))],
            ["messages[2].tool_results[0].content changed 1 cases 2 turns @evals/shop.eval.yaml:20"],
            id="the result of a changed call is an echo",
        ),
        pytest.param(
            [stale_run("a", (), (result(2),), (result(2), result(4, old="3", new="4")))],
            [
                "messages[2].tool_results[0].content changed 1 cases 2 turns @evals/shop.eval.yaml:20",
                "messages[4].tool_results[0].content changed 1 cases 1 turns @evals/shop.eval.yaml:21",
            ],
            id="two mock edits are two causes",
        ),
        pytest.param(
            [stale_run("a", (), (result(2),)), stale_run("b", (), (), (result(4),))],
            [
                "messages[*].tool_results[*].content changed 2 cases 2 turns"
                " @evals/shop.eval.yaml:20 @evals/shop.eval.yaml:21"
            ],
            id="the same edit is one cause wherever in a conversation it shows",
        ),
        pytest.param(
            [stale_run("a", (ORDER,)), stale_run("b", (ORDER,))],
            ["tools.order reordered 2 cases 2 turns"],
            id="swapped tools are one cause",
        ),
        pytest.param(
            [stale_run("a", (SYSTEM, TOOL)), stale_run("b", (SYSTEM,)), stale_run("c", (TOOL,), (TOOL,))],
            [
                "tools[lookup].description changed 2 cases 3 turns",
                "system changed 2 cases 2 turns @prompts/support.md:4",
            ],
            id="a case with two changes stands under both; more turns first",
        ),
        pytest.param(
            [stale_run("a", (text(0), text(1, old="3", new="4")), inputs=2)],
            [
                "messages[0].content changed 1 cases 1 turns",
                "messages[1].content changed 1 cases 1 turns",
            ],
            id="at the first turn every message is the case's own",
        ),
        pytest.param(
            [stale_run("a", (FieldChange("messages[1]", "removed", "1" * 16),), inputs=1)],
            ["messages[1] removed 1 cases 1 turns @evals/shop.eval.yaml:1"],
            id="a message taken out of the input is a cause although its index is beyond the input",
        ),
        pytest.param(
            [stale_run("a", (PROVIDER, script(0, "removed")), (PROVIDER, script(1, "removed")))],
            ["provider changed 1 cases 2 turns"],
            id="the steps of a script go with the scripted provider",
        ),
        pytest.param(
            [stale_run("a", (PROVIDER, script(0, "added")), (PROVIDER, script(1, "added")))],
            ["provider changed 1 cases 2 turns"],
            id="the steps of a script come with the scripted provider",
        ),
        pytest.param(
            [stale_run("a", (PROVIDER, script(0, "changed"))), stale_run("b", (script(1, "removed"),))],
            [
                "provider changed 1 cases 1 turns",
                "script[0] changed 1 cases 1 turns",
                "script[1] removed 1 cases 1 turns @evals/shop.eval.yaml:1",
            ],
            id="an edited step is a cause, and so is one that is gone although the provider stayed",
        ),
        pytest.param([stale_run("a", (), ())], [], id="nothing stale, no cause"),
    ],
)
def test_causes_are_the_independent_edits(runs: list[StaleRun], expected: list[str]) -> None:
    assert drawn(causes_of(runs)) == expected


def test_a_changed_answer_without_a_cause_is_an_inconsistent_recording() -> None:
    (cause,) = causes_of([stale_run("a", (), (text(1),))])
    assert cause.note == INCONSISTENT


def test_a_model_that_no_file_names_came_from_the_command_line() -> None:
    (cause,) = causes_of([stale_run("a", (MODEL,), places={})])
    assert (cause.where, cause.note) == ((), MODEL_OVERRIDE)


def test_a_model_from_the_config_has_the_line_of_the_config() -> None:
    (cause,) = causes_of([stale_run("a", (MODEL,), places={"model": Place("dryfire.yaml", 3)})])
    assert (cause.where, cause.note) == ((Place("dryfire.yaml", 3),), "")


def test_a_field_without_a_place_of_its_own_has_that_of_what_it_stands_in() -> None:
    change = FieldChange('tools["a.b"].description', "added", None, "1" * 16)
    (cause,) = causes_of([stale_run("a", (change,), places={'tools["a.b"]': Place("tools.yaml", 7)})])
    assert cause.where == (Place("tools.yaml", 7),)


def test_a_mocked_result_that_is_a_file_of_its_own_has_the_place_of_the_file() -> None:
    run = stale_run("a", (), (result(2),))
    rule = MockRule(Return("text"), None, Place("evals/shop.eval.yaml", 20), Place("fixtures/order.yaml", 1))
    (cause,) = causes_of([replace(run, case=replace(run.case, mocks={"lookup": (rule,)}))])
    assert cause.where == (Place("fixtures/order.yaml", 1),)


def test_the_order_does_not_depend_on_the_order_of_the_runs() -> None:
    runs = [stale_run("a", (SYSTEM,)), stale_run("b", (TOOL,)), stale_run("c", (MODEL,))]
    assert drawn(causes_of(runs)) == drawn(causes_of(runs[::-1]))
    assert [cause.path for cause in causes_of(runs)] == ["model", "system", "tools[lookup].description"]
