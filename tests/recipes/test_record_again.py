"""Recording again in a workflow: who may ask for it, what the pull request can and cannot say, and what is pushed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.action.scene import NUMBER
from tests.git_repository import Repository
from tests.recipes.machine import artifacts, runnable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.action.act_run import ActRun
    from tests.action.scene import Scene

CONFIG = """\
version: 1
suites: ["evals/*.eval.yaml"]
defaults: {provider: fake, model: scripted-1}
cassettes: {scripted: true}
"""
SUITE = """\
name: desk
system: {$ref: ../prompts/desk.md}
cases:
  - name: hours
    input: When are you open?
    script: [{text: From nine to five.}]
    expect: [{final_contains: nine}]
"""
PASSTHROUGH = """\
  - name: code
    input: Run it.
    script: [{tool_call: {name: lookup, arguments: {}}}, {text: Done.}]
    mocks: {lookup: [{impl: "planted:run"}]}
    expect: []
"""
# Whoever is asked would get the key.
PROVIDERS = "providers: {mine: {base_url: 'http://127.0.0.1:1', api_key_env: ANTHROPIC_API_KEY}}\n"
RECORDINGS = ".dryfire/cassettes/"


@pytest.fixture
def recorded(scene: Scene) -> Scene:
    """A scripted project in the place of the scene's own; the topic edits the prompt, and tries what it should not."""
    origin = scene.origin
    origin.git("checkout", "-q", "main")
    origin.git("rm", "-r", "-q", "evals", ".dryfire", "dryfire.yaml")
    origin.write("dryfire.yaml", CONFIG)
    origin.write("prompts/desk.md", "Be brief.\n")
    origin.write("evals/desk.eval.yaml", SUITE)
    origin.commit("a scripted project")
    origin.git("checkout", "-q", "-B", "topic")
    origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    origin.git("config", "receive.denyCurrentBranch", "ignore")
    origin.write("prompts/desk.md", "Be very brief.\n")
    origin.write("planted.py", "open('planted', 'w')\n\n\ndef run() -> None: ...\n")
    origin.write("evals/desk.eval.yaml", SUITE + PASSTHROUGH)
    origin.write("dryfire.yaml", CONFIG.replace("scripted-1", "a-dear-one") + PROVIDERS)
    origin.write("more/dryfire.yaml", "version: 1\nsuites: ['*.eval.yaml']\n")
    scene.push()
    return scene


def labelled(scene: Scene, kept: Path, *, role: str = "maintain", **more: Any) -> ActRun:
    """The workflow, after somebody of this role has set the label."""
    scene.runner.home.mkdir(parents=True, exist_ok=True)
    (scene.runner.home / "role").write_text(f"{role}\n", encoding="utf-8")
    payload = scene.payload(action="labeled", label={"name": more.pop("label", "record-again")})
    payload["pull_request"]["head"]["repo"] = {"full_name": more.pop("head", "acme/demo")}
    environ = artifacts(kept)
    return scene.run(runnable("record-again.yml"), payload=payload, environ=dict(environ), **more)


def changed(repository: Repository, before: str, after: str) -> list[str]:
    """The paths that differ between two commits."""
    return repository.git("diff", "--name-only", before, after).splitlines()


def test_a_maintainers_label_has_the_recordings_pushed_and_nothing_else(
    recorded: Scene, tmp_path: Path
) -> None:
    before = recorded.head
    done = labelled(recorded, tmp_path / "artifacts")
    assert done.passed, done.log
    paths = changed(recorded.origin, before, recorded.head)
    assert paths and all(path.startswith(RECORDINGS) for path in paths)
    text = recorded.origin.git("show", f"{recorded.head}:{paths[0]}")
    assert '"model": "scripted-1"' in text, "the config is the base's"
    assert not any("code" in path for path in paths), "what runs code is not recorded"
    author = recorded.origin.git("log", "-1", "--format=%an %ae", recorded.head)
    assert author == "recorder[bot] recorder[bot]@users.noreply.github.com"
    asked = (recorded.runner.home / "gh.txt").read_text(encoding="utf-8")
    assert "repos/acme/demo/collaborators/" in asked
    assert "planted" not in done.log


