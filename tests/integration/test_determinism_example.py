"""The example of deterministic runs shows what it promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from examples import determinism

if TYPE_CHECKING:
    import pytest


def test_the_replay_is_the_recorded_run_and_a_change_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert determinism.main() == 0
    assert capsys.readouterr().out.splitlines() == [
        "recorded: At 12:04.",
        "replayed: At 12:04. (1 failed attempt, 1 tool call)",
        "asked something else: provider_error",
        "  turn 0: recorded for another request; changed: messages[0].content (changed)",
    ]
