"""What a pull request gets to see, run for run, from the action run for real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.action.act_run import ActRun

if TYPE_CHECKING:
    from pathlib import Path

    from tests.action.scene import Scene


def test_the_first_run_installs_everything_and_finds_an_untouched_pull_request_clear(installed: Path) -> None:
    run = ActRun.load(installed / "log.json")
    assert run.passed, run.log
    assert run.outputs()["result"] == "clear"
    assert (installed / "comments.txt").read_text() == ""
    assert list((installed / "kept").glob("dryfire-packages-*"))


def test_a_stale_pull_request_fails_and_is_told_why(scene: Scene) -> None:
    scene.make_stale()
    run = scene.run()
    assert not run.passed
    assert run.outputs()["result"] == "stale", run.log