def test_a_second_label_finds_nothing_to_record(recorded: Scene, tmp_path: Path) -> None:
    labelled(recorded, tmp_path / "one")
    after = recorded.head
    done = labelled(recorded, tmp_path / "two")
    assert done.passed and recorded.head == after
    assert "push" not in {job for job, result in done.jobs.items() if result == "failure"}


@pytest.mark.parametrize("role", ["write", "triage", "read", "none", ""])
def test_nobody_else_can_have_calls_paid_for(recorded: Scene, tmp_path: Path, role: str) -> None:
    before = recorded.head
    done = labelled(recorded, tmp_path / "artifacts", role=role)
    assert not done.passed and recorded.head == before
    assert "dryfire run" not in done.log


@pytest.mark.parametrize("more", [{"head": "mallory/demo"}, {"label": "bug"}])
def test_forks_and_other_labels_start_nothing(recorded: Scene, tmp_path: Path, more: dict[str, str]) -> None:
    before = recorded.head
    done = labelled(recorded, tmp_path / "artifacts", **more)
    assert done.passed and recorded.head == before
    assert not (recorded.runner.home / "gh.txt").exists()


def test_a_branch_that_moved_on_is_not_pushed_to(recorded: Scene, tmp_path: Path) -> None:
    payload_head = recorded.head
    kept = tmp_path / "artifacts"
    original = recorded.payload

    def as_it_was(**more: Any) -> dict[str, Any]:
        found = original(**more)
        found["pull_request"]["head"]["sha"] = payload_head
        return found

    recorded.payload = as_it_was  # type: ignore[method-assign]
    recorded.origin.write("README.md", "moved on\n")
    moved = recorded.push()
    done = labelled(recorded, kept)
    assert not done.passed
    assert recorded.head == moved


def test_a_config_that_only_the_pull_request_has_is_not_used(recorded: Scene, tmp_path: Path) -> None:
    origin = recorded.origin
    origin.git("checkout", "-q", "main")
    origin.git("rm", "-q", "dryfire.yaml")
    origin.commit("no config")
    origin.git("checkout", "-q", "-B", "topic")
    origin.write("dryfire.yaml", CONFIG)
    before = recorded.push()
    done = labelled(recorded, tmp_path / "artifacts")
    assert not done.passed and recorded.head == before
    assert "there is no dryfire.yaml" in done.log


def dispatched(scene: Scene, kept: Path, number: str, commit: str) -> ActRun:
    """The workflow for forks, started by hand."""
    payload = {"inputs": {"number": number, "commit": commit}, "repository": {"full_name": "acme/demo"}}
    return scene.run(
        runnable("record-again-for-a-fork.yml"),
        event="workflow_dispatch",
        payload=payload,
        environ=dict(artifacts(kept)),
        depth=0,
        ref="main",
    )


@pytest.fixture
def forked(recorded: Scene) -> Scene:
    """The same pull request, from a fork: here it is only a ref."""
    recorded.origin.git("update-ref", f"refs/pull/{NUMBER}/head", "topic")
    return recorded


def test_for_a_fork_the_result_is_a_patch_of_recordings(forked: Scene, tmp_path: Path) -> None:
    kept = tmp_path / "artifacts"
    before = forked.head
    done = dispatched(forked, kept, str(NUMBER), before)
    assert done.passed, done.log
    assert forked.head == before, "nothing is pushed"
    patch = kept / "recordings/recordings.patch"
    forked.origin.git("apply", "--index", str(patch))
    paths = forked.origin.git("diff", "--cached", "--name-only").splitlines()
    assert paths and all(path.startswith(RECORDINGS) for path in paths)
    assert "planted" not in done.log


@pytest.mark.parametrize(
    ("number", "commit"),
    [
        ("7", "f" * 40),
        ("7", "topic"),
        ("7; id", "HEAD"),
        ("../7", "HEAD"),
        ("7", "HEAD"),
        ("", ""),
        ("7", "$(id)"),
    ],
)
def test_only_the_commit_that_was_read_is_recorded_for(
    forked: Scene, tmp_path: Path, number: str, commit: str
) -> None:
    done = dispatched(forked, tmp_path / "artifacts", number, commit)
    assert not done.passed
    assert "uid=" not in done.log
    assert list((tmp_path / "artifacts").iterdir()) == []
