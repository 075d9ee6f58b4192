"""Where the action runs, and with which token: forks, locked conversations, queues, enterprise servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.action.scene import NUMBER, SEED, basic
from tests.github_double import STRANGER, GitHubDouble

if TYPE_CHECKING:
    from tests.action.scene import Scene

# The part of the action that reads the pull request dies while it does.
KILLED = """\
      - run: |
          cp -a PACKAGES/dryfire-packages-* "$RUNNER_TEMP"
          sed -i 's/^    console.prepare()$/    os.kill(os.getpid(), 9)/' \\
            "$RUNNER_TEMP"/dryfire-packages-*/dryfire_action/action_replay.py
"""


def test_a_fork_gets_the_verdict_and_the_summary_and_a_notice_instead_of_a_comment(scene: Scene) -> None:
    scene.make_stale()
    scene.token = scene.github.fork_token.text
    run = scene.run()
    assert not run.passed and run.outputs()["result"] == "stale"
    assert run.outputs()["posted"] == "false" and scene.bodies == []
    (notice,) = run.annotations("notice")
    assert "fork" in notice["message"]
    assert "`system` **changed**" in run.summary


def test_a_token_that_may_not_write_does_not_fail_a_job_that_is_clear(scene: Scene) -> None:
    scene.token = scene.github.fork_token.text
    run = scene.run(basic(comment="always"))
    assert run.passed and run.outputs()["result"] == "clear"


def test_a_locked_conversation_is_named_and_changes_nothing(scene: Scene) -> None:
    scene.make_stale()
    scene.github.pull_requests[NUMBER].locked = True
    run = scene.run()
    assert run.outputs()["result"] == "stale" and scene.bodies == []
    assert "locked" in run.annotations("notice")[0]["message"]


def test_without_a_token_nothing_is_posted_and_everything_else_is_as_ever(scene: Scene) -> None:
    scene.make_stale()
    run = scene.run(basic(mode="check"))
    assert not run.passed and run.outputs()["result"] == "stale"
    assert scene.github.calls == [] and "`system` **changed**" in run.summary


def test_our_comment_is_found_among_three_hundred(scene: Scene) -> None:
    scene.make_stale()
    for number in range(120):
        scene.github.add_comment(NUMBER, f"comment {number}", STRANGER)
    scene.run()
    (ours,) = (one for one in scene.github.comments(NUMBER) if one.author != STRANGER)
    # Somebody who copies the marker does not get the comment.
    scene.github.add_comment(NUMBER, ours.body, STRANGER)
    for number in range(180):
        scene.github.add_comment(NUMBER, f"comment {number}", STRANGER)
    scene.push()
    run = scene.run()
    assert run.outputs()["comment-id"] == str(ours.id) and len(scene.bodies) == 302
    assert len([one for one in scene.github.comments(NUMBER) if one.author != STRANGER]) == 1


def test_an_enterprise_server_is_talked_to_at_its_own_address(scene: Scene) -> None:
    with GitHubDouble(base_path="/api/v3") as server:
        server.add_pull_request(NUMBER)
        scene.github, scene.token = server, server.token.text
        scene.make_stale()
        run = scene.run(environ={"GITHUB_SERVER_URL": "https://github.corp.example"})
        (body,) = scene.bodies
        assert all(call.path.startswith(("/api/v3/", "/api/graphql")) for call in server.calls)
    assert run.outputs()["result"] == "stale"
    assert "https://github.corp.example/acme/demo/blob/" in body and "github.com" not in body.replace(
        "corp", ""
    )


def test_a_merge_queue_is_checked_and_gets_no_comment(scene: Scene) -> None:
    group = {
        "head_sha": scene.head,
        "base_sha": scene.base,
        "head_ref": f"refs/heads/gh-readonly-queue/main/pr-7-{scene.base}",
    }
    payload = {"action": "checks_requested", "merge_group": group, "repository": {"full_name": "acme/demo"}}
    run = scene.run(event="merge_group", payload=payload)
    assert run.passed and run.outputs()["result"] == "clear"
    scene.make_stale()
    run = scene.run(event="merge_group", payload=payload)
    assert not run.passed and run.outputs()["result"] == "stale"
    assert scene.github.writes == [] and "`system` **changed**" in run.summary


@pytest.mark.parametrize("event", ["push", "workflow_dispatch"])
def test_a_push_to_the_branch_of_an_open_pull_request_is_reported_there(scene: Scene, event: str) -> None:
    scene.make_stale()
    payload = {"ref": "refs/heads/topic", "after": scene.head, "repository": {"full_name": "acme/demo"}}
    run = scene.run(event=event, payload=payload, ref="topic", environ={"GITHUB_REF": "refs/heads/topic"})
    assert run.outputs()["result"] == "stale", run.log
    (body,) = scene.bodies
    assert f'head="{scene.head}"' in body


def test_pull_request_target_does_not_get_to_replay_a_pull_request(scene: Scene) -> None:
    scene.make_stale()
    run = scene.run(event="pull_request_target", ref="topic", environ={"GITHUB_SHA": scene.base})
    assert not run.passed and run.outputs()["result"] == "error"
    assert "pull_request_target" in run.annotations("error")[0]["message"]
    assert scene.github.writes == []


def test_a_check_that_is_killed_is_an_error_that_is_told(scene: Scene) -> None:
    scene.make_stale()
    seed = KILLED.replace("PACKAGES", str(scene.runner.packages))
    run = scene.run(basic(fail_on="never").replace(SEED, seed))
    assert not run.passed and run.outputs()["result"] == "error"
    assert "killed by signal 9" in run.summary and "killed by signal 9" in scene.bodies[0]
