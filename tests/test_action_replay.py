"""The process that reads a hostile pull request: where it looks, what it refuses, what it leaves undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from dryfire_action import action_replay
from dryfire_action.action_replay import Occasion, UntrustedEvent, base_of, find_checkout, main
from dryfire_action.errors import UsageError
from tests.action_project import Job
from tests.made_cases import Told, live

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links are made here")


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


@pytest.fixture
def replay(job: Job, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Runs the check in this process: its document."""

    def run(event: str = "pull_request", **given: str) -> dict[str, Any]:
        result = job.folder / "result.json"
        result.unlink(missing_ok=True)
        monkeypatch.setattr(sys, "argv", ["action_replay", str(result)])
        assert main(job.environ(event, **given)) == 0
        return job.result()

    return run


def told(document: dict[str, Any]) -> str:
    """Why nothing was run, in one text."""
    assert document["state"] == "stopped" and document["exit_code"] == 2
    return "\n".join(problem["message"] for problem in document["problems"])


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("..", "leads out of the repository"),
        ("a/../..", "leads out of the repository"),
        ("/etc", "is an absolute path"),
        (".git", "is git's own folder"),
        ("link", "working-directory: link is a symbolic link"),
        ("link/deeper", "working-directory: link is a symbolic link"),
        ("nothing", "working-directory: there is no folder nothing"),
    ],
)
def test_the_folder_to_work_in_is_one_of_the_workspace(job: Job, folder: str, message: str) -> None:
    (job.workspace / "link").symlink_to("/etc")
    with pytest.raises(UsageError) as caught:
        find_checkout(job.workspace, folder)
    assert message in caught.value.message


@pytest.mark.parametrize("folder", [".", "./", "", "evals", "./evals/"])
def test_the_repository_is_the_one_that_is_checked_out(job: Job, folder: str) -> None:
    where = find_checkout(job.workspace, folder)
    assert where.root == job.workspace.resolve()
    assert where.cwd == ("evals" if "evals" in folder else "")


