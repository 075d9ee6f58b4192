"""Every recipe run for real, as far as the runner here can; and what comes of a job that does not report."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.action.scene import NUMBER
from tests.github_double import GitHubDouble
from tests.recipes.machine import artifacts, runnable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.action.act_run import ActRun
    from tests.action.scene import Scene


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Where artifacts are kept."""
    return tmp_path / "artifacts"


def run(scene: Scene, name: str, kept: Path, **options: Any) -> ActRun:
    """Run a recipe on the pull request as it is now."""
    environ = {**artifacts(kept), **options.pop("environ", {})}
    return scene.run(runnable(name), environ=environ, **options)


@pytest.mark.parametrize("name", ["basic.yml", "merge-queue.yml", "enterprise-server.yml"])
def test_the_check_is_red_with_a_comment_and_green_again(scene: Scene, kept: Path, name: str) -> None:
    scene.make_stale()
    stale = run(scene, name, kept)
    assert not stale.passed
    (body,) = scene.bodies
    assert "`system` **changed**" in body and "- Be kind." in body
    scene.record()
    assert run(scene, name, kept).passed
    (body,) = scene.bodies
    assert "with other calls" in body or "tools" in body


def test_the_merge_queue_is_checked_without_a_comment(scene: Scene, kept: Path) -> None:
    scene.make_stale()
    group = {
        "head_sha": scene.head,
        "base_sha": scene.base,
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-x",
    }
    payload = {"merge_group": group, "repository": {"full_name": "acme/demo"}}
    done = run(scene, "merge-queue.yml", kept, event="merge_group", payload=payload)
    assert not done.passed
    assert "`system` **changed**" in done.summary
    assert scene.bodies == []


def test_an_enterprise_server_is_asked_at_its_own_address(scene: Scene, kept: Path) -> None:
    with GitHubDouble(base_path="/api/v3") as server:
        server.add_pull_request(NUMBER)
        scene.github, scene.token = server, server.token.text
        scene.make_stale()
        done = run(
            scene, "enterprise-server.yml", kept, environ={"GITHUB_SERVER_URL": "https://github.corp.example"}
        )
        assert not done.passed
        (body,) = scene.bodies
    assert "https://github.corp.example/acme/demo/blob/" in body


def jobs(done: ActRun) -> dict[str, str]:
    """How each job ended; the runner pads their names in its log."""
    return {name.strip(): result for name, result in done.jobs.items()}


# --- forks


def fork(scene: Scene, kept: Path) -> ActRun:
    """The first workflow, on a pull request of a fork."""
    scene.token = scene.github.fork_token.text
    scene.github.pull_requests[NUMBER].head_repository = "mallory/demo"
    return run(scene, "forks.yml", kept)


def followed(scene: Scene, kept: Path, content: bytes) -> ActRun:
    """The second workflow, after a run that left this as its result."""
    scene.token = scene.github.token.text
    scene.github.add_run(4711, head_sha=scene.head, head_repository="mallory/demo")
    scene.github.add_artifact(4711, "dryfire-result", ("result.json", content), head_sha=scene.head)
    payload = scene.github.workflow_run_event(4711)
    return run(scene, "forks-comment.yml", kept, event="workflow_run", payload=payload, ref="main")


def test_a_fork_gets_its_comment_from_a_second_workflow(scene: Scene, kept: Path) -> None:
    scene.make_stale()
    first = fork(scene, kept)
    assert not first.passed and scene.bodies == []
    (file,) = kept.glob("dryfire-result/*.json")
    second = followed(scene, kept, file.read_bytes())
    assert second.passed, second.log
    (body,) = scene.bodies
    assert "`system` **changed**" in body and scene.head in body


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[" * 100_000,
        b'{"format": "dryfire-result/1"}',
        b'{"format": "dryfire-result/1", "body": "</details> @everyone ::error::"}',
        b"\x00" * 1000,
    ],
    ids=["cut", "deep", "empty", "foreign", "zeros"],
)
def test_an_artifact_that_is_no_result_is_refused_and_not_quoted(
    scene: Scene, kept: Path, content: bytes
) -> None:
    scene.make_stale()
    done = followed(scene, kept, content)
    assert scene.bodies == []
    assert "result: clear" not in done.log and done.annotations()
    assert "everyone" not in done.log + done.summary


