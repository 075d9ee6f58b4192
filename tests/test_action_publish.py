"""The process that holds the token: in which order it speaks, what it believes, and what it never opens."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import action_check, action_publish
from dryfire_action.action_publish import main
from dryfire_action.reports.comment import MOST_SUMMARY_BYTES
from tests.action_project import NUMBER, Job
from tests.github_double import FAULTS, GitHubDouble
from tests.test_workflow_commands import commands, read_outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the projects here are made for other systems")


class Said:
    """What a run of the process said: its exit code, its outputs, its summary and its log."""

    def __init__(self, code: int, job: Job, log: str) -> None:
        self.code, self.log = code, log
        outputs, summary = job.home / "output", job.home / "summary"
        self.outputs = read_outputs(outputs.read_text()) if outputs.exists() else {}
        self.summary = summary.read_text() if summary.exists() else ""

    def told(self, level: str) -> list[str]:
        """The annotations of a level."""
        return [value for name, _, value in commands(self.log) if name == level]


@pytest.fixture
def github() -> Iterator[GitHubDouble]:
    with GitHubDouble() as double:
        yield double


@pytest.fixture
def job(tmp_path: Path, github: GitHubDouble) -> Job:
    found = Job(tmp_path)
    github.add_pull_request(NUMBER, head=found.head)
    return found


@pytest.fixture
def publish(
    job: Job, github: GitHubDouble, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """Publishes what the check left behind, with the token that may write."""
    monkeypatch.chdir(job.workspace)

    def run(event: str = "pull_request", payload: dict[str, Any] | None = None, **given: str) -> Said:
        for name in ("output", "summary"):
            if "keep" not in given:
                (job.home / name).unlink(missing_ok=True)
        known = {"GITHUB_API_URL": github.url, "DRYFIRE_TOKEN": github.token.text, **given}
        capsys.readouterr()
        code = main(job.environ(event, payload, **known))
        return Said(code, job, capsys.readouterr().out)

    return run


def check(job: Job, github: GitHubDouble, **given: str) -> None:
    """Check the pull request as it is now."""
    github.pull_requests[NUMBER].head = job.head
    (job.folder / "result.json").unlink(missing_ok=True)
    action_check.main(job.environ(**given))


def make_stale(job: Job, github: GitHubDouble) -> None:
    """Check an edited pull request."""
    job.edit("Be kind.", "Be quick.")
    check(job, github)


def test_the_token_is_masked_before_anything_else_and_never_said(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    make_stale(job, github)
    said = publish()
    first, *rest = commands(said.log)
    assert first == ("add-mask", {}, github.token.text)
    assert github.token.text not in str(rest) + said.summary + str(said.outputs)
    assert said.code == 1 and said.outputs["posted"] == "true"


def test_verdict_and_outputs_and_summary_are_out_before_github_is_asked(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    make_stale(job, github)
    seen: list[tuple[str, int]] = []

    def look(_: object) -> None:
        seen.append(
            (read_outputs((job.home / "output").read_text())["result"], (job.home / "summary").stat().st_size)
        )

    github.on_call = look
    publish()
    assert seen and all(result == "stale" and size for result, size in seen)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_whatever_github_does_the_verdict_and_the_summary_stand(
    job: Job, github: GitHubDouble, publish: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    from dryfire_action.github import client

    # Waiting is only counted: how long it may take is tested with the client.
    waited: list[float] = []
    real = client.GitHub
    monkeypatch.setattr(
        client,
        "GitHub",
        lambda url, token: real(
            url, token, clock=lambda: 1e9 + sum(waited), sleep=waited.append, most_waiting=20
        ),
    )
    make_stale(job, github)
    github.on_drip = lambda: waited.append(1.0)
    github.fail_next(fault, times=50)
    said = publish()
    assert said.code == 1 and said.outputs["result"] == "stale"
    assert "`system` **changed**" in said.summary
    assert len(github.comments(NUMBER)) <= 1
    assert github.token.text not in said.log.replace(f"::add-mask::{github.token.text}", "")


def test_a_clear_job_passes_whatever_becomes_of_the_comment(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    check(job, github)
    github.fail_next("401", times=50)
    said = publish(comment="always")
    assert said.code == 0 and said.outputs["result"] == "clear" and said.outputs["posted"] == "false"


def test_no_file_of_the_repository_is_opened(
    job: Job, github: GitHubDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_stale(job, github)
    monkeypatch.chdir(job.workspace)
    environ = job.environ(GITHUB_API_URL=github.url, DRYFIRE_TOKEN=github.token.text)
    opened: list[str] = []
    watching = True

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event in ("open", "os.listdir", "os.scandir", "subprocess.Popen", "os.chdir"):
            opened.append(f"{event} {arguments[0]}")

    sys.addaudithook(note)
    main(environ)
    watching = False
    assert len(github.comments(NUMBER)) == 1
    assert [one for one in opened if str(job.folder / "result.json") in one], "the hook saw nothing"
    assert [one for one in opened if str(job.workspace) in one or one.startswith("subprocess")] == []
    assert f"os.chdir {job.folder}" in opened, "names without a folder lead nowhere near the repository"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no JSON", "is no JSON"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"format": "dryfire-result/1"}', "is not as the format dryfire-result/1 wants it"),
        (b'{"format": "dryfire-result/9"}', "is no result file of the format"),
        (b" " * 20_000_001, "has more than 20,000,000 bytes"),
        (b"\xff", "is not UTF-8"),
        (None, "the check ended without a result"),
    ],
)
def test_a_result_file_is_not_believed(
    job: Job, github: GitHubDouble, publish: Callable[..., Said], content: bytes | None, said: str
) -> None:
    if content is not None:
        (job.folder / "result.json").write_bytes(content)
    found = publish()
    assert found.code == 1 and found.outputs["result"] == "error"
    assert said in found.told("error")[0]
    assert said in github.comments(NUMBER)[0].body


def test_a_result_that_says_more_than_it_may_is_refused(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    make_stale(job, github)
    document = job.result()
    document["counts"]["stale"] = "::error::forged"
    (job.folder / "result.json").write_text(json.dumps(document))
    found = publish()
    assert found.outputs["result"] == "error" and "forged" not in found.log


def test_the_summary_takes_what_room_is_left(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    make_stale(job, github)
    for taken in (MOST_SUMMARY_BYTES - 2_000, MOST_SUMMARY_BYTES - 10, MOST_SUMMARY_BYTES + 10):
        (job.home / "summary").write_text("x" * taken)
        found = publish(keep="")
        assert max(taken, len(found.summary.encode())) <= max(MOST_SUMMARY_BYTES, taken)


@pytest.mark.parametrize(
    ("given", "silent"), [({"summary": "false"}, "summary"), ({"annotations": "false"}, "place")]
)
def test_what_is_not_wanted_is_not_said(
    job: Job, github: GitHubDouble, publish: Callable[..., Said], given: dict[str, str], silent: str
) -> None:
    make_stale(job, github)
    found = publish(**given)
    assert bool(found.summary) == (silent != "summary")
    assert len(found.told("error")) == (1 if silent == "place" else 2)


@pytest.mark.parametrize("given", [{"comment": "never"}, {"mode": "check"}])
def test_without_a_comment_github_is_not_asked_anything(
    job: Job, github: GitHubDouble, publish: Callable[..., Said], given: dict[str, str]
) -> None:
    make_stale(job, github)
    found = publish(**given)
    assert found.code == 1 and found.outputs["result"] == "stale"
    assert github.calls == []


def test_annotations_stay_within_what_a_runner_keeps(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    job.edit("case", "case")
    text = (job.workspace / "evals/desk.eval.yaml").read_text()
    one = text[text.index("  - name:") :]
    job.repository.write(
        "evals/desk.eval.yaml", text + "".join(one.replace("hours", f"hours {n}") for n in range(40))
    )
    check(job, github)
    found = publish()
    assert len(found.told("error")) == 10
    assert "32 more" in found.told("error")[-2]
    assert found.told("error")[-1].startswith("40 of 43 recordings are stale, missing or damaged")


def test_a_fault_of_ours_in_the_comment_changes_nothing(
    job: Job, github: GitHubDouble, publish: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ValueError("a secret")

    check(job, github)
    monkeypatch.setattr("dryfire_action.github.comments.keep_comment", fail)
    found = publish()
    assert found.code == 0 and found.outputs["result"] == "clear"
    assert "ValueError" in found.told("warning")[0] and "a secret" not in found.log


def test_a_fault_of_ours_before_that_is_an_error(
    job: Job, github: GitHubDouble, publish: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ValueError("a secret")

    check(job, github)
    monkeypatch.setattr(action_publish, "job_verdict", fail)
    found = publish()
    assert found.code == 1 and found.outputs["result"] == "error"
    assert "ValueError" in found.told("error")[0] and "a secret" not in found.log


def test_an_input_that_cannot_be_meant_is_an_error(job: Job, publish: Callable[..., Said]) -> None:
    found = publish(fail_on="nothing")
    assert found.code == 1 and found.outputs == {"result": "error"}
    assert found.told("error")[0].startswith("fail-on: 'nothing' is none of")


def from_a_run(github: GitHubDouble, job: Job, *members: tuple[str, bytes], **run: Any) -> dict[str, Any]:
    """The payload for publishing what a run on the pull request left in its artifact."""
    github.add_run(41, head_sha=job.head, **run)
    github.add_artifact(41, action_publish.ARTIFACT, *members, head_sha=job.head)
    return github.workflow_run_event(41)


def test_the_result_of_a_fork_is_published_from_its_artifact(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    make_stale(job, github)
    fork = "mallory/demo"
    github.pull_requests[NUMBER].head_repository = fork
    content = (job.folder / "result.json").read_bytes()
    (job.folder / "result.json").unlink()
    payload = from_a_run(github, job, ("../../evil.json", content), head_repository=fork)
    found = publish("workflow_run", payload, mode="publish")
    assert found.outputs["result"] == "stale" and found.outputs["posted"] == "true"
    assert f'head="{job.head}"' in github.comments(NUMBER)[0].body
    assert found.told("error") == ["2 of 3 recordings are stale, missing or damaged"], (
        "no place of another commit"
    )
    assert json.loads((job.folder / "result.json").read_text())["state"] == "stale"


@pytest.mark.parametrize(
    "run",
    [{"event": "push"}, {"event": "pull_request", "head_repository": None}],
    ids=["a push", "a deleted fork"],
)
def test_a_run_that_is_none_to_publish_is_passed_over(
    job: Job, github: GitHubDouble, publish: Callable[..., Said], run: dict[str, Any]
) -> None:
    make_stale(job, github)
    content = (job.folder / "result.json").read_bytes()
    (job.folder / "result.json").unlink()
    found = publish("workflow_run", from_a_run(github, job, ("r.json", content), **run), mode="publish")
    assert found.code == 0 and found.outputs == {"result": "nothing-checked", "posted": "false"}
    assert len(found.told("notice")) == 1 and github.comments(NUMBER) == []


def test_an_artifact_that_lies_is_an_error_without_a_comment(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    github.pull_requests[NUMBER].head = job.head
    found = publish(
        "workflow_run", from_a_run(github, job, ("r.json", b'{"state": "clear"}')), mode="publish"
    )
    assert found.code == 1 and found.outputs["result"] == "error"
    assert github.comments(NUMBER) == []


def test_what_an_artifact_shows_is_cut_down_to_what_may_be_shown(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    job.edit("Be kind.", "Be quick.")
    check(job, github, show="all")
    content = (job.folder / "result.json").read_bytes()
    (job.folder / "result.json").unlink()
    payload = from_a_run(github, job, ("r.json", content))
    publish("workflow_run", payload, mode="publish", show="names")
    (comment,) = github.comments(NUMBER)
    assert "`system` **changed**" in comment.body and "Be quick" not in comment.body


def test_the_report_of_a_push_names_the_commit_and_the_run(
    job: Job, github: GitHubDouble, publish: Callable[..., Said]
) -> None:
    make_stale(job, github)
    publish(GITHUB_RUN_ID="77", GITHUB_RUN_ATTEMPT="3")
    (comment,) = github.comments(NUMBER)
    assert 'run="77.3"' in comment.body
    assert "https://github.com/acme/demo/actions/runs/77/attempts/3" in comment.body
    assert f"https://github.com/acme/demo/commit/{job.head}" in comment.body or job.head in comment.body