def test_nothing_above_the_workspace_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "dryfire.yaml").write_text("version: 1\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "workspace").mkdir()
    assert find_checkout(tmp_path / "workspace", ".").root == (tmp_path / "workspace").resolve()


def test_a_job_without_a_checkout_is_told_of_it(job: Job, replay: Callable[..., dict[str, Any]]) -> None:
    document = replay(working_directory="services/agent")
    assert "there is no folder services/agent" in told(document)
    assert "actions/checkout" in document["problems"][0]["hint"]


@pytest.mark.parametrize("given", [{}, {"working_directory": "evals"}, {"suites": "evals/*.eval.yaml"}])
def test_the_suites_are_those_of_the_config_or_those_that_are_named(
    replay: Callable[..., dict[str, Any]], given: dict[str, str]
) -> None:
    document = replay(**given)
    assert [suite["name"] for suite in document["suites"]] == ["desk", "shop"]
    assert document["state"] == "clear" and document["no_longer_replayed"] == []


def test_without_a_config_above_every_one_below_counts(
    job: Job, replay: Callable[..., dict[str, Any]]
) -> None:
    repository = job.repository
    for name in ("a", "b"):
        repository.write(f"packages/{name}/dryfire.yaml", "version: 1\nsuites: ['*.eval.yaml']\n")
        for file in ("shop", "desk"):
            text = (job.workspace / f"evals/{file}.eval.yaml").read_text()
            repository.write(f"packages/{name}/{file}.eval.yaml", text)
    repository.git("rm", "-q", "-r", "dryfire.yaml", "evals", ".dryfire")
    document = replay()
    assert [suite["file"] for suite in document["suites"]] == [
        f"packages/{name}/{file}.eval.yaml" for name in ("a", "b") for file in ("desk", "shop")
    ]
    assert document["counts"]["missing"] == 6


def test_where_there_is_nothing_to_replay_nothing_was_checked_and_that_is_no_error(
    job: Job, replay: Callable[..., dict[str, Any]]
) -> None:
    document = replay(suites="nothing/*.eval.yaml")
    assert (document["state"], document["problems"], document["exit_code"]) == ("nothing_checked", [], 2)
    assert document["warnings"] == ["no file matches nothing/*.eval.yaml"]
    assert replay(suites="nothing/*.eval.yaml", on_empty="pass")["exit_code"] == 0
    job.repository.git("rm", "-q", "-r", "dryfire.yaml", "evals")
    assert replay()["warnings"] == ["no suites were named, and there is no dryfire.yaml"]


def test_what_is_wrong_in_a_suite_has_its_place(job: Job, replay: Callable[..., dict[str, Any]]) -> None:
    job.edit("cases:", "case:")
    document = replay()
    assert told(document)
    assert {problem["file"] for problem in document["problems"]} == {"evals/shop.eval.yaml"}
    assert document["commit"] == job.head


@pytest.mark.parametrize("mode", ["auto", "record", "off"])
def test_no_suite_can_ask_for_a_live_call(job: Job, replay: Callable[..., dict[str, Any]], mode: str) -> None:
    job.edit("version: 1", f"version: 1\ndefaults: {{cassette_mode: {mode}}}", "dryfire.yaml")
    job.edit("Be kind.", "Be quick.")
    provider = Told()
    with live(provider):
        document = replay()
    assert provider.calls == 0
    assert document["state"] in ("stale", "stopped") and document["mode"] == "replay"


def test_on_pull_request_target_only_the_base_is_replayed(
    job: Job, replay: Callable[..., dict[str, Any]]
) -> None:
    job.edit("Be kind.", "Be quick.")
    assert "pull_request_target" in told(
        replay("pull_request_target", GITHUB_SHA=job.base, DRYFIRE_BASE=job.base)
    )
    job.repository.git("checkout", "-q", "main")
    assert replay("pull_request_target", GITHUB_SHA=job.base)["state"] == "clear"
    for head in (None, "0" * 40):
        with pytest.raises(UntrustedEvent):
            action_replay._refuse_untrusted(Occasion("pull_request_target", "", "", job.base), head)


def test_the_base_of_a_merge_is_what_the_base_was_when_it_was_merged(job: Job) -> None:
    repository = job.repository
    event = repository.git("rev-parse", "main")
    repository.commit("topic")
    head = repository.git("rev-parse", "topic")
    repository.git("checkout", "-q", "main")
    moved = repository.commit("moved on")
    repository.merge("topic")
    assert base_of(job.workspace, Occasion(base=event, head=head)) == moved
    assert base_of(job.workspace, Occasion(base=event, head="")) == event
    assert base_of(job.workspace, Occasion()) is None
    assert base_of(job.workspace, Occasion(base="1" * 40)) is None
    assert base_of(job.home, Occasion(base=event)) is None


def test_results_of_other_jobs_are_read_from_the_workspace_and_the_runners_folder(
    job: Job, replay: Callable[..., dict[str, Any]]
) -> None:
    one = replay(suites="evals/shop.eval.yaml")
    two = replay(suites="evals/desk.eval.yaml")
    (job.workspace / "results").mkdir()
    (job.workspace / "results/one.json").write_text(json.dumps(one))
    (job.temp / "two.json").write_text(json.dumps(two))
    document = replay(mode="publish", results=f"results/*.json\n{job.temp}/two.json")
    assert sorted(suite["name"] for suite in document["suites"]) == ["desk", "shop"]
    assert document["counts"]["cases"] == 3 and document["state"] == "clear"
    both = replay(suites="evals/desk.eval.yaml", results=str(job.workspace / "results/one.json"))
    assert both["counts"]["cases"] == 3


@pytest.mark.parametrize("show", ["names", "prompts", "all"])
def test_what_other_jobs_found_is_cut_down_to_what_may_be_shown(
    job: Job, replay: Callable[..., dict[str, Any]], show: str
) -> None:
    job.edit("Be kind.", "Be quick.")
    (job.temp / "all.json").write_text(json.dumps(replay(show="all")))
    document = replay(mode="publish", results=str(job.temp / "all.json"), show=show)
    assert document["show"] == show
    assert (document["causes"][0]["diff"] is None) == (show == "names")


def test_results_that_cannot_be_trusted_are_refused(job: Job, replay: Callable[..., dict[str, Any]]) -> None:
    outside = job.home / "outside.json"
    outside.write_text("{}")
    (job.workspace / "link.json").symlink_to(outside)
    (job.workspace / "text.json").write_text("no JSON")
    (job.workspace / "large.json").write_bytes(b" " * 20_000_001)
    os.mkfifo(job.workspace / "pipe.json")
    for name, message in (
        ("link.json", "symbolic link"),
        ("text.json", "is no JSON"),
        ("large.json", "the limit is"),
        ("pipe.json", "no regular file"),
        ("../outside.json", "leads out of the repository"),
        (str(outside), "neither in the workspace nor in the runner's temp folder"),
    ):
        assert message in told(replay(mode="publish", results=name)), name
    (job.workspace / "wrong.json").write_text('{"format": "dryfire-result/1", "state": "clear"}')
    assert "is not as the format" in told(replay(mode="publish", results="wrong.json"))


def test_a_junit_file_is_written_where_it_may_stand(job: Job, replay: Callable[..., dict[str, Any]]) -> None:
    assert replay(junit_file="out/junit.xml")["state"] == "clear"
    assert "<testsuites" in (job.workspace / "out/junit.xml").read_text()
    (job.workspace / "link").symlink_to(job.home)
    (job.workspace / "file.xml").symlink_to(job.home / "victim")
    (job.home / "victim").write_text("untouched")
    for name in ("link/junit.xml", "../junit.xml", str(job.home / "junit.xml"), ".git/hooks/pre-commit", "."):
        assert "junit-file" in told(replay(junit_file=name)), name
    assert replay(junit_file="file.xml")["state"] == "clear"
    assert (job.home / "victim").read_text() == "untouched", "a link is replaced, not followed"
    assert not (job.workspace / ".git/hooks/pre-commit").exists()


def test_a_fault_of_ours_is_a_result_without_a_word_of_what_was_read(
    job: Job, replay: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(error: Exception) -> Callable[..., Any]:
        def raise_it(*_: Any, **__: Any) -> Any:
            raise error

        return raise_it

    monkeypatch.setattr(action_replay, "replayed", fail(ValueError("a secret")))
    assert told(replay()) == "internal error: ValueError"
    monkeypatch.setattr(action_replay, "replayed", fail(MemoryError()))
    assert told(replay()) == "too large to check: it takes more memory than it may"


def test_what_is_said_of_an_answer_is_in_the_log_only_where_all_may_be_shown(
    job: Job, replay: Callable[..., dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    job.edit("    expect: []", "    expect: [{final_contains: Never said.}]", "evals/desk.eval.yaml")
    logs = {}
    for show in ("names", "prompts", "all"):
        assert replay(show=show)["counts"]["failed"] == 1
        logs[show] = capsys.readouterr().out
    why = "the final text does not contain"
    assert why in logs["all"] and why not in logs["prompts"] + logs["names"]
    assert "desk::hours" in logs["names"] and "Never said." not in logs["names"]


def alone(code: str) -> subprocess.CompletedProcess[str]:
    """Code in a process of its own, as what it does to it cannot be undone."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    "attempt", ["socket.create_connection(('127.0.0.1', 9))", "socket.getaddrinfo('localhost', 9)"]
)
def test_the_process_that_checks_can_reach_no_network(attempt: str) -> None:
    done = alone(
        f"import socket\nfrom dryfire_action.action_replay import without_network\nwithout_network()\n{attempt}"
    )
    assert done.returncode == 1 and "the check tried to reach the network" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold memory to a limit")
def test_the_process_that_checks_may_take_only_so_much_memory() -> None:
    done = alone(
        "from dryfire_action import action_replay\naction_replay._limit_memory()\n"
        "try: bytearray(5 * 1024**3)\nexcept MemoryError: print('refused')"
    )
    assert done.stdout == "refused\n", done.stderr