# --- several jobs


def packages(scene: Scene) -> None:
    """Three packages on `main`, each a project of its own, all alike."""
    scene.origin.git("checkout", "-q", "main")
    for name in ("desk", "shop", "triage"):
        for path in ("dryfire.yaml", "evals", ".dryfire"):
            source, target = scene.origin.root / path, scene.origin.root / "packages" / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    for path in ("dryfire.yaml", "evals", ".dryfire"):
        scene.origin.git("rm", "-r", "-q", "--ignore-unmatch", path)
    scene.origin.commit("packages")
    scene.origin.git("checkout", "-q", "-B", "topic")


def test_packages_have_one_comment_and_one_check(scene: Scene, kept: Path) -> None:
    packages(scene)
    scene.edit("packages/shop/evals/shop.eval.yaml", "Be kind.", "Be kind and quick.")
    done = run(scene, "monorepo.yml", kept)
    assert not done.passed
    (body,) = scene.bodies
    assert "Re-record 2 of 9 cases" in body
    assert "packages/shop/evals/shop.eval.yaml" in body
    assert jobs(done)["evals"] == "failure"
    assert [job for job, result in jobs(done).items() if result == "failure"] == ["evals"]
    scene.edit("packages/shop/evals/shop.eval.yaml", "Be kind and quick.", "Be kind.")
    shutil.rmtree(kept)
    again = run(scene, "monorepo.yml", kept)
    assert again.passed
    (body,) = scene.bodies
    assert "9 of 9 cases clear" in body or "All 9 cases" in body


def test_a_package_that_cannot_be_checked_fails_the_one_check(scene: Scene, kept: Path) -> None:
    packages(scene)
    scene.origin.git("rm", "-r", "-q", "packages/desk")
    scene.push()
    done = run(scene, "monorepo.yml", kept)
    assert jobs(done)["evals"] == "failure"


def test_shards_have_one_comment_and_one_check(scene: Scene, kept: Path) -> None:
    scene.make_stale()
    done = run(scene, "sharded.yml", kept)
    assert jobs(done)["evals"] == "failure"
    (body,) = scene.bodies
    assert "Re-record 2 of 3 cases: one change explains" in body
    assert len(list(kept.glob("evals-*/result.json"))) == 4


def test_a_shard_that_did_not_report_is_an_error_and_is_named(scene: Scene, kept: Path) -> None:
    run(scene, "sharded.yml", kept)
    assert scene.bodies == [], "an untouched pull request is clear"
    merge = runnable("sharded.yml").replace("shard: [1, 2, 3, 4]", "shard: [1, 2, 4]")
    shutil.rmtree(kept)
    done = scene.run(merge, environ={**artifacts(kept)})
    assert jobs(done)["evals"] == "failure"
    assert "shard 3/4 did not report" in done.summary
    (body,) = scene.bodies
    assert "shard 3/4 did not report" in body and "✅" not in body


TEST = """
def test_it():
    assert 1 + 1 == 2
"""


def test_results_of_pytest_stand_in_the_same_comment(scene: Scene, kept: Path) -> None:
    pytest.importorskip("dryfire_action.pytest_results")
    scene.origin.write("tests/test_it.py", TEST)
    scene.make_stale()
    done = run(scene, "pytest.yml", kept)
    assert jobs(done) == {"tests": "success", "evals": "failure"}, done.log
    (body,) = scene.bodies
    assert "`system` **changed**" in body


def test_what_runs_here_is_what_stands_in_the_recipe() -> None:
    assert sys.version_info >= (3, 11)
    assert "SEED" not in (runnable("basic.yml").replace("      - run: SEED\n", ""))
