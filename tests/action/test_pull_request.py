"""What a pull request gets to see, run for run, from the action run for real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.action.act_run import ActRun
from tests.action.scene import basic, otherwise
from tests.kept_project import DESK, two_turns

if TYPE_CHECKING:
    from pathlib import Path

    from tests.action.scene import Scene


def test_the_first_run_installs_everything_and_finds_an_untouched_pull_request_clear(installed: Path) -> None:
    run = ActRun.load(installed / "log.json")
    assert run.passed, run.log
    assert run.outputs() == {
        **dict(zip(("case-count", "passed-count", "turn-count"), "336", strict=True)),
        **dict.fromkeys(("failed-count", "stale-count", "missing-count", "damaged-count"), "0"),
        **dict.fromkeys(("excluded-count", "skipped-count", "cause-count"), "0"),
        **dict.fromkeys(("changed-count", "no-longer-replayed-count"), "0"),
        **dict.fromkeys(("comment-id", "comment-url"), ""),
        "result": "clear",
        "posted": "false",
        "report-file": run.outputs()["report-file"],
    }
    assert (installed / "comments.txt").read_text() == ""
    assert list((installed / "kept").glob("dryfire-packages-*"))


def test_from_stale_to_clear_and_stale_again_there_is_one_comment_that_is_true(scene: Scene) -> None:
    scene.make_stale()
    run = scene.run()
    assert not run.passed
    found = run.outputs()
    assert (found["result"], found["stale-count"], found["cause-count"]) == ("stale", "2", "1")
    (stale,) = scene.bodies
    assert "`system` **changed**" in stale
    assert f"/blob/{scene.head}/evals/shop.eval.yaml#L4" in stale
    assert "- Be kind." in stale and "+ Be kind and quick." in stale
    assert "dryfire run evals/shop.eval.yaml --cassette-mode auto" in stale
    (comment,) = scene.github.comments(7)
    assert found["comment-id"] == str(comment.id)
    assert found["posted"] == "true" and found["comment-url"].endswith(f"-{comment.id}")
    (marked, verdict) = run.annotations("error")
    assert (marked["file"], marked["line"]) == ("evals/shop.eval.yaml", "4")
    assert (marked["title"], verdict["title"]) == ("system changed", "dryfire: stale")
    assert "`system` **changed**" in run.summary

    before = len(scene.github.writes)
    again = scene.run(environ={"GITHUB_RUN_ID": "1"})
    assert again.outputs()["comment-id"] == str(comment.id) and again.outputs()["posted"] == "true"
    assert len(scene.github.writes) == before, "the same commit, checked by the same run, says nothing new"

    scene.push()
    scene.run()
    assert [comment.id] == [one.id for one in scene.github.comments(7)]
    assert scene.head in scene.bodies[0], (
        "a push that changes nothing of it is still what the comment is about"
    )

    scene.record()
    run = scene.run()
    assert run.passed, run.log
    assert (run.outputs()["result"], run.outputs()["changed-count"]) == ("changed", "2")
    (changed,) = scene.bodies
    assert "Other tools called: 2 cases" in changed and "2 stale" in changed and scene.head in changed

    scene.edit("evals/shop.eval.yaml", "Be kind and quick.", "Be quick.")
    run = scene.run()
    assert run.outputs()["result"] == "stale"
    (comment,) = scene.github.comments(7)
    assert comment.id == int(run.outputs()["comment-id"]) and "`system` **changed**" in comment.body


def test_a_pull_request_that_was_recorded_before_it_was_pushed_is_told_of_what_changed(scene: Scene) -> None:
    scene.origin.replace("evals/shop.eval.yaml", "Be kind.", "Be quick.")
    scene.record(otherwise)
    run = scene.run()
    assert run.passed and run.outputs()["result"] == "changed"
    (body,) = scene.bodies
    assert "Other tools called: 2 cases" in body
    assert "It is on its way" not in body, "what the agent said is shown under show: all only"


def test_new_recordings_with_the_same_answers_need_no_comment(scene: Scene) -> None:
    scene.origin.replace("evals/shop.eval.yaml", "Be kind.", "Be quick.")
    scene.record(two_turns)
    run = scene.run()
    assert run.passed and run.outputs()["result"] == "clear"
    assert scene.bodies == []


def test_a_pull_request_that_replays_less_is_no_all_clear(scene: Scene) -> None:
    cases = DESK[DESK.index("cases:") :]
    scene.edit("evals/desk.eval.yaml", cases, "cases: []\n")
    run = scene.run()
    assert run.passed and run.outputs()["result"] == "changed"
    assert run.outputs()["no-longer-replayed-count"] == "1"
    (body,) = scene.bodies
    assert "desk::hours" in body and "✅" not in body
    run = scene.run(basic(fail_on="stale, shrink"))
    assert not run.passed and run.outputs()["result"] == "changed"
    assert "no longer replayed" in run.annotations("error")[-1]["message"]


def test_shrinking_cannot_be_judged_without_the_base_and_that_is_an_error(scene: Scene) -> None:
    run = scene.run(basic(fail_on="shrink"), depth=1)
    assert not run.passed and run.outputs()["result"] == "error"
    assert "fetch-depth: 2" in run.annotations("error")[-1]["message"]
    assert scene.run(basic(fail_on="shrink")).outputs()["result"] == "clear"


def test_a_checkout_of_one_commit_is_enough_for_everything_but_old_texts_and_the_base(scene: Scene) -> None:
    scene.make_stale()
    run = scene.run(depth=1)
    assert run.outputs()["result"] == "stale"
    assert (run.outputs()["changed-count"], run.outputs()["no-longer-replayed-count"]) == ("", "")
    (body,) = scene.bodies
    assert "`system` **changed**" in body and "- Be kind." not in body
    assert "fetch-depth: 2" in body


def test_a_checkout_with_all_history_of_the_branch_itself_does_as_well(scene: Scene) -> None:
    scene.make_stale()
    run = scene.run(depth=0, ref="topic")
    assert run.outputs()["result"] == "stale" and run.outputs()["changed-count"] == "0"
    assert "- Be kind." in scene.bodies[0]
