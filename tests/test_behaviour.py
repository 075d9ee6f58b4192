"""Behaviour: what new answers changed, told from two cassettes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action.behaviour import behaviour_change
from dryfire_action.cassette import Cassette, Exchange, Header
from dryfire_action.fingerprint import Fingerprint
from dryfire_action.messages import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence


def calls(*asked: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """An answer that calls tools."""
    listed = [{"id": f"call_{n}", "name": name, "arguments": given} for n, (name, given) in enumerate(asked)]
    return {"text": None, "tool_calls": listed, "stop_reason": "tool_use"}


def says(text: str, stop_reason: str = "end_turn") -> dict[str, Any]:
    """An answer in words."""
    return {"text": text, "stop_reason": stop_reason}


def cassette(*answers: dict[str, Any] | None, run: int = 0, usage: Usage | None = None) -> Cassette:
    """A cassette with these answers, one a turn; None is a failure before the next answer."""
    exchanges: list[Exchange] = []
    turn = 0
    for answer in answers:
        place = {"run": run, "turn": turn, "attempt": 0, "fingerprint": Fingerprint({}, (), "key")}
        if answer is None:
            exchanges.append(Exchange(**place, error={"kind": "E", "message": "busy", "retryable": True}))
            continue
        exchanges.append(Exchange(**place, answer=answer, usage=usage or Usage()))
        turn += 1
    return Cassette(Header("shop", "refund", "fake", "m"), tuple(exchanges))


LOOKUP = calls(("lookup", {"id": 1}))


@pytest.mark.parametrize(
    ("before", "after", "kind", "differing"),
    [
        pytest.param([LOOKUP, says("done")], [LOOKUP, says("done")], None, [], id="the same"),
        pytest.param([LOOKUP, says("done")], [LOOKUP, says("Done!")], "wording", ["text"], id="wording"),
        pytest.param(
            [LOOKUP, says("done")],
            [calls(("lookup", {"id": 2})), says("Done!")],
            "arguments",
            ["arguments of lookup", "text"],
            id="other arguments, and wording with them",
        ),
        pytest.param(
            [calls(("lookup", {"id": 1}))],
            [calls(("lookup", {"id": True}))],
            "arguments",
            ["arguments of lookup"],
            id="1 and true are two arguments",
        ),
        pytest.param(
            [LOOKUP, says("done")],
            [calls(("refund", {"id": 1})), says("done")],
            "tools",
            ["tools"],
            id="another tool",
        ),
        pytest.param(
            [calls(("a", {}), ("b", {}))], [calls(("b", {}), ("a", {}))], "tools", ["tools"], id="order"
        ),
        pytest.param(
            [says("done")],
            [LOOKUP, says("done")],
            "tools",
            ["tools", "stop_reason", "text"] * 1,
            id="a turn more",
        ),
        pytest.param(
            [says("done")], [says("done", "max_tokens")], "termination", ["stop_reason"], id="cut short"
        ),
        pytest.param([says("done")], [None, says("done")], None, [], id="a failure that was recovered from"),
    ],
)
def test_a_case_is_of_the_first_kind_that_applies(
    before: Sequence[dict[str, Any]],
    after: Sequence[dict[str, Any] | None],
    kind: str | None,
    differing: list[str],
) -> None:
    change = behaviour_change("shop::refund", cassette(*before), cassette(*after))
    assert (change.kind if change else None) == kind
    first = [difference.what for difference in change.differences] if change else []
    assert first[: len(differing)] == differing


def test_a_case_without_an_old_recording_is_new() -> None:
    change = behaviour_change("shop::refund", None, cassette(LOOKUP, says("done")))
    assert change is not None
    assert (change.kind, change.calls_before, change.calls_after) == ("new", (), ("lookup",))


def test_tokens_are_told_before_and_after() -> None:
    before = cassette(LOOKUP, says("done"), usage=Usage(100, 10))
    after = cassette(LOOKUP, says("Done!"), usage=Usage(200, 20, 5))
    change = behaviour_change("shop::refund", before, after)
    assert change is not None
    assert (change.tokens_before, change.tokens_after) == (Usage(200, 20), Usage(400, 40, 10))


def test_tokens_alone_are_no_change() -> None:
    assert behaviour_change("c", cassette(says("a")), cassette(says("a"), usage=Usage(9, 9))) is None


def test_differences_say_run_and_turn() -> None:
    change = behaviour_change("c", cassette(LOOKUP, says("a"), run=1), cassette(LOOKUP, says("b"), run=1))
    assert change is not None
    assert [(d.run, d.turn, d.before, d.after) for d in change.differences] == [(1, 1, "a", "b")]
